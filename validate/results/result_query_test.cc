// Choosing and sorting results by their figures, and their table of comma-separated values.
#include "validate/results/result_query.h"

#include "models/accounting/figures.h"
#include "testing/catch.h"
#include "validate/results/results_csv.h"
#include "validate/results/short_figures.h"

namespace lsmlab::result_query_test {
namespace {

using Json = nlohmann::ordered_json;

Json result_of(double write, std::uint64_t runs) {
  Json result;
  result["policy"] = {{"label", "a, \"b\""}};
  result["workload"] = {{"name", "load"}, {"parameters", {{"entries", 5}, {"absent", nullptr}}}};
  result["seed"] = 1;
  result["amplification"] = {{"write", write}, {"read_max", runs}};
  result["by_level"] = {{{"level", 0}, {"bytes_in", 7}}, {{"level", 1}, {"bytes_in", 9}}};
  result["series"] = {{"write", {1.0, 2.0}}};
  result["run"] = {{"wall_seconds", 0.5}};
  return result;
}

std::string fault_of(const std::string& condition) {
  const auto parsed = parse_condition(condition);
  return parsed ? std::string() : parsed.error().message;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a figure is named by its path, or by its last part where that suffices") {
  REQUIRE(path_of_figure("write").value() == "amplification.write");
  REQUIRE(path_of_figure("amplification.write").value() == "amplification.write");
  REQUIRE(path_of_figure("user_bytes").value() == "totals.user_bytes");
  REQUIRE(path_of_figure("latency.put.p99.9_ns").value() == "latency.put.p99.9_ns");
  REQUIRE(path_of_figure("by_level[1].bytes_in").value() == "by_level[1].bytes_in");
}

TEST_CASE("frequent figures have short names, each of a figure that exists") {
  for (const ShortFigure& figure : short_figures()) {
    INFO(figure.name);
    REQUIRE(path_of_figure(std::string(figure.name)).value() == figure.path);
    REQUIRE(find_figure(figure.path).figure != nullptr);
  }
  REQUIRE(path_of_figure("put_p99").value() == "latency.put.p99_ns");
  REQUIRE(has(fault_of("free_disc<=8"), "did you mean 'free_disk'?"));
  REQUIRE(figure_needs_clock("stalls[].nanoseconds"));
  REQUIRE_FALSE(figure_needs_clock("amplification.write"));
}

TEST_CASE("the figure of a list is the sum over its elements, and a duration has a unit") {
  Json result = result_of(1, 1);
  REQUIRE_FALSE(satisfies(parse_condition("stalled<=1s").value(), result));  // it has no stalls
  result["stalls"] = {{{"reason", "a"}, {"nanoseconds", 400'000'000}},
                      {{"reason", "b"}, {"nanoseconds", 500'000'000}}};
  REQUIRE(figure_number(result, "stalls[].nanoseconds") == 9e8);
  REQUIRE(satisfies(parse_condition("stalled<=1s").value(), result));
  REQUIRE_FALSE(satisfies(parse_condition("stalled<800ms").value(), result));
  REQUIRE(parse_condition("put_p99<=1.5us").value().bound == 1500);
  REQUIRE(parse_condition("put_p99<=7ns").value().bound == 7);
}

TEST_CASE("a figure that is unknown, or not one number, is refused with what to write instead") {
  REQUIRE(has(fault_of("read_maxx<=8"), "did you mean 'read_max'?"));
  REQUIRE(has(fault_of("zzzzzzzzzzzzzz<=8"), "docs/results.md"));
  REQUIRE(has(fault_of("bytes_in>1"), "by_level[].bytes_in"));
  REQUIRE(has(fault_of("p99_ns>1"), "latency.*.p99_ns"));
  REQUIRE(has(fault_of("series.write>1"), "not one number"));
  REQUIRE(has(fault_of("floor.method>1"), "not one number"));
}

TEST_CASE("a condition has a figure, an operator and a number with or without a unit") {
  const auto kind = [](const char* text) { return parse_condition(text).value().kind; };
  REQUIRE(kind("write<=8") == ConditionKind::kAtMost);
  REQUIRE(kind("write < 8") == ConditionKind::kBelow);
  REQUIRE(kind("write>=8") == ConditionKind::kAtLeast);
  REQUIRE(kind("write>8") == ConditionKind::kAbove);
  REQUIRE(parse_condition("user_bytes<=200GB").value().bound == 200e9);
  REQUIRE(parse_condition("user_bytes<=2MiB").value().bound == 2'097'152);
  REQUIRE(parse_condition("space<=1.5").value().bound == 1.5);
  REQUIRE(parse_condition("wall_seconds<=1.5s").value().bound == 1.5);
  REQUIRE(parse_condition("write<=5ms").error().message ==
          "figure 'amplification.write' is in bytes/byte, so its bound is no duration");
  REQUIRE(parse_condition("read_max<=8GB").error().message ==
          "figure 'amplification.read_max' is in runs, so its bound is no size");
  for (const char* text : {"write", "write=8", "write<=", "write<=x", "<=8", ""}) {
    INFO(text);
    REQUIRE_FALSE(parse_condition(text));
  }
}

TEST_CASE("results are filtered, sorted and cut off, and equal ones keep their order") {
  const std::vector<Json> results{result_of(3, 9), result_of(1, 5), result_of(2, 5),
                                  Json::object()};
  ResultQuery query;
  const auto shown = [&] { return selected_results(query, results); };
  REQUIRE(shown() == std::vector<std::size_t>{0, 1, 2, 3});
  REQUIRE(parse_sort("write", query));
  REQUIRE(shown() == std::vector<std::size_t>{1, 2, 0, 3});  // the last has no such figure
  REQUIRE(parse_sort("write:desc", query));
  REQUIRE(shown() == std::vector<std::size_t>{0, 2, 1, 3});
  REQUIRE(parse_sort("read_max:asc", query));
  REQUIRE(shown() == std::vector<std::size_t>{1, 2, 0, 3});
  query.top = 2;
  REQUIRE(shown() == std::vector<std::size_t>{1, 2});
  query = {};
  query.where = {parse_condition("read_max<=5").value(), parse_condition("write>1").value()};
  REQUIRE(shown() == std::vector<std::size_t>{2});
  query.where = {parse_condition("by_level[1].bytes_in>=9").value()};
  REQUIRE(shown().size() == 3);
  query.where = {parse_condition("by_level[2].bytes_in>=0").value()};
  REQUIRE(shown().empty());
  REQUIRE(absent_figures(query, results) == std::vector<std::string>{"by_level[2].bytes_in"});
  REQUIRE_FALSE(parse_sort("write:down", query));
  REQUIRE_FALSE(parse_sort("writ:desc", query));
}

TEST_CASE("a table of comma-separated values has a column for each figure of a result") {
  const std::vector<Json> results{result_of(3, 9), result_of(1, 5)};
  const std::string csv = results_csv(results);
  REQUIRE(csv ==
          "policy,workload,seed,complete,by_level[0].bytes_in,by_level[0].bytes_read,"
          "by_level[0].bytes_read_next,by_level[0].bytes_written,by_level[0].bytes_moved,"
          "by_level[1].bytes_in,by_level[1].bytes_read,by_level[1].bytes_read_next,"
          "by_level[1].bytes_written,by_level[1].bytes_moved,amplification.write,"
          "amplification.write_flushed,amplification.write_total,amplification.read_mean,"
          "amplification.read_max,amplification.space,amplification.space_transient,"
          "amplification.read_blocks\n"
          "\"a, \"\"b\"\"\",load:entries=5,1,true,7,,,,,9,,,,,3.0,,,,9,,,\n"
          "\"a, \"\"b\"\"\",load:entries=5,1,true,7,,,,,9,,,,,1.0,,,,5,,,\n");
}

}  // namespace
}  // namespace lsmlab::result_query_test
