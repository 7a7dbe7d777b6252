// When the deletes of a file were written: how many of its tombstones come from which writes. A
// policy needs that if tombstones must reach an age before a merge may drop them (gc_grace).
//
// A histogram over blocks of 2^k sequence numbers, with the least k that leaves at most kBlocksMax
// blocks. So it does not depend on the order in which tombstones are added. Cassandra keeps such a
// histogram of deletion times in each SSTable, of as many bins (estimatedTombstoneDropTime). It
// merges the two nearest bins where it has too many; the estimate between two bins is linear there
// as here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lsmlab {

class DeletionTimes {
 public:
  static constexpr std::size_t kBlocksMax = 100;
  static constexpr std::uint32_t kShiftMax = 63;

  /// Tombstones of the sequence numbers from number * 2^shift on.
  struct Block {
    std::uint64_t number = 0;
    std::uint64_t tombstones = 0;
    friend bool operator==(const Block&, const Block&) = default;
  };

  DeletionTimes() = default;
  /// As read from a manifest. REQUIRES: are_sound().
  DeletionTimes(std::uint32_t shift, std::vector<Block> blocks)
      : shift_(shift), blocks_(std::move(blocks)) {}
  /// Whether these can be the blocks of a histogram: their numbers rise and stand for sequence
  /// numbers of 64 bits, and none is empty.
  [[nodiscard]] static bool are_sound(std::uint32_t shift, const std::vector<Block>& blocks);

  /// O(log kBlocksMax), or O(kBlocksMax) for a new block.
  void add(std::uint64_t sequence, std::uint64_t tombstones = 1);

  [[nodiscard]] std::uint32_t shift() const { return shift_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] std::uint64_t tombstones() const;
  /// Tombstones written at or before that write. Those of a block count as spread evenly over it.
  [[nodiscard]] std::uint64_t until(std::uint64_t sequence) const;
  /// The least sequence number until which there are so many tombstones. REQUIRES: there are.
  [[nodiscard]] std::uint64_t reached_at(std::uint64_t tombstones) const;
  friend bool operator==(const DeletionTimes&, const DeletionTimes&) = default;

 private:
  void widen();

  std::uint32_t shift_ = 0;
  std::vector<Block> blocks_;  // by number
};

/// Makes the deletion times of one file after another; nothing where no policy needs them.
class DeletionTimesCounter {
 public:
  explicit DeletionTimesCounter(bool is_on) : is_on_(is_on) {}
  void add(std::uint64_t sequence) {
    if (is_on_) times_.add(sequence);
  }
  /// Null if they are not needed, or if there is no tombstone.
  [[nodiscard]] std::shared_ptr<const DeletionTimes> times() const {
    if (times_.blocks().empty()) return nullptr;
    return std::make_shared<const DeletionTimes>(times_);
  }

 private:
  bool is_on_;
  DeletionTimes times_;
};

/// The newest write whose tombstone is old enough to be dropped: `grace` writes came after it. 0 if
/// there is none. `newest_write`: of the tree.
[[nodiscard]] constexpr std::uint64_t ripe_until(std::uint64_t newest_write, std::uint64_t grace) {
  return newest_write > grace ? newest_write - grace : 0;
}

}  // namespace lsmlab
