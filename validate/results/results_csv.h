// Results as a table of comma-separated values, for spreadsheets and data frames.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace lsmlab {

/// A row for each result: policy, workload, seed and `complete`, then every figure that is one
/// value of a result, named by its path ("amplification.write", "by_level[0].bytes_in"). A result
/// without the figure has an empty field. Curves (`series`) and the group `run`, which differs from
/// run to run, are left out. Fields are quoted where RFC 4180 needs it; lines end with a newline.
[[nodiscard]] std::string results_csv(std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
