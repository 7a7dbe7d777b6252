// What a policy wants done. Four kinds: Flush writes the memtable as a run of its own; Merge
// rewrites its inputs, the memtable among them in an eager merge; Move carries a file to another
// level and Link hangs slices of it on the files below (LDC), both without writing data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "models/base/units.h"

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

/// Why a policy asked for a plan: a small fixed vocabulary, so that logs of different sources can
/// be compared. kPlanReasons below has a row for each.
enum class PlanReason {
  kMemtableFull,
  kDepthBound,
  kStaticSchedule,
  kSizeRatio,
  kSortedRunCount,
  kLevelSaturated,
  kTotalSize,
  kStaleFile,
  kSpaceAmplification,
  kTombstoneAge,
  kTombstoneDensity,
  kSeeks,
  kSliceCount,
  kLevel0Only,
};

struct PlanReasonRow {
  PlanReason reason;
  std::string_view name;  // in plan logs and results
  std::string_view meaning;
};

/// Every reason, in the order of the enumeration.
inline constexpr std::array kPlanReasons{
    PlanReasonRow{PlanReason::kMemtableFull, "memtable-full", "the memtable is full: a flush"},
    PlanReasonRow{PlanReason::kDepthBound, "depth-bound",
                  "there are more sorted runs than the bound allows"},
    PlanReasonRow{PlanReason::kStaticSchedule, "static-schedule",
                  "the flush number alone decides (MinLatency, Binomial)"},
    PlanReasonRow{PlanReason::kSizeRatio, "size-ratio", "the sizes of neighbouring runs decide"},
    PlanReasonRow{PlanReason::kSortedRunCount, "sorted-run-count",
                  "a tier holds its number of runs"},
    PlanReasonRow{PlanReason::kLevelSaturated, "level-saturated", "a level exceeds its capacity"},
    PlanReasonRow{PlanReason::kTotalSize, "total-size",
                  "the merged size passes a cap (AsterixDB Prefix)"},
    PlanReasonRow{PlanReason::kStaleFile, "stale-file", "a file has been in its level too long"},
    PlanReasonRow{PlanReason::kSpaceAmplification, "space-amplification",
                  "newer runs are too large compared with the oldest"},
    PlanReasonRow{PlanReason::kTombstoneAge, "tombstone-age",
                  "a file holds tombstones past their time to live"},
    PlanReasonRow{PlanReason::kTombstoneDensity, "tombstone-density",
                  "too many of a file's entries are tombstones"},
    PlanReasonRow{PlanReason::kSeeks, "seeks", "a file had too many useless seeks (LevelDB)"},
    PlanReasonRow{PlanReason::kSliceCount, "slice-count",
                  "a file holds its number of slices (LDC)"},
    PlanReasonRow{PlanReason::kLevel0Only, "level0-only",
                  "runs of level 0 merge among themselves (RocksDB)"},
};

constexpr bool are_plan_reasons_in_order() {
  for (std::size_t i = 0; i < kPlanReasons.size(); ++i) {
    if (static_cast<std::size_t>(kPlanReasons[i].reason) != i) return false;
  }
  return kPlanReasons.back().reason == PlanReason::kLevel0Only;  // the last of the enumeration
}
static_assert(are_plan_reasons_in_order());

[[nodiscard]] constexpr std::string_view reason_name(PlanReason reason) {
  return kPlanReasons[static_cast<std::size_t>(reason)].name;
}
/// Nothing where no reason has that name.
[[nodiscard]] std::optional<PlanReason> reason_of_name(std::string_view name);

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

/// How the files of the level below the output end an output file early, so that a later merge of
/// it does not meet too many of them.
enum class GrandparentRule {
  kIgnored,
  kOverlapLimit,     // LevelDB: bytes of grandparents passed
  kCompactionLimit,  // RocksDB without dynamic file sizes: bytes of the file and its grandparents
  kDynamicFileSize,  // RocksDB 7.8: as well at boundaries, and files may be twice as large
};

/// What of an output file is held against its size limit.
enum class CutMeasure {
  kEntries,       // its entries as a memtable counts them, so that a flush can be just as large
  kStoredBlocks,  // its finished data blocks, so that a file ends with a block (LevelDB, RocksDB)
};

/// Where a merge's output file ends and the next begins; carried out by
/// models/execution/output_cut.h.
struct OutputCut {
  std::optional<Bytes> file_bytes;  // at which a file ends; none: the output is one file
  CutMeasure measure = CutMeasure::kEntries;
  GrandparentRule grandparents = GrandparentRule::kIgnored;
  Bytes grandparent_bytes_max;
  // A file ends before the first key from this one on, once (RocksDB's round robin).
  std::optional<std::uint64_t> split_key = {};
  // Rising: from each of these keys on a file of its own, as a log has it. No other rule counts
  // then.
  std::optional<std::vector<std::uint64_t>> file_begins = {};
};

struct FlushPlan {
  OutputTarget target;
};

struct MergePlan {
  bool takes_memtable = false;
  // Newest to oldest. A file brings the slices that hang on it.
  std::vector<PlanInput> inputs;
  OutputTarget target;
  OutputCut cut = {};
  // Tombstones go where nothing older can exist (models/execution/tombstone_rule.h); false: they
  // all stay.
  bool drops_tombstones = true;
};

struct MovePlan {
  std::vector<PlanInput> inputs;  // of one run or several; all files come to one run
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
/// Where a plan's outputs go; of a link the level of the files that the slices hang on.
[[nodiscard]] OutputTarget plan_target(const Plan& plan);

}  // namespace lsmlab
