// A cache of open SSTables, which lookups and merges get by id. Beyond a limit the cache releases
// the least recently used; whoever still holds one keeps it open.
//
// Threading: any number of threads.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "engine/files/file_system.h"
#include "engine/sstable/key_window.h"
#include "engine/sstable/sstable.h"

namespace lsmlab::engine {

class TableCache {
 public:
  /// Tables are files directory/sstable_name(id). File system and window must outlive the cache and
  /// its tables. REQUIRES: open_max >= 1.
  TableCache(FileSystem& files, std::string directory, const KeyWindow& window,
             std::size_t open_max, bool is_direct = false);

  /// The table, which is opened if it is not open. Errors: those of opening; nothing is then kept.
  [[nodiscard]] Result<std::shared_ptr<const SstableReader>> get(FileId id);
  /// Takes the table out of the cache for a caller who keeps it open, until give_back(). It still
  /// counts as open. Null if it is not in the cache, or too many tables were taken.
  [[nodiscard]] std::shared_ptr<const SstableReader> take(FileId id);
  void give_back();
  /// Releases the table before its file is removed.
  void forget(FileId id);
  [[nodiscard]] std::size_t open_count() const;

 private:
  using Tables = std::list<std::shared_ptr<const SstableReader>>;  // most recently used first

  FileSystem& files_;
  std::string directory_;
  const KeyWindow& window_;
  std::size_t open_max_;
  bool is_direct_;
  mutable std::mutex mutex_;
  std::size_t taken_ = 0;
  Tables tables_;
  std::unordered_map<std::uint64_t, Tables::iterator> by_id_;
};

}  // namespace lsmlab::engine
