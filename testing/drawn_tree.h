// Trees as data, for tests of policies that choose files; and plans as text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/policies/registry.h"
#include "models/tree/tree.h"
#include "models/tree/tree_query.h"
#include "testing/catch.h"
#include "testing/pick_on.h"

namespace lsmlab {

struct DrawnFile {
  std::uint32_t level = 0;
  std::uint64_t id = 0;
  std::uint64_t smallest = 0;
  std::uint64_t largest = 0;
  std::uint64_t bytes = 1;
  SequenceSpan sequences = {};
  std::uint64_t entries = 0;
  std::uint64_t tombstones = 0;
  std::uint64_t value_bytes = 0;
  bool marked = false;
  std::uint64_t created = 0;
  std::uint64_t oldest_ancestor = 0;
  Zeroed zeroed = Zeroed::kNone;
};

/// A tree of these files. In level 0 every file is a run, and the first one listed is the newest.
/// Every other level is one run.
class DrawnTree {
 public:
  explicit DrawnTree(const std::vector<DrawnFile>& files);

  /// Marks the file as an input of a running plan.
  void set_busy(std::uint64_t id);
  void set_cursor(std::uint32_t level, std::uint64_t key);
  [[nodiscard]] TreeState& state() { return tree_; }
  [[nodiscard]] const TreeState& view() const { return tree_; }

 private:
  TreeState tree_;
};

inline File drawn_file(const DrawnFile& drawn, std::uint64_t flush) {
  File file;
  file.id = FileId(drawn.id);
  file.keys = {drawn.smallest, drawn.largest};
  file.bytes = Bytes(drawn.bytes);
  file.sequences = drawn.sequences;
  file.entries = Entries(drawn.entries);
  file.tombstones = Entries(drawn.tombstones);
  file.value_bytes = Bytes(drawn.value_bytes);
  file.flushes = {flush, flush};
  file.marked = drawn.marked;
  file.created = Instant(drawn.created);
  file.oldest_ancestor = Instant(drawn.oldest_ancestor);
  file.zeroed = drawn.zeroed;
  return file;
}

inline DrawnTree::DrawnTree(const std::vector<DrawnFile>& files) {
  std::uint64_t flush = files.size() + 100;
  for (const DrawnFile& drawn : files) {
    TreeEdit edit;
    const OutputTarget target =
        drawn.level == 0 ? OutputTarget{0, std::nullopt} : leveled_target(tree_, drawn.level);
    edit.added.push_back({target, {drawn_file(drawn, drawn.level == 0 ? flush-- : 1)}});
    REQUIRE(tree_.apply(edit).has_value());
  }
}

inline void DrawnTree::set_busy(std::uint64_t id) {
  const auto at = tree_.find_file(FileId(id));
  REQUIRE(at);
  const auto level = static_cast<std::uint32_t>(at->level);
  const RunId run = tree_.levels()[at->level].runs[at->run].id;
  const Plan plan{PlanReason::kLevelSaturated,
                  MovePlan{{{level, run, {FileId(id)}}}, {level + 1, std::nullopt}},
                  {}};
  REQUIRE(tree_.reserve(plan).has_value());
}

inline void DrawnTree::set_cursor(std::uint32_t level, std::uint64_t key) {
  TreeEdit edit;
  edit.cursors.push_back({level, key});
  REQUIRE(tree_.apply(edit).has_value());
}

/// "merge L0 1,2 + L4 5 to L4", "move L1 7 to L2", "drop L0 3", "flush",
/// "nothing".
[[nodiscard]] inline std::string plan_text(const std::optional<Plan>& plan) {
  if (!plan) return "nothing";
  if (std::holds_alternative<FlushPlan>(plan->action)) return "flush";
  const bool is_drop = std::holds_alternative<DropPlan>(plan->action);
  std::string text = is_drop ? "drop" : std::string(plan_kind_name(kind_of_plan(*plan)));
  std::optional<std::uint32_t> level;
  for (const PlanInput& input : plan_inputs(*plan)) {
    for (const FileId id : input.files) {
      if (level != input.level)
        text += fmt::format("{} L{} ", level ? " +" : "", input.level);
      else
        text += ",";
      level = input.level;
      text += std::to_string(id.value());
    }
  }
  if (is_drop) return text;
  return text + fmt::format(" to L{}", plan_target(*plan).level);
}

/// The plan that a policy with these options wants for a tree.
[[nodiscard]] inline std::optional<Plan> pick_of(const std::string& family,
                                                 const std::string& options,
                                                 const TreeState& tree) {
  const auto spec = parse_spec(options.empty() ? family : family + ":" + options);
  REQUIRE(spec.has_value());
  const auto named = make_policy(spec.value());
  INFO(options << ": " << (named ? "" : named.error().message));
  REQUIRE(named.has_value());
  return testing::pick_on(*named.value().policy, tree);
}

struct PickCase {
  std::string reason;
  std::string options;
  std::vector<DrawnFile> files;
  std::vector<std::uint64_t> busy;
  std::string expected;
};

inline void check_picks(const std::string& family, const std::vector<PickCase>& cases) {
  for (const PickCase& c : cases) {
    DrawnTree tree(c.files);
    for (const std::uint64_t id : c.busy) tree.set_busy(id);
    INFO(c.reason);
    REQUIRE(plan_text(pick_of(family, c.options, tree.view())) == c.expected);
  }
}

}  // namespace lsmlab
