#include <filesystem>
#include <fstream>

#include "sim/flushes/simulate_flushes.h"
#include "testing/catch.h"
#include "validate/catalog/catalog.h"
#include "validate/results/compare.h"
#include "validate/results/result_json.h"
#include "validate/runs/batch.h"

namespace lsmlab::validate_test {
namespace {

using Json = nlohmann::ordered_json;

RunResult small_result(const std::string& policy, const std::string& workload) {
  const auto made = policy_of_spec(parse_spec(policy).value());
  REQUIRE(made.has_value());
  const auto flushes = workload_of_spec(parse_spec(workload).value());
  REQUIRE(flushes.has_value());
  RunControl control;
  auto result = simulate_flushes(default_setup(made.value()), flushes.value(), control);
  REQUIRE(result.has_value());
  return std::move(result).value();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Result<std::vector<Json>> read_text(const std::string& text) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("lsmlab-results-" + std::to_string(::getpid()) + ".json"))
                               .string();
  std::ofstream(path) << text;
  auto results = read_results(path);
  std::filesystem::remove(path);
  return results;
}

TEST_CASE("every preset can be made") {
  REQUIRE(policy_presets().size() >= 3);
  for (const Preset& preset : policy_presets()) {
    const auto policy = policy_of_spec({preset.name, {}});
    INFO(preset.name << ": " << (policy ? "" : policy.error().message));
    REQUIRE(policy.has_value());
    REQUIRE(!preset.description.empty());
  }
  for (const Preset& preset : workload_presets()) {
    const auto workload = workload_of_spec({preset.name, {}});
    INFO(preset.name << ": " << (workload ? "" : workload.error().message));
    REQUIRE(workload.has_value());
  }
}

TEST_CASE("a preset's parameters can be overridden") {
  const auto policy = policy_of_spec(parse_spec("hbase-ratio-based:k=5").value());
  REQUIRE(policy.value().policy->depth_max() == 5u);
}

TEST_CASE("a JSON file stands for a policy") {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("lsmlab-policy-" + std::to_string(::getpid()) + ".json"))
                               .string();
  const auto fault_of = [&](const std::string& text) {
    std::ofstream(path) << text;
    const auto policy = policy_of_spec({path, {}});
    return policy ? std::string() : policy.error().message;
  };
  REQUIRE(fault_of(R"({"policy": "exploring", "parameters": {"k": 4, "lambda": 1.3}})").empty());
  REQUIRE(contains(fault_of(R"({"policy": "exploring")"), path));
  REQUIRE(contains(fault_of(R"([1])"), "expected a JSON object"));
  REQUIRE(contains(fault_of(R"({"polcy": "exploring"})"), "did you mean 'policy'"));
  REQUIRE(contains(fault_of(R"({"parameters": {}})"), "has no \"policy\""));
  REQUIRE(contains(fault_of(R"({"policy": 3})"), "\"policy\" is not a text"));
  REQUIRE(contains(fault_of(R"({"policy": "none", "description": 5})"), "\"description\""));
  REQUIRE(contains(fault_of(R"({"policy": "none", "parameters": 5})"), "not an object"));
  REQUIRE(contains(fault_of(R"({"policy": "constant", "parameters": {"k": [1]}})"), "'k'"));
  REQUIRE(contains(fault_of(R"({"policy": "constant", "parameters": {"k": 0}})"), path));
  REQUIRE(fault_of(R"({"policy": "accumulo", "parameters": {"file_max": 9}})").empty());
  REQUIRE(fault_of(R"({"policy": "exploring", "parameters": {"lambda": 0.0000001}})").empty());
  std::filesystem::remove(path);
  REQUIRE(contains(policy_of_spec({path, {}}).error().message, "No such file"));
  REQUIRE(contains(policy_of_spec({"/tmp/", {}}).error().message, "is a directory"));
}

TEST_CASE("unknown names are answered with families and presets") {
  REQUIRE(contains(policy_of_spec({"acumulo", {}}).error().message, "did you mean 'accumulo'"));
  REQUIRE(contains(workload_of_spec({"flushs", {}}).error().message, "did you mean 'flushes'"));
}

