#include "traces/tools/tectonic_spec.h"

#include "testing/catch.h"

namespace lsmlab::tools::tectonic_spec_test {
namespace {

using Json = nlohmann::ordered_json;

TectonicWorkload read_groups(const std::string& groups) {
  auto read = read_tectonic_spec(Json::parse(R"({"sections": [{"groups": [)" + groups + "]}]}"));
  INFO((read ? "" : read.error().message));
  REQUIRE(read.has_value());
  return std::move(read).value();
}

std::string spec_fault(const std::string& text) {
  const auto read = read_tectonic_spec(Json::parse(text));
  return read ? "" : read.error().message;
}

std::string group_fault(const std::string& groups) {
  return spec_fault(R"({"sections": [{"groups": [)" + groups + "]}]}");
}

std::string inserts(std::uint64_t count, const std::string& key = R"({"uniform": {"len": 20}})") {
  return R"("inserts": {"op_count": )" + std::to_string(count) + R"(, "key": )" + key +
         R"(, "val": {"uniform": {"len": 100}}})";
}

std::string load(std::uint64_t count) { return "{" + inserts(count) + "}"; }

std::uint64_t mean_bytes(const SizeDistribution& sizes) {
  std::uint64_t sum = 0;
  std::uint64_t weights = 0;
  for (const WeightedSize& each : sizes.sizes) {
    sum += each.size * each.weight;
    weights += each.weight;
  }
  return (sum + weights / 2) / weights;
}

}  // namespace

TEST_CASE("A spec of Tectonic is a phase for each group, with its operations") {
  const TectonicWorkload read = read_groups(
      R"({"name": "load", "enable_granular_stats": true, "inserts": {"op_count": 1000,
          "key": {"segmented": {"separator": "", "segments":
              ["table:user", {"uniform": {"len": 19, "character_set": "numeric"}}]}},
          "val": {"uniform": {"len": 1024}}}},
         {"point_queries": {"op_count": 500, "selection": {"beta": {"alpha": 0.1, "beta": 5}}},
          "updates": {"op_count": 400, "val": {"uniform": {"len": 128}},
              "selection": {"beta": {"alpha": 0.1, "beta": 5}}},
          "point_deletes": {"op_count": 10},
          "empty_point_queries": {"op_count": 7, "key": {"uniform": {"len": 9}}}})");
  const OperationWorkload& workload = read.workload;
  REQUIRE(workload.phases.size() == 2);
  REQUIRE(workload.key_bytes.text() == "29");
  REQUIRE(workload.phases[0].actions[Action::kInsert] == 1000);
  REQUIRE(workload.phases[0].value_bytes.text() == "1024");
  const Phase& mix = workload.phases[1];
  REQUIRE(mix.actions[Action::kGetPresent] == 500);
  REQUIRE(mix.actions[Action::kUpdate] == 400);
  REQUIRE(mix.actions[Action::kDelete] == 10);
  REQUIRE(mix.actions[Action::kGetAbsent] == 7);
  REQUIRE(mix.value_bytes.text() == "128");
  REQUIRE(mix.lookup_keys.kind == AccessKeyKind::kClasses);
  REQUIRE_FALSE(mix.lookup_keys.newest_first.value_or(false));
  REQUIRE(mix.update_keys.classes == mix.lookup_keys.classes);
  REQUIRE(mix.delete_keys.kind == AccessKeyKind::kUniform);
  REQUIRE(read.notes ==
          std::vector<std::string>{"sections[0].groups[1].empty_point_queries.key: absent keys lie "
                                   "anywhere in the range of the inserted ones"});
}

TEST_CASE("A selection of high numbers prefers the newest keys") {
  const TectonicWorkload read =
      read_groups(load(1000) + R"(, {"point_queries": {"op_count": 950, "selection":
          {"beta": {"alpha": 5, "beta": 0.1}}}, )" +
                  inserts(50) + "}");
  REQUIRE(read.workload.phases[1].lookup_keys.newest_first == true);
  REQUIRE(read.workload.phases[1].actions[Action::kInsert] == 50);
  REQUIRE(read.notes.empty());
}

