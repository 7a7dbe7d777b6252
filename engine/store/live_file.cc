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
  // Pictures of a store that is closed may outlive its table cache, but hold no obsolete files.
  if (!is_obsolete()) return;
  if (kept_) tables_.give_back();
  tables_.forget(id_);
  // A file that cannot be removed now is swept away when the store is opened next.
  static_cast<void>(caught({}, [&] { return files_.remove(path_); }));
}

}  // namespace lsmlab::engine
