// A file of the tree as policies know it: an SSTable's description, not its contents.
//
// A virtual file has no SSTable. It stands for parts of frozen files, its slices, which a merge of
// it reads. Its own bytes and entries are 0.
//
// A copy is a frozen file whose entries also are in a file of the tree, as far as nothing newer
// replaced them: an older form of these bytes, which lookups read before the file because its
// blocks may be in the block cache (LSbM's compaction buffer).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/base/units.h"
#include "models/tree/deletion_times.h"
#include "models/tree/kept_ranges.h"
#include "models/tree/plan.h"

namespace lsmlab {

/// Part of a frozen file that waits to be merged into the file below it (LDC, Section III), or that
/// a virtual file stands for.
struct Slice {
  FileId frozen_file;
  KeyRange keys;
  Bytes bytes;  // of the frozen file's data blocks that may hold such keys
  // Of the keys and values of the frozen file, the same part as `bytes` is of the file. The tree
  // notes it; in memory only: a manifest does not have it.
  Bytes entry_bytes = {};
};

/// Part of a frozen file that merges have rewritten into the file that has the copy.
struct Copy {
  FileId frozen_file;
  KeyRange keys;
  friend bool operator==(const Copy&, const Copy&) = default;
};

/// What a file overlaps in the newest run of a deeper level.
struct Overlap {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  // Bytes of the files that begin below the file's largest key: RocksDB's measure, which leaves out
  // a file that only begins where this one ends.
  std::uint64_t bytes_begun_before_end = 0;
  friend bool operator==(const Overlap&, const Overlap&) = default;
};

/// Which of a file's entries count as older than all others, because a merge with nothing older
/// below wrote them: RocksDB then sets their sequence numbers to 0.
enum class Zeroed { kNone, kSome, kAll };

struct File {
  FileId id;
  KeyRange keys;
  Bytes bytes;
  Entries entries;  // 0 where the simulation knows sizes only
  Entries tombstones;
  Bytes key_bytes;    // of all entries
  Bytes value_bytes;  // of all entries
  std::optional<Instant> oldest_tombstone;
  SequenceSpan sequences;  // of its entries
  Zeroed zeroed = Zeroed::kNone;
  Instant created;  // when it was written
  // When the oldest memtable that the file may hold data of got its first entry. A merge's output
  // takes the least of the inputs that it overlaps (RocksDB's oldest_ancester_time).
  Instant oldest_ancestor;
  Instant level_since;        // when it came to its level
  Instant last_access;        // when a lookup last reached it by key range, or when it was written
  std::uint64_t seeks = 0;    // lookups that it was charged with in its level (LevelDB)
  FlushSpan flushes;          // first and last flush whose data the file may hold
  bool busy = false;          // an input of a plan that is being executed
  bool marked = false;        // it has many deletes (models/sizes/deletion_mark.h)
  bool is_virtual = false;    // it has no SSTable
  std::vector<Slice> slices;  // oldest first
  // Newest first. A copy holds the file's newest version of a key if it has the key and no newer
  // copy of the file has it.
  std::vector<Copy> copies;
  // A merge that leaves copies wrote it, and it has not moved since: its bytes are in none of its
  // copies.
  bool is_rewritten = false;
  // Null: none are kept. In memory only: a manifest does not have them.
  std::shared_ptr<const KeptRanges> kept_ranges;
  // Data that one of them covers, where it is not the store's range_bytes.
  std::optional<Bytes> range_bytes;
  // When its tombstones were written. Null where the policy does not need that, or without
  // tombstones.
  std::shared_ptr<const DeletionTimes> deletion_times;
  // Of the next level and the one after. The tree keeps them where an ordering asks for them
  // (models/tree/file_order.h); otherwise, and in level 0, whose files may overlap whole levels,
  // they are 0.
  std::array<Overlap, 2> overlaps;

  /// The bytes that a policy counts for the file: its SSTable's, or those of a virtual file's
  /// slices.
  [[nodiscard]] Bytes data_bytes() const {
    Bytes sum = bytes;
    if (!is_virtual) return sum;
    for (const Slice& slice : slices) sum += slice.bytes;
    return sum;
  }
};

}  // namespace lsmlab
