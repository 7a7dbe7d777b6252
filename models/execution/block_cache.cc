#include "models/execution/block_cache.h"

#include "models/base/key_hash.h"

namespace lsmlab {

std::size_t BlockCache::BlockHash::operator()(const Block& block) const {
  return key_hash(block.file, block.block);
}

bool BlockCache::access(FileId file, std::uint64_t block, std::uint64_t block_bytes) {
  if (block_bytes > capacity_.value()) return false;
  const Block sought{file.value(), block, block_bytes};
  auto& by_name = blocks_.get<1>();
  const auto found = by_name.find(sought);
  if (found != by_name.end()) {
    blocks_.relocate(blocks_.begin(), blocks_.project<0>(found));
    return true;
  }
  blocks_.push_front(sought);
  held_bytes_ += block_bytes;
  while (held_bytes_ > capacity_.value()) {
    held_bytes_ -= blocks_.back().bytes;
    blocks_.pop_back();
  }
  return false;
}

}  // namespace lsmlab
