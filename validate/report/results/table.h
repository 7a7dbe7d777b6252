// The table of all figures of all results, and the texts of numbers and workloads that a report
// shares.
#pragma once

#include <string>
#include <vector>

#include "validate/report/results/data.h"

namespace lsmlab {

/// An HTML table: a row a result, a group of rows a workload, the best complete result of a column
/// in bold.
[[nodiscard]] std::string figures_table(const std::vector<ReportWorkload>& workloads);

/// "flushes: count 10,000,000, size 4 MiB, distribution constant; seed 1". Not escaped.
[[nodiscard]] std::string workload_text(const ReportWorkload& workload);

/// Four digits that mean something: "2.313", "34.71", "7,492".
[[nodiscard]] std::string figure_text(double value);

}  // namespace lsmlab
