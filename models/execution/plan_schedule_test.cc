#include "models/execution/plan_schedule.h"

#include <new>
#include <utility>
#include <vector>

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

// Wants the merges that it was given, one after another.
class Wishes : public Policy {
 public:
  explicit Wishes(std::vector<Plan> plans) : plans_(std::move(plans)) {}
  [[nodiscard]] std::optional<Plan> pick(const TreeView& /*tree*/) const override {
    return plans_.front();
  }
  void drop_first() { plans_.erase(plans_.begin()); }

 private:
  std::vector<Plan> plans_;
};

class SharingWishes final : public Wishes {
 public:
  using Wishes::Wishes;
  [[nodiscard]] bool shares_target_levels() const override { return true; }
};

PlanInput input_of(const TreeView& tree, const std::vector<std::uint64_t>& ids) {
  const FileLocation at = *tree.find_file(FileId(ids.front()));
  PlanInput input{
      static_cast<std::uint32_t>(at.level), tree.levels()[at.level].runs[at.run].id, {}};
  for (const std::uint64_t id : ids) input.files.push_back(FileId(id));
  return input;
}

Plan merge_of(const TreeView& tree, const std::vector<std::vector<std::uint64_t>>& inputs) {
  MergePlan merge;
  for (const auto& ids : inputs) merge.inputs.push_back(input_of(tree, ids));
  merge.target = leveled_target(tree, 2);
  return {PlanReason::kLevelSaturated, merge, {}};
}

// Level 1 has files 1 to 4, level 2 has 5 to 8 below the first three.
std::vector<DrawnFile> two_levels() {
  return {{1, 1, 10, 19}, {1, 2, 30, 39}, {1, 3, 50, 59}, {1, 4, 70, 79},
          {2, 5, 5, 15},  {2, 6, 16, 25}, {2, 7, 35, 45}, {2, 8, 58, 65}};
}

template <typename Policy = SharingWishes>
bool starts_beside(const std::vector<std::vector<std::uint64_t>>& first,
                   const std::vector<std::vector<std::uint64_t>>& second) {
  DrawnTree tree(two_levels());
  PlanSchedule schedule;
  Policy policy({merge_of(tree.view(), first), merge_of(tree.view(), second)});
  const std::optional<Plan> running = schedule.pick(policy, tree.state(), PlanWish::kOther);
  REQUIRE(running);
  schedule.begin(tree.view(), *running);
  policy.drop_first();
  const std::optional<Plan> beside = schedule.pick(policy, tree.state(), PlanWish::kOther);
  if (beside) {
    schedule.begin(tree.view(), *beside);
    REQUIRE(schedule.running() == 2);
    schedule.end(*running);
    schedule.end(*beside);
    REQUIRE(schedule.running() == 0);
  }
  return beside.has_value();
}

TEST_CASE("merges share a target level if their keys lie apart and the policy shares levels") {
  REQUIRE(starts_beside({{1}, {5, 6}}, {{2}, {7}}));
  REQUIRE(!starts_beside<Wishes>({{1}, {5, 6}}, {{2}, {7}}));
  // The hull of the first one ends at 25, or at 45.
  REQUIRE(starts_beside({{1}, {5, 6}}, {{2}}));
  REQUIRE(!starts_beside({{1, 3}, {5, 6, 7, 8}}, {{2}}));
  // Neither has an input in the run of level 2, which might disappear while they run.
  REQUIRE(!starts_beside({{4}}, {{2}}));
  REQUIRE(starts_beside({{4}}, {{2}, {7}}));
}

TEST_CASE("merges that would each make the run of an empty level do not run together") {
  DrawnTree tree({{1, 1, 10, 19}, {1, 2, 30, 39}});
  PlanSchedule schedule;
  SharingWishes policy({merge_of(tree.view(), {{1}}), merge_of(tree.view(), {{2}})});
  const std::optional<Plan> running = schedule.pick(policy, tree.state(), PlanWish::kOther);
  REQUIRE(running);
  schedule.begin(tree.view(), *running);
  policy.drop_first();
  REQUIRE(!schedule.pick(policy, tree.state(), PlanWish::kOther));
  schedule.end(*running);
  REQUIRE(schedule.pick(policy, tree.state(), PlanWish::kOther));
}

TEST_CASE("merges of different runs of level 0 run together, those of other policies do not") {
  // The newest run first.
  for (const bool shares : {true, false}) {
    DrawnTree tree({{0, 4, 10, 90}, {0, 3, 10, 90}, {0, 2, 10, 90}, {0, 1, 10, 90}});
    const auto within = [&](std::uint64_t newer, std::uint64_t older) {
      return Plan{PlanReason::kLevel0Only,
                  MergePlan{false,
                            {input_of(tree.view(), {newer}), input_of(tree.view(), {older})},
                            {0, std::nullopt}},
                  {}};
    };
    const std::vector<Plan> plans{within(2, 1), within(4, 3)};
    SharingWishes sharing(plans);
    Wishes alone(plans);
    Wishes& policy = shares ? static_cast<Wishes&>(sharing) : alone;
    PlanSchedule schedule;
    schedule.begin(tree.view(), *schedule.pick(policy, tree.state(), PlanWish::kOther));
    policy.drop_first();
    REQUIRE(schedule.pick(policy, tree.state(), PlanWish::kOther).has_value() == shares);
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
