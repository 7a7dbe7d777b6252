// How full a memtable is at resolution `range` where no sum over its writes gives it
// (models/sizes/memtable_size.h): RocksDB and LevelDB count the memory of an arena, write batches
// fill a memtable as a whole, and some memtables replace entries.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/sizes/store_options.h"
#include "sim/ranges/key_population.h"
#include "sim/ranges/range_sizes.h"
#include "traces/workloads/size_distribution.h"

namespace lsmlab {

/// Means over memtables that are filled write by write with sizes drawn from the distributions:
/// once with puts, once with deletes. A mixture takes the sum of its parts. REQUIRES: the
/// distributions are valid.
[[nodiscard]] RangeSizes::MemtableCharges memtable_charges(const StoreOptions& store,
                                                           const SizeDistribution& key_bytes,
                                                           const SizeDistribution& value_bytes);

/// The bytes of the open memtable of a population if it has one entry for each key.
[[nodiscard]] std::uint64_t bytes_in_place(const RangeSizes& sizes,
                                           const KeyPopulation& population);

/// Bounds the bytes of a memtable that replaces entries between two looks at it (bytes_in_place()),
/// which take long. It grows at most as fast as before the first of them: of the same operations,
/// later ones find their keys in the memtable more often.
class InPlaceFill {
 public:
  explicit InPlaceFill(const RangeSizes& sizes)
      : write_bytes_max_(std::max(sizes.put_bytes_max(), sizes.delete_bytes(1))),
        grown_bytes_(write_bytes_max_) {}

  /// A memtable or a phase begins: the memtable has so many bytes after so many writes, and how
  /// fast it will grow is unknown.
  void begin(std::uint64_t writes, std::uint64_t bytes);
  /// The memtable has so many bytes after so many writes. REQUIRES: no fewer than before.
  void look(std::uint64_t writes, std::uint64_t bytes);
  /// At most so many bytes after so many writes. REQUIRES: no fewer than at the last look.
  [[nodiscard]] std::uint64_t bytes_max(std::uint64_t writes) const;
  /// After so many writes the memtable has at most `bytes`; those of the last look if it may have
  /// more.
  [[nodiscard]] std::uint64_t writes_to(std::uint64_t bytes) const;

 private:
  std::uint64_t write_bytes_max_;
  std::uint64_t writes_ = 0;  // at the last look
  std::uint64_t bytes_ = 0;
  std::uint64_t grown_bytes_;  // between the last two looks
  std::uint64_t grown_writes_ = 1;
};

}  // namespace lsmlab
