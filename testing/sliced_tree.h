// A tree whose files have slices, for tests of how lookups and scans visit files.
#pragma once

#include <utility>
#include <vector>

#include "models/execution/plan_execution.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::testing {

// Level 0: file 1 (keys 5..20), newer than file 2 (10..50). Level 1: files 3 (0..9), 4 (20..29), 5
// (40..60). Slices of file 6 (0..30) are linked to all three; newer slices of file 7 (25..70) to 4
// and 5.
inline DrawnTree sliced_tree() {
  DrawnTree drawn({{0, 1, 5, 20},
                   {0, 2, 10, 50},
                   {1, 3, 0, 9},
                   {1, 4, 20, 29},
                   {1, 5, 40, 60},
                   {0, 6, 0, 30},
                   {0, 7, 25, 70}});
  TreeState& tree = drawn.state();
  const auto link = [&](std::uint64_t id, std::vector<FileId> lower) {
    const FileLocation at = *tree.find_file(FileId(id));
    const RunId run = tree.levels()[0].runs[at.run].id;
    const Plan plan{
        PlanReason::kLevelSaturated, LinkPlan{{0, run, {FileId(id)}}, std::move(lower)}, {}};
    TreeEdit edit = begin_edit(tree, plan);
    add_links(
        tree, std::get<LinkPlan>(plan.action), [](const KeyRange&) { return Bytes(1); }, edit);
    REQUIRE(tree.apply(edit).has_value());
  };
  link(6, {FileId(3), FileId(4), FileId(5)});
  link(7, {FileId(4), FileId(5)});
  return drawn;
}

}  // namespace lsmlab::testing
