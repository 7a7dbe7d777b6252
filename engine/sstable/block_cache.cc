#include "engine/sstable/block_cache.h"

#include <mutex>
#include <utility>

#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

struct BlockName {
  std::uint64_t file = 0;
  std::uint64_t block = 0;
  friend bool operator==(const BlockName&, const BlockName&) = default;
};

// The high half of the hash chooses the shard, the low bits the bucket in it.
std::uint64_t hash_of(const BlockName& name) {
  std::uint64_t hash = (name.file * 0x9e3779b97f4a7c15 ^ name.block) * 0xd6e8feb86659fd93;
  hash ^= hash >> 32;
  return hash * 0xd6e8feb86659fd93;
}

// Blocks are referred to by number. 0 means none, and marks both ends of the list in order of use.
using Place = std::uint32_t;

}  // namespace

// A hash table and the order of use, kept in a few arrays. In a cache far larger than the
// processor's, a hit touches little more than one array entry; nodes on the heap would each cost a
// cache miss.
struct DataBlockCache::Shard {
  struct Entry {
    BlockName name;
    std::uint64_t stored_bytes = 0;
    BlockHandle handle;
    Place next_in_bucket = 0;
  };
  struct Use {
    Place older = 0;
    Place newer = 0;
  };

  explicit Shard(std::uint64_t bytes) : capacity(bytes) {}

  [[nodiscard]] Place& bucket_of(const BlockName& name) {
    return buckets[hash_of(name) & (buckets.size() - 1)];
  }
  [[nodiscard]] Place find(const BlockName& name) {
    Place at = bucket_of(name);
    while (at != 0 && !(entries[at].name == name)) at = entries[at].next_in_bucket;
    return at;
  }
  void leave_order(Place at) {
    uses[uses[at].older].newer = uses[at].newer;
    uses[uses[at].newer].older = uses[at].older;
  }
  /// At use 0, `older` is the newest block and `newer` the oldest.
  void become_newest(Place at) {
    uses[at] = {uses[0].older, 0};
    uses[uses[0].older].newer = at;
    uses[0].older = at;
  }
  void enter_bucket(Place at) {
    Place& bucket = bucket_of(entries[at].name);
    entries[at].next_in_bucket = bucket;
    bucket = at;
  }
  /// Throws if there is no memory, and then changes nothing.
  [[nodiscard]] Place make_place() {
    if (free != 0) return std::exchange(free, entries[free].next_in_bucket);
    if (entries.size() > buckets.size()) {
      buckets = std::vector<Place>(2 * buckets.size());
      for (Place at = 1; at < entries.size(); ++at) enter_bucket(at);
    }
    if (uses.size() == entries.size()) uses.emplace_back();
    entries.emplace_back();
    return static_cast<Place>(entries.size() - 1);
  }
  void insert(const BlockName& name, std::uint64_t stored_bytes, BlockHandle handle) {
    const Place at = make_place();
    entries[at] = {name, stored_bytes, std::move(handle), 0};
    enter_bucket(at);
    become_newest(at);
    held_bytes += stored_bytes;
  }
  [[nodiscard]] BlockHandle drop_oldest() {
    const Place at = uses[0].newer;
    leave_order(at);
    Place* link = &bucket_of(entries[at].name);
    while (*link != at) link = &entries[*link].next_in_bucket;
    *link = entries[at].next_in_bucket;
    held_bytes -= entries[at].stored_bytes;
    entries[at].next_in_bucket = std::exchange(free, at);
    return std::move(entries[at].handle);
  }

  std::mutex mutex;
  std::uint64_t capacity;
  std::uint64_t held_bytes = 0;
  std::vector<Entry> entries{1};
  std::vector<Use> uses{1};                             // at least one per block
  std::vector<Place> buckets = std::vector<Place>(64);  // a power of two
  Place free = 0;  // the first free place; free places are linked as in a bucket
};

DataBlockCache::DataBlockCache(Bytes capacity, unsigned shards) {
  CHECK(shards > 0);
  for (unsigned i = 0; i < shards; ++i) {
    const std::uint64_t rest = i < capacity.value() % shards ? 1 : 0;
    shards_.push_back(std::make_unique<Shard>(capacity.value() / shards + rest));
  }
}

DataBlockCache::~DataBlockCache() = default;

DataBlockCache::Shard& DataBlockCache::shard_of(FileId file, std::uint64_t block) const {
  const std::uint64_t hash = hash_of({file.value(), block});
  return *shards_[(hash >> 32) * shards_.size() >> 32];
}

BlockHandle DataBlockCache::find(FileId file, std::uint64_t block) {
  Shard& shard = shard_of(file, block);
  const std::lock_guard lock(shard.mutex);
  const Place at = shard.find({file.value(), block});
  if (at == 0) return nullptr;
  shard.leave_order(at);
  shard.become_newest(at);
  return shard.entries[at].handle;
}

void DataBlockCache::insert(FileId file, std::uint64_t block, std::uint64_t stored_bytes,
                            BlockHandle handle) {
  Shard& shard = shard_of(file, block);
  if (stored_bytes > shard.capacity) return;
  std::vector<BlockHandle> dropped;  // freed after the lock is released
  const std::lock_guard lock(shard.mutex);
  const BlockName name{file.value(), block};
  if (shard.find(name) != 0) return;
  // Make room first: the new block takes the place of a dropped one.
  while (shard.held_bytes + stored_bytes > shard.capacity) dropped.push_back(shard.drop_oldest());
  shard.insert(name, stored_bytes, std::move(handle));
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
