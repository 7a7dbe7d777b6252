// What drops take from a store at resolution `range`, and what flushes write of it again.
#include <algorithm>
#include <set>

#include "models/tree/tree_query.h"
#include "sim/ranges/range_tree.h"

namespace lsmlab {

void RangeTree::sum_dropped(const DropPlan& plan, RangeJob& job) const {
  job.sums = drop_sums(tree_, plan);
  CohortList& deletes = job.sums.dropped_cohorts.emplace();
  for (const PlanInput& input : plan.inputs) {
    for (const FileId id : input.files) {
      add_to(job.read, file_classes(id));
      if (tree_.file_at(*tree_.find_file(id)).is_virtual) continue;
      const RangeContents& gone = contents(id);
      for (const CohortList& zone : gone.deletes) {
        deletes.insert(deletes.end(), zone.begin(), zone.end());
      }
    }
  }
  job.sums.tombstones_dropped = rounded(sum_of(job.read).tombstones);
}

// Of a run's entries with older versions, as large a part keeps one as the older runs keep keys.
void RangeTree::let_older_go(const DropPlan& plan) {
  std::set<FileId> gone;
  for (const PlanInput& input : plan.inputs) gone.insert(input.files.begin(), input.files.end());
  const std::size_t classes = classes_.size();
  std::vector<FixedCount> before(classes);  // keys of older runs
  std::vector<FixedCount> after(classes);
  if (lost_.size() < classes) lost_.resize(classes);
  for (std::size_t level = tree_.levels().size(); level-- > 0;) {
    const std::vector<SortedRun>& runs = tree_.levels()[level].runs;
    for (std::size_t r = runs.size(); r-- > 0;) {
      std::vector<FixedCount> run_before(classes);
      std::vector<FixedCount> run_after(classes);
      for (const File& file : runs[r].files) {
        if (file.is_virtual) continue;
        ClassList& own = contents_.at(file.id.value()).classes;
        const bool goes = gone.contains(file.id);
        for (std::size_t c = 0; c < own.size(); ++c) {
          run_before[c] += own[c].oldest;
          if (goes) {
            lost_[c] += own[c].oldest - std::min(own[c].oldest, own[c].tombstones);
            continue;
          }
          const FixedCount updates = own[c].entries - own[c].oldest;
          const FixedCount kept =
              before[c] == 0 ? updates
                             : static_cast<FixedCount>(Uint128{updates} * after[c] / before[c]);
          const FixedCount renewed = updates - kept;
          own[c].oldest += renewed;
          run_classes_.at(runs[r].id)[c].oldest += renewed;
          classes_[c].oldest += renewed;
          lost_[c] -= std::min(lost_[c], renewed);
          run_after[c] += own[c].oldest;
        }
      }
      for (std::size_t c = 0; c < classes; ++c) {
        before[c] += run_before[c];
        after[c] += run_after[c];
      }
    }
  }
}

void RangeTree::renew_lost(ClassList& written) {
  for (std::size_t c = 0; c < std::min(written.size(), lost_.size()); ++c) {
    if (lost_[c] == 0) continue;
    const ClassCounts all = c < classes_.size() ? classes_[c] : ClassCounts();
    const FixedCount present = all.oldest - std::min(all.oldest, all.tombstones);
    const FixedCount updates = written[c].entries - written[c].oldest;
    const auto renewed =
        static_cast<FixedCount>(Uint128{updates} * lost_[c] / (lost_[c] + present));
    written[c].oldest += renewed;
    lost_[c] -= std::min(lost_[c], renewed);
  }
}

}  // namespace lsmlab
