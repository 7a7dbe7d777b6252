// The workload db_bench: lines of RocksDB's benchmark program as operations (docs/db_bench.md).
#pragma once

#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/options.h"
#include "models/base/spec.h"
#include "traces/tools/db_bench_plan.h"
#include "traces/workloads/key_workload.h"

namespace lsmlab {

struct RunSpec;

inline constexpr const char* kDbBenchWorkload = "db_bench";
inline constexpr const char* kDbBenchSummary =
    "what a command line of RocksDB's db_bench does; also file=FILE (see docs/db_bench.md)";

/// The parameters of the workload, with their defaults.
[[nodiscard]] std::vector<OptionInfo> db_bench_options();
/// With the keys and operations of the lines scaled, and what lasts --duration. Errors: no line; a
/// file that cannot be read; what the line asks for and lsmlab cannot do.
[[nodiscard]] Result<KeyWorkload> db_bench_workload(const Spec& spec,
                                                    const tools::LineScale& scale = {});
/// What lsmlab makes of the SPEC's lines: benchmarks, flags and differences. Errors: as above.
[[nodiscard]] Result<std::string> db_bench_text(const Spec& spec);

/// The SPEC that `-p db_bench` stands for on that workload: the options of RocksDB that its lines
/// set, with db_bench's defaults, under the given parameters of the policy. Errors: as above; the
/// workload is not db_bench; its runs differ in these options; lsmlab has no such policy.
[[nodiscard]] Result<Spec> db_bench_policy_of(const Spec& policy, const Spec& workload);
/// In what the run differs from the RocksDB of its lines, in sentences. Errors: as above.
[[nodiscard]] Result<std::vector<std::string>> db_bench_policy_limits(const RunSpec& spec);
/// The changes to stall rules that belong to that policy, under the given ones. Errors: as above.
[[nodiscard]] Result<Parameters> db_bench_stalls_of(const Parameters& stalls, const Spec& workload);
/// Whether the workload is a line of db_bench that logs no puts (--disable_wal). Errors: as above.
[[nodiscard]] Result<bool> leaves_out_log(const Spec& workload);
/// What the first line says about the run, in place of what the run leaves open: whether RocksDB or
/// a simulation with a clock writes a log; and of a run with a clock clients (a limit on writes
/// counts only where the workload does nothing but put), merge threads, and the rate limiter, which
/// becomes a parameter of the device. Errors: as above.
[[nodiscard]] Result<void> take_db_bench_run(RunSpec& spec);

}  // namespace lsmlab
