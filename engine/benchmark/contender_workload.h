// The workload that engine_benchmark runs on each contender, and its figures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/benchmark/contender.h"
#include "models/base/error.h"

namespace lsmlab::engine {

struct WorkloadSize {
  std::uint64_t entries = 0;
  std::uint64_t operations = 0;  // per phase after the load; one scan for each 50
  std::uint32_t value_bytes = 0;
};

inline constexpr std::uint32_t kWorkloadKeyBytes = 16;

/// Figures of one phase. CPU time covers all threads of the process.
struct PhaseFigures {
  std::string name;
  std::uint64_t operations = 0;
  double seconds = 0;
  double cpu_seconds = 0;
};

/// Runs load, lookups, scans, overwrites and mix, in this order, on an empty store. Errors: those
/// of the contender; a wrong answer.
[[nodiscard]] Result<std::vector<PhaseFigures>> run_workload(Contender& contender,
                                                             const WorkloadSize& size);

}  // namespace lsmlab::engine
