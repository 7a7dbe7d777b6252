#include "validate/judge/timed_figures.h"

#include "testing/catch.h"

namespace lsmlab::timed_figures_test {
namespace {

using Json = nlohmann::ordered_json;

TEST_CASE("figures in time are read from where they stand, and 0 where they do not") {
  const Json result = Json::parse(R"({
    "throughput": {"operations_per_second": 5000},
    "latency": {"put": {"mean_ns": 7, "p50_ns": 5, "p99_ns": 90, "p99.9_ns": 800, "p99.99_ns": 850,
                        "max_ns": 900},
                "scan": {"mean_ns": 31, "p99_ns": 32, "p99.9_ns": 33},
                "all": {"p90_ns": 6, "p99_ns": 91, "p99.9_ns": 801, "p99.99_ns": 851}},
    "merge_times": {"bytes_read": [2048, 2048], "bytes_written": [10, 30],
                    "nanoseconds": [1500, 500], "processor_ns": [600, 200],
                    "core_wait_ns": [100, 20]},
    "stalls": [{"nanoseconds": 4}, {"nanoseconds": 5}]})");
  REQUIRE(timed_figures_of(result) ==
          std::vector<double>{5000, 7, 5,  90, 800, 0, 0,  20'000'000, 9,   1000, 1500, 850, 900,
                              0,    0, 31, 32, 33,  6, 91, 801,        851, 200,  30,   270});
  REQUIRE(timed_figures().size() == 25);
  REQUIRE(timed_figures().front().name == "operations_per_second");
  REQUIRE(timed_figures_of(Json::object()) == std::vector<double>(25));
}

TEST_CASE("pairs that are simulated the other way round are found where the measured gap is wide") {
  const std::vector<double> measured{100, 120, 105};
  REQUIRE(wrong_orders({1, 2, 3}, measured, 0.1).size() == 1);  // 120 over 105
  REQUIRE(wrong_orders({1, 2, 3}, measured, 0.1).front().faster == 1);
  REQUIRE(wrong_orders({1, 2, 3}, measured, 0.1).front().slower == 2);
  REQUIRE(wrong_orders({3, 4, 1}, measured, 0.1).empty());
  REQUIRE(wrong_orders({2, 2, 1}, measured, 0.1).size() == 1);  // a tie is no order
}

}  // namespace
}  // namespace lsmlab::timed_figures_test
