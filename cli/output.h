// Prints text for people.
#pragma once

#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "traces/io/output_file.h"
#include "validate/catalog/run_spec.h"

namespace lsmlab {

/// Writes tables, lists and other text to standard output. The text may contain names and
/// descriptions from files, so control characters are escaped. Errors: as OutputFile::commit().
[[nodiscard]] Result<void> print_text(std::string_view text);

/// Says on standard error in what policy db_bench differs from the RocksDB of the workload's lines.
/// Does nothing for other policies. REQUIRES: the run was resolved.
void tell_policy_limits(const RunSpec& spec);

/// Says on standard error in what a workload of Tectonic differs from Tectonic's operations. Does
/// nothing for other workloads.
void tell_workload_notes(const Spec& workload);

}  // namespace lsmlab
