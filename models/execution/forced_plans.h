// Forces the plans of a plan log on another source (simulator or engine) or on another size model.
// Both then make the same decisions, so any remaining difference comes from sizes. What a free run
// differs in addition comes from decisions.
//
// To find a plan's files, the policy rebuilds the log's own tree. It looks for each file in the
// forced tree by the file's level, the age of its run, and the key range that it was responsible
// for. If both trees hold the same files, it finds the same files. If sizes differ, memtables hold
// other keys, and the edges of files lie some keys apart. Then:
//   - a merge takes all files that it overlaps in the run that its outputs join;
//   - a move that overlaps a file of its target run becomes a merge;
//   - a drop removes the files that lie where the log's files lay;
//   - a plan is skipped if none of its inputs is at its place any more.
//
// Output files begin at the keys where the log's outputs begin. Between two outputs of the log they
// begin where a file of the level above or below begins. So an edge that is some keys off seldom
// makes a merge take a file that the log's plan did not take.
//
// REQUIRES stepped mode: the policy makes all plans of a flush before the next flush.
#pragma once

#include <memory>
#include <vector>

#include "models/execution/plan_log.h"
#include "models/policies/policy.h"

namespace lsmlab {

/// Every policy accepts this parameter: the path of a plan log. "replay_log" here and "plan_forced"
/// in validation.json are names that scripts and kept results rely on; everything else says "forced
/// plans".
inline constexpr const char* kForcedPlansParameter = "replay_log";

/// Returns a policy that makes the log's plans in their order, instead of those of `base`. After
/// the last plan it only flushes. Rules for seeks and for the order of ages are those of `base`.
/// The policy needs keys if the log has them or `base` needs them. It keeps its position in the log
/// in the cursor of level 0. Errors: a record that does not follow from those before it; the
/// message has the record's number.
[[nodiscard]] Result<std::shared_ptr<const Policy>> force_plans(
    std::shared_ptr<const Policy> base, const std::vector<PlanRecord>& records);

}  // namespace lsmlab
