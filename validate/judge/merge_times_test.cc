#include "validate/judge/merge_times.h"

#include "testing/catch.h"

namespace lsmlab::merge_times_test {
namespace {

using Json = nlohmann::ordered_json;

// Merges of 1, 2, ... KB. While loading they take one second for each KB; afterwards three seconds
// for each KB and half a second more.
Json result_of(unsigned loading, unsigned after, double slower = 1) {
  Json times{{"operations_before", Json::array()},
             {"bytes_written", Json::array()},
             {"nanoseconds", Json::array()}};
  const auto add = [&](unsigned kilobytes, unsigned began, double seconds) {
    times["operations_before"].push_back(began);
    times["bytes_written"].push_back(1'000 * kilobytes);
    times["nanoseconds"].push_back(static_cast<std::uint64_t>(1e9 * slower * seconds));
  };
  for (unsigned i = 1; i <= loading; ++i) add(i, 99, i);
  for (unsigned i = 1; i <= after; ++i) add(i, 100, 3 * i + 0.5);
  return {{"policy", {{"label", "tier"}}},
          {"workload", {{"name", "ycsb-a"}}},
          {"throughput", {{"loading_operations", 100}}},
          {"merge_times", times}};
}

TEST_CASE("merges while loading and after are held against lines of their own") {
  const PredictedMergeTimes times = predicted_merge_times(result_of(6, 5), result_of(2, 2, 2));
  REQUIRE(times.measured == std::vector<double>{2, 4, 7, 13});
  REQUIRE(times.predicted.size() == 4);
  const std::vector<double> expected{1, 2, 3.5, 6.5};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    REQUIRE(times.predicted[i] == Approx(expected[i]));
  }
}

TEST_CASE("too few merges after loading are held against the line of all") {
  const Json simulated = result_of(6, 4);
  const std::optional<Json> all = merge_time_fit(simulated);
  REQUIRE(all.has_value());
  REQUIRE(all->at("merges") == 10);
  const auto line = [&](double kilobytes) {
    return 1'000 * kilobytes * all->at("seconds_per_byte").get<double>() +
           all->at("seconds_per_merge").get<double>();
  };
  const PredictedMergeTimes times = predicted_merge_times(simulated, result_of(2, 2));
  REQUIRE(times.predicted.size() == 4);
  REQUIRE(times.predicted[1] == Approx(2));  // loading has its own
  REQUIRE(times.predicted[2] == Approx(line(1)));
  REQUIRE(times.predicted[3] == Approx(line(2)));
}

TEST_CASE("merges whose times are lines in bytes leave nothing to miss, others their spread") {
  const std::vector<Json> exact{result_of(6, 5), result_of(7, 8)};
  REQUIRE(merge_time_ceiling({exact}).value() == Approx(1));
  // One run is twice as fast as the other; the line through both is their mean.
  const std::vector<Json> apart{result_of(6, 6), result_of(6, 6, 2)};
  REQUIRE(merge_time_ceiling({apart}).value() < 0.95);
  // One line through all cells would predict worse: each cell has its own.
  REQUIRE(merge_time_ceiling({exact, std::span(exact).first(1)}).value() == Approx(1));
}

TEST_CASE("without times of merges, or without any that differ, nothing is predicted") {
  const Json none{{"policy", {{"label", "tier"}}}, {"workload", {{"name", "load"}}}};
  REQUIRE(predicted_merge_times(none, result_of(6, 5)).predicted.empty());
  REQUIRE(predicted_merge_times(result_of(6, 5), none).measured.empty());
  REQUIRE_FALSE(merge_time_fit(result_of(1, 0)).has_value());
  REQUIRE_FALSE(merge_time_ceiling({}).has_value());
}

}  // namespace
}  // namespace lsmlab::merge_times_test
