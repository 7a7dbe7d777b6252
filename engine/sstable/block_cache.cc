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

// Its high half chooses the shard, its low bits the bucket there.
std::uint64_t hash_of(const BlockName& name) {
  std::uint64_t hash = (name.file * 0x9e3779b97f4a7c15 ^ name.block) * 0xd6e8feb86659fd93;
  hash ^= hash >> 32;
  return hash * 0xd6e8feb86659fd93;
}

// Places of blocks are numbers; 0 is none, and the ends of the order of use.
using Place = std::uint32_t;

}  // namespace

// Hash table and order of use in a few arrays: a hit on a cache that is far larger than the
// processor's touches little more than the one entry, where nodes on the heap would each miss.
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
  /// Where use 0 stands, the newest is older, and the oldest newer.
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
  /// Where there is no memory, all is as it was.
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
  std::vector<Use> uses{1};                             // at least as many
  std::vector<Place> buckets = std::vector<Place>(64);  // a power of two
  Place free = 0;  // the first of those that hold nothing, linked as in a bucket
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
  std::vector<BlockHandle> dropped;  // freed behind the lock
  const std::lock_guard lock(shard.mutex);
  const BlockName name{file.value(), block};
  if (shard.find(name) != 0) return;
  // Room is made first: what comes takes the place of what goes.
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
