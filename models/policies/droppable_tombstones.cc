#include "models/policies/droppable_tombstones.h"

#include <algorithm>
#include <limits>

#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

KeyRange keys_of(const SortedRun& run) {
  return {run.files[0].keys.smallest, run.files[run.files.size() - 1].keys.largest};
}

// The files of a run are written by one merge; a run that was moved together counts its newest.
Instant written(const SortedRun& run) {
  Instant newest = run.files[0].created;
  for (const File& file : run.files) newest = std::max(newest, file.created);
  return newest;
}

SequenceSpan sequences_of(const SortedRun& run) {
  SequenceSpan span = run.files[0].sequences;
  for (const File& file : run.files) {
    span.first = std::min(span.first, file.sequences.first);
    span.last = std::max(span.last, file.sequences.last);
  }
  return span;
}

bool has_tombstones_only(const SortedRun& run) {
  return run.files.sums().tombstones == run.files.sums().entries;
}

std::vector<const SortedRun*> overlapping_runs(const TreeView& tree, const SortedRun& run) {
  std::vector<const SortedRun*> runs;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& other : level.runs) {
      if (other.id != run.id && keys_of(other).overlaps(keys_of(run))) runs.push_back(&other);
    }
  }
  return runs;
}

bool is_fully_expired(const SortedRun& run, const std::vector<const SortedRun*>& others) {
  if (!has_tombstones_only(run)) return false;
  std::uint64_t oldest_data = std::numeric_limits<std::uint64_t>::max();
  for (const SortedRun* other : others) {
    if (!has_tombstones_only(*other)) {
      oldest_data = std::min(oldest_data, sequences_of(*other).first);
    }
  }
  return sequences_of(run).last < oldest_data;
}

// The share of a run's key range that no other run overlaps, in 2^-32ths.
std::uint64_t free_share(const SortedRun& run, const std::vector<const SortedRun*>& others) {
  const KeyRange keys = keys_of(run);
  std::vector<KeyRange> ranges;
  for (const SortedRun* other : others) ranges.push_back(keys_of(*other));
  std::sort(ranges.begin(), ranges.end(),
            [](const KeyRange& a, const KeyRange& b) { return a.smallest < b.smallest; });
  Uint128 free = 0;
  Uint128 next = keys.smallest;  // the first key that is not looked at yet
  const Uint128 end = Uint128{keys.largest} + 1;
  for (const KeyRange& range : ranges) {
    if (range.smallest > next) free += range.smallest - next;
    next = std::max(next, Uint128{range.largest} + 1);
  }
  if (next < end) free += end - next;
  return static_cast<std::uint64_t>((free << 32) / (end - keys.smallest));
}

}  // namespace

void DroppableTombstones::declare(OptionTable& table) {
  table.optional_decimal("tombstone_threshold", threshold, "0", "1",
                         "Cassandra's option: if nothing else is to be merged, an SSTable of which "
                         "more than this share is tombstones is merged by itself; lower: "
                         "tombstones go sooner, for more merges; Cassandra's default is 0.2; here "
                         "the default is none, because the rule needs single keys");
  table.optional_count("tombstone_compaction_interval", interval, {1}, "operations",
                       "with tombstone_threshold: the least age of an SSTable that is merged by "
                       "itself; Cassandra's default is a day; less: tombstones go sooner, but "
                       "merges that drop none repeat more often");
  table.flag("unchecked_tombstone_compaction", is_unchecked,
             "with tombstone_threshold: merges such an SSTable even if others overlap most of its "
             "keys, so that few of its tombstones may go");
}

std::vector<std::string> DroppableTombstones::validate() const {
  std::vector<std::string> faults;
  if (threshold && !interval) {
    faults.emplace_back(
        "tombstone_threshold needs tombstone_compaction_interval, the least age of an SSTable that "
        "is merged by itself");
  }
  if (interval && !threshold) {
    faults.emplace_back(
        "tombstone_compaction_interval applies only with tombstone_threshold, the share of "
        "tombstones from which an SSTable is merged by itself");
  }
  if (is_unchecked && !threshold) {
    faults.emplace_back("unchecked_tombstone_compaction applies only with tombstone_threshold");
  }
  return faults;
}

bool DroppableTombstones::is_worth_merging(const TreeView& tree, const SortedRun& run) const {
  const RunSums& sums = run.files.sums();
  if (Uint128{tree.now().value()} < Uint128{written(run).value()} + *interval) return false;
  if (threshold->times_is_at_least(sums.entries, sums.tombstones)) return false;
  if (is_unchecked) return true;
  const std::vector<const SortedRun*> others = overlapping_runs(tree, run);
  if (others.empty() || is_fully_expired(run, others)) return true;
  return Uint128{free_share(run, others)} * sums.tombstones * threshold->denominator() >
         (Uint128{threshold->numerator()} * sums.entries << 32);
}

std::optional<Plan> DroppableTombstones::pick(const TreeView& tree) const {
  const SortedRun* best = nullptr;
  std::uint32_t best_level = 0;
  for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
    for (const SortedRun& run : tree.levels()[level].runs) {  // newest first
      if (run.busy() || (best != nullptr && run.bytes() < best->bytes())) continue;
      if (!is_worth_merging(tree, run)) continue;
      best = &run;
      best_level = level;
    }
  }
  if (best == nullptr) return std::nullopt;
  MergePlan merge;
  merge.inputs = {input_of(best_level, *best, FileSpan(best->files, 0, best->files.size()))};
  merge.target = {best_level, best->id};
  return Plan{PlanReason::kTombstoneDensity, std::move(merge), {}};
}

}  // namespace lsmlab
