// What a validation's members must be, for its report.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace lsmlab {

/// The first member that is missing or of another type than run_validation() writes; of others,
/// which nothing reads, any type goes.
[[nodiscard]] std::optional<std::string> validation_fault(const nlohmann::ordered_json& validation);

}  // namespace lsmlab
