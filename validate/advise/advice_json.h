// Answers of `advise` as JSON, with the schema "lsmlab.advice/1" (docs/advise.md), and as a table
// of comma-separated values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "validate/advise/advice.h"

namespace lsmlab {

inline constexpr const char* kAdviceSchema = "lsmlab.advice/1";

/// Everything but the member `run` is the same for every number of threads, where `complete` is
/// true: neither the budget nor an interrupt ended the search.
[[nodiscard]] nlohmann::ordered_json advice_json(const AdviceQuestion& question,
                                                 const Advice& advice, double budget_seconds);

/// The results of all candidates that were tried, the most exact ones: results_csv().
[[nodiscard]] std::string advice_csv(const Advice& advice);

}  // namespace lsmlab
