#include "validate/catalog/operation_workload_json.h"

#include "testing/catch.h"
#include "traces/io/text_file.h"

namespace lsmlab::operation_workload_json_test {
namespace {

std::string fault_of(const std::string& text) {
  const auto workload = parse_operation_workload("w.json", text);
  return workload ? "" : workload.error().message;
}

std::string phase_fault(const std::string& members) {
  return fault_of(R"({"phases": [{"operations": 10, "mix": {"insert": 1})" + members + "}]}");
}

}  // namespace

TEST_CASE("JSON gives every member of a workload") {
  const auto parsed = parse_operation_workload("w.json", R"({
    "description": "all members",
    "key_bytes": {"distribution": "uniform", "min": 8, "max": 24},
    "phases": [
      {"operations": "10k", "mix": {"insert": 1, "scan": 0.5}, "updates_per_insert": 2.5,
       "insert_keys": {"distribution": "near-sorted", "displaced": "20%", "displacement_max": 0.01},
       "update_keys": {"distribution": "zipfian", "zipf_exponent": 0.99},
       "lookup_keys": "latest", "scan_selectivity": 0.001,
       "value_bytes": {"distribution": "discrete", "sizes": [[64, 9], [4096, 1]]}},
      {"operations": 100, "mix": {"get_absent": 1, "delete": 1, "read_modify_write": 2},
       "absent_keys": "neighbour", "delete_keys": "sequential"}]})");
  INFO((parsed ? "" : parsed.error().message));
  REQUIRE(parsed.has_value());
  const OperationWorkload& workload = parsed.value();
  REQUIRE(workload.key_bytes.text() == "uniform(8..24)");
  const Phase& first = workload.phases[0];
  REQUIRE(first.actions[Action::kInsert] == 2500);
  REQUIRE(first.actions[Action::kUpdate] == 6250);
  REQUIRE(first.actions[Action::kScan] == 1250);
  REQUIRE(first.insert_keys.displaced->text() == "0.2");
  REQUIRE(first.update_keys.zipf_exponent->text() == "0.99");
  REQUIRE(first.lookup_keys.kind == AccessKeyKind::kLatest);
  REQUIRE(first.value_bytes.text() == "discrete(64:9, 4096:1)");
  const Phase& second = workload.phases[1];
  REQUIRE(second.actions[Action::kReadModifyWrite] == 50);
  REQUIRE(second.absent_keys == AbsentKeys::kNeighbour);
  REQUIRE(second.delete_keys.kind == AccessKeyKind::kSequential);
  REQUIRE(workload.operation_count() == 10'150);
  const auto source = workload.open(1);
  std::vector<Operation> operations(20'000);
  REQUIRE(source->fill(operations).value() == 10'150);
  REQUIRE(workload.options.front().first == "key_bytes");
  REQUIRE(workload.options[1].first == "phases[0].insert");
}

TEST_CASE("Classes of keys get numbers of keys by their shares of all inserts") {
  const auto parsed = parse_operation_workload("w.json", R"({"phases": [
      {"operations": 600, "mix": {"insert": 1}},
      {"operations": 1000, "mix": {"insert": 0.4, "update": 0.6},
       "update_keys": {"distribution": "classes", "classes": [["1%", 0.5], [0.99, "50%"]]}}]})");
  INFO((parsed ? "" : parsed.error().message));
  REQUIRE(parsed.has_value());
  const AccessKeys& keys = parsed.value().phases[1].update_keys;
  REQUIRE(keys.classes == std::vector<KeyClass>{{10, 500'000'000}, {990, 500'000'000}});
  REQUIRE(parsed.value().options.back().first == "phases[1].value_bytes");
}

TEST_CASE("Faults of profiles name the member") {
  const auto classes_fault = [](const std::string& classes) {
    return fault_of(R"({"phases": [{"operations": 10, "mix": {"insert": 1, "update": 1},
        "update_keys": {"distribution": "classes", "classes": )" +
                    classes + "}}]}");
  };
  const std::string path = "w.json: phases[0].update_keys.classes";
  REQUIRE(classes_fault("[[1, 1]]") == "");
  REQUIRE(classes_fault("[]") == path + ": expected a list of [share of keys, share of accesses]");
  REQUIRE(classes_fault("7") == path + ": expected a list of [share of keys, share of accesses]");
  REQUIRE(classes_fault("[[1, 1], 5]") ==
          path + "[1]: expected [share of keys, share of accesses]");
  REQUIRE(classes_fault("[[1, 1, 1]]") ==
          path + "[0]: expected [share of keys, share of accesses]");
  REQUIRE(classes_fault("[[0.5, 0.5], [0.5, -0.5]]").find(path + "[1][1]: '-0.5' is not a") == 0);
  REQUIRE(classes_fault("[[\"nan\", 1]]").find(path + "[0][0]: 'nan' is not a decimal") == 0);
  REQUIRE(classes_fault("[[1e300, 1]]").find(path + "[0][0]: ") == 0);
  REQUIRE(classes_fault("[[NaN, 1]]").find("w.json: not JSON") == 0);
  REQUIRE(classes_fault("[[1.5, 1]]") == path + "[0][0]: a share is at most 1");
  REQUIRE(classes_fault("[[null, 1]]") == path + "[0][0]: expected a number or a text");
  REQUIRE(classes_fault("[[0, 0.5], [1, 0.5]]") ==
          path + "[0][0]: a class has a share of keys above 0");
  REQUIRE(classes_fault("[[0.5, 0.5], [0.4, 0.5]]") ==
          path + ": the shares of keys add up to 0.9; expected 1");
  REQUIRE(classes_fault("[[0.5, 0.5], [0.5, 0.6]]") ==
          path + ": the shares of accesses add up to 1.1; expected 1");
  std::string many = "[[1, 1]";
  for (int i = 0; i < 1'024; ++i) many += ", [1, 1]";
  REQUIRE(classes_fault(many + "]") == path + ": 1025 classes; expected at most 1024");
  REQUIRE(phase_fault(R"(, "update_keys": {"distribution": "classes"})") ==
          path + ": 0 classes; expected 1 to 1024");
  REQUIRE(phase_fault(R"(, "update_keys": {"classes": [[1, 1]]})") ==
          "w.json: phases[0].update_keys: \"classes\" applies only to the distribution classes");
  REQUIRE(phase_fault(R"(, "update_keys": {"newest_first": true})") ==
          "w.json: phases[0].update_keys: newest_first applies only to classes");
  REQUIRE(fault_of(R"({"phases": [{"operations": 10, "mix": {"get_absent": 1},
        "lookup_keys": {"distribution": "classes", "classes": [[1, 1]]}}]})") ==
          "w.json: phases[0].lookup_keys.classes: the workload inserts no keys");
  REQUIRE(fault_of(R"({"measured": {"p": 1}})").find("w.json: measured: unknown member 'p'") == 0);
  REQUIRE(fault_of(R"({"measured": 1})") == "w.json: measured: expected a JSON object");
  REQUIRE(fault_of(R"({"measured": {"operations": -1}})").find("w.json: measured.operations: ") ==
          0);
  REQUIRE(fault_of(R"({"omissions": "x"})") == "w.json: omissions: expected a list of texts");
  REQUIRE(fault_of(R"({"omissions": ["x", 1]})") == "w.json: omissions[1]: expected a text");
  REQUIRE(fault_of(R"({"phases": [{"operations": 1e18, "mix": {"insert": 1}}]})")
              .find("w.json: phases[0]") == 0);
}

