// Whether RocksDB's CompactOnDeletionCollector marks a file, by its definition: looks back over the
// whole window at each entry. Shares no code with deletion_mark.cc.
#pragma once

#include <cstddef>
#include <vector>

#include "models/sizes/deletion_mark.h"

namespace lsmlab::testing {

/// `deletes`: for each entry, by key, whether it is a delete.
inline bool naive_mark(const DeletionMark& mark, const std::vector<bool>& deletes) {
  std::size_t total = 0;
  for (const bool is_delete : deletes) total += is_delete ? 1U : 0U;
  if (mark.ratio && !deletes.empty()) {
    const double share = static_cast<double>(total) / static_cast<double>(deletes.size());
    if (share >= mark.ratio->as_double()) return true;
  }
  if (!mark.window) return false;
  const std::size_t bucket = (mark.window->entries + 127) / 128;
  for (std::size_t last = 0; last < deletes.size(); ++last) {
    // The bucket of this entry and the 127 before.
    const std::size_t open = last / bucket;
    const std::size_t first = open < 127 ? 0 : (open - 127) * bucket;
    std::size_t count = 0;
    for (std::size_t i = first; i <= last; ++i) count += deletes[i] ? 1U : 0U;
    if (count >= mark.window->deletes) return true;
  }
  return false;
}

}  // namespace lsmlab::testing
