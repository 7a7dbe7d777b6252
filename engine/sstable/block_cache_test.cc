#include "engine/sstable/block_cache.h"

#include <algorithm>
#include <random>
#include <thread>

#include "testing/catch.h"

namespace lsmlab::engine::block_cache_test {
namespace {

BlockHandle some_block() {
  std::string payload("\x01\x01", 2);
  payload += std::string(8, '\0') + "kv";
  payload += std::string("\0\0\x01\0", 4);
  auto block = DataBlock::parse(payload);
  REQUIRE(block);
  return std::make_shared<const DataBlock>(std::move(*block));
}

// The simulator's cache as its header describes it (models/execution/block_cache.h), most recently
// used first.
struct ModelCache {
  struct Block {
    std::uint64_t file;
    std::uint64_t block;
    std::uint64_t bytes;
  };
  std::uint64_t capacity;
  std::vector<Block> blocks;

  bool access(std::uint64_t file, std::uint64_t block, std::uint64_t bytes) {
    if (bytes > capacity) return false;
    const auto found = std::find_if(blocks.begin(), blocks.end(), [&](const Block& b) {
      return b.file == file && b.block == block;
    });
    const bool is_there = found != blocks.end();
    if (is_there) blocks.erase(found);
    blocks.insert(blocks.begin(), {file, block, bytes});
    while (held_bytes() > capacity) blocks.pop_back();
    return is_there;
  }
  [[nodiscard]] std::uint64_t held_bytes() const {
    std::uint64_t sum = 0;
    for (const Block& block : blocks) sum += block.bytes;
    return sum;
  }
};

}  // namespace

TEST_CASE("With one shard the cache holds what the simulated one holds") {
  const BlockHandle handle = some_block();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const std::uint64_t capacity = random() % 2000;
    DataBlockCache cache(Bytes(capacity), 1);
    ModelCache model{capacity, {}};
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t file = random() % 3;
      const std::uint64_t block = random() % 12;
      const std::uint64_t bytes = 20 + (file * 12 + block) * 977 % 300;
      const bool is_hit = cache.find(FileId(file), block) != nullptr;
      if (!is_hit) cache.insert(FileId(file), block, bytes, handle);
      REQUIRE(is_hit == model.access(file, block, bytes));
      REQUIRE(cache.held_bytes() == model.held_bytes());
    }
  }
}

TEST_CASE("A cache keeps no block larger than itself, and a block once") {
  DataBlockCache cache(Bytes(100), 1);
  cache.insert(FileId(1), 0, 101, some_block());
  REQUIRE(cache.find(FileId(1), 0) == nullptr);
  const BlockHandle first = some_block();
  cache.insert(FileId(1), 0, 100, first);
  cache.insert(FileId(1), 0, 100, some_block());
  REQUIRE(cache.find(FileId(1), 0) == first);
  REQUIRE(cache.held_bytes() == 100);
}

TEST_CASE("Shards divide the capacity, and threads may share a cache") {
  constexpr std::uint64_t kCapacity = 1003;
  DataBlockCache cache(Bytes(kCapacity), 4);
  const BlockHandle handle = some_block();
  const auto work = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < 5000; ++i) {
      const FileId file(random() % 5);
      const std::uint64_t block = random() % 20;
      const BlockHandle found = cache.find(file, block);
      if (found == nullptr) cache.insert(file, block, 10 + block, handle);
    }
  };
  std::thread other([&] { work(1); });
  work(2);
  other.join();
  REQUIRE(cache.held_bytes() <= kCapacity);
  REQUIRE(cache.held_bytes() > kCapacity / 2);
}

TEST_CASE("A data block finds keys by halving, the newest version first") {
  std::string payload;
  std::string offsets;
  const auto add = [&](char key, std::uint64_t sequence) {
    const auto offset = static_cast<std::uint16_t>(payload.size());
    offsets.append(reinterpret_cast<const char*>(&offset), sizeof offset);
    const std::uint64_t tag = make_tag(sequence, false);
    payload += std::string("\x01\x02", 2);
    payload.append(reinterpret_cast<const char*>(&tag), sizeof tag);
    payload += std::string(1, key) + "vv";
  };
  add('b', 3);
  add('d', 9);
  add('d', 5);
  add('f', 4);
  const auto block = DataBlock::parse(payload + offsets + std::string("\x04\0", 2));
  REQUIRE(block);
  REQUIRE(block->count() == 4);
  REQUIRE(block->lower_bound("a") == 0);
  REQUIRE(block->lower_bound("c") == 1);
  REQUIRE(block->entry(block->lower_bound("d")).sequence() == 9);
  REQUIRE(block->lower_bound("g") == 4);
  for (std::size_t i = 0; i < payload.size() + offsets.size() + 2; ++i) {
    const std::string whole = payload + offsets + std::string("\x04\0", 2);
    REQUIRE(!DataBlock::parse(whole.substr(0, i)));
    REQUIRE(!DataBlock::parse(whole.substr(i + 1)));
  }
}

}  // namespace lsmlab::engine::block_cache_test
