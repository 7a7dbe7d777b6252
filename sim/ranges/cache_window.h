// What an LRU block cache holds at resolution `range`, where only a sample of all reads is done.
//
// A cache that drops the least recently used blocks holds those that were used in some last number
// of reads: its window. So a block that is used at random, `rate` times a read, is in the cache
// with the probability 1 - exp(-rate * window) (Che, Tung and Wang, JSAC 2002, call the window the
// characteristic time). A file may be younger than the window; then its age counts.
//
// The window is the one in which the blocks that were used fill the cache. They follow from a
// sample of uses: each stands for a block in the cache unless the block is used again later in the
// window. Until the blocks of all reads since the last restart fill the cache, the window is all of
// them.
//
// Not thread safe. The doubles are the same on every machine (models/base/portable_math.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/units.h"

namespace lsmlab {

class CacheWindow {
 public:
  /// The block of a sampled use.
  struct Block {
    double rate = 0;          // uses of this block for each read
    double age_reads = 0;     // reads since its file was written
    std::uint64_t bytes = 0;  // stored
  };

  explicit CacheWindow(Bytes capacity) : capacity_(capacity.value()) {}

  /// Reads of another kind follow. What the cache holds then counts for nothing.
  void restart();
  /// Counts reads, one of which the sample has.
  void pass(std::uint64_t reads) {
    reads_ += reads;
    ++sampled_;
  }
  /// The reads so far, whether or not they are in the sample.
  [[nodiscard]] std::uint64_t reads() const { return reads_; }
  /// Whether any block fits the cache.
  [[nodiscard]] bool can_hold(std::uint64_t block_bytes) const { return block_bytes <= capacity_; }
  /// The probability that the block is in the cache.
  [[nodiscard]] double chance_of(const Block& block) const;
  /// The last sampled read used `count` such blocks.
  void note(const Block& block, std::uint64_t count);
  /// The last so many reads; those before no longer matter.
  [[nodiscard]] double window_reads() const;

 private:
  struct Use {
    Block block;
    std::uint64_t count = 0;    // of such uses
    std::uint64_t sampled = 0;  // the number of the read in the sample
    std::uint64_t reads = 0;    // reads by then
  };
  static constexpr std::size_t kUses = 1024;
  static constexpr std::size_t kUsesBetweenLooks = 256;

  void look();
  void adapt_stride();
  [[nodiscard]] const Use& oldest() const { return uses_[next_ < uses_.size() ? next_ : 0]; }
  [[nodiscard]] double held_bytes(double window, double& slope) const;

  const std::uint64_t capacity_;
  std::uint64_t reads_ = 0;
  std::uint64_t reads_before_ = 0;  // before the last restart
  std::uint64_t sampled_ = 0;
  // A ring of the last uses. It spans about the window, because files come and go meanwhile: it
  // keeps one use of `stride_`.
  std::vector<Use> uses_;
  std::size_t next_ = 0;
  std::uint64_t stride_ = 1;
  std::uint64_t skipped_ = 0;
  std::size_t noted_ = 0;  // since the last look
  bool is_full_ = false;
  double window_ = 0;  // if the cache is full
};

}  // namespace lsmlab
