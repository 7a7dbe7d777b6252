// How probable keys are by their rank among the live keys, at resolution `range`: the distributions
// of traces/workloads/key_distribution.h as sums over ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "traces/workloads/key_distribution.h"

namespace lsmlab {

/// How probable the keys of a distribution are, by their rank among the live keys in the order of
/// inserts.
class RankWeights {
 public:
  virtual ~RankWeights() = default;
  /// The probability that an operation uses one of the ranks first..last of `live`, counted from 0;
  /// `last` is not one of them. Ranks need not be whole numbers.
  [[nodiscard]] virtual double of(double first, double last, double live) const = 0;
  /// The insertion numbers at which classes begin, from 0, for so many inserts in all.
  [[nodiscard]] virtual std::vector<std::uint64_t> class_begins(std::uint64_t inserts) const = 0;
  /// The newest keys are the most popular, so that popularity moves with each insert.
  [[nodiscard]] virtual bool prefers_newest() const { return false; }
};

/// Errors: access without ranks; the error names `member`.
[[nodiscard]] Result<std::shared_ptr<const RankWeights>> rank_weights_of(const AccessKeys& keys,
                                                                         const std::string& member);

}  // namespace lsmlab
