// Plans of a log, described so that another tree can take them: runs by age and place, files by key
// ranges (forced_plans.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/error.h"
#include "models/execution/plan_log.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// A run, named by its age and its position in the level.
struct RunPlace {
  std::uint32_t level = 0;
  std::size_t index = 0;
  FlushSpan flushes;
};

/// Files of one run, described by the key ranges that they were responsible for.
struct ForcedFiles {
  RunPlace run;
  std::vector<KeyRange> ranges;
};

/// A copy, described by what it holds.
struct ForcedCopy {
  KeyRange keys;
  FlushSpan flushes;
};

/// A plan of a log, by places and keys instead of ids.
struct ForcedPlan {
  PlanReason reason = PlanReason::kMemtableFull;
  PlanKind kind = PlanKind::kFlush;
  bool takes_memtable = false;
  bool drops_tombstones = true;
  std::optional<Adaptation> adaptation;
  std::vector<ForcedFiles> inputs;
  std::uint32_t target_level = 0;
  std::optional<RunPlace> target_run;
  std::vector<std::uint64_t> file_begins;
  std::optional<std::uint64_t> newest_slices;
  std::uint64_t copies_max = 0;
  std::vector<ForcedCopy> trimmed;
};

/// The run of that number in the level.
[[nodiscard]] RunPlace place_of(const TreeView& tree, std::size_t level, std::size_t run);

/// Rebuilds the log's own tree, and tells where the files of each plan were.
class LogTree {
 public:
  /// Errors: a plan that the log's tree cannot take.
  [[nodiscard]] Result<ForcedPlan> add(const PlanRecord& record);

 private:
  [[nodiscard]] Result<ForcedPlan> plan_of(const PlanRecord& record) const;
  /// The keys at which the outputs begin, in rising order, over all outputs.
  [[nodiscard]] std::vector<std::uint64_t> file_begins_of(const PlanRecord& record) const;
  /// The forced tree may have keys in a gap where the log had none between two outputs. These keys
  /// go to the output that overlaps, in the levels above and below, the files that it overlapped in
  /// the log as well.
  [[nodiscard]] std::uint64_t begin_in_gap(std::uint32_t level, std::uint64_t last_before,
                                           std::uint64_t begin) const;
  [[nodiscard]] std::optional<RunPlace> find_run(std::uint32_t level, RunId id) const;
  [[nodiscard]] std::vector<ForcedFiles> inputs_of(const PlanRecord& record) const;

  TreeState tree_;
};

}  // namespace lsmlab
