#include "models/accounting/totals.h"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "models/accounting/figures.h"
#include "models/accounting/run_result.h"
#include "models/base/check.h"
#include "models/execution/plan_execution.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct Written {
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
};

Written written_by(const TreeEdit& edit) {
  Written written;
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      written.bytes += file.bytes.value();
      written.entries += file.entries.value();
    }
  }
  return written;
}

// Bytes of the files that an input takes, and of the slices that a merge reads with them.
struct InputBytes {
  std::uint64_t files = 0;
  std::uint64_t slices = 0;
};

InputBytes bytes_of(const TreeView& before, const PlanInput& input,
                    const MergePlan* merge = nullptr) {
  InputBytes bytes;
  FileFinder finder(before);
  for (const FileId id : input.files) {
    const File& file = finder.at(id);
    bytes.files += file.bytes.value();
    if (merge == nullptr) continue;
    for (const Slice& slice : merged_slices(*merge, file)) bytes.slices += slice.bytes.value();
  }
  return bytes;
}

void count_merge_levels(const TreeView& before, const MergePlan& merge, std::uint64_t written_bytes,
                        Totals& totals) {
  std::optional<std::uint32_t> first;
  for (const PlanInput& input : merge.inputs)
    first = std::min(first.value_or(input.level), input.level);
  LevelTraffic& own = totals.level_traffic(first.value_or(merge.target.level));
  own.bytes_written += written_bytes;
  OutputTraffic& out = totals.output_traffic(merge.target.level);
  for (const PlanInput& input : merge.inputs) {
    const InputBytes parts = bytes_of(before, input, &merge);
    const std::uint64_t bytes = parts.files + parts.slices;
    (input.level == first ? own.bytes_read : own.bytes_read_next) += bytes;
    (input.level == merge.target.level ? out.bytes_read_own : out.bytes_read_others) += bytes;
  }
}

// Returns the bytes of the files that moved.
std::uint64_t count_move_levels(const TreeView& before, const MovePlan& move, Totals& totals) {
  std::uint64_t moved_bytes = 0;
  for (const PlanInput& input : move.inputs) {
    const std::uint64_t bytes = bytes_of(before, input).files;
    totals.level_traffic(input.level).bytes_moved += bytes;
    moved_bytes += bytes;
  }
  totals.level_traffic(move.target.level).bytes_in += moved_bytes;
  totals.output_traffic(move.target.level).bytes_moved_in += moved_bytes;
  return moved_bytes;
}

}  // namespace

LevelTraffic& LevelTraffic::operator+=(const LevelTraffic& other) {
  bytes_in += other.bytes_in;
  bytes_read += other.bytes_read;
  bytes_read_next += other.bytes_read_next;
  bytes_written += other.bytes_written;
  bytes_moved += other.bytes_moved;
  return *this;
}

OutputTraffic& OutputTraffic::operator+=(const OutputTraffic& other) {
  jobs += other.jobs;
  bytes_read_others += other.bytes_read_others;
  bytes_read_own += other.bytes_read_own;
  bytes_written += other.bytes_written;
  bytes_moved_in += other.bytes_moved_in;
  entries_read += other.entries_read;
  entries_dropped += other.entries_dropped;
  return *this;
}

OutputTraffic& OutputTraffic::operator-=(const OutputTraffic& other) {
  jobs -= other.jobs;
  bytes_read_others -= other.bytes_read_others;
  bytes_read_own -= other.bytes_read_own;
  bytes_written -= other.bytes_written;
  bytes_moved_in -= other.bytes_moved_in;
  entries_read -= other.entries_read;
  entries_dropped -= other.entries_dropped;
  return *this;
}

ReasonTraffic& ReasonTraffic::operator+=(const ReasonTraffic& other) {
  plans += other.plans;
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  bytes_moved += other.bytes_moved;
  return *this;
}

LevelTraffic& Totals::level_traffic(std::uint32_t level) {
  if (by_level.size() <= level) by_level.resize(level + std::size_t{1});
  return by_level[level];
}

OutputTraffic& Totals::output_traffic(std::uint32_t level) {
  if (by_output_level.size() <= level) by_output_level.resize(level + std::size_t{1});
  return by_output_level[level];
}

