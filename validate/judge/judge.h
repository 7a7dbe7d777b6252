// Runs experiments and judges them: simulates and measures every cell, compares both, and fits
// lines through all cells. Schema "lsmlab.validation/1", docs/validation.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "validate/catalog/experiment.h"
#include "validate/runs/validation_options.h"

namespace lsmlab {

inline constexpr const char* kValidationSchema = "lsmlab.validation/1";

struct Validation {
  nlohmann::ordered_json json;
  std::vector<std::string> broken_bounds;  // for people, one each
  bool is_complete = true;                 // not stopped; otherwise there is no JSON
};

/// Does the runs whose results are not there: one store at a time, and simulations meanwhile.
/// Before and after a group it measures the disk, where the group asks for that. Errors: the first
/// run that fails.
[[nodiscard]] Result<Validation> run_validation(Experiment experiment,
                                                const ValidationOptions& options);

/// A table: a line a cell, then the lines through each group.
[[nodiscard]] std::string validation_text(const nlohmann::ordered_json& validation);

/// Errors: unreadable, not JSON, or not a validation.
[[nodiscard]] Result<nlohmann::ordered_json> read_validation(const std::string& path);

}  // namespace lsmlab