TEST_CASE("Range queries scan their share of the section's keys") {
  const TectonicWorkload read =
      read_groups(load(1000) + R"(, {"range_queries": {"op_count": 5, "selectivity": 0.02}},
          {"range_queries": {"op_count": 5, "selectivity": {"uniform": {"min": 0, "max": 0.1}},
           "range_format": "StartCount", "selection": {"normal": {"mean": 0.5, "std_dev": 0.2}}}})");
  REQUIRE(read.workload.phases[1].scan_entries->text() == "20");
  REQUIRE(read.workload.phases[2].scan_entries->text() == "uniform(1..99)");
  REQUIRE(read.workload.phases[2].lookup_keys.kind == AccessKeyKind::kClasses);
}

TEST_CASE("A section uses only its own keys") {
  const auto read = read_tectonic_spec(
      Json::parse(R"({"sections": [{"groups": [)" + load(300) +
                  R"(, {"point_deletes": {"op_count": 100}}]}, {"groups": [)" + load(50) +
                  R"(, {"updates": {"op_count": 20, "val": "x"}}]}]})"));
  REQUIRE(read.has_value());
  const Phase& last = read.value().workload.phases[3];
  REQUIRE(last.update_keys.classes == std::vector<KeyClass>{{200, 0}, {50, kClassWeightSum}});
  // Drawn: no update has a key of the first section.
  const auto source = read.value().workload.open(1);
  std::vector<Operation> operations(1000);
  REQUIRE(source->fill(operations).value() == 470);
  for (std::size_t u = 450; u < 470; ++u) {
    bool is_own = false;
    for (std::size_t i = 400; i < 450; ++i) is_own |= operations[i].key == operations[u].key;
    REQUIRE(is_own);
  }
}

TEST_CASE("Sorted and nearly sorted inserts keep k and l as shares") {
  const TectonicWorkload sorted =
      read_groups("{\"sorted\": {\"k\": 0, \"l\": 0}, " + inserts(1000) + "}");
  REQUIRE(sorted.workload.phases[0].insert_keys.kind == InsertKeyKind::kSequential);
  const TectonicWorkload nearly =
      read_groups("{\"sorted\": {\"k\": 100, \"l\": 50}, " + inserts(1000) + "}");
  const InsertKeys& keys = nearly.workload.phases[0].insert_keys;
  REQUIRE(keys.kind == InsertKeyKind::kNearSorted);
  REQUIRE(keys.displaced->text() == "0.1");
  REQUIRE(keys.displacement_max->text() == "0.05");
}

TEST_CASE("Lengths of texts add up, mix and follow their distributions") {
  const auto value_of = [](const std::string& value) {
    return read_groups(R"({"unique_inserts": {"op_count": 10, "key": {"uniform": {"len": 30}},
        "val": )" + value +
                       "}}")
        .workload.phases[0]
        .value_bytes;
  };
  REQUIRE(value_of("\"abc\"").text() == "3");
  REQUIRE(value_of(R"({"uniform": {"len": {"uniform": {"min": 10, "max": 20}}}})").text() ==
          "uniform(10..19)");
  REQUIRE(value_of(R"({"weighted": [{"weight": 3, "value": "abcd"},
      {"weight": 1, "value": {"uniform": {"len": 8}}}]})")
              .text() == "discrete(4:750000, 8:250000)");
  REQUIRE(value_of(R"({"segmented": {"separator": "--", "segments": ["a",
      {"uniform": {"len": 5}}, {"hot_range": {"len": 2, "amount": 9, "probability": 0.5}}]}})")
              .text() == "12");
  REQUIRE(value_of(R"({"uniform": {"len": {"log_normal": {"mean": 5, "std_dev": 0.5}}}})").text() ==
          "lognormal(mean 168, sigma 0.5)");
  const SizeDistribution wide =
      value_of(R"({"uniform": {"len": {"normal": {"mean": 5000, "std_dev": 900}}}})");
  REQUIRE(wide.sizes.size() <= 128);
  REQUIRE(mean_bytes(wide) >= 4998);
  REQUIRE(mean_bytes(wide) <= 5001);
  // Tectonic cuts a length downwards: the mean of 0..9 of poisson stays, that of a normal loses
  // half.
  REQUIRE(mean_bytes(value_of(R"({"uniform": {"len": {"poisson": {"lambda": 40}}}})")) == 40);
}

