// Replaces every value of every shipped configuration and of sample results, in turn, by values of
// other types and extreme numbers. Reading must end with a value or an error that names the file,
// never with an exception.
#include <cstdlib>
#include <fstream>
#include <functional>

#include "testing/catch.h"
#include "testing/cli.h"
#include "testing/experiment_place.h"
#include "testing/random_operations.h"
#include "traces/io/text_file.h"
#include "validate/cases/public_case.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/embedded_configs.h"
#include "validate/catalog/experiment.h"
#include "validate/report/results/results_page.h"
#include "validate/report/validation/validation_page.h"
#include "validate/results/compare.h"
#include "validate/results/json_text.h"
#include "validate/results/result_json.h"
#include "validate/runs/batch.h"

namespace lsmlab::json_mutation_test {
namespace {

using Json = nlohmann::ordered_json;
using Read = std::function<Result<void>(const std::string& path)>;

const std::vector<std::string>& replacements() {
  static const std::vector<std::string> texts{"null",
                                              "true",
                                              "\"x\\u001b[31m\"",
                                              "[]",
                                              "[[1, \"a\"], {}]",
                                              "{\"a\": {\"b\": []}}",
                                              "0",
                                              "-1",
                                              "0.5",
                                              "1e300",
                                              "18446744073709551615",
                                              "18446744073709551616"};
  return texts;
}

// Pointers to every value, beginning with the whole document. Of a list it takes only the first
// value, as the others are similar.
void collect_places(const Json& json, const Json::json_pointer& place,
                    std::vector<Json::json_pointer>& places) {
  places.push_back(place);
  if (json.is_object()) {
    for (const auto& [name, value] : json.items()) collect_places(value, place / name, places);
  }
  if (json.is_array() && !json.empty()) collect_places(json[0], place / 0, places);
}

// Shortens long lists. All columns of a series get the same length.
Json with_short_lists(const Json& json) {
  constexpr std::size_t kElementsMax = 3;
  if (!json.is_structured()) return json;
  Json shorter = json.is_array() ? Json::array() : Json::object();
  for (const auto& [name, value] : json.items()) {
    if (json.is_object()) {
      shorter[name] = with_short_lists(value);
    } else if (shorter.size() < kElementsMax) {
      shorter.push_back(with_short_lists(value));
    }
  }
  return shorter;
}

// Writes each mutation to `path` and reads it. LSMLAB_MUTATION_STEP=5 in the environment leaves
// every fifth place only.
void mutate(const Json& whole, const std::string& path, const Read& read) {
  const Json json = with_short_lists(whole);
  // The unchanged text is valid.
  std::ofstream(path) << json.dump();
  REQUIRE(read(path).has_value());
  std::vector<Json::json_pointer> places;
  collect_places(json, Json::json_pointer(), places);
  const std::uint64_t step = lsmlab::testing::seeds_wanted("LSMLAB_MUTATION_STEP", 1);
  for (std::size_t i = 0; i < places.size(); i += step) {
    const Json::json_pointer& place = places[i];
    for (const std::string& text : replacements()) {
      Json mutated = json;
      mutated[place] = Json::parse(text);
      std::ofstream(path) << mutated.dump();
      INFO(path << " with " << place.to_string() << " = " << text);
      std::string thrown;
      Result<void> outcome = success();
      try {
        outcome = read(path);
      } catch (const std::exception& fault) {
        thrown = fault.what();
      }
      REQUIRE(thrown.empty());
      if (outcome) continue;
      INFO(outcome.error().message);
      REQUIRE(outcome.error().kind == ErrorKind::kInput);
      REQUIRE(outcome.error().message.find("/mutated.json") != std::string::npos);
      REQUIRE(outcome.error().message.find("exception") == std::string::npos);
    }
  }
}

template <class T>
Result<void> done(const Result<T>& result) {
  if (!result) return result.error();
  return success();
}

std::string place_of_files() {
  static const engine::testing::ScratchDirectory scratch;
  return scratch.path() + "/mutated.json";
}

Result<void> read_config(const std::string& kind, const std::string& path) {
  if (kind == "policies") return done(policy_of_spec({path, {}}));
  if (kind == "devices") return done(device_of_spec({path, {}}));
  if (kind == "experiments") return done(read_experiment(path));
  if (kind == "cases") {
    const std::string text = BOOST_OUTCOME_TRYX(read_text_file(path, 1 << 20));
    return done(parse_case(path, text));
  }
  const auto is_flush = is_flush_workload({path, {}});
  if (!is_flush) return is_flush.error();
  return is_flush.value() ? done(workload_of_spec({path, {}}))
                          : done(key_workload_of_spec({path, {}}));
}

TEST_CASE("shipped configurations with a value replaced are read or refused") {
  for (const EmbeddedConfig& config : embedded_configs()) {
    Json json = parse_json(config.json).value();
    if (json.contains("groups")) {
      // Reading an experiment makes every policy and workload that it names. One of each suffices
      // here.
      Json group = json["groups"][0];
      group["policies"] = Json::array({group["policies"][0]});
      group["workloads"] = Json::array({group["workloads"][0]});
      json["groups"] = Json::array({group});
    }
    INFO(config.kind << "/" << config.name);
    mutate(json, place_of_files(),
           [&](const std::string& path) { return read_config(config.kind, path); });
  }
}

// Reads a workload and draws it, unless it is huge.
Result<void> drawn(const Spec& spec) {
  const KeyWorkload workload = BOOST_OUTCOME_TRYX(key_workload_of_spec(spec));
  if (workload.operations > 1'000'000) return success();
  const auto source = BOOST_OUTCOME_TRYX(workload.open(1));
  std::vector<Operation> operations(1'000'001);
  const std::size_t count = BOOST_OUTCOME_TRYX(source->fill(operations));
  REQUIRE(count == workload.operations);
  return success();
}

// With every member that `lsmlab trace info --profile` writes.
TEST_CASE("a profile with a value replaced is read or refused") {
  const Json profile = Json::parse(R"({
      "description": "profile",
      "measured": {"operations": 2000, "distinct_keys": 100, "inserts_rising_percent": 50,
                   "update_distance_p50": 5, "update_distance_p90": 9,
                   "independent_distance_p50": 5, "independent_distance_p90": 9},
      "omissions": ["nothing"],
      "key_bytes": {"distribution": "discrete", "sizes": [[16, 3], [17, 1]]},
      "phases": [{
        "operations": 2000,
        "mix": {"insert": 1000, "update": 500, "delete": 100, "get_present": 200,
                "get_absent": 100, "scan": 100},
        "insert_keys": {"distribution": "near-sorted", "displaced": 0.1, "displacement_max": 0.1},
        "update_keys": {"distribution": "classes", "classes": [[0.01, 0.5], [0.99, 0.5]]},
        "delete_keys": {"distribution": "uniform"},
        "lookup_keys": {"distribution": "classes", "newest_first": true,
                        "classes": [[0.01, 0.5], [0.99, 0.5]]},
        "absent_keys": "domain",
        "value_bytes": 112,
        "scan_entries": 10}]})");
  mutate(profile, place_of_files(), [](const std::string& path) -> Result<void> {
    return drawn({"profile", {{"file", path}, {"scale", "3"}}});
  });
}

// Of a list only the first value is replaced, so each operation stands in a section of its own.
TEST_CASE("a spec of Tectonic with a value replaced is read or refused") {
  const std::string load = R"({"sorted": {"k": 10, "l": 5}, "unique_inserts": {"op_count": 2000,
      "key": {"segmented": {"separator": "-", "segments": [
          {"hot_range": {"len": 2, "amount": 10, "probability": 0.7}},
          {"uniform": {"len": 12}}]}},
      "val": {"weighted": [{"weight": 1, "value": {"uniform": {"len": 9}}}]}}})";
  const std::string plain = R"({"inserts": {"op_count": 2000, "key": {"uniform": {"len": 20}},
      "val": {"uniform": {"len": {"normal": {"mean": 100, "std_dev": 10}}}}},)";
  const std::string texts[] = {
      load, plain + R"("updates": {"op_count": 20, "val": "x", "selection": {"beta": {"alpha": 0.1,
          "beta": 5}}}, "point_deletes": {"op_count": 20, "selection": {"poisson":
          {"lambda": 0.5}}}, "empty_point_queries": {"op_count": 5, "key": "absent"}})",
      plain + R"("merges": {"op_count": 20, "val": "x", "selection": {"zipf": {"n": 100,
          "s": 1.1}}}, "range_queries": {"op_count": 20, "selectivity": {"uniform": {"min": 0,
          "max": 0.01}}, "selection": {"log_normal": {"mean": -1, "std_dev": 0.5}}},
          "range_deletes": {"op_count": 5, "selectivity": 0.0005, "range_format": "StartEnd"}})",
      plain + R"("point_queries": {"op_count": {"pareto": {"scale": 3, "shape": 2}},
          "selection": {"weibull": {"scale": 0.3, "shape": 2}}}, "blind_point_queries":
          {"op_count": 3, "key": {"uniform": {"len": {"uniform": {"min": 18, "max": 22}}}}}})"};
  for (const std::string& text : texts) {
    const Json spec = Json::parse(R"({"defaults": {"character_set": "numeric", "val": "v"},
        "sections": [{"default_distributions": {"updates_selection": {"latest": {"n": 9, "s": 1}}},
        "groups": [)" + text + "]}]}");
    mutate(spec, place_of_files(), [](const std::string& path) {
      return drawn({"tectonic", {{"file", path}}});
    });
    mutate(spec, place_of_files(), [](const std::string& path) -> Result<void> {
      const bool is_flush = BOOST_OUTCOME_TRYX(is_flush_workload({path, {}}));
      return is_flush ? done(workload_of_spec({path, {}})) : drawn({path, {}});
    });
  }
}

