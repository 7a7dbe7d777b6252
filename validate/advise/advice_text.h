// Plans and answers of `advise` as text for people.
#pragma once

#include <string>

#include "validate/advise/advice.h"

namespace lsmlab {

/// What the first round tries: each policy with its parameters and their values, and the number of
/// candidates; then the candidates.
[[nodiscard]] std::string plan_text(const AdvicePlan& plan);

/// The best candidate with its figures, or the nearest one with the conditions that it misses; the
/// command that simulates it; the options of RocksDB; the Pareto front; what was tried.
[[nodiscard]] std::string advice_text(const AdviceQuestion& question, const Advice& advice);

/// The command that simulates the candidate, ready for a shell.
[[nodiscard]] std::string simulate_command(const AdviceQuestion& question,
                                           const Candidate& candidate);

}  // namespace lsmlab