TEST_CASE("a result holds its schema, resolved inputs and the figures of accounting") {
  const Json json = result_to_json(small_result("binomial:k=4", "flushes:count=1000,size=1"));
  REQUIRE(json["schema"] == "lsmlab.result/1");
  REQUIRE(json["source"] == "simulator");
  REQUIRE(json["policy"]["name"] == "binomial");
  REQUIRE(json["policy"]["parameters"]["k"] == 4);
  REQUIRE(json["policy"]["parameters"]["flush"] == "eager");
  REQUIRE(json["workload"]["parameters"]["count"] == 1000);
  REQUIRE(json["amplification"]["write_flushed"] == 8.841);
  REQUIRE(json["totals"]["flushes"] == 1000);
  REQUIRE(json["floor"]["k"] == 4);
  REQUIRE(json["floor"]["write_flushed"].get<double>() <= 8.841);
  REQUIRE(json["floor"]["ratio"].get<double>() >= 1.0);
  REQUIRE(json["complete"] == true);
}

TEST_CASE("what a run on files and in time measures stands in its result, and only there") {
  RunResult result = small_result("none", "flushes:count=3,size=1");
  const Json simulated = result_to_json(result);
  for (const char* member : {"latency", "throughput", "stalls", "written", "verification"}) {
    REQUIRE(!simulated.contains(member));
  }
  result.time.emplace().latency.puts = LatencyFigures{7, 1.5, 1, 2, 3, 4, 5, 6};
  result.time->operations_per_second = 12.5;
  result.time->stalls = {{"memtables full", 2, 1000, 700}};
  result.files.emplace().written = WrittenCheck{{{"wal", 400}, {"flush", 600}}, 1000, 1010};
  result.files->verification = VerificationFigures{10, 1, "key 3: expected a, found b"};
  Json json = result_to_json(result);
  REQUIRE(json["latency"].dump() ==
          "{\"put\":{\"count\":7,\"mean_ns\":1.5,\"p50_ns\":1,\"p90_ns\":2,\"p99_ns\":3,"
          "\"p99.9_ns\":4,\"p99.99_ns\":5,\"max_ns\":6}}");
  REQUIRE(json["throughput"]["operations_per_second"] == 12.5);
  REQUIRE(json["stalls"].dump() ==
          "[{\"reason\":\"memtables full\",\"count\":2,\"nanoseconds\":1000,\"longest_ns\":700}]");
  REQUIRE(json["written"].dump() ==
          "{\"bytes_by_kind\":{\"wal\":400,\"flush\":600},\"counted_bytes\":1000,"
          "\"kernel_bytes\":1010,\"agrees\":true}");
  REQUIRE(json["verification"]["mismatches"] == 1);
  result.files->written.kernel_bytes = 989;
  REQUIRE(result_to_json(result)["written"]["agrees"] == false);
  result.files->written.kernel_bytes.reset();
  REQUIRE(result_to_json(result)["written"]["agrees"].is_null());
}

TEST_CASE("numbers above 64 bits are written in full") {
  RunResult result = small_result("none", "flushes:count=3,size=1");
  result.totals.merge_bytes_written = Uint128{1} << 100;
  const std::string text = results_text({&result, 1});
  REQUIRE(contains(text, "\"merge_bytes_written\": 1267650600228229401496703205376,"));
  REQUIRE(!contains(text, "wide"));
  REQUIRE(read_text(text).has_value());
}

TEST_CASE("the same run gives the same text, run aside") {
  const auto text_of = [] {
    Json json =
        result_to_json(small_result("exploring:k=5", "flushes:count=5000,distribution=lognormal"));
    json.erase("run");
    return json.dump();
  };
  REQUIRE(text_of() == text_of());
}

