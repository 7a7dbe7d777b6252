// Which blocks of which files a store's lookups and scans have cached, as far as its policy may
// know (models/execution/block_cache.h). For policies that leave copies. Thread safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "models/base/units.h"
#include "models/execution/block_cache.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

class FetchedBlocks {
 public:
  explicit FetchedBlocks(Bytes capacity) : cache_(capacity) {}

  /// Notes that a block was fetched, of a file of so many blocks.
  void note(FileId file, std::uint64_t block, std::uint64_t blocks_in_file,
            std::uint64_t block_bytes) {
    const std::lock_guard lock(mutex_);
    blocks_in_file_[file.value()] = blocks_in_file;
    static_cast<void>(cache_.access(file, block, block_bytes));
  }
  /// Of a file that nobody has read, nothing is cached. O(blocks of the file); reads no file.
  [[nodiscard]] CachedBlocks of(FileId file) {
    const std::lock_guard lock(mutex_);
    const auto known = blocks_in_file_.find(file.value());
    if (known == blocks_in_file_.end()) return {};
    CachedBlocks blocks{0, known->second};
    for (std::uint64_t block = 0; block < blocks.all; ++block) {
      blocks.cached += cache_.holds(file, block) ? 1u : 0u;
    }
    return blocks;
  }
  /// Forgets the sizes of the files for which `is_gone(id)` is true. Their blocks age out.
  template <class IsGone>
  void forget(const IsGone& is_gone) {
    const std::lock_guard lock(mutex_);
    std::erase_if(blocks_in_file_, [&](const auto& known) { return is_gone(FileId(known.first)); });
  }

 private:
  std::mutex mutex_;
  BlockCache cache_;
  std::unordered_map<std::uint64_t, std::uint64_t> blocks_in_file_;
};

}  // namespace lsmlab::engine
