// The policy and store that a line of db_bench configures, as a SPEC of lsmlab.
#pragma once

#include "models/base/error.h"
#include "models/base/spec.h"
#include "traces/stores/policy_spec.h"
#include "traces/tools/db_bench_flags.h"

namespace lsmlab::tools {

/// The flags of kPolicy, given ones and db_bench's defaults, by the table of RocksDB's options in
/// traces/stores/policy_spec.h, which says what `has_rate` means. An empty SPEC: lsmlab has no such
/// policy. Errors: a value that RocksDB does not know.
[[nodiscard]] Result<stores::PolicySpec> db_bench_policy(const DbBenchLine& line, bool has_rate);

/// The flags of kStalls as changes to the stall rules of rocksdb-leveled, or of rocksdb-universal,
/// which has no limits of pending bytes. Includes what RocksDB corrects: a slowdown never comes
/// before a merge, nor a stop before a slowdown.
[[nodiscard]] Parameters db_bench_stalls(const DbBenchLine& line, bool has_pending_limits);

/// What the flags of kRun say about a run with a clock.
struct DbBenchRun {
  std::uint64_t merge_threads = 1;  // RocksDB: DBImpl::GetBGJobLimits
  std::uint64_t clients = 1;        // threads
  std::uint64_t puts_per_second =
      0;  // of all threads, if benchmark_write_rate_limit is given; 0: none
  std::uint64_t background_write_bytes_per_second = 0;  // rate_limiter_bytes_per_sec; 0: none
  bool disable_wal = false;
};
[[nodiscard]] DbBenchRun db_bench_run(const DbBenchLine& line);

}  // namespace lsmlab::tools