void Totals::count(const TreeView& before, const Plan& plan, const TreeEdit& edit,
                   const PlanSums* sums) {
  const Written written = written_by(edit);
  if (std::holds_alternative<FlushPlan>(plan.action)) flush_bytes_written += written.bytes;
  if (std::holds_alternative<MovePlan>(plan.action)) ++moves;
  if (std::holds_alternative<LinkPlan>(plan.action)) ++links;
  if (std::holds_alternative<ReferPlan>(plan.action)) ++refers;
  if (std::holds_alternative<TrimPlan>(plan.action)) ++trims;
  if (const auto* drop = std::get_if<DropPlan>(&plan.action)) {
    ++drops;
    for (const PlanInput& input : drop->inputs) bytes_dropped += bytes_of(before, input).files;
  }
  ReasonTraffic& reason = by_reason[plan.reason];
  ++reason.plans;
  reason.bytes_written += written.bytes;
  if (written.bytes > 0) level_traffic(plan_target(plan).level).bytes_in += written.bytes;
  if (const auto* move = std::get_if<MovePlan>(&plan.action)) {
    reason.bytes_moved += count_move_levels(before, *move, *this);
  }
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  if (merge != nullptr || std::holds_alternative<FlushPlan>(plan.action)) {
    OutputTraffic& output = output_traffic(plan_target(plan).level);
    ++output.jobs;
    output.bytes_written += written.bytes;
  }
  if (merge == nullptr) return;
  CHECK(sums != nullptr);
  reason.bytes_read += sums->read_bytes;
  count_merge_levels(before, *merge, written.bytes, *this);
  ++merges;
  merge_bytes_read += sums->read_bytes;
  merge_bytes_written += written.bytes;
  OutputTraffic& output = output_traffic(merge->target.level);
  output.entries_read += sums->entries;
  output.entries_dropped += sums->entries - written.entries;
  entries_dropped += sums->entries - written.entries;
  tombstones_dropped += sums->tombstones_dropped;
}

