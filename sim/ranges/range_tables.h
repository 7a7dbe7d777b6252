// SSTables as reads see them at resolution `range`: filters, and data blocks of the mean size. What
// a read needs of a file is computed when a read first asks for it. Not thread safe.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "models/sizes/filter_chance.h"
#include "models/sizes/sstable_format.h"
#include "models/tree/plan.h"
#include "sim/ranges/range_contents.h"
#include "sim/ranges/range_sizes.h"

namespace lsmlab {

class RangeTables {
 public:
  struct Table {
    FileId id;
    const RangeContents* contents = nullptr;
    SstableFormat format;
    EntryMix mix;
    std::uint64_t reads_before = 0;  // reads of the run before the file was written
    // set by table()
    bool is_known = false;
    bool has_filter = false;
    double passes = 1;             // share of absent keys that the filter passes
    std::uint64_t pass_bound = 0;  // draw_bound() of it
    std::uint64_t blocks = 0;
    double block_keys = 0;          // of a block, in the mean
    std::uint64_t block_bytes = 0;  // stored, in the mean
  };

  explicit RangeTables(const RangeSizes& sizes) : sizes_(sizes) {}

  /// REQUIRES: the contents live until forget().
  void add(FileId id, const RangeContents& contents, const SstableFormat& format,
           const EntryMix& mix, std::uint64_t reads_before);
  void forget(FileId id) { tables_.erase(id.value()); }
  /// REQUIRES: the file was added.
  [[nodiscard]] const Table& table(FileId id);

 private:
  const RangeSizes sizes_;
  FilterModel filters_;
  std::unordered_map<std::uint64_t, Table> tables_;  // by id; only looked up, never iterated
};

}  // namespace lsmlab
