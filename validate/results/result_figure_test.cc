#include "validate/results/result_figure.h"

#include <vector>

#include "testing/catch.h"

namespace lsmlab::result_figure_test {
namespace {

using Json = nlohmann::ordered_json;

TEST_CASE("a figure is read at its path, from each element of a list, and from a column") {
  const Json result = Json::parse(R"({
    "totals": {"merges": 7},
    "floor": {"k": 3, "k_is_policy_bound": true, "ratio": null},
    "latency": {"put": {"p99.9_ns": 800}},
    "stalls": [{"reason": "slow", "nanoseconds": 4}, {"reason": "stop", "nanoseconds": 5}],
    "merge_times": {"bytes_read": [10, 20, 30], "nanoseconds": []}})");
  const ResultFigures& figures = result_figures();
  REQUIRE(figures.merges.number(result) == 7);
  REQUIRE(figures.puts.p99_9.number(result) == 800);
  REQUIRE(figures.puts.p99_9.name() == "p99.9_ns");
  REQUIRE(label_of(figures.puts.p99_9.descriptor()) == "P99.9");
  REQUIRE(figures.floor_k_is_policy_bound.flag(result));
  REQUIRE(figures.stalled.numbers(result) == std::vector<double>{4, 5});
  REQUIRE(figures.stalled.sum(result) == 9);
  REQUIRE(figures.merge_reads.numbers(result) == std::vector<double>{10, 20, 30});
  REQUIRE(figures.merges.numbers(result) == std::vector<double>{7});
}

TEST_CASE("a figure that a result lacks has no number") {
  const ResultFigures& figures = result_figures();
  for (const char* text : {R"({})", R"({"floor": null})", R"({"floor": {"ratio": null}})", "[]"}) {
    INFO(text);
    const Json result = Json::parse(text);
    REQUIRE_FALSE(figures.floor_ratio.number(result));
    REQUIRE_FALSE(figures.floor_k_is_policy_bound.flag(result));
    REQUIRE(figures.stalled.numbers(result).empty());
    REQUIRE(figures.merge_reads.numbers(result).empty());
    REQUIRE(figures.merge_reads.sum(result) == 0);
  }
}

}  // namespace
}  // namespace lsmlab::result_figure_test