TEST_CASE("Operations take the nearest defaults for keys, values and selections") {
  const auto read = read_tectonic_spec(Json::parse(R"({
      "defaults": {"key": {"uniform": {"len": 20}}, "val": {"uniform": {"len": 100}}},
      "default_distributions": {"updates_selection": {"zipf": {"n": 1000, "s": 0.99}}},
      "sections": [{
        "default_distributions": {"point_queries_selection": {"latest": {"n": 1000, "s": 0.99}}},
        "groups": [
          {"inserts": {"op_count": 1000}},
          {"defaults": {"val": {"uniform": {"len": 7}}}, "updates": {"op_count": 5},
           "point_queries": {"op_count": 6}, "empty_point_queries": {"op_count": 7}},
          {"updates": {"op_count": 5, "val": "own", "selection": {"uniform": {"min": 0, "max": 9}}},
           "range_queries": {"op_count": 4,
               "scan_length": {"uniform": {"min": 0, "max": 10}}},
           "range_deletes": {"op_count": 3, "scan_length": 1}}]}]})"));
  INFO((read ? "" : read.error().message));
  REQUIRE(read.has_value());
  const OperationWorkload& workload = read.value().workload;
  REQUIRE(workload.key_bytes.text() == "20");
  REQUIRE(workload.phases[0].value_bytes.text() == "100");
  const Phase& first = workload.phases[1];
  REQUIRE(first.value_bytes.text() == "7");
  REQUIRE(first.update_keys.classes[0].weight > 120'000'000);
  REQUIRE_FALSE(first.update_keys.newest_first.has_value());
  REQUIRE(first.lookup_keys.newest_first == true);
  const Phase& second = workload.phases[2];
  REQUIRE(second.value_bytes.text() == "3");
  REQUIRE(second.update_keys.kind == AccessKeyKind::kUniform);
  REQUIRE(second.scan_entries->text() == "uniform(1..9)");
  REQUIRE(second.actions[Action::kDelete] == 3);
}

TEST_CASE("What Tectonic does otherwise is told with its place") {
  const TectonicWorkload read =
      read_groups(load(1000) +
                  R"(, {"merges": {"op_count": 10, "val": {"uniform": {"len": 100}},
              "selection": {"zipf": {"n": 1000, "s": 0.99}}},
          "range_deletes": {"op_count": 20, "selectivity": 0.001, "range_format": "StartEnd"},
          "point_queries": {"op_count": {"normal": {"mean": 50, "std_dev": 3}},
              "selection": {"normal": {"mean": 1, "std_dev": 0.2}}}})");
  const Phase& mix = read.workload.phases[1];
  REQUIRE(mix.actions[Action::kReadModifyWrite] == 10);
  REQUIRE(mix.actions[Action::kDelete] == 20);
  REQUIRE(mix.actions[Action::kGetPresent] == 50);
  REQUIRE(read.notes.size() == 3);
  const auto has_note = [&](const std::string& begin) {
    for (const std::string& note : read.notes) {
      if (note.starts_with("sections[0].groups[1]." + begin)) return true;
    }
    return false;
  };
  REQUIRE(has_note("point_queries.op_count: 50 operations, the mean of the distribution"));
  REQUIRE(has_note("range_deletes: each range of one key is a delete of a live key"));
  REQUIRE(has_note("merges: a merge reads a key and then writes val"));
}

TEST_CASE("A count has an older name, too") {
  const TectonicWorkload read = read_groups(
      R"({"inserts": {"amount": 1e3, "key": {"uniform": {"len": 20}},
          "val": {"uniform": {"len": 100}}}})");
  REQUIRE(read.workload.phases[0].actions[Action::kInsert] == 1000);
}

