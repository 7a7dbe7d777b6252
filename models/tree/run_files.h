// The files of a sorted run, by key: an array of constant files whose copies take constant time and
// share files with each other, with sums and searches in O(log files).
#pragma once

#include <boost/iterator/iterator_facade.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "models/tree/cow_sequence.h"
#include "models/tree/file.h"

namespace lsmlab {

/// The least of some numbers, and how many there are of it, so that taking one out mostly leaves it
/// known.
struct Least {
  std::uint64_t value = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t count = 0;
  void add(const Least& other) {
    if (other.value < value) *this = {other.value, 0};
    if (other.value == value) count += other.count;
  }
  /// False where the least that is left cannot be told.
  [[nodiscard]] bool subtract(const Least& other) {
    if (other.value != value) return true;
    count -= other.count;
    return count > 0 || value == std::numeric_limits<std::uint64_t>::max();
  }
};

/// The same of the greatest; 0 where there are none.
struct Greatest {
  std::uint64_t value = 0;
  std::uint64_t count = 0;
  void add(const Greatest& other) {
    if (other.value > value) *this = {other.value, 0};
    if (other.value == value) count += other.count;
  }
  [[nodiscard]] bool subtract(const Greatest& other) {
    if (other.value != value) return true;
    count -= other.count;
    return count > 0 || value == 0;
  }
};

/// What of a file leaves repeat: that of which extremes are kept, its size and its end.
struct FileExtremes {
  std::uint64_t largest_key = 0;
  std::uint64_t bytes = 0;  // as File::data_bytes()
  std::uint64_t slices = 0;
  FlushSpan flushes;
  std::optional<Instant> oldest_tombstone;
  Instant created;
  Instant oldest_ancestor;

  [[nodiscard]] std::uint64_t data_bytes() const { return bytes; }
};

/// Extremes over files.
struct RunExtremes {
  Greatest slices_max;  // of one file
  Least first_flush;
  Greatest last_flush;
  Least oldest_tombstone;
  Least first_created;
  Least first_ancestor;

  void add(const RunExtremes& other);
  void add(const FileExtremes& file);
  [[nodiscard]] bool subtract(const RunExtremes& other);
};

/// Sums over files.
struct FileSums {
  std::uint64_t files = 0;
  std::uint64_t busy_files = 0;
  std::uint64_t bytes = 0;          // of SSTables
  std::uint64_t virtual_bytes = 0;  // that virtual files stand for
  std::uint64_t busy_bytes = 0;
  std::uint64_t entries = 0;
  std::uint64_t tombstones = 0;
  std::uint64_t busy_tombstones = 0;
  std::uint64_t key_bytes = 0;
  std::uint64_t value_bytes = 0;
  std::uint64_t unsliced_files = 0;
  std::uint64_t files_with_copies = 0;
  // Twice the tombstones minus the entries, of files where that is above 0: what RocksDB's
  // compensated sizes count (models/policies/rocksdb/levels.h).
  std::uint64_t surplus_tombstones = 0;
  std::uint64_t busy_surplus_tombstones = 0;

  /// As File::data_bytes().
  [[nodiscard]] std::uint64_t data_bytes() const { return bytes + virtual_bytes; }
  void add(const FileSums& other);
  void subtract(const FileSums& other);
  [[nodiscard]] static FileSums of(const File& file);
  friend bool operator==(const FileSums&, const FileSums&) = default;
};

/// Sums and extremes over files.
struct RunSums : RunExtremes, FileSums {
  using Extremes = RunExtremes;

  void add(const RunSums& other) {
    FileSums::add(other);
    RunExtremes::add(other);
  }
  [[nodiscard]] bool subtract(const RunSums& other) {
    FileSums::subtract(other);
    return RunExtremes::subtract(other);
  }
  [[nodiscard]] const Extremes& extremes() const { return *this; }
  void set_extremes(const Extremes& extremes) { static_cast<Extremes&>(*this) = extremes; }
  [[nodiscard]] static RunSums of(const File& file);
};

[[nodiscard]] FileExtremes file_extremes(const File& file);

class RunFiles {
  // A file, shared by copies of runs until one of them changes it.
  struct SharedFile : boost::intrusive_ref_counter<SharedFile, boost::thread_safe_counter> {
    explicit SharedFile(File of) : file(std::move(of)) {}
    File file;
  };
  struct Traits {
    using Item = boost::intrusive_ptr<SharedFile>;
    using Key = std::uint64_t;
    static constexpr bool kKeysInLeaves = true;
    using Summary = RunSums;
    static Key key_of(const Item& item) { return item->file.keys.smallest; }
    static Summary summary_of(const Item& item) { return RunSums::of(item->file); }
    static FileExtremes extremes_of(const Item& item) { return file_extremes(item->file); }
  };
  using Sequence = CowSequence<Traits>;

 public:
  class Iterator;
  using value_type = File;
  using const_iterator = Iterator;

  RunFiles() = default;
  RunFiles(std::initializer_list<File> files);
  RunFiles(std::vector<File> files);  // NOLINT(google-explicit-constructor): a list is a list

  [[nodiscard]] std::size_t size() const { return files_.size(); }
  [[nodiscard]] bool empty() const { return files_.empty(); }
  [[nodiscard]] const File& operator[](std::size_t index) const { return files_[index]->file; }
  [[nodiscard]] const File& front() const { return (*this)[0]; }
  [[nodiscard]] const File& back() const { return (*this)[size() - 1]; }
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;

