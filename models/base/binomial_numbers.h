// Binomial coefficients and the greedy binomial representation of a flush number, on which
// MinLatency and Binomial rest: node t of the tree tau*(m, k) has as many smaller ancestors as t
// has terms when it is written greedily as C(a_k, k) + C(a_{k-1}, k-1) + ... (merge-policies paper,
// Section 2: the recurrence for B(m, k, t)).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/base/units.h"

namespace lsmlab {

/// C(n, k), or 2^127 where it, or a product on the way to it, is that or more.
[[nodiscard]] Uint128 binomial_coefficient(std::uint64_t n, std::uint64_t k);

/// Largest a with C(a, k) <= value. REQUIRES: k >= 1, value >= 1.
[[nodiscard]] std::uint64_t largest_top(std::uint64_t k, std::uint64_t value);

/// B(m, k, t) for t = first, first + 1, ...: O(k) searches for the first and O(1) amortised for
/// each further one. It does not depend on m as long as t < C(m+k, k), which the definitions of
/// both policies ensure.
class StackDepths {
 public:
  /// REQUIRES: first < 2^63; k >= 1, or k = 0 where only first = 0 is asked for.
  StackDepths(std::uint64_t k, std::uint64_t first);

  [[nodiscard]] std::uint64_t depth() const { return depth_; }
  /// Goes on to the next flush.
  void advance();

 private:
  std::uint64_t k_;
  std::uint64_t depth_ = 0;
  // a_i at index i - 1, for i = 1..k: strictly rising with i; a_i = i - 1 where the term is 0.
  std::vector<std::uint64_t> tops_;
};

}  // namespace lsmlab
