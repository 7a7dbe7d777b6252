// A plan: what a policy wants done. There are seven kinds. Flush writes the memtable as a new run.
// Merge rewrites its inputs; in an eager merge the memtable is one of them. Move gives a file
// another level. Link freezes a file and links slices of it to the files below (LDC). Drop removes
// files with all their data (RocksDB's FIFO). Refer freezes its inputs and puts virtual files into
// their place, which have no table and refer to the frozen ones (dCompaction, Tarantool's ranges).
// Trim deletes copies, which merges left for lookups (LSbM). All but Flush and Merge read and write
// no data.
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
#include "models/tree/adaptation.h"

namespace lsmlab {

struct KeyRange {
  std::uint64_t smallest = 0;
  std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  [[nodiscard]] bool overlaps(const KeyRange& other) const {
    return smallest <= other.largest && other.smallest <= largest;
  }
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

/// First and last flush (counted from 1) whose data a file or run may hold.
struct FlushSpan {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  friend bool operator==(const FlushSpan&, const FlushSpan&) = default;
};

/// The kinds of plans, in the order of the alternatives of Plan::action.
enum class PlanKind { kFlush, kMerge, kMove, kLink, kDrop, kRefer, kTrim };

struct PlanKindRow {
  PlanKind kind;
  std::string_view name;  // in plan logs
};

/// Every kind, in the order of the enumeration.
inline constexpr std::array kPlanKinds{
    PlanKindRow{PlanKind::kFlush, "flush"}, PlanKindRow{PlanKind::kMerge, "merge"},
    PlanKindRow{PlanKind::kMove, "move"},   PlanKindRow{PlanKind::kLink, "link"},
    PlanKindRow{PlanKind::kDrop, "drop"},   PlanKindRow{PlanKind::kRefer, "refer"},
    PlanKindRow{PlanKind::kTrim, "trim"}};

constexpr bool are_plan_kinds_in_order() {
  for (std::size_t i = 0; i < kPlanKinds.size(); ++i) {
    if (static_cast<std::size_t>(kPlanKinds[i].kind) != i) return false;
  }
  return kPlanKinds.back().kind == PlanKind::kTrim;  // the last of the enumeration
}
static_assert(are_plan_kinds_in_order());

[[nodiscard]] constexpr std::string_view plan_kind_name(PlanKind kind) {
  return kPlanKinds[static_cast<std::size_t>(kind)].name;
}
/// Nothing if no kind has that name.
[[nodiscard]] std::optional<PlanKind> plan_kind_of_name(std::string_view name);

/// Why a policy made a plan. The vocabulary is small and fixed, so that logs of different sources
/// can be compared. kPlanReasons below has a row for each reason.
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
  kMarkedFile,
  kPeriodic,
  kTimeToLive,
  kRangeSize,
  kColdCopies,
  kManual,
};

struct PlanReasonRow {
  PlanReason reason;
  std::string_view name;  // in plan logs and results
  std::string_view meaning;
};

/// Every reason, in the order of the enumeration.
inline constexpr std::array kPlanReasons{
    PlanReasonRow{PlanReason::kMemtableFull, "memtable-full",
                  "the memtable is full and is flushed"},
    PlanReasonRow{PlanReason::kDepthBound, "depth-bound",
                  "there are more sorted runs than the bound allows"},
    PlanReasonRow{PlanReason::kStaticSchedule, "static-schedule",
                  "the flush number alone calls for a merge (MinLatency, Binomial)"},
    PlanReasonRow{PlanReason::kSizeRatio, "size-ratio",
                  "the sizes of adjacent runs call for a merge"},
    PlanReasonRow{PlanReason::kSortedRunCount, "sorted-run-count",
                  "a level or tier has reached its number of sorted runs"},
    PlanReasonRow{PlanReason::kLevelSaturated, "level-saturated", "a level exceeds its capacity"},
    PlanReasonRow{PlanReason::kTotalSize, "total-size",
                  "the total size of runs exceeds a limit (AsterixDB Prefix, RocksDB FIFO)"},
    PlanReasonRow{PlanReason::kStaleFile, "stale-file", "a file has been in its level too long"},
    PlanReasonRow{PlanReason::kSpaceAmplification, "space-amplification",
                  "newer runs are too large compared with the oldest"},
    PlanReasonRow{PlanReason::kTombstoneAge, "tombstone-age",
                  "a file holds tombstones past their time to live"},
    PlanReasonRow{PlanReason::kTombstoneDensity, "tombstone-density",
                  "too many of a file's entries are tombstones"},
    PlanReasonRow{PlanReason::kSeeks, "seeks", "a file had too many useless seeks (LevelDB)"},
    PlanReasonRow{PlanReason::kSliceCount, "slice-count",
                  "a file has reached its number of linked slices (LDC)"},
    PlanReasonRow{PlanReason::kLevel0Only, "level0-only",
                  "runs of level 0 merge among themselves (RocksDB)"},
    PlanReasonRow{PlanReason::kMarkedFile, "marked-file",
                  "a file was marked when it was written, because many of its entries are deletes "
                  "(RocksDB)"},
    PlanReasonRow{PlanReason::kPeriodic, "periodic",
                  "a file was written too long ago, and is written again (RocksDB)"},
    PlanReasonRow{PlanReason::kTimeToLive, "time-to-live",
                  "a file may hold data that was first written too long ago (RocksDB)"},
    PlanReasonRow{PlanReason::kRangeSize, "range-size",
                  "a range of keys has grown too large, or is too small (Tarantool)"},
    PlanReasonRow{PlanReason::kColdCopies, "cold-copies",
                  "too few blocks of copies are in the block cache (LSbM)"},
    PlanReasonRow{PlanReason::kManual, "manual", "the client asked that everything be merged"},
};

constexpr bool are_plan_reasons_in_order() {
  for (std::size_t i = 0; i < kPlanReasons.size(); ++i) {
    if (static_cast<std::size_t>(kPlanReasons[i].reason) != i) return false;
  }
  return kPlanReasons.back().reason == PlanReason::kManual;  // the last of the enumeration
}
static_assert(are_plan_reasons_in_order());

[[nodiscard]] constexpr std::string_view reason_name(PlanReason reason) {
  return kPlanReasons[static_cast<std::size_t>(reason)].name;
}
/// Nothing if no reason has that name.
[[nodiscard]] std::optional<PlanReason> reason_of_name(std::string_view name);

/// Files of one sorted run that a plan takes, in the order of keys: some files or the whole run.
struct PlanInput {
  std::uint32_t level = 0;
  RunId run;
  std::vector<FileId> files;
};

/// Where outputs go: into an existing run of the level, or, without a run, into a new run. The age
/// of its data decides the place of a new run in the level.
struct OutputTarget {
  std::uint32_t level = 0;
  std::optional<RunId> run;
};

/// The new value of a level's cursor. The cursor serves as a policy's memory, because a policy has
/// no state of its own.
struct CursorUpdate {
  std::uint32_t level = 0;
  std::uint64_t key = 0;
};

/// How files of the level below end an output file early, so that a later merge of that file does
/// not overlap too many of them.
enum class GrandparentRule {
  kIgnored,
  kOverlapLimit,  // LevelDB: limits the bytes of grandparents that a file overlaps
  // RocksDB without dynamic file sizes: limits the bytes of the file plus its grandparents
  kCompactionLimit,
  // RocksDB 7.8: may also end at a boundary before that limit; files may be twice as large
  kDynamicFileSize,
  // Pebble: files of half to twice the size limit may end where a grandparent begins; and, whatever
  // its size, a file overlaps a limited number of grandparents' bytes
  kGrandparentBegins,
  // Pebble before 1.0: only the limit of grandparents' bytes; begins end no file
  kGrandparentLimit,
};

/// Which bytes of an output file are compared with its size limit.
enum class CutMeasure {
  kEntries,       // its entries, counted as in a memtable, so that a flush can reach the same size
  kStoredBlocks,  // its finished data blocks, so that a file ends with a block (LevelDB, RocksDB)
};

/// Where an output file of a merge ends and the next one begins. models/execution/output_cut.h
/// applies it.
struct OutputCut {
  std::optional<Bytes> file_bytes;  // the size limit of a file; none: the output is one file
  CutMeasure measure = CutMeasure::kEntries;
  GrandparentRule grandparents = GrandparentRule::kIgnored;
  Bytes grandparent_bytes_max;
  // The level of the grandparents, for Pebble's rules; none: the one below the output's.
  std::optional<std::uint32_t> grandparent_level = {};
  // Rising keys; for Pebble's rules. A file ends before its first entry at or above one of them
  // that lies above its smallest key (Pebble's flush split keys).
  std::vector<std::uint64_t> limits = {};
  // Once, a file ends before the first key at or above this one (RocksDB's round robin).
  std::optional<std::uint64_t> split_key = {};
  // Ranges of old input files, by key: a file ends where it reaches or leaves one (RocksDB's ttl).
  std::vector<KeyRange> set_apart = {};
  // Rising keys; at each of them a new file begins: at a shard or a guard, or as in a plan log. Of
  // the other rules only file_bytes counts then.
  std::optional<std::vector<std::uint64_t>> file_begins = {};
  // A file of fewer measured bytes goes on at a key of file_begins (HyperLevelDB).
  Bytes file_begin_bytes_min = {};

