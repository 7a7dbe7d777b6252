#include "models/accounting/store_ledger.h"

#include <algorithm>
#include <variant>

namespace lsmlab {

void StoreLedger::begin_flush(const PendingFlush& flush, std::optional<std::uint64_t> full_ns) {
  totals_.bytes_flushed += flush.bytes.value();
  ++totals_.flushes;
  deletes_.on_flush(flush.traffic, flush.tombstones, full_ns);
}

void StoreLedger::record(const TreeView& before, const Plan& plan, const TreeEdit& edit,
                         const PlanSums* sums) {
  std::uint64_t written_bytes = 0;
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) written_bytes += file.bytes.value();
  }
  totals_.count(before, plan, edit, sums);
  if (sums != nullptr) range_tests_.add(sums->range_tests);
  if (sums != nullptr) count_dropped(*sums, before.now());
  if (std::holds_alternative<MergePlan>(plan.action)) {
    merge_bytes_.push_back(sums->read_bytes + written_bytes);
    disk_.merge_output_max_bytes = std::max(disk_.merge_output_max_bytes, written_bytes);
  }
  file_bytes_ += written_bytes;
  disk_.observe(file_bytes_, live_bytes_);
  transient_.observe(file_bytes_, static_cast<std::uint64_t>(totals_.bytes_flushed));
  ++plans_;
  if (log_) log_(make_plan_record(before, plan, edit, plans_));
  const bool is_drop = std::holds_alternative<DropPlan>(plan.action);
  FileFinder finder(before);
  for (const FileId id : edit.removed) {
    const File& file = finder.at(id);
    file_bytes_ -= file.bytes.value();
    if (is_drop) dropped_.push_back({file.sequences, file.keys});
  }
  for (const FileId id : dropped_frozen_files(before, edit)) {
    file_bytes_ -= before.frozen_files().at(id).file.bytes.value();
  }
}

void StoreLedger::count_dropped(const PlanSums& sums, Instant now) {
  const DeleteAges::Moment moment{now.value(), now_ns_};
  if (sums.dropped_cohorts) {
    deletes_.on_dropped(*sums.dropped_cohorts, moment);
  } else if (sums.dropped_sequences.size() == sums.tombstones_dropped) {
    deletes_.on_dropped(sums.dropped_sequences, moment);
  } else {
    deletes_.on_unknown();
  }
}

void StoreLedger::restore_file_bytes(const TreeView& tree) {
  file_bytes_ = 0;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) file_bytes_ += run.files.sums().bytes;
  }
  file_bytes_ += tree.frozen_files().sums().bytes;
}

}  // namespace lsmlab
