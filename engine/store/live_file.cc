#include "engine/store/live_file.h"

#include "engine/files/caught.h"

namespace lsmlab::engine {

Result<std::shared_ptr<const SstableReader>> LiveFile::open_table() const {
  std::shared_ptr<const SstableReader> table = BOOST_OUTCOME_TRYX(tables_.get(id()));
  if (was_asked_for_.exchange(true, std::memory_order_relaxed)) return table;
  kept_ = tables_.take(id());
  kept_table_.store(kept_.get(), std::memory_order_release);
  return table;
}

LiveFile::~LiveFile() {
  touched_->remove(entry_);
  // Read views of a closed store may outlive its table cache, but they hold no obsolete files.
  if (!is_obsolete() || !has_table()) return;
  if (kept_) tables_.give_back();
  tables_.forget(id());
  // If the file cannot be removed now, the next opening of the store removes it.
  static_cast<void>(caught({}, [&] { return files_.remove(path_); }));
}

void TouchedFiles::add(TouchedEntry& file) noexcept {
  const std::lock_guard lock(mutex_);
  if (file.is_listed.exchange(true)) return;
  files_.push_back(file);
}

void TouchedFiles::remove(TouchedEntry& file) noexcept {
  const std::lock_guard lock(mutex_);
  if (file.is_listed.exchange(false)) files_.erase(Files::s_iterator_to(file));
}

void TouchedFiles::take(std::vector<FileId>& ids) {
  const std::lock_guard lock(mutex_);
  ids.reserve(ids.size() + files_.size());
  while (!files_.empty()) {
    TouchedEntry& file = files_.front();
    files_.pop_front();
    file.is_listed.store(false);
    ids.push_back(file.id);
  }
}

void LiveFiles::insert(std::shared_ptr<LiveFile> file) {
  const FileId id = file->id();
  const std::size_t index = index_of(id);
  CHECK(index == entries_.size() || entries_[index].id != id);
  entries_.insert(index, {id, std::move(file)});
}

std::shared_ptr<LiveFile> LiveFiles::erase(FileId id) {
  const std::size_t index = index_of(id);
  CHECK(index < entries_.size() && entries_[index].id == id);
  return entries_.erase(index).file;
}

std::vector<const Memtable*> tables_of(const std::vector<std::shared_ptr<MemtableSlot>>& slots) {
  std::vector<const Memtable*> tables;
  for (const std::shared_ptr<MemtableSlot>& slot : slots) tables.push_back(&slot->table);
  return tables;
}

}  // namespace lsmlab::engine
