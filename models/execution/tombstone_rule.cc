#include "models/execution/tombstone_rule.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace lsmlab {
namespace {

// The key ranges of data that may be older than some input. They lie in runs of the target level or
// above it, if an input comes from a level above such a run, or if the run holds a flush that is
// older than the newest flush of the inputs of its level.
class OlderRanges {
 public:
  OlderRanges(const TreeView& tree, const MergePlan& plan) : tree_(tree), plan_(plan) {
    for (const PlanInput& input : plan.inputs) {
      for (const FileId id : input.files) inputs_.insert(id.value());
    }
  }

  [[nodiscard]] std::vector<KeyRange> collect() {
    for (std::size_t level = 0; level < tree_.levels().size(); ++level) {
      if (level > plan_.target.level) {
        for (const SortedRun& run : tree_.levels()[level].runs) add(run);
      } else {
        add_of_upper_level(level);
      }
    }
    return joined();
  }

 private:
  [[nodiscard]] bool is_input(const SortedRun& run) const {
    return std::any_of(plan_.inputs.begin(), plan_.inputs.end(),
                       [&](const PlanInput& input) { return input.run == run.id; });
  }

  // The newest flush whose data the inputs of a level hold. The memtable and files of higher levels
  // are newer than any flush in the level.
  [[nodiscard]] std::uint64_t newest_input(std::size_t level) const {
    const bool is_from_above =
        plan_.takes_memtable ||
        std::any_of(plan_.inputs.begin(), plan_.inputs.end(),
                    [&](const PlanInput& input) { return input.level < level; });
    std::uint64_t newest = is_from_above ? std::numeric_limits<std::uint64_t>::max() : 0;
    for (const SortedRun& run : tree_.levels()[level].runs) {
      if (is_input(run)) newest = std::max(newest, run.flushes.last);
    }
    return newest;
  }

  void add_of_upper_level(std::size_t level) {
    const std::uint64_t newest = newest_input(level);
    for (const SortedRun& run : tree_.levels()[level].runs) {
      // Files of one run share no keys, so the other files of an input run do not matter. The run
      // that the outputs join has no other file with keys of the inputs.
      if (is_input(run) || run.id == plan_.target.run) continue;
      if (run.flushes.first < newest) add(run);
    }
  }

  void add(const SortedRun& run) {
    for (const File& file : run.files) {
      if (inputs_.contains(file.id.value())) continue;
      ranges_.push_back(file.keys);
      for (const Slice& slice : file.slices) ranges_.push_back(slice.keys);
    }
  }

  [[nodiscard]] std::vector<KeyRange> joined() {
    std::sort(ranges_.begin(), ranges_.end(),
              [](const KeyRange& a, const KeyRange& b) { return a.smallest < b.smallest; });
    std::vector<KeyRange> joined;
    for (const KeyRange& range : ranges_) {
      if (!joined.empty() && range.smallest <= joined.back().largest) {
        joined.back().largest = std::max(joined.back().largest, range.largest);
      } else {
        joined.push_back(range);
      }
    }
    return joined;
  }

  const TreeView& tree_;
  const MergePlan& plan_;
  std::unordered_set<std::uint64_t> inputs_;  // only looked up, never iterated
  std::vector<KeyRange> ranges_;
};

}  // namespace

TombstoneRule::TombstoneRule(const TreeView& tree, const MergePlan& plan)
    : drops_tombstones_(plan.drops_tombstones) {
  if (drops_tombstones_) older_ = OlderRanges(tree, plan).collect();
}

bool TombstoneRule::drops(std::uint64_t key) {
  if (!drops_tombstones_) return false;
  while (next_ < older_.size() && older_[next_].largest < key) ++next_;
  return next_ == older_.size() || key < older_[next_].smallest;
}

}  // namespace lsmlab
