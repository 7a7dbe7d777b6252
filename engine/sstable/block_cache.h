// Data blocks in memory, and a cache of them that drops the least recently used.
//
// With one shard the cache holds exactly what the simulated cache holds (by stored bytes, trailers
// included). With more shards, threads contend less.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sstable/entry_view.h"
#include "models/base/units.h"
#include "models/sizes/compression.h"

namespace lsmlab::engine {

/// A data block's payload, checked and decompressed. Immutable.
class DataBlock {
 public:
  /// nullopt if the payload is not a data block.
  [[nodiscard]] static std::optional<DataBlock> parse(std::string payload);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t payload_bytes() const { return payload_.size(); }
  /// REQUIRES: index < count().
  [[nodiscard]] EntryView entry(std::size_t index) const;
  /// The first entry whose key is not smaller; count() if there is none.
  [[nodiscard]] std::size_t lower_bound(std::string_view key) const;

 private:
  DataBlock(std::string payload, std::size_t count) : payload_(std::move(payload)), count_(count) {}
  std::string payload_;
  std::size_t count_;
};

using BlockHandle = std::shared_ptr<const DataBlock>;

class DataBlockCache {
 public:
  DataBlockCache(Bytes capacity, unsigned shards);
  ~DataBlockCache();
  DataBlockCache(const DataBlockCache&) = delete;
  DataBlockCache& operator=(const DataBlockCache&) = delete;

  /// The block, which becomes the most recently used; null if it is not in the cache.
  [[nodiscard]] BlockHandle find(FileId file, std::uint64_t block);
  /// Adds a block that counts for `bytes` bytes. Does nothing if it is larger than the cache or
  /// already there.
  void insert(FileId file, std::uint64_t block, std::uint64_t bytes, BlockHandle handle);
  [[nodiscard]] std::uint64_t held_bytes() const;

 private:
  struct Shard;
  [[nodiscard]] Shard& shard_of(FileId file, std::uint64_t block) const;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace lsmlab::engine
