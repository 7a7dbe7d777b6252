// The shape of a validation's JSON, which its report relies on.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace lsmlab {

/// The first member that is missing, or has another type than run_validation() writes. Members that
/// nothing reads are not checked.
[[nodiscard]] std::optional<std::string> validation_fault(const nlohmann::ordered_json& validation);

}  // namespace lsmlab
