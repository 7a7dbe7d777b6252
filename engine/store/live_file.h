// Files that a reader may still need, and what readers see of a store. Readers see immutable views;
// the store replaces a view as a whole, so a read needs the store's lock only to get the current
// view.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/files/file_system.h"
#include "engine/memtable/memtable.h"
#include "engine/merge/merge.h"
#include "engine/sstable/table_cache.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

/// An SSTable of the tree, or a frozen one. The destructor removes the file if it is obsolete
/// (engine/store/obsolete_files.h).
class LiveFile {
 public:
  LiveFile(FileId id, std::string path, FileSystem& files, TableCache& tables)
      : id_(id), path_(std::move(path)), files_(files), tables_(tables) {}
  ~LiveFile();
  LiveFile(const LiveFile&) = delete;
  LiveFile& operator=(const LiveFile&) = delete;

  [[nodiscard]] FileId id() const { return id_; }
  [[nodiscard]] const std::string& path() const { return path_; }
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
  std::atomic<std::uint64_t> last_access{0};
  std::atomic<std::uint64_t> seeks{0};

 private:
  [[nodiscard]] Result<std::shared_ptr<const SstableReader>> open_table() const;

  FileId id_;
  std::string path_;
  FileSystem& files_;
  TableCache& tables_;
  // Written once, by the first thread that asks, so lookups need neither a lock nor a reference
  // count.
  mutable std::atomic<bool> was_asked_for_{false};
  mutable std::shared_ptr<const SstableReader> kept_;
  mutable std::atomic<const SstableReader*> kept_table_{nullptr};
  std::atomic<bool> is_obsolete_{false};
};

using LiveFiles = std::unordered_map<std::uint64_t, std::shared_ptr<LiveFile>>;  // by id

/// A memtable with its log's number and its summary.
struct MemtableSlot {
  MemtableSlot(const KeyWindow& window, Bytes capacity, std::shared_ptr<ArenaReserve> reserve,
               std::uint64_t wal)
      : table(window, capacity, std::move(reserve)), wal_number(wal) {}
  Memtable table;
  std::uint64_t wal_number;  // the log that holds its entries
  // Set when it is full:
  std::uint64_t last_sequence = 0;
  Traffic traffic;
  MemtableSummary summary;
};

struct ReadView {
  std::vector<std::shared_ptr<MemtableSlot>> memtables;  // newest first
  TreeView tree;
  LiveFiles files;  // those of `tree`, frozen ones included
};

}  // namespace lsmlab::engine
