// Merges sorted inputs into SSTables: keeps the newest version of each key (a flush of some
// policies keeps all versions), cuts files and drops tombstones by the rules that the simulator
// shares (models/execution/output_cut.h, models/execution/tombstone_rule.h).
//
// Threading: a merge belongs to one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/files/file_system.h"
#include "engine/memtable/memtable.h"
#include "engine/sstable/entry_view.h"
#include "engine/sstable/key_window.h"
#include "engine/sstable/sstable.h"
#include "models/execution/output_cut.h"
#include "models/execution/tombstone_rule.h"
#include "models/sizes/deletion_mark.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

/// A sorted input. Entries are in the order of precedes(); several versions of a key may follow
/// each other.
class MergeSource {
 public:
  MergeSource() = default;
  MergeSource(const MergeSource&) = delete;
  MergeSource& operator=(const MergeSource&) = delete;
  virtual ~MergeSource() = default;
  /// Moves to the next entry; the first call moves to the first entry. False at the end.
  [[nodiscard]] virtual Result<bool> next() = 0;
  [[nodiscard]] virtual const EntryView& entry() const = 0;
  [[nodiscard]] virtual std::uint64_t window() const = 0;
};

/// The entries of an SSTable whose windows lie in a range.
struct TablePart {
  // Called when the merge reaches the part, so that no more files are open than are read.
  std::function<Result<std::shared_ptr<const SstableReader>>()> open;
  KeyRange windows;
};
/// Reads parts of SSTables one after another: the files of a sorted run, or slices of frozen files.
[[nodiscard]] std::unique_ptr<MergeSource> table_source(std::vector<TablePart> parts,
                                                        std::uint64_t read_ahead_bytes);
/// Reads every version in memtables to which no thread adds, as one input. They must outlive the
/// source. REQUIRES: at least one memtable.
[[nodiscard]] std::unique_ptr<MergeSource> memtable_source(
    const std::vector<const Memtable*>& memtables);

/// Makes the output files.
class OutputFiles {
 public:
  struct Opened {
    FileId id;
    std::unique_ptr<WritableFile> file;
  };
  OutputFiles() = default;
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  virtual ~OutputFiles() = default;
  /// Makes a new file. Called when the file's first entry is known.
  [[nodiscard]] virtual Result<Opened> open() = 0;
  /// Syncs and closes a complete file as the store requires.
  [[nodiscard]] virtual Result<void> close(Opened& opened) = 0;
};

/// Whether a file that may have older data holds a key, true also if it has no filter. Errors:
/// reading the file.
using HoldsKey = std::function<Result<bool>(FileId, std::string_view key)>;

struct MergeJob {
  std::vector<std::unique_ptr<MergeSource>> sources;
  SstableFormat format;
  std::optional<DeletionMark> mark;  // which output files are marked
  bool keeps_deletion_times = false;
  bool keeps_overwritten = false;  // writes all versions of a key (a flush may)
  // A merge has both. A flush has neither: it writes one file and keeps every tombstone.
  std::optional<OutputCutter> cutter;
  std::optional<TombstoneRule> tombstones;
  HoldsKey holds_key;  // REQUIRES: set if the rule asks filters and an input has a tombstone
  std::optional<Instant> oldest_tombstone;  // of the inputs; outputs with tombstones inherit it
  const std::atomic<bool>* stop = nullptr;  // when true, the merge soon ends with an error
};

struct MergeOutcome {
  // In key order. Set are id, keys, bytes, entries, tombstones, key and value bytes, sequences,
  // oldest_tombstone, marked and deletion_times.
  std::vector<File> files;
  std::uint64_t entries_in = 0;  // read from all sources, including overwritten versions
  // Of the tombstones that were newest of their key and dropped by the rule.
  std::vector<std::uint64_t> dropped_sequences;
  std::vector<std::uint64_t> source_entries;  // of each source, in the order given
  KeptRangeTests range_tests;
};

/// Runs the merge. Errors: reading, writing, or a stop. After an error the caller must remove the
/// files written so far (OutputFiles knows them).
[[nodiscard]] Result<MergeOutcome> run_merge(MergeJob job, const KeyWindow& window,
                                             OutputFiles& outputs);

/// Summary of the newest versions of the keys in memtables, or of all versions, which the tree
/// needs for their flush: bytes (as an SSTable of `format`), entries, keys, tombstones; not
/// traffic. `memtables`: oldest first. REQUIRES: at least one entry, and no thread adds.
struct MemtableSummary {
  PendingFlush pending;
  std::optional<Instant> oldest_tombstone;  // among the tombstones that are written
};
[[nodiscard]] MemtableSummary summarize(const std::vector<const Memtable*>& memtables,
                                        const SstableFormat& format, bool keeps_overwritten);

}  // namespace lsmlab::engine
