// How entries lie inside a cell of a file (sim/ranges/range_contents.h): at random. How many lie in
// the cell's first half, in the first half of that, and so on, is drawn. So is how many of the
// entries there are tombstones: as if each tombstone were an entry picked at random.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lsmlab {

/// A number from a distribution close to the normal one with mean 0 and variance 1, made of 64
/// random bits: the sum of four uniform numbers.
[[nodiscard]] double bell(std::uint64_t bits);

class CellDraws {
 public:
  /// Shares of what a cell has, in multiples of 2^-32.
  struct Shares {
    std::uint64_t entries = 0;
    std::uint64_t tombstones = 0;
  };

  CellDraws() = default;
  /// `entries`: of the cell, tombstones included. The seed is the cell's own. Deviations are those
  /// of a fair coin, times `scatter`: with 0, entries lie at equal distances.
  CellDraws(std::uint64_t seed, double entries, double tombstones = 0, double scatter = 1)
      : seed_(seed), scatter_(scatter) {
    nodes_[0].entries = entries;
    nodes_[0].tombstones = tombstones;
  }

  /// What the cell has below a place in it. REQUIRES: place is below a whole, in multiples of
  /// 2^-32. Places that rise from call to call are cheaper.
  [[nodiscard]] Shares below(std::uint64_t place);

 private:
  // Halves of halves of the cell on the way to a place. It ends at a single entry, or at a part so
  // small that its variance hardly counts.
  static constexpr std::size_t kHalvings = 8;
  struct Node {
    double entries = 0;
    double tombstones = 0;
    std::uint64_t number = 1;                                      // 2 * number: of its left half
    Shares below;                                                  // of what the cell has
    Shares width{std::uint64_t{1} << 32, std::uint64_t{1} << 32};  // the same of the node
    double left_share = 0;            // of its entries, in its left half
    double left_tombstone_share = 0;  // the same of its tombstones
    Shares left_width;
    bool is_split = false;  // the three members above are drawn
  };
  void split(Node& node) const;

  std::uint64_t seed_ = 0;
  double scatter_ = 1;
  std::array<Node, kHalvings + 1> nodes_;  // from the cell downwards
  std::uint32_t last_place_ = 0;
  std::size_t depth_ = 0;  // nodes_[1..depth_] lie on the way to last_place_
};

}  // namespace lsmlab
