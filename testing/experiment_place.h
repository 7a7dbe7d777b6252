// Directories in which tests run experiments.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "testing/engine/scratch_directory.h"
#include "validate/catalog/experiment.h"
#include "validate/judge/judge.h"

namespace lsmlab::testing {

/// A temporary directory for results, stores and device files.
struct ExperimentPlace {
  engine::testing::ScratchDirectory scratch;
  ValidationOptions options;
  ExperimentPlace() {
    options.results = scratch.path() + "/out/runs";
    options.scratch = scratch.path() + "/out/scratch";
    options.devices = scratch.path() + "/out/devices";
  }
  [[nodiscard]] std::size_t results() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(options.results)) {
      count += entry.path().extension() == ".json";
    }
    return count;
  }
};

/// An experiment with one group that has the given members and a name.
inline Result<Experiment> experiment_of_group(const std::string& members) {
  const engine::testing::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/given.json";
  std::ofstream(path) << R"({"description": "given", "groups": [{"name": "g", )" << members
                      << "}]}";
  return read_experiment(path);
}

}  // namespace lsmlab::testing
