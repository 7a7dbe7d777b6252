// How many bytes the entries of a file take at resolution `range`, and how many entries bring an
// output file to its size limit: the rules of models/sizes and models/execution/output_cut.h in
// closed form. All puts have one size.
#pragma once

#include <cstdint>
#include <optional>

#include "models/base/units.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/plan.h"

namespace lsmlab {

/// Numbers of puts and tombstones in a file.
struct EntryMix {
  std::uint64_t puts = 0;
  std::uint64_t tombstones = 0;
  [[nodiscard]] std::uint64_t entries() const { return puts + tombstones; }
};

class RangeSizes {
 public:
  RangeSizes(std::uint64_t key_bytes, std::uint64_t value_bytes)
      : key_bytes_(key_bytes), value_bytes_(value_bytes) {}
  /// Entries of one byte, and files without anything else: what a workload of flush sizes is made
  /// of.
  [[nodiscard]] static RangeSizes of_bytes() { return {1, 0, true}; }

  [[nodiscard]] std::uint64_t key_bytes() const { return key_bytes_; }
  [[nodiscard]] std::uint64_t value_bytes() const { return value_bytes_; }
  /// The bytes that a put or a delete adds to the memtable.
  [[nodiscard]] std::uint64_t put_bytes() const;
  [[nodiscard]] std::uint64_t delete_bytes() const;
  /// The file with these entries while it grows: tombstones follow the puts.
  [[nodiscard]] SstableSize size_of(const SstableFormat& format, const EntryMix& mix) const;
  /// The bytes of a whole file. REQUIRES: mix.entries() > 0.
  [[nodiscard]] Bytes file_bytes(const SstableFormat& format, const EntryMix& mix) const;
  /// The number of entries, at least 1, with which a file reaches its limit: OutputCutter's size
  /// rule. Exact for entries of one size; of a mixture, each entry counts with the mean size.
  [[nodiscard]] std::uint64_t entries_to_fill(const SstableFormat& format, CutMeasure measure,
                                              std::uint64_t bytes_max, const EntryMix& mix) const;

 private:
  RangeSizes(std::uint64_t key_bytes, std::uint64_t value_bytes, bool is_bare)
      : key_bytes_(key_bytes), value_bytes_(value_bytes), is_bare_(is_bare) {}

  std::uint64_t key_bytes_;
  std::uint64_t value_bytes_;
  bool is_bare_ = false;
};

}  // namespace lsmlab
