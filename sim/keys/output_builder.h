// Turns a merge's stream of entries into SSTables. It cuts files by the plan's rule, drops
// tombstones by the shared rule, and sums up what the tree keeps about a file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/execution/output_cut.h"
#include "models/policies/policy.h"
#include "models/sizes/deletion_mark.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/tree.h"
#include "sim/keys/entry.h"
#include "sim/keys/entry_list.h"

namespace lsmlab {

/// A written SSTable that has no id yet.
struct BuiltFile {
  EntryList entries;
  bool has_overwritten = false;  // of a key more than its newest version
  // The members keys, bytes, entries, tombstones, key_bytes, value_bytes, sequences, marked and
  // deletion_times are set.
  File file;
};

/// What the policy wants to know of the tombstones of a file.
struct TombstoneNotes {
  std::optional<DeletionMark> mark;  // which files are marked
  bool keeps_deletion_times = false;

  TombstoneNotes() = default;
  explicit TombstoneNotes(const Policy& policy)
      : mark(policy.deletion_mark()), keeps_deletion_times(policy.gc_grace() > 0) {}
};

/// Sums over the entries of one file, added entry by entry.
class OutputSums {
 public:
  explicit OutputSums(const SstableFormat& format, const TombstoneNotes& notes = {})
      : size_(format), times_(notes.keeps_deletion_times) {
    if (notes.mark) mark_.emplace(*notes.mark);
  }
  /// REQUIRES: all entries are of the given size class and above those added before, and entry
  /// sizes in the layout do not depend on keys.
  void add_equal(std::span<const Entry> entries, const SizeClass& size);
  void add(const Entry& entry, const SizeClass& size);
  [[nodiscard]] const SstableSize& size() const { return size_; }
  /// Describes the file. REQUIRES: at least one entry was added.
  [[nodiscard]] File file() const;

 private:
  void observe(const Entry& entry) {
    least_version_ = entry.version < least_version_ ? entry.version : least_version_;
    largest_version_ = entry.version > largest_version_ ? entry.version : largest_version_;
    tombstones_ += entry.is_tombstone();
    if (mark_) mark_->add(entry.is_tombstone());
    if (entry.is_tombstone()) times_.add(entry.sequence());
  }

  SstableSize size_;
  std::optional<DeletionMarkCounter> mark_;
  DeletionTimesCounter times_;
  KeyRange keys_;
  std::uint64_t tombstones_ = 0;
  std::uint64_t key_bytes_ = 0;
  std::uint64_t value_bytes_ = 0;
  std::uint64_t least_version_ = ~std::uint64_t{0};
  std::uint64_t largest_version_ = 0;
};

class OutputBuilder {
 public:
  OutputBuilder(const SstableFormat& format, const TombstoneNotes& notes, OutputCutter cutter,
                const SizeClasses& classes, ChunkPool& pool)
      : format_(format),
        notes_(notes),
        cutter_(std::move(cutter)),
        classes_(classes),
        pool_(pool) {}

  /// Appends entries. REQUIRES: their keys are above those appended before.
  void append(std::span<const Entry> entries);
  /// The written files, by key; none if no entry was appended.
  [[nodiscard]] std::vector<BuiltFile> finish();

 private:
  struct OpenFile {
    EntryList entries;
    OutputSums sums;
  };
  void append_quiet(std::span<const Entry> entries);
  void append_uniform(std::span<const Entry> entries);
  void append_mixed(std::span<const Entry> entries);
  [[nodiscard]] OpenFile& open_file();
  void close_file();

  SstableFormat format_;
  TombstoneNotes notes_;
  OutputCutter cutter_;
  const SizeClasses& classes_;
  ChunkPool& pool_;
  std::optional<OpenFile> open_;
  std::vector<BuiltFile> built_;
};

}  // namespace lsmlab
