#include "sim/ranges/cell_draws.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/base/random.h"
#include "models/base/units.h"

namespace lsmlab {
namespace {

std::uint64_t part(std::uint64_t width, double share) {
  return static_cast<std::uint64_t>(static_cast<double>(width) * share);
}

}  // namespace

double bell(std::uint64_t bits) {
  const std::uint64_t sum =
      (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  constexpr double kMean = 2 * 65535.0;
  constexpr double kDeviation = 37837.2;  // 2^16 / sqrt(3)
  return (static_cast<double>(sum) - kMean) / kDeviation;
}

// With the variance of a fair coin for each entry, unless entries scatter less. Of the entries in a
// half, as many are tombstones as a draw without replacement gives.
void CellDraws::split(Node& node) const {
  const double deviation =
      scatter_ * (bell(derive_seed(seed_, node.number)) / 2 / std::sqrt(node.entries));
  node.left_share = std::clamp(0.5 + deviation, 0.0, 1.0);
  node.left_tombstone_share = node.left_share;
  if (node.tombstones >= 1) {
    constexpr std::uint64_t kOfTombstones = 0x746f6d6273;
    const double others = std::max(0.0, 1 - node.tombstones / node.entries);
    const double drawn = node.left_share + bell(derive_seed(seed_ ^ kOfTombstones, node.number)) *
                                               std::sqrt(node.left_share * (1 - node.left_share) *
                                                         others / node.tombstones);
    // Neither half may have more tombstones than entries.
    const double ratio = node.entries / node.tombstones;
    node.left_tombstone_share = std::clamp(drawn, std::max(0.0, 1 - (1 - node.left_share) * ratio),
                                           std::min(1.0, node.left_share * ratio));
  }
  node.left_width = {part(node.width.entries, node.left_share),
                     part(node.width.tombstones, node.left_tombstone_share)};
  node.is_split = true;
}

CellDraws::Shares CellDraws::below(std::uint64_t place) {
  const auto wanted = static_cast<std::uint32_t>(place);
  const auto common = static_cast<std::size_t>(std::countl_zero(wanted ^ last_place_));
  std::size_t depth = std::min(depth_, common);
  std::uint32_t rest = depth < 32 ? wanted << depth : 0;  // of the node's width
  while (depth < kHalvings && rest != 0 && nodes_[depth].entries >= 2) {
    Node& node = nodes_[depth];
    if (!node.is_split) split(node);
    const bool is_right = (rest >> 31) != 0;
    rest <<= 1;
    Node& half = nodes_[++depth];
    half.number = 2 * node.number + is_right;
    half.is_split = false;
    if (is_right) {
      half.below = {node.below.entries + node.left_width.entries,
                    node.below.tombstones + node.left_width.tombstones};
      half.width = {node.width.entries - node.left_width.entries,
                    node.width.tombstones - node.left_width.tombstones};
      half.entries = node.entries * (1 - node.left_share);
      half.tombstones = node.tombstones * (1 - node.left_tombstone_share);
    } else {
      half.below = node.below;
      half.width = node.left_width;
      half.entries = node.entries * node.left_share;
      half.tombstones = node.tombstones * node.left_tombstone_share;
    }
  }
  last_place_ = wanted;
  depth_ = depth;
  const Node& node = nodes_[depth];
  const auto upto = [rest](std::uint64_t below, std::uint64_t width) {
    return below + static_cast<std::uint64_t>(Uint128{width} * rest >> 32);
  };
  return {upto(node.below.entries, node.width.entries),
          upto(node.below.tombstones, node.width.tombstones)};
}

}  // namespace lsmlab
