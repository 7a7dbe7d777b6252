// What a policy wants done. Four kinds: Flush writes the memtable as a run of its own; Merge
// rewrites its inputs, the memtable among them in an eager merge; Move carries a file to another
// level and Link hangs slices of it on the files below (LDC), both without writing data.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "models/units.h"

namespace lsmlab {

struct KeyRange {
  std::uint64_t smallest = 0;
  std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  [[nodiscard]] bool overlaps(const KeyRange& other) const {
    return smallest <= other.largest && other.smallest <= largest;
  }
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

/// First and last flush (counted from 1) whose data something may hold.
struct FlushSpan {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  friend bool operator==(const FlushSpan&, const FlushSpan&) = default;
};

/// Why a policy asked for a plan; a small fixed vocabulary, so that logs of different sources can
/// be compared.
enum class PlanReason {
  kMemtableFull,    // flush
  kDepthBound,      // more sorted runs than the bound allows
  kStaticSchedule,  // the flush number alone decides (MinLatency, Binomial)
  kSizeRatio,       // sizes of neighbouring runs
  kSortedRunCount,  // a tier holds its number of runs
  kLevelSaturated,  // a level holds its capacity
  kTotalSize,       // merged size passes a cap (AsterixDB Prefix)
};
[[nodiscard]] std::string_view reason_name(PlanReason reason);

/// Files of one sorted run that a plan takes; several of them, by key, or the whole run.
struct PlanInput {
  std::uint32_t level = 0;
  RunId run;
  std::vector<FileId> files;
};

/// Where outputs go: into an existing run of the level, or, without one, as a new run placed by
/// age.
struct OutputTarget {
  std::uint32_t level = 0;
  std::optional<RunId> run;
};

/// New value of a level's cursor; a policy has no memory of its own.
struct CursorUpdate {
  std::uint32_t level = 0;
  std::uint64_t key = 0;
};

struct FlushPlan {
  OutputTarget target;
};

struct MergePlan {
  bool takes_memtable = false;
  std::vector<PlanInput> inputs;  // newest to oldest
  OutputTarget target;
};

struct MovePlan {
  std::vector<PlanInput> inputs;
  OutputTarget target;
};

struct LinkPlan {
  PlanInput upper;                  // one file, to be frozen
  std::vector<FileId> lower_files;  // by key; each gets the slice of its responsible range
};

struct Plan {
  PlanReason reason = PlanReason::kMemtableFull;
  std::variant<FlushPlan, MergePlan, MovePlan, LinkPlan> action;
  std::vector<CursorUpdate> cursors;
};

/// The runs that a plan takes files from, memtable aside.
[[nodiscard]] std::vector<PlanInput> plan_inputs(const Plan& plan);
[[nodiscard]] bool takes_memtable(const Plan& plan);

}  // namespace lsmlab
