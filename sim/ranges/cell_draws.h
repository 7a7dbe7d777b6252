// How entries lie inside a cell of a file (sim/ranges/range_contents.h): at random. How many lie in
// the cell's first half, in the first half of that, and so on, is drawn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lsmlab {

class CellDraws {
 public:
  CellDraws() = default;
  /// `entries`: of the cell. The seed is the cell's own. Deviations are those of a fair
  /// coin, times `scatter`: with 0, entries lie at equal distances.
  CellDraws(std::uint64_t seed, double entries, double scatter = 1)
      : seed_(seed), scatter_(scatter) {
    nodes_[0].entries = entries;
  }

  /// The share of the cell's entries below a place in the cell, both in multiples of 2^-32.
  /// REQUIRES: place is below a whole. Places that rise from call to call are cheaper.
  [[nodiscard]] std::uint64_t share_below(std::uint64_t place);

 private:
  // Halves of halves of the cell on the way to a place. It ends at a single entry, or at a part so
  // small that its variance hardly counts.
  static constexpr std::size_t kHalvings = 8;
  struct Node {
    double entries = 0;
    std::uint64_t number = 1;                      // 2 * number: of its left half
    std::uint64_t below = 0;                       // share of the cell's entries
    std::uint64_t width = std::uint64_t{1} << 32;  // the same of those in the node
    double left_share = 0;                         // of its entries, in its left half
    std::uint64_t left_width = 0;
    bool is_split = false;  // the two members above are drawn
  };
  void split(Node& node) const;

  std::uint64_t seed_ = 0;
  double scatter_ = 1;
  std::array<Node, kHalvings + 1> nodes_;  // from the cell downwards
  std::uint32_t last_place_ = 0;
  std::size_t depth_ = 0;  // nodes_[1..depth_] lie on the way to last_place_
};

}  // namespace lsmlab
