#include "models/execution/plan_schedule.h"

#include <new>

#include "testing/catch.h"

namespace lsmlab::plan_schedule_test {
namespace {

class WithoutMemory final : public Policy {
 public:
  [[nodiscard]] std::optional<Plan> pick(const TreeView& /*tree*/) const override {
    throw std::bad_alloc();
  }
};

TEST_CASE("a pending flush outlasts a policy that runs out of memory") {
  for (const bool takes_pending : {false, true}) {
    TreeState tree;
    tree.begin_flush({Bytes(100), Entries(1), {1, 1}});
    const PlanSchedule schedule;
    REQUIRE_THROWS_AS(schedule.pick(WithoutMemory(), tree, takes_pending), std::bad_alloc);
    REQUIRE(tree.pending_flush());
    REQUIRE(tree.pending_flush()->bytes == Bytes(100));
  }
}

}  // namespace
}  // namespace lsmlab::plan_schedule_test
