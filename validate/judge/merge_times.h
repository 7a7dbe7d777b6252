// Durations of merges on the disk over the bytes that they wrote (merge-policies paper, Fig. 9).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lsmlab {

/// A line through the durations of a result's merges, with the members "policy", "workload",
/// "merges", "seconds_per_byte", "seconds_per_merge", "r_squared", "bytes_written" and "seconds".
/// The last two have a number for each merge. Nothing where the result has no times, or too few
/// merges. `result`: as result_to_json writes it.
[[nodiscard]] std::optional<nlohmann::ordered_json> merge_time_fit(
    const nlohmann::ordered_json& result);

/// The seconds of each measured merge, and the prediction for as many bytes written by the line
/// through the simulated merges. Merges that began while the workload loaded the store, and later
/// ones, have a line each if they are at least five. Empty where either side has no line.
struct PredictedMergeTimes {
  std::vector<double> predicted;
  std::vector<double> measured;
};
[[nodiscard]] PredictedMergeTimes predicted_merge_times(const nlohmann::ordered_json& simulated,
                                                        const nlohmann::ordered_json& measured);

/// R² of such lines through the measured merges of each cell itself. No line over bytes written
/// reaches more: the rest is the machine's spread, or does not depend on a merge's size. Nothing
/// for too few merges.
[[nodiscard]] std::optional<double> merge_time_ceiling(
    const std::vector<std::span<const nlohmann::ordered_json>>& measured_runs);

/// A table of how merges spent their time, in nanoseconds for each KiB that they read: titles, then
/// a row for each cell of a validation whose two sides split the time. The first two columns are
/// words. Empty where no cell splits it.
[[nodiscard]] std::vector<std::vector<std::string>> merge_part_rows(
    const nlohmann::ordered_json& validation);

}  // namespace lsmlab