namespace {

FigureGroup totals_group() {
  using enum Averaging;
  return figure_object<Totals>(
      {"totals", GroupShape::kObject, "Counts and byte sums of the whole run.", Comparing::kAlways,
       true},
      {
          {{"flushes", "flushes", kMean, "Memtables that were flushed.", true}, &Totals::flushes},
          {{"merges", "merges", kMean,
            "Plans that merged files, or a memtable and files, into new files."},
           &Totals::merges},
          {{"moves", "moves", kMean, "Plans that moved files to another level and wrote nothing."},
           &Totals::moves},
          {{"links", "links", kMean, "Plans that froze a file and linked its slices (LDC)."},
           &Totals::links},
          {{"drops", "drops", kMean,
            "Plans that removed files with all their data (RocksDB FIFO)."},
           &Totals::drops},
          {{"refers", "refers", kMean,
            "Plans that put virtual files into the place of files, which they froze (dCompaction, "
            "Tarantool)."},
           &Totals::refers},
          {{"trims", "trims", kMean,
            "Plans that removed copies of merged files, which served lookups (LSbM)."},
           &Totals::trims},
          {{"bytes_dropped", "bytes", kMean, "Bytes of the files that drops removed."},
           &Totals::bytes_dropped},
          {{"user_bytes", "bytes", kMean,
            "Keys and values of all puts and deletes; at resolution `flush` the flush sizes."},
           &Totals::user_bytes},
          {{"bytes_flushed", "bytes", kMean,
            "Sizes of all flushes as SSTables, even of those that an eager merge took."},
           &Totals::bytes_flushed},
          {{"flush_bytes_written", "bytes", kMean,
            "Bytes written by flushes that made an SSTable of their own."},
           &Totals::flush_bytes_written},
          {{"merge_bytes_written", "bytes", kMean, "Bytes of SSTables that merges wrote."},
           &Totals::merge_bytes_written},
          {{"merge_bytes_read", "bytes", kMean,
            "Bytes that merges read from SSTables; a memtable is not read from disk."},
           &Totals::merge_bytes_read},
          {{"wal_bytes_written", "bytes", kMean,
            "Bytes written to write-ahead logs. A simulation counts the records of writes, in the "
            "form of the system that `table_format` names; of flush sizes it counts what is "
            "flushed."},
           &Totals::wal_bytes_written},
          {{"manifest_bytes_written", "bytes", kMean, "Bytes written to manifests."},
           &Totals::manifest_bytes_written},
          {{"entries_dropped", "entries", kMean,
            "Entries that merges read and did not write: overwritten or deleted entries, and "
            "dropped tombstones; 0 at resolution `flush`."},
           &Totals::entries_dropped},
          {{"tombstones_dropped", "entries", kMean,
            "Tombstones that merges dropped because nothing older could exist; 0 at resolution "
            "`flush`."},
           &Totals::tombstones_dropped},
      },
      [](const RunResult& run) { return &run.totals; });
}

std::vector<FigureRow<LevelTraffic>> level_rows() {
  using enum Averaging;
  return {
      {{"bytes_in", "bytes", kMean,
        "Bytes written into the level by flushes and merges, or moved into it."},
       &LevelTraffic::bytes_in},
      {{"bytes_read", "bytes", kMean,
        "Bytes read by the level's merges from its own files and from the slices linked to "
        "these."},
       &LevelTraffic::bytes_read},
      {{"bytes_read_next", "bytes", kMean, "Bytes read by the level's merges from deeper levels."},
       &LevelTraffic::bytes_read_next},
      {{"bytes_written", "bytes", kMean, "Bytes written by the level's merges, to any level."},
       &LevelTraffic::bytes_written},
      {{"bytes_moved", "bytes", kMean, "Bytes of the level's files that moved to another level."},
       &LevelTraffic::bytes_moved}};
}

FigureGroup level_group() {
  return figure_objects<LevelTraffic>(
      {"by_level", GroupShape::kList,
       "Bytes by level. A merge belongs to the lowest-numbered level that it takes files from; a "
       "merge that takes only a memtable belongs to its target level. A stack-based policy that "
       "has neither tiers nor levels keeps everything in level 0.",
       Comparing::kWhereBothHave, false, false, "level"},
      level_rows(), [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        return figure_instances(run.totals.by_level);
      });
}

std::vector<FigureRow<OutputTraffic>> output_rows() {
  using enum Averaging;
  return {
      {{"jobs", "plans", kMean, "Flushes and merges into the level."}, &OutputTraffic::jobs},
      {{"bytes_read_others", "bytes", kMean,
        "Bytes that merges into the level read from files of other levels."},
       &OutputTraffic::bytes_read_others},
      {{"bytes_read_own", "bytes", kMean,
        "Bytes that merges into the level read from files of the level itself."},
       &OutputTraffic::bytes_read_own},
      {{"bytes_written", "bytes", kMean, "Bytes that flushes and merges wrote into the level."},
       &OutputTraffic::bytes_written},
      {{"bytes_moved_in", "bytes", kMean, "Bytes of files that moved into the level."},
       &OutputTraffic::bytes_moved_in},
      {{"entries_read", "entries", kMean,
        "Entries that merges into the level read, those of a memtable included; 0 at resolution "
        "`flush`."},
       &OutputTraffic::entries_read},
      {{"entries_dropped", "entries", kMean,
        "Entries that merges into the level read and did not write; 0 at resolution `flush`."},
       &OutputTraffic::entries_dropped}};
}

FigureGroup output_group() {
  return figure_objects<OutputTraffic>(
      {"by_output_level", GroupShape::kList,
       "Flushes, merges and moves by the level that they bring data into, as RocksDB counts them.",
       Comparing::kWhereBothHave, false, false, "level"},
      output_rows(), [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        return figure_instances(run.totals.by_output_level);
      });
}

FigureGroup reason_group() {
  using enum Averaging;
  return figure_objects<ReasonTraffic>(
      {"by_reason", GroupShape::kNamed, "Plans and their bytes by reason.",
       Comparing::kWhereBothHave},
      {{{"plans", "plans", kMean, "Plans of that reason."}, &ReasonTraffic::plans},
       {{"bytes_read", "bytes", kMean, "Bytes read by merges of that reason."},
        &ReasonTraffic::bytes_read},
       {{"bytes_written", "bytes", kMean, "Bytes written by flushes and merges of that reason."},
        &ReasonTraffic::bytes_written},
       {{"bytes_moved", "bytes", kMean, "Bytes of files that moves of that reason took."},
        &ReasonTraffic::bytes_moved}},
      [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        std::vector<FigureInstance> instances;
        for (const auto& [reason, traffic] : run.totals.by_reason) {
          instances.push_back({std::string(reason_name(reason)), &traffic});
        }
        return instances;
      });
}

FigureGroup last_level_group() {
  return figure_objects<LevelTraffic>(
      {"at_last_operation.by_level", GroupShape::kList,
       "`by_level` when the last operation was done.", Comparing::kWhereBothHave, false, false,
       "level"},
      level_rows(), [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        if (!run.at_last_operation) return std::nullopt;
        return figure_instances(run.at_last_operation->by_level);
      });
}

FigureGroup last_output_group() {
  return figure_objects<OutputTraffic>(
      {"at_last_operation.by_output_level", GroupShape::kList,
       "`by_output_level` when the last operation was done.", Comparing::kWhereBothHave, false,
       false, "level"},
      output_rows(), [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        if (!run.at_last_operation) return std::nullopt;
        return figure_instances(run.at_last_operation->sums.by_output_level);
      });
}

}  // namespace

std::vector<Figure> output_traffic_figures() {
  const std::vector<FigureRow<OutputTraffic>> rows = output_rows();
  return {rows.begin(), rows.end()};
}

std::vector<FigureGroup> totals_figures() {
  return {totals_group(),     level_group(),       output_group(),
          last_level_group(), last_output_group(), reason_group()};
}

}  // namespace lsmlab
