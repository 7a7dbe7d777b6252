// The plans of a log, forced on another source or another model of sizes: what is then still off is
// off by sizes, and what a free run is off beside that, by decisions.
//
// A plan's files are found in the tree that it is forced on by where they stood in the log's own
// tree, which is built along: their level, their run's age, and the range of keys that they were
// responsible for. On a tree of the same files these are the same files. Where sizes differ, so do
// memtables and with them the edges of files by some keys; a merge then takes all that it overlaps
// in the run that its outputs join, a move that overlaps something there becomes a merge, and a
// plan whose every input is elsewhere by now is left out. Output files begin where the log's begin,
// or, between two of the log's, where a file of the level above or below begins: so that an edge
// some keys off seldom draws in a file that the log's plan did not take.
//
// Of stepped mode: every plan between two flushes follows the first.
#pragma once

#include <memory>
#include <vector>

#include "models/execution/plan_log.h"
#include "models/policies/policy.h"

namespace lsmlab {

/// Every policy takes this parameter, the path of a log. "replay_log" is what users and kept
/// results have; the code says "forced plans".
inline constexpr const char* kForcedPlansParameter = "replay_log";

/// A policy that makes the log's plans, in their order, in place of `base`'s; after the last one it
/// flushes only. Seeks and the order of ages are `base`'s; it needs keys where the log has them or
/// `base` does. It remembers how far it is in the cursor of level 0. Errors: a record that does not
/// follow from those before it, with its number.
[[nodiscard]] Result<std::shared_ptr<const Policy>> force_plans(
    std::shared_ptr<const Policy> base, const std::vector<PlanRecord>& records);

}  // namespace lsmlab
