// Turns a merge's stream of entries into SSTables. It cuts files by the plan's rule, drops
// tombstones by the shared rule, and sums up what the tree keeps about a file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/execution/output_cut.h"
#include "models/execution/tombstone_rule.h"
#include "models/sizes/deletion_mark.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/tree.h"
#include "sim/keys/entry.h"
#include "sim/keys/entry_list.h"

namespace lsmlab {

/// A written SSTable that has no id yet.
struct BuiltFile {
  EntryList entries;
  // The members keys, bytes, entries, tombstones, key_bytes, value_bytes, sequences and marked are
  // set.
  File file;
};

/// Sums over the entries of one file, added entry by entry.
class OutputSums {
 public:
  explicit OutputSums(const SstableFormat& format, const std::optional<DeletionMark>& mark = {})
      : size_(format) {
    if (mark) mark_.emplace(*mark);
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
  }

  SstableSize size_;
  std::optional<DeletionMarkCounter> mark_;
  KeyRange keys_;
  std::uint64_t tombstones_ = 0;
  std::uint64_t key_bytes_ = 0;
  std::uint64_t value_bytes_ = 0;
  std::uint64_t least_version_ = ~std::uint64_t{0};
  std::uint64_t largest_version_ = 0;
};

class OutputBuilder {
 public:
  /// `mark`: which files are marked.
  OutputBuilder(const SstableFormat& format, const std::optional<DeletionMark>& mark,
                OutputCutter cutter, const SizeClasses& classes, ChunkPool& pool)
      : format_(format), mark_(mark), cutter_(std::move(cutter)), classes_(classes), pool_(pool) {}

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
  std::optional<DeletionMark> mark_;
  OutputCutter cutter_;
  const SizeClasses& classes_;
  ChunkPool& pool_;
  std::optional<OpenFile> open_;
  std::vector<BuiltFile> built_;
};

}  // namespace lsmlab
