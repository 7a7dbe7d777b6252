// Words for parts of a validation, for its table and its page.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lsmlab {

/// "load, entries 1000000, update_fraction 0.5": the name and what is not as usual.
[[nodiscard]] std::string workload_words(const nlohmann::ordered_json& workload);

/// "same, 41", "size after 3": how far two plan logs agree.
[[nodiscard]] std::string logs_words(const nlohmann::ordered_json& logs);

/// "+1.25 %"; "-" where there is no number.
[[nodiscard]] std::string percent_words(const nlohmann::ordered_json& fraction);

/// Of a cell: what is off in write amplification with the measured plans forced; "-" where they are
/// the simulation's own.
[[nodiscard]] std::string forced_words(const nlohmann::ordered_json& cell);

/// A table's lines, columns under each other, the first `texts` of them from the left.
[[nodiscard]] std::string aligned_text(const std::vector<std::vector<std::string>>& rows,
                                       std::size_t texts);

/// 0 where it is none.
[[nodiscard]] inline double number(const nlohmann::ordered_json& value) {
  return value.is_number() ? value.get<double>() : 0;
}

}  // namespace lsmlab
