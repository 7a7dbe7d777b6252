// What engine_benchmark does with each contender, and what it notes of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/benchmark/contender.h"
#include "models/base/error.h"

namespace lsmlab::engine {

struct WorkloadSize {
  std::uint64_t entries = 0;
  std::uint64_t operations = 0;  // of each phase after the load; scans: one for each 50
  std::uint32_t value_bytes = 0;
};

inline constexpr std::uint32_t kWorkloadKeyBytes = 16;

/// One phase. CPU time is that of all threads of the process.
struct PhaseFigures {
  std::string name;
  std::uint64_t operations = 0;
  double seconds = 0;
  double cpu_seconds = 0;
};

/// Load, lookups, scans, overwrites, mix, in this order, on an empty store. Errors: the
/// contender's; an answer that is wrong.
[[nodiscard]] Result<std::vector<PhaseFigures>> run_workload(Contender& contender,
                                                             const WorkloadSize& size);

}  // namespace lsmlab::engine
