// The benchmarks of db_bench 7.8.3, by name.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/error.h"
#include "models/base/part_mark.h"

namespace lsmlab::tools {

/// What a thread of a benchmark does.
enum class StepKind {
  kPutInOrder,
  kPutAtRandom,
  kPutEachOnce,
  kDeleteInOrder,
  kDeleteAtRandom,
  kGet,
  kGetBatch,
  kSeek,
  kScanAll,
  kUpdate,       // a get, then a put of the same key
  kReadWrite,    // gets and puts in turn
  kMixGraph,     // gets, puts and seeks
  kSeekInOrder,  // to the keys in order, twice each time
  kAsk,          // no operations: asks something of the store
};

/// The flag that says how many operations a thread does.
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
  PartEnd asks = PartEnd::kNothing;  // of kAsk
  bool is_fresh = false;             // db_bench deletes the store first
  bool is_small = false;             // of a thousandth of the numbers
  bool has_writer = false;
  bool has_one_thread = false;
  bool has_threads = true;  // db_bench counts them, idle ones too
};

/// Whether --duration ends the benchmark, and not a number of operations.
[[nodiscard]] bool ends_by_time(const Benchmark& benchmark);

/// Whether a flag of FlagUse::kOperations decides what the benchmark does.
[[nodiscard]] bool uses_flag(const Benchmark& benchmark, std::string_view flag);

/// One element of --benchmarks: "readrandom[X3-W1]" runs four times.
struct NamedBenchmark {
  Benchmark benchmark;
  std::uint64_t runs = 1;
};

/// Errors: an unknown name, with the nearest one; brackets without runs in them.
[[nodiscard]] Result<NamedBenchmark> named_benchmark(std::string_view text);

}  // namespace lsmlab::tools
