// Runs experiments and judges them: it simulates and measures every cell, compares both, and fits
// lines through all cells. The JSON has the schema "lsmlab.validation/1" (docs/validation.md).
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
  std::vector<std::string> broken_bounds;  // a sentence for each broken bound
  bool is_complete = true;                 // false: the run was stopped, and there is no JSON
};

/// Does the runs that have no kept result. Stores run one at a time, concurrently with simulations.
/// Where a group asks for it, the disk is measured before and after the group. Errors: the first
/// run that fails.
[[nodiscard]] Result<Validation> run_validation(Experiment experiment,
                                                const ValidationOptions& options);

/// A table with a line for each cell, followed by the fits and the broken bounds.
[[nodiscard]] std::string validation_text(const nlohmann::ordered_json& validation);

/// Reads a validation's JSON. Errors: the file cannot be read, is not JSON, or is not a validation.
[[nodiscard]] Result<nlohmann::ordered_json> read_validation(const std::string& path);

}  // namespace lsmlab
