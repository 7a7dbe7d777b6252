#include "validate/catalog/operation_workload_text.h"

#include "testing/catch.h"
#include "validate/catalog/operation_workload_json.h"

namespace lsmlab::operation_workload_text_test {
namespace {

OperationWorkload example() {
  OperationWorkload workload;
  workload.key_bytes = SizeDistribution::uniform(8, 24);
  Phase load;
  load.actions[Action::kInsert] = 123'456'789;
  load.insert_keys.kind = InsertKeyKind::kNearSorted;
  load.insert_keys.displaced = Decimal(1, 5);
  Phase mix;
  mix.actions[Action::kInsert] = 7;
  mix.actions[Action::kUpdate] = 987'654'321;
  mix.actions[Action::kDelete] = 3;
  mix.actions[Action::kGetAbsent] = 1;
  mix.actions[Action::kScan] = 11;
  mix.update_keys.kind = AccessKeyKind::kClasses;
  mix.update_keys.classes = {{1, 500'000'000}, {123'456'794, 400'000'000}, {1, 100'000'000}};
  mix.update_keys.newest_first = true;
  mix.delete_keys.kind = AccessKeyKind::kNormal;
  mix.value_bytes = {};
  mix.value_bytes.kind = SizeKind::kDiscrete;
  mix.value_bytes.sizes = {{10, 3}, {20, 1}};
  mix.scan_entries = SizeDistribution::constant(5);
  workload.phases = {load, mix};
  return workload;
}

}  // namespace

TEST_CASE("the text of a workload is read as the same workload") {
  const OperationWorkload workload = example();
  REQUIRE(workload.validate() == std::vector<std::string>{});
  const std::string text =
      operation_workload_text(workload, {"a \"name\"", {{"operations", 7}}, {"something", "more"}});
  INFO(text);
  const auto read = parse_operation_workload("w.json", text);
  INFO((read ? "" : read.error().message));
  REQUIRE(read.has_value());
  REQUIRE(read.value().key_bytes.text() == workload.key_bytes.text());
  REQUIRE(read.value().phases.size() == 2);
  for (std::size_t p = 0; p < 2; ++p) {
    const Phase& before = workload.phases[p];
    const Phase& after = read.value().phases[p];
    REQUIRE(after.actions.values == before.actions.values);
    REQUIRE(describe_phase("", after) == describe_phase("", before));
  }
  // Writing it again changes nothing.
  REQUIRE(operation_workload_text(
              read.value(), {"a \"name\"", {{"operations", 7}}, {"something", "more"}}) == text);
}

TEST_CASE("a workload is scaled: keys and operations are multiplied") {
  const std::string text = operation_workload_text(example(), {});
  const OperationWorkload one = parse_operation_workload("w.json", text).value();
  const OperationWorkload three = parse_operation_workload("w.json", text, 3).value();
  REQUIRE(three.operation_count() == 3 * one.operation_count());
  REQUIRE(three.insert_count() == 3 * one.insert_count());
  REQUIRE(three.phases[1].update_keys.classes[0] == KeyClass{3, 500'000'000});
  REQUIRE(three.options.size() == one.options.size());
  REQUIRE(three.options[1].second == OptionValue{3 * one.insert_count() - 21});
  const auto huge = parse_operation_workload("w.json", text, 1'000'000'000);
  REQUIRE(huge.error().message.find("w.json: 1000000000 times ") == 0);
}

}  // namespace lsmlab::operation_workload_text_test
