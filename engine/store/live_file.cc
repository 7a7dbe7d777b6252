#include "engine/store/live_file.h"

#include "engine/files/caught.h"

namespace lsmlab::engine {

Result<std::shared_ptr<const SstableReader>> LiveFile::open_table() const {
  std::shared_ptr<const SstableReader> table = BOOST_OUTCOME_TRYX(tables_.get(id_));
  if (was_asked_for_.exchange(true, std::memory_order_relaxed)) return table;
  kept_ = tables_.take(id_);
  kept_table_.store(kept_.get(), std::memory_order_release);
  return table;
}

LiveFile::~LiveFile() {
  // Read views of a closed store may outlive its table cache, but they hold no obsolete files.
  if (!is_obsolete()) return;
  if (kept_) tables_.give_back();
  tables_.forget(id_);
  // If the file cannot be removed now, the next opening of the store removes it.
  static_cast<void>(caught({}, [&] { return files_.remove(path_); }));
}

}  // namespace lsmlab::engine