TEST_CASE("what is not a result is refused with the reason") {
  REQUIRE(contains(read_text("{").error().message, "not JSON"));
  REQUIRE(contains(read_text(std::string(100'000, '[')).error().message, "more than 64 deep"));
  REQUIRE(
      contains(read_text(std::string(200, '[') + std::string(200, ']')).error().message, "deep"));
  REQUIRE(contains(read_text("[]").error().message, "contains no results"));
  REQUIRE(contains(read_text("[3]").error().message, "expected an object"));
  REQUIRE(contains(read_text("{}").error().message, "lsmlab.result/1"));
  REQUIRE(contains(read_text(R"({"schema": 3})").error().message, "lsmlab.result/1"));
  REQUIRE(contains(read_text(R"({"schema": "lsmlab.result/1", "policy": 1})").error().message,
                   "\"policy\""));
}

TEST_CASE("comparison shows every figure and its difference") {
  const Json a = result_to_json(small_result("constant:k=4", "flushes:count=100,size=1"));
  const Json b = result_to_json(small_result("constant:k=5", "flushes:count=100,size=1"));
  const ResultComparison same = compare_results(a, a);
  REQUIRE(is_within(same, *Decimal::parse("0")));
  REQUIRE(same.differing_inputs.empty());
  const ResultComparison different = compare_results(a, b);
  REQUIRE(!is_within(different, *Decimal::parse("1%")));
  REQUIRE(different.differing_inputs.size() == 2);  // the label and k
  const auto merges =
      std::find_if(different.figures.begin(), different.figures.end(),
                   [](const FigureDifference& f) { return f.figure == "totals.merges"; });
  REQUIRE(merges != different.figures.end());
  REQUIRE(merges->absolute == merges->b->number - merges->a->number);
  REQUIRE(merges->relative == merges->absolute / merges->a->number);
  const std::string text = comparison_text(different, Decimal::parse("1%"));
  REQUIRE(contains(text, "amplification.write_flushed"));
  REQUIRE(contains(text, "beyond the tolerance"));
}

TEST_CASE("bytes of logs are not compared with those of a run that counts none") {
  const Json simulated = result_to_json(small_result("constant:k=4", "flushes:count=10,size=1"));
  REQUIRE(simulated["totals"]["wal_bytes_written"] == 10);
  Json real = simulated;
  real["totals"]["manifest_bytes_written"] = 10;
  real["amplification"]["write_total"] = 9;
  const ResultComparison comparison = compare_results(simulated, real);
  REQUIRE(is_within(comparison, *Decimal::parse("0")));
  REQUIRE(comparison.differing_inputs.size() == 1);
  REQUIRE(comparison.differing_inputs[0] ==
          "not compared, as one of the two does not count it: totals.manifest_bytes_written, "
          "amplification.write_total");
  Json more = real;
  more["totals"]["wal_bytes_written"] = 2000;
  REQUIRE(!is_within(compare_results(real, more), *Decimal::parse("1%")));
}

TEST_CASE("whole numbers are compared exactly, beyond what a double holds") {
  Json a = result_to_json(small_result("constant:k=4", "flushes:count=10,size=1"));
  a["totals"]["user_bytes"] = 9'007'199'254'740'993;
  Json b = a;
  b["totals"]["user_bytes"] = 9'007'199'254'740'992;
  REQUIRE(!is_within(compare_results(a, b), *Decimal::parse("0")));
  REQUIRE(is_within(compare_results(a, b), *Decimal::parse("0.000000001")));
  REQUIRE(contains(comparison_text(compare_results(a, b), std::nullopt), " -1 "));
}

ResolvedRun tiered_run(const std::string& workload) {
  RunSpec spec;
  spec.policy = {"tiered", {}};
  spec.workload = parse_spec(workload).value();
  return resolve(spec).value();
}

TEST_CASE("a failing job ends the batch with its error") {
  const std::vector<ResolvedRun> jobs{
      tiered_run("flushes:count=1T,size=1"),
      tiered_run("flushes:count=1T,size=1000000TiB,distribution=exponential")};
  BatchOptions options;
  options.threads = 2;
  const auto results = run_simulations(jobs, options);
  REQUIRE(!results.has_value());
  REQUIRE(contains(results.error().message, "2^63"));
}

TEST_CASE("a batch gives results in the order of its jobs") {
  std::vector<ResolvedRun> jobs;
  for (const std::uint64_t count : {200'000u, 10u, 50'000u, 20u}) {
    jobs.push_back(tiered_run("flushes:count=" + std::to_string(count)));
  }
  BatchOptions options;
  options.threads = 4;
  const auto results = run_simulations(jobs, options);
  REQUIRE(results.has_value());
  REQUIRE(results.value()[0].totals.flushes == 200'000);
  REQUIRE(results.value()[1].totals.flushes == 10);
  REQUIRE(results.value()[3].totals.flushes == 20);
}

TEST_CASE("a stopped batch marks every unfinished result") {
  std::atomic<bool> stop{true};
  const std::vector<ResolvedRun> jobs(3, tiered_run("flushes"));
  BatchOptions options;
  options.stop = &stop;
  const auto results = run_simulations(jobs, options);
  REQUIRE(results.has_value());
  for (const RunResult& result : results.value()) {
    REQUIRE(!result.complete);
    REQUIRE(result_to_json(result)["floor"].is_null());
  }
}

}  // namespace
}  // namespace lsmlab::validate_test
