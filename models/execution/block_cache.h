// The block cache of a simulated store. It drops the least recently used data blocks. It remembers
// which blocks it holds, not their contents. Blocks of deleted files age out, because file ids are
// never reused. Not thread safe.
//
// Both executors keep a second one for policies that leave copies (Policy::keeps_copies()), which
// tells how many of a copy's blocks are cached. It sees every fetch except those that a filter
// passed in vain: real filters pass other keys than simulated ones, and plans must not depend on
// that.
#pragma once

#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/identity.hpp>
#include <boost/multi_index/sequenced_index.hpp>
#include <boost/multi_index_container.hpp>
#include <cstddef>
#include <cstdint>

#include "models/base/units.h"

namespace lsmlab {

class BlockCache {
 public:
  explicit BlockCache(Bytes capacity) : capacity_(capacity) {}

  /// Returns whether the block was in the cache. Afterwards the block is the most recently used
  /// one, unless it is larger than the cache.
  [[nodiscard]] bool access(FileId file, std::uint64_t block, std::uint64_t block_bytes);
  [[nodiscard]] std::uint64_t held_bytes() const { return held_bytes_; }
  [[nodiscard]] std::size_t count() const { return blocks_.size(); }
  /// Whether the cache holds the block. Changes nothing.
  [[nodiscard]] bool holds(FileId file, std::uint64_t block) const {
    return blocks_.get<1>().count(Block{file.value(), block, 0}) > 0;
  }

 private:
  struct Block {
    std::uint64_t file;
    std::uint64_t block;
    std::uint64_t bytes;
  };
  struct SameBlock {
    bool operator()(const Block& a, const Block& b) const {
      return a.file == b.file && a.block == b.block;
    }
  };
  struct BlockHash {
    std::size_t operator()(const Block& block) const;
  };
  // Most recently used first.
  using Blocks = boost::multi_index_container<
      Block, boost::multi_index::indexed_by<
                 boost::multi_index::sequenced<>,
                 boost::multi_index::hashed_unique<boost::multi_index::identity<Block>, BlockHash,
                                                   SameBlock>>>;

  Bytes capacity_;
  Blocks blocks_;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace lsmlab
