#include "models/accounting/store_ledger.h"

#include <variant>

#include "models/base/check.h"

namespace lsmlab {

void StoreLedger::begin_flush(const PendingFlush& flush) {
  totals_.bytes_flushed += flush.bytes.value();
  ++totals_.flushes;
}

void StoreLedger::count_merge(const TreeEdit& edit, const PlanSums& sums,
                              std::uint64_t written_bytes) {
  std::uint64_t entries_out = 0;
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) entries_out += file.entries.value();
  }
  ++totals_.merges;
  totals_.merge_bytes_read += sums.read_bytes;
  totals_.merge_bytes_written += written_bytes;
  totals_.entries_dropped += sums.entries - entries_out;
  totals_.tombstones_dropped += sums.tombstones_dropped;
  merge_bytes_.push_back(sums.read_bytes + written_bytes);
}

void StoreLedger::record(const TreeView& before, const Plan& plan, const TreeEdit& edit,
                         const PlanSums* sums) {
  std::uint64_t written_bytes = 0;
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) written_bytes += file.bytes.value();
  }
  if (std::holds_alternative<FlushPlan>(plan.action)) totals_.flush_bytes_written += written_bytes;
  if (std::holds_alternative<MovePlan>(plan.action)) ++totals_.moves;
  if (std::holds_alternative<LinkPlan>(plan.action)) ++totals_.links;
  if (std::holds_alternative<MergePlan>(plan.action)) {
    CHECK(sums != nullptr);
    count_merge(edit, *sums, written_bytes);
  }
  file_bytes_ += written_bytes;
  transient_.observe(file_bytes_, static_cast<std::uint64_t>(totals_.bytes_flushed));
  ++plans_;
  if (log_) log_(make_plan_record(before, plan, edit, plans_));
  for (const FileId id : edit.removed) {
    file_bytes_ -= before.file_at(*before.find_file(id)).bytes.value();
  }
  for (const FileId id : dropped_frozen_files(before, edit)) {
    file_bytes_ -= before.frozen_files().at(id).file.bytes.value();
  }
}

void StoreLedger::restore_file_bytes(const TreeView& tree) {
  file_bytes_ = 0;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) file_bytes_ += run.bytes().value();
  }
  for (const auto& [id, frozen] : tree.frozen_files()) file_bytes_ += frozen.file.bytes.value();
}

}  // namespace lsmlab
