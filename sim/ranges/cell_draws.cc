#include "sim/ranges/cell_draws.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/base/random.h"
#include "models/base/units.h"

namespace lsmlab {
namespace {

// A number from a distribution close to the normal one with mean 0 and variance 1: the sum of four
// uniform ones.
double bell(std::uint64_t bits) {
  const std::uint64_t sum =
      (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  constexpr double kMean = 2 * 65535.0;
  constexpr double kDeviation = 37837.2;  // 2^16 / sqrt(3)
  return (static_cast<double>(sum) - kMean) / kDeviation;
}

}  // namespace

// With the variance of a fair coin for each entry, unless entries scatter less.
void CellDraws::split(Node& node) const {
  const double deviation =
      scatter_ * (bell(derive_seed(seed_, node.number)) / 2 / std::sqrt(node.entries));
  node.left_share = std::clamp(0.5 + deviation, 0.0, 1.0);
  node.left_width = static_cast<std::uint64_t>(static_cast<double>(node.width) * node.left_share);
  node.is_split = true;
}

std::uint64_t CellDraws::share_below(std::uint64_t place) {
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
      half.below = node.below + node.left_width;
      half.width = node.width - node.left_width;
      half.entries = node.entries * (1 - node.left_share);
    } else {
      half.below = node.below;
      half.width = node.left_width;
      half.entries = node.entries * node.left_share;
    }
  }
  last_place_ = wanted;
  depth_ = depth;
  const Node& node = nodes_[depth];
  return node.below + static_cast<std::uint64_t>(Uint128{node.width} * rest >> 32);
}

}  // namespace lsmlab
