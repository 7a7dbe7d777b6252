// How long merges took on the disk, against what they wrote (merge-policies paper, Fig. 9).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lsmlab {

/// {"policy", "workload", "merges", "seconds_per_byte", "seconds_per_merge", "r_squared",
/// "bytes_written", "seconds"}, the last two a number a merge; nothing where the result tells no
/// times or too few merges. `result` is as result_to_json writes it.
[[nodiscard]] std::optional<nlohmann::ordered_json> merge_time_fit(
    const nlohmann::ordered_json& result);

/// Seconds of a measured result's merges, and what the line through the simulated ones' times gives
/// for as many bytes written: of those that began while the store was filled for what followed, and
/// of those after, each a line of its own where five tell it. Empty where either has no line.
struct PredictedMergeTimes {
  std::vector<double> predicted;
  std::vector<double> measured;
};
[[nodiscard]] PredictedMergeTimes predicted_merge_times(const nlohmann::ordered_json& simulated,
                                                        const nlohmann::ordered_json& measured);

/// R² of measured merges' seconds by such lines through the merges of each cell's own measured
/// runs: no line through bytes written comes to more, so what is missing is the machine's own
/// spread, or is not in a merge's size. Nothing where too few merges tell.
[[nodiscard]] std::optional<double> merge_time_ceiling(
    const std::vector<std::span<const nlohmann::ordered_json>>& measured_runs);

/// Where merges' time went: titles, then a line for each cell of a validation whose two sides tell,
/// in nanoseconds for each KiB that merges read. Two columns of words. Empty where none tells.
[[nodiscard]] std::vector<std::vector<std::string>> merge_part_rows(
    const nlohmann::ordered_json& validation);

}  // namespace lsmlab
