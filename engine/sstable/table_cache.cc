#include "engine/sstable/table_cache.h"

#include "engine/files/file_names.h"
#include "models/base/check.h"

namespace lsmlab::engine {

TableCache::TableCache(FileSystem& files, std::string directory, const KeyWindow& window,
                       std::size_t open_max, bool is_direct)
    : files_(files),
      directory_(std::move(directory)),
      window_(window),
      open_max_(open_max),
      is_direct_(is_direct) {
  CHECK(open_max >= 1);
}

std::shared_ptr<const SstableReader> TableCache::take(FileId id) {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id.value());
  // Half of the limit stays for tables that are opened and released.
  if (found == by_id_.end() || taken_ >= open_max_ / 2) return nullptr;
  std::shared_ptr<const SstableReader> table = std::move(*found->second);
  tables_.erase(found->second);
  by_id_.erase(found);
  ++taken_;
  return table;
}

void TableCache::give_back() {
  const std::lock_guard lock(mutex_);
  CHECK(taken_ > 0);
  --taken_;
}

Result<std::shared_ptr<const SstableReader>> TableCache::get(FileId id) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_id_.find(id.value());
    if (found != by_id_.end()) {
      tables_.splice(tables_.begin(), tables_, found->second);
      return tables_.front();
    }
  }
  // Opened without the lock, so other threads need not wait for the device. Two threads may open
  // the same table; the cache keeps one.
  const std::string path = join_path(directory_, sstable_name(id));
  std::unique_ptr<ReadableFile> file =
      BOOST_OUTCOME_TRYX(is_direct_ ? files_.open_direct(path) : files_.open(path));
  std::shared_ptr<const SstableReader> table =
      BOOST_OUTCOME_TRYX(SstableReader::open(std::move(file), id, window_));
  std::shared_ptr<const SstableReader> dropped;  // closed after the lock is released
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id.value());
  if (found != by_id_.end()) return *found->second;
  Tables opened{table};  // add to both, or to neither if there is no memory
  by_id_.emplace(id.value(), opened.begin());
  tables_.splice(tables_.begin(), opened);
  if (tables_.size() + taken_ > open_max_) {
    dropped = std::move(tables_.back());
    by_id_.erase(dropped->id().value());
    tables_.pop_back();
  }
  return table;
}

void TableCache::forget(FileId id) {
  std::shared_ptr<const SstableReader> dropped;
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id.value());
  if (found == by_id_.end()) return;
  dropped = std::move(*found->second);
  tables_.erase(found->second);
  by_id_.erase(found);
}

std::size_t TableCache::open_count() const {
  const std::lock_guard lock(mutex_);
  return tables_.size() + taken_;
}

}  // namespace lsmlab::engine
