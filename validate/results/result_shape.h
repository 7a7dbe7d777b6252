// What a result's members must be, for all that read results: comparisons, reports, validations.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace lsmlab {

/// The first member that is missing or of another type than result_to_json() writes; of others,
/// which nothing reads, any type goes.
[[nodiscard]] std::optional<std::string> result_fault(const nlohmann::ordered_json& result);

}  // namespace lsmlab
