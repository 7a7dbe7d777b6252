// The benchmarks of db_bench 7.8.3, by name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "traces/tools/db_bench_plan.h"

namespace lsmlab::tools {

/// How many operations a thread does.
enum class StepLength { kWrites, kReads, kReadsPerMille, kNumbers, kDeletes, kReadsOrWrites };

enum class BenchmarkUse {
  kRuns,
  kIdle,     // accepted, without operations; `why`: the effect
  kRefused,  // `why`: why
};

struct Benchmark {
  std::string_view name;
  BenchmarkUse use = BenchmarkUse::kRuns;
  std::string_view why = {};
  StepKind kind = StepKind::kGet;
  StepLength length = StepLength::kReads;
  bool is_fresh = false;  // db_bench deletes the store first
  bool is_small = false;  // of a thousandth of the keys
  bool has_writer = false;
  bool has_one_thread = false;
};

/// One element of --benchmarks: "readrandom[X3-W1]" runs four times.
struct NamedBenchmark {
  Benchmark benchmark;
  std::uint64_t runs = 1;
};

/// Errors: an unknown name, with the nearest one; arguments in brackets that are none.
[[nodiscard]] Result<NamedBenchmark> named_benchmark(std::string_view text);

}  // namespace lsmlab::tools
