#include "models/execution/log_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "models/base/check.h"
#include "models/tree/tree_query.h"

namespace lsmlab {

RunPlace place_of(const TreeView& tree, std::size_t level, std::size_t run) {
  return {static_cast<std::uint32_t>(level), run, tree.levels()[level].runs[run].flushes};
}

Result<ForcedPlan> LogTree::add(const PlanRecord& record) {
  if (record.takes_memtable) {
    tree_.begin_flush({record.memtable_bytes, Entries(0), KeyRange{}});
  }
  const TreeEdit edit = BOOST_OUTCOME_TRYX(edit_of_record(tree_, record));
  const ForcedPlan plan = BOOST_OUTCOME_TRYX(plan_of(record));
  const Result<void> applied = tree_.apply(edit);
  if (applied) return plan;
  return in_context(fmt::format("plan {}", record.sequence), applied.error());
}

Result<ForcedPlan> LogTree::plan_of(const PlanRecord& record) const {
  ForcedPlan plan;
  plan.reason = record.reason;
  plan.kind = record.plan;
  plan.takes_memtable = record.takes_memtable;
  if (plan.kind == PlanKind::kFlush && !record.inputs.empty()) {
    return input_error(fmt::format("plan {}: a flush takes no files", record.sequence));
  }
  const bool may_take = plan.kind == PlanKind::kFlush || plan.kind == PlanKind::kMerge;
  if (plan.takes_memtable ? !may_take : plan.kind == PlanKind::kFlush) {
    return input_error(fmt::format("plan {}: a {} {} a memtable", record.sequence,
                                   plan_kind_name(plan.kind),
                                   plan.takes_memtable ? "cannot take" : "needs"));
  }
  plan.drops_tombstones = !record.keeps_tombstones;
  plan.adaptation = record.adaptation;
  if (record.into) plan.newest_slices = record.slices.size();
  plan.target_level = record.target_level;
  if (record.target_run) plan.target_run = find_run(record.target_level, *record.target_run);
  plan.inputs = inputs_of(record);
  plan.file_begins = file_begins_of(record);
  plan.copies_max = record.copies_max;
  for (const FileId id : record.trimmed) {
    const FrozenFile* const copy = tree_.frozen_files().find(id);
    if (copy == nullptr) {
      return input_error(
          fmt::format("plan {}: the trimmed file {} is no copy", record.sequence, id.value()));
    }
    plan.trimmed.push_back({copy->file.keys, copy->file.flushes});
  }
  return plan;
}

std::vector<std::uint64_t> LogTree::file_begins_of(const PlanRecord& record) const {
  std::vector<std::uint64_t> begins;
  if (record.plan == PlanKind::kMove) {
    for (const PlanRecord::Input& input : record.inputs) {
      begins.push_back(tree_.file_at(*tree_.find_file(input.id)).keys.smallest);
    }
    std::sort(begins.begin(), begins.end());
    return begins;
  }
  std::vector<KeyRange> outputs;
  for (const PlanRecord::Output& output : record.outputs) outputs.push_back(output.keys);
  std::sort(outputs.begin(), outputs.end(),
            [](const KeyRange& a, const KeyRange& b) { return a.smallest < b.smallest; });
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    begins.push_back(outputs[i].smallest);
    if (i == 0 || outputs[i].smallest - outputs[i - 1].largest < 2) continue;
    begins.back() = begin_in_gap(record.target_level, outputs[i - 1].largest, begins.back());
  }
  return begins;
}

std::uint64_t LogTree::begin_in_gap(std::uint32_t level, std::uint64_t last_before,
                                    std::uint64_t begin) const {
  std::uint64_t latest = 0;
  for (const std::uint32_t beside : {level - 1, level + 1}) {
    // also ends the loop above level 0, by wrap-around
    if (beside >= tree_.levels().size()) continue;
    for (const SortedRun& run : tree_.levels()[beside].runs) {
      const std::size_t behind = run.files.first_from(begin);
      if (behind > 0) latest = std::max(latest, run.files[behind - 1].keys.smallest);
    }
  }
  return latest > last_before ? latest : begin;
}

std::optional<RunPlace> LogTree::find_run(std::uint32_t level, RunId id) const {
  if (level >= tree_.levels().size()) return std::nullopt;
  const std::vector<SortedRun>& runs = tree_.levels()[level].runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].id == id) return place_of(tree_, level, i);
  }
  return std::nullopt;
}

std::vector<ForcedFiles> LogTree::inputs_of(const PlanRecord& record) const {
  std::map<std::pair<std::size_t, std::size_t>, ForcedFiles> by_run;  // newest first
  for (const PlanRecord::Input& input : record.inputs) {
    const std::optional<FileLocation> at = tree_.find_file(input.id);
    CHECK(at);  // edit_of_record found it
    ForcedFiles& files = by_run[{at->level, at->run}];
    files.run = place_of(tree_, at->level, at->run);
    const SortedRun& run = tree_.levels()[at->level].runs[at->run];
    KeyRange range = responsible_range(run, at->file);
    if (at->file + 1 == run.files.size()) range.largest = KeyRange().largest;
    files.ranges.push_back(range);
  }
  std::vector<ForcedFiles> inputs;
  for (auto& [place, files] : by_run) inputs.push_back(std::move(files));
  return inputs;
}

}  // namespace lsmlab