// A run with a clock, whose result has every member.
Json timed_result() {
  RunSpec spec;
  spec.policy = parse_spec("ldc:buffer=16KiB,file_size=16KiB").value();
  spec.workload = parse_spec("ycsb-a:records=600,operations=600").value();
  spec.device = parse_spec("nvme").value();
  spec.options.is_stepped = false;
  const ResolvedRun run = resolve(spec).value();
  return Json::parse(results_text(run_simulations({&run, 1}, {}).value()));
}

Json flush_result() {
  RunSpec spec;
  spec.policy = parse_spec("binomial:k=3").value();
  spec.workload = parse_spec("flushes:count=8,size=4MiB").value();
  const ResolvedRun run = resolve(spec).value();
  return Json::parse(results_text(run_simulations({&run, 1}, {}).value()));
}

// Without gnuplot, everything except drawing is done.
Result<void> as_reported(const Result<std::string>& page, const std::string& path) {
  if (page || page.error().kind == ErrorKind::kMachine) return success();
  return input_error(path + ": " + page.error().message);
}

TEST_CASE("results with a value replaced are compared and reported or refused") {
  const std::string search = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  for (const Json& whole : {timed_result(), flush_result()}) {
    mutate(whole, place_of_files(), [&](const std::string& path) -> Result<void> {
      const auto results = BOOST_OUTCOME_TRYX(read_results(path));
      for (const Json& result : results) {
        static_cast<void>(comparison_text(compare_results(whole, result), Decimal::parse("1%")));
        static_cast<void>(comparison_text(compare_results(result, whole), std::nullopt));
      }
      if (const auto checked = check_report_input(results); !checked) {
        return input_error(path + ": " + checked.error().message);
      }
      return as_reported(make_report(results, "title"), path);
    });
  }
  ::setenv("PATH", search.c_str(), 1);
}

TEST_CASE("validations with a value replaced are reported or refused") {
  const std::string search = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  testing::ExperimentPlace place;
  Experiment experiment = testing::experiment_of_group(R"("mode": "threaded", "device": "nvme",
        "policies": ["tier:buffer=16KiB"], "workloads": ["ycsb-a:records=600,operations=600"])")
                              .value();
  const Experiment simulated =
      testing::experiment_of_group(R"("source": "simulator", "device": "nvme",
        "policies": ["tier:buffer=16KiB"], "workloads": ["ycsb-a:records=600,operations=600"])")
          .value();
  experiment.groups.push_back(simulated.groups.front());
  const Json whole = run_validation(experiment, place.options).value().json;
  mutate(whole, place_of_files(), [&](const std::string& path) -> Result<void> {
    const auto validation = BOOST_OUTCOME_TRYX(read_validation(path));
    return as_reported(make_validation_report(validation, "title"), path);
  });
  ::setenv("PATH", search.c_str(), 1);
}

}  // namespace
}  // namespace lsmlab::json_mutation_test
