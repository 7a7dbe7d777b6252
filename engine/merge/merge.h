// Merging of sorted inputs into SSTables: the newest version of each key, cut and cleared of
// tombstones by the shared rules (models/execution/output_cut.h,
// models/execution/tombstone_rule.h).
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
#include "models/sizes/sstable_size.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

/// A sorted input. Entries stand by precedes(); several versions of a key may follow each other.
class MergeSource {
 public:
  MergeSource() = default;
  MergeSource(const MergeSource&) = delete;
  MergeSource& operator=(const MergeSource&) = delete;
  virtual ~MergeSource() = default;
  /// To the next entry, the first at first; false at the end.
  [[nodiscard]] virtual Result<bool> next() = 0;
  [[nodiscard]] virtual const EntryView& entry() const = 0;
  [[nodiscard]] virtual std::uint64_t window() const = 0;
};

/// The entries of an SSTable whose windows lie in a range.
struct TablePart {
  // Called when the merge comes to it, so that no more files are open than are read.
  std::function<Result<std::shared_ptr<const SstableReader>>()> open;
  KeyRange windows;
};
/// Parts of SSTables, one after another: a sorted run's files, or slices of frozen ones.
[[nodiscard]] std::unique_ptr<MergeSource> table_source(std::vector<TablePart> parts,
                                                        std::uint64_t read_ahead_bytes);
/// Every version in a memtable that nobody adds to. Both must outlive the source. `window`: the
/// memtable's.
[[nodiscard]] std::unique_ptr<MergeSource> memtable_source(const Memtable& memtable,
                                                           const KeyWindow& window);

/// Where output files come from.
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
  /// A new file; asked for when its first entry is there.
  [[nodiscard]] virtual Result<Opened> open() = 0;
  /// It is whole: sync and close it as the store wants.
  [[nodiscard]] virtual Result<void> close(Opened& opened) = 0;
};

struct MergeJob {
  std::vector<std::unique_ptr<MergeSource>> sources;
  SstableFormat format;
  Compression compression = Compression::kNone;
  // A merge has both; a flush has neither: one file, every tombstone kept.
  std::optional<OutputCutter> cutter;
  std::optional<TombstoneRule> tombstones;
  std::optional<Instant> oldest_tombstone;  // of what goes in; outputs with tombstones inherit it
  const std::atomic<bool>* stop = nullptr;  // set: the merge ends with an error soon
};

struct MergeOutcome {
  // By key; id, keys, bytes, entries, tombstones, key and value bytes, sequences and
  // oldest_tombstone are set.
  std::vector<File> files;
  std::uint64_t entries_in = 0;               // of all sources, overwritten versions included
  std::uint64_t tombstones_dropped = 0;       // newest of their key, and let go by the rule
  std::vector<std::uint64_t> source_entries;  // of each source, in the order given
};

/// Errors: of reading, writing, or a stop; files written so far are then left to the caller
/// (OutputFiles knows them).
[[nodiscard]] Result<MergeOutcome> run_merge(MergeJob job, const KeyWindow& window,
                                             OutputFiles& outputs);

/// What the newest versions of a memtable's keys come to, as the tree wants to know it of a flush:
/// bytes (as an SSTable of `format`), entries, keys, tombstones; traffic is left out. REQUIRES: at
/// least one entry, nobody adds.
struct MemtableSummary {
  PendingFlush pending;
  std::optional<Instant> oldest_tombstone;  // of tombstones that are newest of their key
};
[[nodiscard]] MemtableSummary summarize(const Memtable& memtable, const KeyWindow& window,
                                        const SstableFormat& format);

}  // namespace lsmlab::engine
