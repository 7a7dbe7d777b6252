// Binomial coefficients, and the greedy binomial representation of a flush number t:
// t = C(a_k, k) + C(a_{k-1}, k-1) + ... MinLatency and Binomial use it. The number of its terms is
// the number of smaller ancestors of node t in the tree tau*(m, k) (merge-policies paper, Section
// 2: the recurrence for B(m, k, t)).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/base/units.h"

namespace lsmlab {

/// C(n, k); 2^127 if it, or a product on the way to it, is 2^127 or more.
[[nodiscard]] Uint128 binomial_coefficient(std::uint64_t n, std::uint64_t k);

/// Largest a with C(a, k) <= value. REQUIRES: k >= 1, value >= 1.
[[nodiscard]] std::uint64_t largest_top(std::uint64_t k, std::uint64_t value);

/// B(m, k, t) for t = first, first + 1, ... Cost: O(k) searches for the first t, O(1) amortised for
/// each further one. The value does not depend on m as long as t < C(m+k, k); the definitions of
/// both policies ensure this.
class StackDepths {
 public:
  /// REQUIRES: first < 2^63; k >= 1, or k = 0 and first = 0.
  StackDepths(std::uint64_t k, std::uint64_t first);

  [[nodiscard]] std::uint64_t depth() const { return depth_; }
  /// Moves to the next flush.
  void advance();

 private:
  std::uint64_t k_;
  std::uint64_t depth_ = 0;
  // a_i at index i - 1, for i = 1..k: strictly rising with i; a_i = i - 1 where the term is 0.
  std::vector<std::uint64_t> tops_;
};

}  // namespace lsmlab
