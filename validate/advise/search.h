// The search of `advise` (advice.h).
#pragma once

#include <atomic>
#include <functional>

#include "models/base/error.h"
#include "validate/advise/advice.h"

namespace lsmlab {

struct AdviceProgress {
  int round = 1;
  std::size_t done = 0;  // candidates of the round
  std::size_t total = 0;
  double seconds = 0;  // since the search began
};

struct AdviceOptions {
  unsigned threads = 0;  // 0: one per core
  double budget_seconds = 60;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const AdviceProgress&)> on_progress = {};  // a few times per second
};

/// The candidates of the first round. Errors: a policy, parameter or workload that cannot run; a
/// parameter to vary that no policy has, or that every policy that has it states; more candidates
/// than kCandidatesMax; none that takes no more than the memory.
[[nodiscard]] Result<AdvicePlan> plan_advice(const AdviceQuestion& question);
inline constexpr std::uint64_t kCandidatesMax = 20'000;

/// Searches. A search that the budget or `stop` ends has what is known by then. Errors: those of
/// plan_advice() and of the simulations; a figure that no candidate's result has; no candidate was
/// done in time.
[[nodiscard]] Result<Advice> search_advice(const AdviceQuestion& question,
                                           const AdviceOptions& options);

}  // namespace lsmlab
