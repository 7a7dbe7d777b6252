#include "models/execution/tombstone_rule.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// The newest flushes whose data a level's inputs hold. The memtable and files of higher levels are
// newer than any flush in the level.
class NewestInputs {
 public:
  NewestInputs(const MergePlan& plan, std::size_t level, const Level& runs,
               const std::set<RunId>& input_runs)
      : input_runs_(input_runs) {
    const bool is_from_above =
        plan.takes_memtable ||
        std::any_of(plan.inputs.begin(), plan.inputs.end(),
                    [&](const PlanInput& input) { return input.level < level; });
    if (is_from_above) from_above_ = std::numeric_limits<std::uint64_t>::max();
    for (const SortedRun& run : runs.runs) {
      if (!input_runs.contains(run.id)) continue;
      const Newest found{run.flushes.last, run.id};
      if (found.flush > first_.flush) {
        second_ = std::exchange(first_, found);
      } else if (found.flush > second_.flush) {
        second_ = found;
      }
    }
  }
  /// That of the inputs outside of the run.
  [[nodiscard]] std::uint64_t beside(const SortedRun& run) const {
    const bool is_first = input_runs_.contains(run.id) && first_.run == run.id;
    return std::max(from_above_, (is_first ? second_ : first_).flush);
  }

 private:
  struct Newest {
    std::uint64_t flush = 0;
    RunId run;
  };
  const std::set<RunId>& input_runs_;
  std::uint64_t from_above_ = 0;
  Newest first_;
  Newest second_;
};

// Whether `keys` hold the key, and up to which key that stays so.
struct Answer {
  bool holds = false;
  std::uint64_t until = std::numeric_limits<std::uint64_t>::max();

  void add(const KeyRange& keys, std::uint64_t key) {
    if (key > keys.largest) return;
    const bool is_within = key >= keys.smallest;
    holds = holds || is_within;
    until = std::min(until, is_within ? keys.largest : keys.smallest - 1);
  }
};

// The same for a key within the file's range, by the ranges that are kept for the file. Those of a
// frozen file are not asked for its slices.
Answer refined(const File& file, std::uint64_t key, std::uint64_t until) {
  const KeptRangeAnswer kept = find_kept_range(*file.kept_ranges, key, until);
  Answer answer{kept.holds, std::min(until, kept.until)};
  for (const Slice& slice : file.slices) answer.add(slice.keys, key);
  return answer;
}

}  // namespace

TombstoneRule::TombstoneRule(const TreeView& tree, const MergePlan& plan, PreRemove pre_remove,
                             std::uint64_t gc_grace)
    : drops_tombstones_(plan.drops_tombstones && !leaves_slices(tree, plan)),
      is_off_(pre_remove == PreRemove::kOff),
      tests_ranges_(pre_remove == PreRemove::kBlocks),
      asks_filters_(pre_remove == PreRemove::kFilters) {
  if (gc_grace > 0) ripe_until_ = lsmlab::ripe_until(tree.newest_write(), gc_grace);
  if (!drops_tombstones_) return;
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) inputs_.insert(id.value());
  }
  add_runs(tree, plan);
}

// Data that may be older than some input lies in runs of the target level or above it, if an input
// comes from a level above such a run, or if the run holds a flush that is older than the newest
// flush of the inputs of its level; and in all deeper runs.
void TombstoneRule::add_runs(const TreeView& tree, const MergePlan& plan) {
  std::set<RunId> input_runs;
  for (const PlanInput& input : plan.inputs) input_runs.insert(input.run);
  for (std::size_t level = 0; level < tree.levels().size(); ++level) {
    if (level > plan.target.level) {
      for (const SortedRun& run : tree.levels()[level].runs) add(run);
      continue;
    }
    const NewestInputs newest(plan, level, tree.levels()[level], input_runs);
    for (const SortedRun& run : tree.levels()[level].runs) {
      // The run that the outputs join has no other file with keys of the inputs.
      if (run.id == plan.target.run) continue;
      // Files of one run share no keys, so other files of an input run may only hold data that is
      // older than the inputs of other runs.
      if (run.flushes.first < newest.beside(run)) add(run);
    }
  }
}

void TombstoneRule::add(const SortedRun& run) {
  const bool has_other = std::any_of(run.files.begin(), run.files.end(), [&](const File& file) {
    return !inputs_.contains(file.id.value());
  });
  if (has_other) older_.push_back({run.files});
}

void TombstoneRule::look_up(std::uint64_t key, OlderRun& run) const {
  const std::size_t index = responsible_file(run.files, key);
  const File& file = run.files[index];
  Answer answer;
  if (index + 1 < run.files.size()) answer.until = file.keys.largest;
  run.is_in_file = false;
  if (!inputs_.contains(file.id.value())) {
    answer.add(file.keys, key);
    for (const Slice& slice : file.slices) answer.add(slice.keys, key);
    run.is_in_file = answer.holds;
    if (tests_ranges_ && file.kept_ranges != nullptr && answer.holds) {
      answer = refined(file, key, answer.until);
    }
  }
  run.file = index;
  run.may_hold = answer.holds;
  run.known_until = answer.until;
  run.is_known = true;
}

std::vector<std::vector<TombstoneRule::OlderPart>> TombstoneRule::older_parts(
    const KeyRange& keys) const {
  std::vector<std::vector<OlderPart>> lists;
  for (const OlderRun& run : older_) {
    std::vector<OlderPart> parts;
    const auto add = [&](FileId id, const KeyRange& of, std::vector<OlderPart>& to) {
      if (!of.overlaps(keys)) return;
      to.push_back(
          {id, {std::max(of.smallest, keys.smallest), std::min(of.largest, keys.largest)}});
    };
    // A slice may begin below its file, but not within the file before.
    std::size_t index = responsible_file(run.files, keys.smallest);
    const std::size_t end = std::min(run.files.first_above(keys.largest) + 1, run.files.size());
    for (; index < end; ++index) {
      const File& file = run.files[index];
      if (inputs_.contains(file.id.value())) continue;
      if (!file.is_virtual) add(file.id, file.keys, parts);
      for (const Slice& slice : file.slices)
        add(slice.frozen_file, slice.keys, lists.emplace_back());
    }
    lists.push_back(std::move(parts));
  }
  std::erase_if(lists, [](const std::vector<OlderPart>& parts) { return parts.empty(); });
  return lists;
}

bool TombstoneRule::drops(std::uint64_t key) {
  if (!drops_tombstones_) return false;
  if (is_off_) return older_.empty();
  bool is_in_file = false;
  bool may_hold = false;
  for (OlderRun& run : older_) {
    if (!run.is_known || key > run.known_until) look_up(key, run);
    may_hold = may_hold || run.may_hold;
    is_in_file = is_in_file || run.is_in_file;
    if (may_hold && !asks_filters_) break;
  }
  if (tests_ranges_ && is_in_file) {
    ++tests_.tests;
    tests_.dropped += may_hold ? 0 : 1;
  }
  return !may_hold;
}

}  // namespace lsmlab