  [[nodiscard]] bool has_begins() const {
    return grandparents == GrandparentRule::kGrandparentBegins ||
           grandparents == GrandparentRule::kGrandparentLimit;
  }
  [[nodiscard]] bool makes_one_file() const {
    return !file_bytes && grandparents == GrandparentRule::kIgnored && limits.empty() &&
           !split_key && set_apart.empty() && !file_begins;
  }
};

struct FlushPlan {
  OutputTarget target;
  OutputCut cut = {};  // into files of one run; mostly the run is one file
};

struct MergePlan {
  bool takes_memtable = false;
  // Newest to oldest. The slices that are linked to a file are inputs as well.
  std::vector<PlanInput> inputs;
  OutputTarget target;
  OutputCut cut = {};
  // True: drops tombstones for whose key nothing older can exist
  // (models/execution/tombstone_rule.h). False: keeps all tombstones.
  bool drops_tombstones = true;
  // The outputs' entries are Zeroed.
  bool zeroes_sequences = false;
  // Takes only so many of the newest slices of its one input, a virtual file. That file stays: the
  // output, one file, is frozen and becomes its newest slice (Tarantool). Tombstones are dropped
  // only with all slices.
  std::optional<std::uint64_t> newest_slices = {};
  // Above 0: inputs stay on disk as copies of what they became, and lookups use them
  // (models/tree/file_copies.h). Of each key at most so many copies stay, the newest.
  std::uint64_t copies_max = 0;
};

struct MovePlan {
  std::vector<PlanInput> inputs;  // of one run or several; all files go to one run
  OutputTarget target;
};

struct LinkPlan {
  PlanInput upper;  // one file, to be frozen
  // by key; each gets the slice that lies in its responsible range
  std::vector<FileId> lower_files;
};

struct DropPlan {
  // Their data is gone: a lookup finds what newer and older files hold of its keys. Slices that are
  // linked to them go with them.
  std::vector<PlanInput> inputs;  // newest to oldest; not empty
};

/// Each input without slices becomes a frozen file; a virtual input hands its slices on.
struct ReferPlan {
  std::vector<PlanInput> inputs;  // newest to oldest; not empty
  OutputTarget target;
  // Rising keys. At each of them a new virtual file begins, with the slices of all inputs that
  // reach into it. Empty: one file.
  std::vector<std::uint64_t> file_begins = {};
};

struct TrimPlan {
  // Rising ids of frozen files that are copies; with them go older copies that they cover. May be
  // empty: then the plan only sets cursors.
  std::vector<FileId> copies;
};

struct Plan {
  PlanReason reason = PlanReason::kMemtableFull;
  std::variant<FlushPlan, MergePlan, MovePlan, LinkPlan, DropPlan, ReferPlan, TrimPlan> action;
  std::vector<CursorUpdate> cursors;
  // REQUIRES: the plan takes the memtable.
  std::optional<Adaptation> adaptation = {};
};

[[nodiscard]] PlanKind kind_of_plan(const Plan& plan);
/// The runs and files that a plan takes, without the memtable.
[[nodiscard]] std::vector<PlanInput> plan_inputs(const Plan& plan);
[[nodiscard]] bool takes_memtable(const Plan& plan);
/// A flush as a merge of the memtable alone, which keeps all tombstones.
[[nodiscard]] MergePlan as_merge(const FlushPlan& flush);
/// Where a plan's outputs go. For a link: the level of the files that get slices. For a drop: the
/// level of its newest input. For a trim: level 0.
[[nodiscard]] OutputTarget plan_target(const Plan& plan);

}  // namespace lsmlab
