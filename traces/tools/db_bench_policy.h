// The policy and store that a line of db_bench configures, as a SPEC of lsmlab.
#pragma once

#include "models/base/error.h"
#include "traces/stores/policy_spec.h"
#include "traces/tools/db_bench_flags.h"

namespace lsmlab::tools {

/// The flags of kPolicy, given ones and db_bench's defaults, by the table of RocksDB's options in
/// traces/stores/policy_spec.h. An empty SPEC: lsmlab has no such policy. Errors: a value that
/// RocksDB does not know.
[[nodiscard]] Result<stores::PolicySpec> db_bench_policy(const DbBenchLine& line);

}  // namespace lsmlab::tools
