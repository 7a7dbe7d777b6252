// Experiments run and judged: every cell simulated and measured, what they say of each other, and
// the lines through all of them. Schema "lsmlab.validation/1", docs/validation.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/error.h"
#include "validate/experiment.h"

namespace lsmlab {

inline constexpr const char* kValidationSchema = "lsmlab.validation/1";

struct ValidationProgress {
  std::size_t runs_done = 0;  // those that were there already included
  std::size_t runs_total = 0;
  // Of the runs that had to be done on stores, which take most of the time; of simulations where
  // there are none.
  std::uint64_t operations_done = 0;
  std::uint64_t operations_total = 0;
  std::string measuring;  // policy and store of the run that a store is at; empty at the end
};

struct ValidationOptions {
  std::string results;  // where results are kept
  std::string scratch;  // where stores stand while they run
  std::string devices;  // where files of the disk that scratch is on are kept
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const ValidationProgress&)> on_progress;  // some times a second
  /// Told of each kept file that is damaged, whose run is done anew.
  std::function<void(const std::string&)> on_damage = {};
};

struct Validation {
  nlohmann::ordered_json json;
  std::vector<std::string> broken_bounds;  // for people, one each
  bool is_complete = true;                 // not stopped; otherwise there is no JSON
};

/// Does the runs whose results are not there, one store at a time, simulations beside it; before
/// and after a group measures the disk, where it asks for that. Errors: the first run that fails.
[[nodiscard]] Result<Validation> run_validation(Experiment experiment,
                                                const ValidationOptions& options);

/// A table: a line a cell, then the lines through each group.
[[nodiscard]] std::string validation_text(const nlohmann::ordered_json& validation);

/// Errors: unreadable, not JSON, or not a validation.
[[nodiscard]] Result<nlohmann::ordered_json> read_validation(const std::string& path);

}  // namespace lsmlab
