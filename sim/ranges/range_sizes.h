// How many bytes the entries of a file take at resolution `range`, and how many entries bring an
// output file to its size limit: the rules of models/sizes and models/execution/output_cut.h in
// closed form. Sizes of keys and values may vary: then a number of entries takes what so many of
// the mean size take. A mean need not be whole: part of the entries have a byte more.
#pragma once

#include <array>
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

/// A mean of sizes in multiples of 2^-16 bytes.
struct MeanBytes {
  static constexpr unsigned kBits = 16;
  std::uint64_t scaled = 0;
  [[nodiscard]] static constexpr MeanBytes whole(std::uint64_t bytes) { return {bytes << kBits}; }
  /// The bytes of so many.
  [[nodiscard]] constexpr std::uint64_t of(std::uint64_t count) const {
    return static_cast<std::uint64_t>(Uint128{scaled} * count >> kBits);
  }
};

/// Entries of one size.
struct EqualEntries {
  std::uint64_t count = 0;
  std::uint64_t key_bytes = 0;
  std::uint64_t value_bytes = 0;
};

class RangeSizes {
 public:
  RangeSizes(std::uint64_t key_bytes, std::uint64_t value_bytes)
      : RangeSizes(MeanBytes::whole(key_bytes), MeanBytes::whole(value_bytes)) {}
  RangeSizes(MeanBytes key_bytes, MeanBytes value_bytes)
      : key_bytes_(key_bytes), value_bytes_(value_bytes) {}
  /// Entries of one byte, and files without anything else: what a workload of flush sizes is made
  /// of.
  [[nodiscard]] static RangeSizes of_bytes();

  /// The bytes of so many keys, or values.
  [[nodiscard]] std::uint64_t key_bytes(std::uint64_t count) const { return key_bytes_.of(count); }
  [[nodiscard]] std::uint64_t value_bytes(std::uint64_t count) const {
    return value_bytes_.of(count);
  }
  /// So many puts or tombstones as entries of whole sizes whose sums are those of the means. Some
  /// may be empty.
  [[nodiscard]] std::array<EqualEntries, 3> puts(std::uint64_t count) const;
  [[nodiscard]] std::array<EqualEntries, 3> tombstones(std::uint64_t count) const;
  /// The bytes that so many puts or deletes add to the memtable.
  [[nodiscard]] std::uint64_t put_bytes(std::uint64_t count) const;
  [[nodiscard]] std::uint64_t delete_bytes(std::uint64_t count) const;
  /// The file with these entries while it grows: tombstones follow the puts.
  [[nodiscard]] SstableSize size_of(const SstableFormat& format, const EntryMix& mix) const;
  /// The bytes of a whole file. REQUIRES: mix.entries() > 0.
  [[nodiscard]] Bytes file_bytes(const SstableFormat& format, const EntryMix& mix) const;
  /// The number of entries, at least 1, with which a file reaches its limit: OutputCutter's size
  /// rule. Exact for entries of one size; of a mixture, each entry counts with the mean size.
  [[nodiscard]] std::uint64_t entries_to_fill(const SstableFormat& format, CutMeasure measure,
                                              std::uint64_t bytes_max, const EntryMix& mix) const;

 private:
  MeanBytes key_bytes_;
  MeanBytes value_bytes_;
  bool is_bare_ = false;
};

}  // namespace lsmlab
