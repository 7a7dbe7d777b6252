#include "models/tree/deletion_times.h"

#include <algorithm>

#include "models/base/units.h"

namespace lsmlab {
namespace {

bool is_before(const DeletionTimes::Block& block, std::uint64_t number) {
  return block.number < number;
}

}  // namespace

bool DeletionTimes::are_sound(std::uint32_t shift, const std::vector<Block>& blocks) {
  if (shift > kShiftMax || blocks.size() > kBlocksMax) return false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].tombstones == 0 || blocks[i].number > ~std::uint64_t{0} >> shift) return false;
    if (i > 0 && blocks[i].number <= blocks[i - 1].number) return false;
  }
  return true;
}

void DeletionTimes::add(std::uint64_t sequence, std::uint64_t tombstones) {
  const std::uint64_t number = sequence >> shift_;
  const auto at = std::lower_bound(blocks_.begin(), blocks_.end(), number, is_before);
  if (at != blocks_.end() && at->number == number) {
    at->tombstones += tombstones;
    return;
  }
  blocks_.insert(at, {number, tombstones});
  while (blocks_.size() > kBlocksMax) widen();
}

void DeletionTimes::widen() {
  ++shift_;
  std::size_t kept = 0;
  for (Block block : blocks_) {
    block.number >>= 1;
    if (kept > 0 && blocks_[kept - 1].number == block.number) {
      blocks_[kept - 1].tombstones += block.tombstones;
    } else {
      blocks_[kept++] = block;
    }
  }
  blocks_.resize(kept);
}

std::uint64_t DeletionTimes::tombstones() const {
  std::uint64_t sum = 0;
  for (const Block& block : blocks_) sum += block.tombstones;
  return sum;
}

std::uint64_t DeletionTimes::until(std::uint64_t sequence) const {
  const std::uint64_t number = sequence >> shift_;
  std::uint64_t sum = 0;
  for (const Block& block : blocks_) {
    if (block.number > number) break;
    if (block.number < number) {
      sum += block.tombstones;
      continue;
    }
    const Uint128 passed = Uint128{sequence - (number << shift_)} + 1;
    sum += static_cast<std::uint64_t>(passed * block.tombstones >> shift_);
  }
  return sum;
}

std::uint64_t DeletionTimes::reached_at(std::uint64_t tombstones) const {
  if (tombstones == 0) return 0;
  std::uint64_t before = 0;
  for (const Block& block : blocks_) {
    if (before + block.tombstones < tombstones) {
      before += block.tombstones;
      continue;
    }
    const Uint128 wanted = Uint128{tombstones - before} << shift_;
    const auto passed =
        static_cast<std::uint64_t>((wanted + block.tombstones - 1) / block.tombstones);
    return (block.number << shift_) + passed - 1;
  }
  return ~std::uint64_t{0};
}

}  // namespace lsmlab
