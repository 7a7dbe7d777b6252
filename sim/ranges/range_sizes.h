// How many bytes the entries of a file take at resolution `range`, and how many entries bring an
// output file to its size limit: the rules of models/sizes and models/execution/output_cut.h in
// closed form. Sizes of keys and values may vary: then a number of entries takes what so many of
// the mean size take. A mean need not be whole: part of the entries have a byte more.
//
// In the table formats of RocksDB and LevelDB an entry leaves out the bytes that its key shares
// with the one before. Their sizes are expected values, which depend on the mean gap between keys.
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
  std::uint64_t id_gap = 1;       // the mean gap between neighbouring keys; see above
  std::uint64_t overwritten = 0;  // of these: older versions of a key that is there, too
  [[nodiscard]] std::uint64_t entries() const { return puts + tombstones; }
};

/// The mean gap between so many keys that lie in a range.
[[nodiscard]] std::uint64_t id_gap_of(const KeyRange& keys, std::uint64_t entries);

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

  /// Keys follow each other at equal gaps. Otherwise they lie at random.
  void use_even_keys() { are_keys_even_ = true; }
  /// Keys share bytes as if the gaps between ids were so many times as large, and at least 1.
  void scale_gaps(double scale) { gap_scale_ = scale; }
  /// What a put and a delete add to the memtable: the means of a store that counts the memory of an
  /// arena. Otherwise they add buffered_entry_bytes().
  struct MemtableCharges {
    MeanBytes put;
    MeanBytes tombstone;
  };
  void charge(const MemtableCharges& charges) { charges_ = charges; }
  struct Variances {
    double key_bytes = 0;
    double value_bytes = 0;
  };
  /// How much the sizes of single keys and values differ.
  void scatter(const Variances& variances) { variances_ = variances; }

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
  /// At least as many as any put adds.
  [[nodiscard]] std::uint64_t put_bytes_max() const;
  /// The file with these entries while it grows: tombstones follow the puts. In the formats of
  /// other stores all entries have the mean size.
  [[nodiscard]] SstableSize size_of(const SstableFormat& format, const EntryMix& mix) const;
  struct DataBlocks {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  // of all, as stored
    /// REQUIRES: block <= count.
    [[nodiscard]] std::uint64_t bytes_before(std::uint64_t block) const {
      return static_cast<std::uint64_t>(Uint128{bytes} * block / count);
    }
  };
  /// The data blocks of a file of so many bytes, all of one size. `format`: without compression,
  /// which the file may have. REQUIRES: mix.entries() > 0.
  [[nodiscard]] DataBlocks data_blocks_of(const SstableFormat& format, const EntryMix& mix,
                                          Bytes file_bytes) const;
  /// The bytes of a whole file. REQUIRES: mix.entries() > 0.
  [[nodiscard]] Bytes file_bytes(const SstableFormat& format, const EntryMix& mix) const;
  struct FileEnd {
    std::optional<std::uint64_t> filled_to;  // its stored blocks reached this limit
    std::uint64_t seed = 0;                  // tells the file from others
  };
  /// The bytes of a whole file that some rule ended. A filled one has as many blocks of its own
  /// size as the limit takes. Where entries differ in size, or share bytes with the one before, the
  /// bytes also scatter as those of exact keys. Otherwise files of a merge would have one size, or
  /// the widest would be the largest, and a policy that takes the largest would go through them by
  /// position. REQUIRES: mix.entries() > 0.
  [[nodiscard]] Bytes ended_file_bytes(const SstableFormat& format, const EntryMix& mix,
                                       const FileEnd& end) const;
  /// The number of entries, at least 1, with which a file reaches its limit: OutputCutter's size
  /// rule. Exact for entries of one size in lsmlab's own format; of a mixture, each entry counts
  /// with the mean size.
  [[nodiscard]] std::uint64_t entries_to_fill(const SstableFormat& format, CutMeasure measure,
                                              std::uint64_t bytes_max, const EntryMix& mix) const;
  /// How many entries of one mix have the bytes of `count` entries of another, about. The mixes may
  /// be in any unit. REQUIRES: neither is empty.
  [[nodiscard]] std::uint64_t as_many_bytes(std::uint64_t count, const EntryMix& of,
                                            const EntryMix& in) const;

 private:
  struct Moments {
    double mean = 0;
    double variance = 0;
  };
  /// Of an entry's bytes and its offset, before compression. REQUIRES: mix.entries() > 0.
  [[nodiscard]] Moments entry_moments(const EntryMix& mix) const;
  /// A full data block of entries that differ in size, in lsmlab's format; means.
  struct MixedBlock {
    double entries = 0;
    double stored_bytes = 0;
    double last_entry_bytes = 0;  // as stored
  };
  [[nodiscard]] static MixedBlock block_of(const SstableFormat& format, const Moments& entry);
  /// ended_file_bytes() of a filled file of such blocks.
  [[nodiscard]] static Bytes filled_file_bytes(const SstableFormat& format, const SstableSize& size,
                                               const Moments& entry, const FileEnd& end);
  // As entries_to_fill() for the formats of other stores.
  [[nodiscard]] std::uint64_t searched_to_fill(const SstableFormat& format, CutMeasure measure,
                                               std::uint64_t bytes_max, const EntryMix& mix) const;

  MeanBytes key_bytes_;
  MeanBytes value_bytes_;
  Variances variances_;
  std::optional<MemtableCharges> charges_;
  double gap_scale_ = 1;
  bool is_bare_ = false;
  bool are_keys_even_ = false;
};

}  // namespace lsmlab
