#include "engine/block_cache.h"

#include <list>
#include <mutex>
#include <unordered_map>

#include "models/check.h"

namespace lsmlab::engine {
namespace {

struct BlockName {
  std::uint64_t file = 0;
  std::uint64_t block = 0;
  friend bool operator==(const BlockName&, const BlockName&) = default;
};

struct CachedBlock {
  BlockName name;
  std::uint64_t stored_bytes = 0;
  BlockHandle handle;
};

// Its high half chooses the shard, all of it the place there.
struct BlockHash {
  std::size_t operator()(const BlockName& name) const {
    std::uint64_t hash = (name.file * 0x9e3779b97f4a7c15 ^ name.block) * 0xd6e8feb86659fd93;
    hash ^= hash >> 32;
    return hash * 0xd6e8feb86659fd93;
  }
};

using Blocks = std::list<CachedBlock>;

}  // namespace

struct DataBlockCache::Shard {
  std::mutex mutex;
  std::uint64_t capacity = 0;
  std::uint64_t held_bytes = 0;
  Blocks blocks;  // most recently used first
  std::unordered_map<BlockName, Blocks::iterator, BlockHash> by_name;
};

DataBlockCache::DataBlockCache(Bytes capacity, unsigned shards) {
  CHECK(shards > 0);
  for (unsigned i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<Shard>());
    shards_.back()->capacity = capacity.value() / shards + (i < capacity.value() % shards ? 1 : 0);
  }
}

DataBlockCache::~DataBlockCache() = default;

DataBlockCache::Shard& DataBlockCache::shard_of(FileId file, std::uint64_t block) const {
  const std::uint64_t hash = BlockHash()({file.value(), block});
  return *shards_[(hash >> 32) * shards_.size() >> 32];
}

BlockHandle DataBlockCache::find(FileId file, std::uint64_t block) {
  Shard& shard = shard_of(file, block);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.by_name.find({file.value(), block});
  if (found == shard.by_name.end()) return nullptr;
  shard.blocks.splice(shard.blocks.begin(), shard.blocks, found->second);
  return found->second->handle;
}

void DataBlockCache::insert(FileId file, std::uint64_t block, std::uint64_t stored_bytes,
                            BlockHandle handle) {
  Shard& shard = shard_of(file, block);
  if (stored_bytes > shard.capacity) return;
  Blocks dropped;  // freed behind the lock
  const std::lock_guard lock(shard.mutex);
  const BlockName name{file.value(), block};
  const auto [place, is_new] = shard.by_name.try_emplace(name);
  if (!is_new) return;
  shard.blocks.push_front({name, stored_bytes, std::move(handle)});
  place->second = shard.blocks.begin();
  shard.held_bytes += stored_bytes;
  while (shard.held_bytes > shard.capacity) {
    shard.held_bytes -= shard.blocks.back().stored_bytes;
    shard.by_name.erase(shard.blocks.back().name);
    dropped.splice(dropped.begin(), shard.blocks, std::prev(shard.blocks.end()));
  }
}

std::uint64_t DataBlockCache::held_bytes() const {
  std::uint64_t bytes = 0;
  for (const std::unique_ptr<Shard>& shard : shards_) {
    const std::lock_guard lock(shard->mutex);
    bytes += shard->held_bytes;
  }
  return bytes;
}

}  // namespace lsmlab::engine
