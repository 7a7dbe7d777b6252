// Texts for parts of a validation. Its table and its page share them.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lsmlab {

/// "load, entries 1000000, update_fraction 0.5": the name, and the parameters that differ from the
/// defaults of the workload of that name. A workload of a file has its name only.
[[nodiscard]] std::string workload_words(const nlohmann::ordered_json& workload);

/// How far two plan logs agree: "same, 41" (all 41 plans), or "size after 3" (plan 4 differs in
/// sizes).
[[nodiscard]] std::string logs_words(const nlohmann::ordered_json& logs);

/// "+1.25 %"; "-" if `fraction` is no number.
[[nodiscard]] std::string percent_words(const nlohmann::ordered_json& fraction);

/// The error of a cell's write amplification when the simulation follows the measured plans; "-"
/// where it did not.
[[nodiscard]] std::string forced_plans_words(const nlohmann::ordered_json& cell);

/// The lines of a table with aligned columns. The first `texts` columns align left, the others
/// right.
[[nodiscard]] std::string aligned_text(const std::vector<std::vector<std::string>>& rows,
                                       std::size_t texts);

/// The number; 0 if `value` is none.
[[nodiscard]] inline double number(const nlohmann::ordered_json& value) {
  return value.is_number() ? value.get<double>() : 0;
}

}  // namespace lsmlab
