// The directories of a validation, and its callbacks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace lsmlab {

struct ValidationProgress {
  std::size_t runs_done = 0;  // including kept runs
  std::size_t runs_total = 0;
  // Operations of the runs that stores had to execute, which take most of the time; of simulations
  // if there are no such runs.
  std::uint64_t operations_done = 0;
  std::uint64_t operations_total = 0;
  std::string measuring;  // policy and store of the current run; empty at the end
};

struct ValidationOptions {
  std::string results;  // directory for kept results
  std::string scratch;  // directory for stores while they run
  std::string devices;  // directory for device files of the disk under `scratch`
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const ValidationProgress&)> on_progress;  // called a few times per second
  /// Called for each damaged kept file, whose run is done again.
  std::function<void(const std::string&)> on_damage = {};
};

}  // namespace lsmlab
