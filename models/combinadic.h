// Binomial coefficients and the greedy binomial representation of a flush number, on which
// MinLatency and Binomial rest: node t of the tree tau*(m, k) has as many smaller ancestors as t
// has terms when it is written greedily as C(a_k, k) + C(a_{k-1}, k-1) + ... (merge-policies paper,
// Section 2: the recurrence for B(m, k, t)).
#pragma once

#include <cstdint>
#include <vector>

#include "models/units.h"

namespace lsmlab {

/// C(n, k), or 2^127 where it, or a product on the way to it, is that or more.
[[nodiscard]] Uint128 binomial_coefficient(std::uint64_t n, std::uint64_t k);

/// B(m, k, t) of the paper for k up to the one given; immutable once made.
class StackDepthTable {
 public:
  explicit StackDepthTable(std::uint64_t k_max);

  /// B(m, k, t): the stack depth of node t in tau*(m, k). It does not depend on m as long as t <
  /// C(m+k, k), which the definitions of both policies ensure. REQUIRES: k <= k_max, t < 2^63; t =
  /// 0 where k = 0.
  [[nodiscard]] std::uint64_t stack_depth(std::uint64_t k, std::uint64_t t) const;

  /// Largest a with C(a, k) <= value. REQUIRES: 1 <= k <= k_max, value >= 1.
  [[nodiscard]] std::uint64_t largest_top(std::uint64_t k, std::uint64_t value) const;

 private:
  // A cache line each, so that finding a row is a shift.
  struct alignas(64) Row {
    // C(k, k), C(k+1, k), ..., strictly rising; 2^64 - 1 at the end stands for the coefficients
    // left out.
    std::vector<std::uint64_t> coefficients;
    std::vector<std::uint32_t>
        first_in_bucket;          // index of the largest coefficient <= each bucket's least value
    std::uint64_t value_max = 0;  // below the first coefficient left out
  };
  [[nodiscard]] static Row make_row(std::uint64_t k);
  void tabulate_small(std::uint64_t k_max);
  [[nodiscard]] static std::size_t index_of(const Row& row, std::uint64_t value);
  [[nodiscard]] static std::uint64_t largest_top_beyond(std::uint64_t k, std::uint64_t value);

  std::vector<Row> rows_;              // by k; rows 0 and 1 unused
  std::uint64_t small_depth_max_ = 0;  // largest k of small_
  std::vector<std::uint8_t> small_;    // stack_depth(k, t) for small t, row by row
};

}  // namespace lsmlab