TEST_CASE("What lsmlab cannot do is refused with its place and the reason") {
  const std::string absent = R"("op_count": 1, "key": {"uniform": {"len": 20}})";
  const std::pair<std::string, std::string> cases[] = {
      {R"({"insrts": {}})", "sections[0].groups[0]: unknown member 'insrts'; did you mean"},
      {R"({"inserts": {"op_count": 1, "key": "a"}})",
       "sections[0].groups[0].inserts: has no \"val\""},
      {R"({"inserts": {"op_count": 1, "amount": 1, "key": "a", "val": "b"}})",
       "sections[0].groups[0].inserts: has both \"op_count\" and \"amount\""},
      {R"({"inserts": {"op_count": -1, "key": "a", "val": "b"}})",
       "sections[0].groups[0].inserts.op_count: expected a number from 0 to"},
      {R"({"point_queries": {"op_count": 4}})", "sections[0].groups[0]: has operations, but its"},
      {load(9) + R"(, {"empty_point_deletes": {)" + absent + "}}",
       "sections[0].groups[1].empty_point_deletes: lsmlab deletes only keys that exist"},
      {load(9) + R"(, {"blind_point_deletes": {)" + absent + "}}",
       "sections[0].groups[1].blind_point_deletes: lsmlab deletes only keys that exist"},
      {load(9) + R"(, {"blind_range_queries": {"selectivity": 0.1, )" + absent + "}}",
       "sections[0].groups[1].blind_range_queries: lsmlab's scans begin at keys that exist"},
      {load(1000) + R"(, {"range_deletes": {"op_count": 4, "selectivity": 0.01}})",
       "sections[0].groups[1].range_deletes: lsmlab has no range tombstones"},
      {load(10) + R"(, {"point_deletes": {"op_count": 11}})",
       "sections[0].groups[1]: 11 deletes, but the section has 10 keys"},
      {load(10) + R"(, {"sorted": {"k": 1, "l": 1}, )" + inserts(5) + "}",
       "sections[0].groups[1].sorted: there are inserts before"},
      {"{" + inserts(1000, R"({"uniform": {"len": 3, "character_set": "numeric"}})") + "}",
       "sections[0].groups[0].inserts.key: about 50 % of the inserts repeat a key"},
      {R"({"unique_inserts": {"op_count": 20, "key": {"uniform": {"len": 1,
          "character_set": "numeric"}}, "val": ""}})",
       "sections[0].groups[0].unique_inserts.key: draws fewer different texts"},
      {load(10) + R"(, {"point_queries": {"op_count": 5, "selection": {"beta": {"alpha": 1,
          "beta": 2}}}, "range_queries": {"op_count": 5, "selectivity": 0.1}})",
       "sections[0].groups[1].range_queries.selection: differs from"},
      {load(10) + R"(, {"range_queries": {"op_count": 5, "selectivity": 0.1,
          "range_format": "StartEnd", "selection": {"beta": {"alpha": 1, "beta": 2}}}})",
       "sections[0].groups[1].range_queries.selection: with StartEnd"},
      {load(10) + R"(, {"range_queries": {"op_count": 5, "selectivity": 0.1,
          "scan_length": 4}})",
       "sections[0].groups[1].range_queries: expected one of"},
      {load(10) + R"(, {"range_deletes": {"op_count": 5, "scan_length": 2}})",
       "sections[0].groups[1].range_deletes: lsmlab has no range tombstones"},
      {load(10) + R"(, {"range_queries": {"op_count": 5, "selectivity": 0.1,
          "range_format": "Start"}})",
       "sections[0].groups[1].range_queries.range_format: expected"},
      {load(10) + R"(, {"character_set": "hexadecimal"})",
       "sections[0].groups[1].character_set: unknown character set"},
  };
  for (const auto& [groups, fault] : cases) {
    INFO(groups << "\n" << group_fault(groups));
    REQUIRE(group_fault(groups).find(fault) == 0);
  }
  REQUIRE(spec_fault(R"({"sections": 4})") == "sections: expected a list of sections");
  REQUIRE(spec_fault(R"({"sections": []})") == "sections: no group has operations");
  REQUIRE(spec_fault(R"({"sections": [], "default_distributions": {"inserts_selection": 1}})")
              .find("default_distributions: unknown member 'inserts_selection'") == 0);
  REQUIRE(spec_fault(R"({"sections": [], "defaults": {"character_set": "greek"}})") ==
          "defaults.character_set: unknown character set; expected one of alphanumeric, "
          "alphabetic, numeric");
  REQUIRE(spec_fault(R"({"sections": [], "sectons": 1})")
              .find("the spec: unknown member 'sectons'; did you mean 'sections'?") == 0);
}

}  // namespace lsmlab::tools::tectonic_spec_test
