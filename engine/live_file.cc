#include "engine/live_file.h"

namespace lsmlab::engine {

LiveFile::~LiveFile() {
  if (!is_obsolete_.load(std::memory_order_relaxed)) return;
  tables_.forget(id_);
  // A file that cannot be removed now is swept away when the store is opened next.
  static_cast<void>(files_.remove(path_));
}

}  // namespace lsmlab::engine
