#include "models/execution/plan_schedule.h"

#include <new>

#include "models/execution/plan_execution.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::plan_schedule_test {
namespace {

class WithoutMemory final : public Policy {
 public:
  [[nodiscard]] std::optional<Plan> pick(const TreeView& /*tree*/) const override {
    throw std::bad_alloc();
  }
};

TEST_CASE("a pending flush outlasts a policy that runs out of memory") {
  for (const PlanWish wish : {PlanWish::kFlush, PlanWish::kOther}) {
    TreeState tree;
    tree.begin_flush({Bytes(100), Entries(1), {1, 1}});
    const PlanSchedule schedule;
    REQUIRE_THROWS_AS(schedule.pick(WithoutMemory(), tree, wish), std::bad_alloc);
    REQUIRE(tree.pending_flush());
    REQUIRE(tree.pending_flush()->bytes == Bytes(100));
  }
}

// A move of file 1 from level 1 joins file 2 in level 2, which meanwhile moves to level 3.
TEST_CASE("a move whose target run moved away meanwhile makes it again") {
  DrawnTree tree({{1, 1, 10, 19}, {2, 2, 30, 39}});
  const auto move_of = [&](std::uint64_t id) {
    const FileLocation at = *tree.view().find_file(FileId(id));
    const auto level = static_cast<std::uint32_t>(at.level);
    const RunId run = tree.view().levels()[at.level].runs[at.run].id;
    return Plan{PlanReason::kLevelSaturated,
                MovePlan{{{level, run, {FileId(id)}}}, leveled_target(tree.view(), level + 1)},
                {}};
  };
  const Plan joins = move_of(1);
  const Plan leaves = move_of(2);
  REQUIRE(plan_target(joins).run);
  REQUIRE(tree.state().apply(begin_edit(tree.view(), leaves)).has_value());
  TreeEdit edit = begin_edit(tree.view(), joins);
  REQUIRE(!tree.view().levels().empty());
  REQUIRE(!tree.state().check(edit).has_value());
  REQUIRE(fit_edit(tree.state(), joins, edit).has_value());
  REQUIRE(tree.state().apply(edit).has_value());
  const FileLocation now = *tree.view().find_file(FileId(1));
  REQUIRE(now.level == 2);
  REQUIRE(tree.view().levels()[2].runs.size() == 1);
}

}  // namespace
}  // namespace lsmlab::plan_schedule_test