  [[nodiscard]] const RunSums& sums() const { return files_.summary(); }
  /// Of the files first..last-1.
  [[nodiscard]] RunSums sums(std::size_t first, std::size_t last) const {
    return files_.sum(first, last);
  }
  /// The first file that begins at `key` or above it; size() where there is none.
  [[nodiscard]] std::size_t first_from(std::uint64_t key) const {
    return files_.partition_point([&](std::uint64_t smallest) { return smallest < key; });
  }
  /// The first file that begins above `key`; size() where there is none.
  [[nodiscard]] std::size_t first_above(std::uint64_t key) const {
    return files_.partition_point([&](std::uint64_t smallest) { return smallest <= key; });
  }
  /// The first file that ends at `key` or above it; size() where there is none.
  [[nodiscard]] std::size_t first_ending_from(std::uint64_t key) const {
    const std::size_t above = first_above(key);
    return above > 0 && files_.at(above - 1).extremes().largest_key >= key ? above - 1 : above;
  }
  /// The first file from `from` on for whose sums `has` is true, which must be true of several
  /// files' sums exactly where it is of one of theirs; size() where there is none.
  template <class Has>
  [[nodiscard]] std::size_t find_first(std::size_t from, const Has& has) const {
    return files_.find_first(from, has);
  }
  /// The first file from `from` on with which the bytes of the files from..it exceed `bytes`;
  /// size() where they never do.
  [[nodiscard]] std::size_t first_with_bytes_above(std::size_t from, std::uint64_t bytes) const {
    return files_.find_sum_above(from, bytes, [](const auto& of) { return of.data_bytes(); });
  }
  /// Calls `visit(file)` for each busy file, by key; O(busy files * log files).
  template <class Visit>
  void visit_busy(const Visit& visit) const {
    const auto is_busy = [](const RunSums& sums) { return sums.busy_files > 0; };
    for (std::size_t i = find_first(0, is_busy); i < size(); i = find_first(i + 1, is_busy)) {
      visit((*this)[i]);
    }
  }

  /// Puts a file where its smallest key belongs.
  void insert(File file);
  void push_back(File file);
  File erase(std::size_t index);
  /// Puts `files` in the place of the files first..last-1. REQUIRES: they follow by key what stays
  /// before them, and what stays behind them follows.
  void replace(std::size_t first, std::size_t last, std::vector<File> files);
  /// Calls `change(file)`, which must leave the smallest key as it is.
  template <class Change>
  void change(std::size_t index, const Change& change) {
    files_.change(index, [&](Traits::Item& item) { change(own(item)); });
  }
  /// The same for each of the files first..last-1.
  template <class Change>
  void change(std::size_t first, std::size_t last, const Change& change) {
    files_.change(first, last, [&](Traits::Item& item) { change(own(item)); });
  }
  /// The same for changes of what RunSums do not count; cheaper.
  template <class Change>
  void annotate(std::size_t index, const Change& change) {
    files_.annotate(index, [&](Traits::Item& item) { change(own(item)); });
  }

 private:
  static File& own(Traits::Item& item) {
    if (item->use_count() > 1) {
      item = Traits::Item(new SharedFile(item->file));
    }
    return item->file;
  }
  Sequence files_;
};

class RunFiles::Iterator
    : public boost::iterator_facade<Iterator, const File, boost::random_access_traversal_tag> {
 public:
  Iterator() = default;
  explicit Iterator(Sequence::Iterator at) : at_(at) {}

  [[nodiscard]] std::size_t index() const { return at_.index(); }
  /// What can be told of the file without a look at it.
  [[nodiscard]] std::uint64_t smallest_key() const { return at_.key(); }
  [[nodiscard]] const FileExtremes& extremes() const { return at_.extremes(); }

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] const File& dereference() const { return (*at_)->file; }
  [[nodiscard]] bool equal(const Iterator& other) const { return at_ == other.at_; }
  void increment() { ++at_; }
  void decrement() { --at_; }
  void advance(std::ptrdiff_t by) { at_ += by; }
  [[nodiscard]] std::ptrdiff_t distance_to(const Iterator& other) const { return other.at_ - at_; }

  Sequence::Iterator at_;
};

inline RunFiles::Iterator RunFiles::begin() const { return Iterator(files_.begin()); }
inline RunFiles::Iterator RunFiles::end() const { return Iterator(files_.end()); }

/// Files of one run that follow each other. Refers to the run, which must outlive it unchanged.
class FileSpan {
 public:
  FileSpan() = default;
  FileSpan(const RunFiles& files)  // NOLINT(google-explicit-constructor): all of a run
      : files_(&files), last_(files.size()) {}
  FileSpan(const RunFiles& files, std::size_t first, std::size_t last)
      : files_(&files), first_(first), last_(last) {}

  [[nodiscard]] std::size_t size() const { return last_ - first_; }
  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] const File& operator[](std::size_t i) const { return (*files_)[first_ + i]; }
  [[nodiscard]] const File& front() const { return (*this)[0]; }
  [[nodiscard]] const File& back() const { return (*this)[size() - 1]; }
  /// Of the first file in its run.
  [[nodiscard]] std::size_t first_index() const { return first_; }
  [[nodiscard]] RunFiles::Iterator begin() const {
    return files_ == nullptr ? RunFiles::Iterator()
                             : files_->begin() + static_cast<std::ptrdiff_t>(first_);
  }
  [[nodiscard]] RunFiles::Iterator end() const {
    return files_ == nullptr ? RunFiles::Iterator()
                             : files_->begin() + static_cast<std::ptrdiff_t>(last_);
  }
  [[nodiscard]] RunSums sums() const {
    return files_ == nullptr ? RunSums() : files_->sums(first_, last_);
  }
  /// Looks at no file where none of the run is busy.
  [[nodiscard]] bool any_busy() const {
    return files_ != nullptr && files_->sums().busy_files > 0 && sums().busy_files > 0;
  }

 private:
  const RunFiles* files_ = nullptr;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

}  // namespace lsmlab
