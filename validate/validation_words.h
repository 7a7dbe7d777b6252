// Words for parts of a validation, for its table and its page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lsmlab {

/// "load, entries 1000000, update_fraction 0.5": the name and what is not as usual.
[[nodiscard]] std::string workload_words(const nlohmann::ordered_json& workload);

/// "same, 41", "size after 3": how far two plan logs agree.
[[nodiscard]] std::string logs_words(const nlohmann::ordered_json& logs);

/// "+1.25 %"; "-" where there is no number.
[[nodiscard]] std::string percent_words(const nlohmann::ordered_json& fraction);

}  // namespace lsmlab