TEST_CASE("The example of the documentation is a workload") {
  const auto page =
      read_text_file(LSMLAB_SOURCE_DIR "/docs/operation-workloads.md", kConfigBytesMax);
  REQUIRE(page.has_value());
  const std::size_t start = page.value().find("```json") + 7;
  const std::string json = page.value().substr(start, page.value().find("```", start) - start);
  REQUIRE(fault_of(json) == "");
}

TEST_CASE("Unknown members, wrong types and bad values name the member") {
  REQUIRE(fault_of("{").find("w.json: not JSON") == 0);
  REQUIRE(fault_of("[]") == "w.json: expected a JSON object");
  REQUIRE(fault_of("{}") == "w.json: phases: expected a list of phases");
  REQUIRE(fault_of(R"({"phases": []})") == "w.json: a workload has at least one phase");
  REQUIRE(fault_of(R"({"phasis": []})") ==
          "w.json: unknown member 'phasis'; did you mean 'phases'?");
  REQUIRE(fault_of(R"({"phases": [5]})") == "w.json: phases[0]: expected a JSON object");
  REQUIRE(fault_of(R"({"phases": [{"mix": {}}]})") == "w.json: phases[0]: has no \"operations\"");
  REQUIRE(fault_of(R"({"phases": [{"operations": 1, "mix": {"inserts": 1}}]})") ==
          "w.json: phases[0].mix: unknown member 'inserts'; did you mean 'insert'?");
  REQUIRE(fault_of(R"({"phases": [{"operations": 1, "mix": {"insert": -1}}]})")
              .find("w.json: phases[0].mix.insert: '-1' is not a decimal number") == 0);
  REQUIRE(fault_of(R"({"phases": [{"operations": 1.5, "mix": {"insert": 1}}]})")
              .find("w.json: phases[0].operations: ") == 0);
  REQUIRE(phase_fault("") == "");
  REQUIRE(phase_fault(R"(, "insert_keys": 7)") ==
          "w.json: phases[0].insert_keys: expected a JSON object");
  REQUIRE(phase_fault(R"(, "insert_keys": "zipfian")").find("w.json: phases[0].insert_keys: ") ==
          0);
  REQUIRE(phase_fault(R"(, "insert_keys": {"prefixs": 7})") ==
          "w.json: phases[0].insert_keys: unknown parameter 'prefixs'; did you mean 'prefixes'?");
  REQUIRE(phase_fault(R"(, "value_bytes": {"distribution": ["uniform"]})") ==
          "w.json: phases[0].value_bytes.distribution: expected a number or a text");
  REQUIRE(phase_fault(R"(, "value_bytes": {"distribution": "discrete", "sizes": [[1]]})") ==
          "w.json: phases[0].value_bytes.sizes[0]: expected [size, weight]");
  REQUIRE(phase_fault(R"(, "absent_keys": "none")") ==
          "w.json: phases[0].absent_keys: expected \"domain\" or \"neighbour\"");
  REQUIRE(phase_fault(R"(, "value_bytes": "5000000000")").find("out of range") !=
          std::string::npos);
}

}  // namespace lsmlab::operation_workload_json_test
