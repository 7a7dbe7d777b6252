// Files that a reader may still need, and what readers see of a store. Readers see immutable views;
// the store replaces a view as a whole, so a read needs the store's lock only to get the current
// view.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/files/file_system.h"
#include "engine/memtable/memtable.h"
#include "engine/merge/merge.h"
#include "engine/sstable/table_cache.h"
#include "engine/store/touched_files.h"
#include "models/tree/cow_sequence.h"
#include "models/tree/no_summary.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

/// An SSTable of the tree, or a frozen one. The destructor removes the file if it is obsolete
/// (engine/store/obsolete_files.h). A virtual file has no path: readers only report to it.
class LiveFile {
 public:
  LiveFile(FileId id, std::string path, FileSystem& files, TableCache& tables,
           std::shared_ptr<TouchedFiles> touched)
      : path_(std::move(path)),
        files_(files),
        tables_(tables),
        touched_(std::move(touched)),
        entry_(id) {}
  ~LiveFile();
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;

  [[nodiscard]] FileId id() const { return entry_.id; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool has_table() const { return !path_.empty(); }
  [[nodiscard]] Result<std::shared_ptr<const SstableReader>> table() const {
    if (kept_table() != nullptr) return kept_;
    return open_table();
  }
  /// The table if this object keeps it open, which it usually does after the first request;
  /// otherwise null. The table lives as long as this object.
  [[nodiscard]] const SstableReader* kept_table() const {
    return kept_table_.load(std::memory_order_acquire);
  }
  void make_obsolete() { is_obsolete_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_obsolete() const { return is_obsolete_.load(std::memory_order_relaxed); }

  // What readers report to policies. The store copies it into the tree before a policy picks.
  void note_access(std::uint64_t now) {
    if (last_access.load(std::memory_order_relaxed) >= now) return;
    last_access.store(now);
    note_touch();
  }
  /// Returns the number of seeks so far.
  std::uint64_t note_seek() {
    const std::uint64_t seeks_now = seeks.fetch_add(1) + 1;
    note_touch();
    return seeks_now;
  }
  std::atomic<std::uint64_t> last_access{0};
  std::atomic<std::uint64_t> seeks{0};

 private:
  // All threads see these stores and loads in one order: either the reader sees that the store has
  // taken the list, or the store sees the figures that the reader has just changed.
  void note_touch() {
    if (!entry_.is_listed.load()) touched_->add(entry_);
  }
  [[nodiscard]] Result<std::shared_ptr<const SstableReader>> open_table() const;

  std::string path_;
  FileSystem& files_;
  TableCache& tables_;
  std::shared_ptr<TouchedFiles> touched_;  // read views of a closed store need it too
  TouchedEntry entry_;
  // Written once, by the first thread that asks, so lookups need neither a lock nor a reference
  // count.
  mutable std::atomic<bool> was_asked_for_{false};
  mutable std::shared_ptr<const SstableReader> kept_;
  mutable std::atomic<const SstableReader*> kept_table_{nullptr};
  std::atomic<bool> is_obsolete_{false};
};

/// Files by id. A copy takes constant time, so each read view has one.
class LiveFiles {
 public:
  struct Entry {
    FileId id;
    std::shared_ptr<LiveFile> file;
  };

 private:
  struct Traits {
    using Item = Entry;
    using Key = FileId;
    static constexpr bool kKeysInLeaves = true;
    using Summary = NoSummary;
    static Key key_of(const Item& entry) { return entry.id; }
    static Summary summary_of(const Item& /*entry*/) { return {}; }
    static Summary::Extremes extremes_of(const Item& /*entry*/) { return {}; }
  };
  using Entries = CowSequence<Traits>;

 public:
  [[nodiscard]] Entries::Iterator begin() const { return entries_.begin(); }
  [[nodiscard]] Entries::Iterator end() const { return entries_.end(); }
  [[nodiscard]] bool contains(FileId id) const { return find(id) != nullptr; }
  /// Null if there is no such file. Valid until a change.
  [[nodiscard]] const std::shared_ptr<LiveFile>* find(FileId id) const {
    const std::size_t index = index_of(id);
    if (index == entries_.size()) return nullptr;
    const Entry& entry = entries_[index];
    return entry.id == id ? &entry.file : nullptr;
  }
  /// REQUIRES: contains(id). Valid until a change.
  [[nodiscard]] const std::shared_ptr<LiveFile>& at(FileId id) const {
    const std::shared_ptr<LiveFile>* const file = find(id);
    CHECK(file != nullptr);
    return *file;
  }
  /// REQUIRES: the file is not in it.
  void insert(std::shared_ptr<LiveFile> file);
  /// REQUIRES: contains(id).
  std::shared_ptr<LiveFile> erase(FileId id);
  void clear() { entries_ = {}; }

 private:
  [[nodiscard]] std::size_t index_of(FileId id) const {
    return entries_.partition_point([&](FileId before) { return before < id; });
  }
  Entries entries_;
};

/// A memtable with its log's number.
struct MemtableSlot {
  MemtableSlot(const KeyWindow& window, const StoreOptions& store,
               std::shared_ptr<ArenaReserve> reserve, std::uint64_t wal)
      : table(window, store.buffer, std::move(reserve), store.memtable), wal_number(wal) {}
  Memtable table;
  std::uint64_t wal_number;  // the log that holds its entries
  // Set when it is full:
  std::uint64_t last_sequence = 0;
  Traffic traffic;
  std::optional<std::uint64_t> full_ns;  // since the store was opened; in threaded mode
};

[[nodiscard]] std::vector<const Memtable*> tables_of(
    const std::vector<std::shared_ptr<MemtableSlot>>& slots);

struct ReadView {
  std::vector<std::shared_ptr<MemtableSlot>> memtables;  // newest first
  TreeView tree;
  LiveFiles files;  // those of `tree`, frozen ones included
};

}  // namespace lsmlab::engine
