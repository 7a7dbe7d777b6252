#include "engine/foreign/foreign_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "models/execution/plan_execution.h"
#include "models/tree/tree_query.h"

namespace lsmlab::engine {

void ForeignLedger::fail(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = error;
  entered_.notify_all();
}

Result<void> ForeignLedger::state() const {
  const std::lock_guard lock(mutex_);
  if (error_) return *error_;
  return success();
}

bool ForeignLedger::knows(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return ids_.contains(number);
}

void ForeignLedger::wait_for(const std::vector<std::uint64_t>& numbers) {
  constexpr std::chrono::seconds kPatience{10};
  std::unique_lock lock(mutex_);
  entered_.wait_for(lock, kPatience, [&] {
    return error_ || std::all_of(numbers.begin(), numbers.end(),
                                 [&](std::uint64_t number) { return ids_.contains(number); });
  });
}

void ForeignLedger::with_state(const std::function<void()>& look) {
  const std::lock_guard lock(mutex_);
  ledger_.set_user_bytes(user_bytes_);
  look();
}

void ForeignLedger::set_wal_and_manifest(std::uint64_t wal_bytes, std::uint64_t manifest_bytes) {
  const std::lock_guard lock(mutex_);
  ledger_.set_wal_bytes_written(wal_bytes);
  ledger_.set_manifest_bytes_written(manifest_bytes);
}

// Both stores keep whole flushes in level 0, and one run in every other level.
OutputTarget ForeignLedger::target_of(std::uint32_t level) const {
  return level == 0 ? OutputTarget{0, std::nullopt} : leveled_target(tree_, level);
}

Result<std::vector<PlanInput>> ForeignLedger::inputs_of(const std::vector<std::uint64_t>& numbers) {
  // Sorted by level and place: the newest run first, and the files of a run by key.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::pair<std::size_t, FileId>>> runs;
  for (const std::uint64_t number : numbers) {
    const auto id = ids_.find(number);
    const auto at = id == ids_.end() ? std::nullopt : tree_.find_file(id->second);
    if (!at) return machine_error(fmt::format("a job reads file {}, which no job wrote", number));
    runs[{at->level, at->run}].emplace_back(at->file, id->second);
  }
  std::vector<PlanInput> inputs;
  for (auto& [place, files] : runs) {
    std::sort(files.begin(), files.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    PlanInput input{static_cast<std::uint32_t>(place.first),
                    tree_.levels()[place.first].runs[place.second].id,
                    {}};
    for (const auto& [position, id] : files) input.files.push_back(id);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// The stores set sequence numbers to 0 that no reader needs any more.
SequenceSpan ForeignLedger::sequences_of(const std::vector<PlanInput>& inputs) const {
  SequenceSpan span{~std::uint64_t{0}, 0};
  for (const PlanInput& input : inputs) {
    for (const FileId id : input.files) {
      const SequenceSpan& own = tree_.file_at(*tree_.find_file(id)).sequences;
      span = {std::min(span.first, own.first), std::max(span.last, own.last)};
    }
  }
  return span;
}

File ForeignLedger::adopt(const ForeignFile& file, const PlanSums& sums,
                          const SequenceSpan& sequences) {
  File made;
  made.keys = file.keys;
  made.bytes = Bytes(file.bytes);
  made.entries = Entries(file.entries);
  made.tombstones = Entries(file.tombstones);
  made.key_bytes = Bytes(file.key_bytes);
  made.value_bytes = Bytes(file.value_bytes);
  made.sequences = sequences;
  made.id = tree_.allocate_file_id();
  finish_output(made, sums, tree_.now());
  ids_[file.number] = made.id;
  return made;
}

Result<void> ForeignLedger::enter(const Plan& plan, TreeEdit edit, const PlanSums& sums) {
  BOOST_OUTCOME_TRYV(tree_.check(edit));
  ledger_.set_live_bytes(noted_live_bytes_.load(std::memory_order_relaxed));
  ledger_.record(tree_, plan, edit, &sums);
  return tree_.apply(edit);
}

Result<void> ForeignLedger::enter_flush(const std::optional<ForeignFile>& file) {
  if (!file) return success();
  const PendingFlush pending{
      Bytes(file->bytes), Entries(file->entries), file->keys, Entries(file->tombstones), {}};
  tree_.begin_flush(pending);
  ledger_.begin_flush(pending);
  const Plan plan{PlanReason::kMemtableFull, FlushPlan{target_of(file->level)}, {}};
  const PlanSums sums = flush_sums(tree_, tree_.now());
  TreeEdit edit = begin_edit(tree_, plan);
  edit.added.push_back({target_of(file->level), {adopt(*file, sums, file->sequences)}});
  return enter(plan, std::move(edit), sums);
}

Result<void> ForeignLedger::enter_merge(PlanReason reason, const std::vector<std::uint64_t>& inputs,
                                        const std::vector<ForeignFile>& outputs,
                                        std::uint32_t output_level) {
  MergePlan merge;
  merge.inputs = BOOST_OUTCOME_TRYX(inputs_of(inputs));
  merge.target = target_of(output_level);
  PlanSums sums = merge_sums(tree_, merge, std::nullopt);
  const SequenceSpan sequences = sequences_of(merge.inputs);
  const OutputTarget target = merge.target;
  const Plan plan{reason, std::move(merge), {}};
  TreeEdit edit = begin_edit(tree_, plan);
  TreeEdit::Added added{target, {}};
  std::uint64_t tombstones = 0;
  for (const ForeignFile& file : outputs) {
    added.files.push_back(adopt(file, sums, sequences));
    tombstones += file.tombstones;
  }
  std::sort(added.files.begin(), added.files.end(),
            [](const File& a, const File& b) { return a.keys.smallest < b.keys.smallest; });
  sums.tombstones_dropped = sums.tombstones_max - std::min(sums.tombstones_max, tombstones);
  edit.added.push_back(std::move(added));
  return enter(plan, std::move(edit), sums);
}

Result<void> ForeignLedger::enter_move(PlanReason reason, const std::vector<std::uint64_t>& inputs,
                                       std::uint32_t output_level) {
  MovePlan move{BOOST_OUTCOME_TRYX(inputs_of(inputs)), target_of(output_level)};
  const Plan plan{reason, std::move(move), {}};
  return enter(plan, begin_edit(tree_, plan), {});
}

// RocksDB does not tell which tombstones go with the files.
Result<void> ForeignLedger::enter_drop(PlanReason reason,
                                       const std::vector<std::uint64_t>& inputs) {
  DropPlan drop{BOOST_OUTCOME_TRYX(inputs_of(inputs))};
  PlanSums sums = drop_sums(tree_, drop);
  sums.tombstones_dropped = sums.tombstones_max;
  const Plan plan{reason, std::move(drop), {}};
  return enter(plan, begin_edit(tree_, plan), sums);
}

template <class Enter>
void ForeignLedger::note(const Enter& enter) {
  const std::lock_guard lock(mutex_);
  if (error_) return;
  tree_.advance_now(Instant(operations_.load(std::memory_order_relaxed)));
  const Result<void> entered = enter();
  if (!entered) error_ = entered.error();
  flushes_.store(ledger_.totals().flushes, std::memory_order_release);
  entered_.notify_all();
}

void ForeignLedger::flushed(const std::optional<ForeignFile>& file) {
  note([&] { return enter_flush(file); });
}

void ForeignLedger::merged(PlanReason reason, const std::vector<std::uint64_t>& inputs,
                           const std::vector<ForeignFile>& outputs, std::uint32_t output_level) {
  note([&] { return enter_merge(reason, inputs, outputs, output_level); });
}

void ForeignLedger::moved(PlanReason reason, const std::vector<std::uint64_t>& inputs,
                          std::uint32_t output_level) {
  note([&] { return enter_move(reason, inputs, output_level); });
}

void ForeignLedger::dropped(PlanReason reason, const std::vector<std::uint64_t>& inputs) {
  note([&] { return enter_drop(reason, inputs); });
}

}  // namespace lsmlab::engine
