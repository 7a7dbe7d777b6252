#include "models/tree/plan.h"

#include <set>
#include <string>

#include "testing/catch.h"

namespace lsmlab::plan_test {
namespace {

TEST_CASE("every kind of a plan has a name of its own, by which it is found") {
  std::set<std::string_view> names;
  for (const PlanKindRow& row : kPlanKinds) {
    INFO(row.name);
    REQUIRE(names.insert(row.name).second);
    REQUIRE(plan_kind_name(row.kind) == row.name);
    REQUIRE(plan_kind_of_name(row.name) == row.kind);
  }
  REQUIRE(!plan_kind_of_name("whim"));
  REQUIRE(kind_of_plan({PlanReason::kSeeks, MovePlan{}, {}}) == PlanKind::kMove);
}

TEST_CASE("every reason of a plan has a name of its own, by which it is found") {
  std::set<std::string_view> names;
  for (const PlanReasonRow& row : kPlanReasons) {
    INFO(row.name);
    REQUIRE(names.insert(row.name).second);
    REQUIRE(reason_name(row.reason) == row.name);
    REQUIRE(reason_of_name(row.name) == row.reason);
    REQUIRE(!row.meaning.empty());
  }
  REQUIRE(!reason_of_name("whim"));
  REQUIRE(!reason_of_name(""));
}

}  // namespace
}  // namespace lsmlab::plan_test
