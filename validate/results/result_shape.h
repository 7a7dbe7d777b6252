// The shape of a result's JSON, which comparisons, reports and validations rely on.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace lsmlab {

/// The first member that is missing, or has another type than result_to_json() writes. Members that
/// nothing reads are not checked.
[[nodiscard]] std::optional<std::string> result_fault(const nlohmann::ordered_json& result);

}  // namespace lsmlab
