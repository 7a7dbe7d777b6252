// Executes plans: collects a plan's inputs under the lock (store_inputs.cc), reads and writes files
// without it, then logs and applies the edit under the lock again.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/files/file_names.h"
#include "engine/files/process_io.h"
#include "engine/store/store_impl.h"
#include "models/base/check.h"
#include "models/tree/file_copies.h"

namespace lsmlab::engine {
namespace {

// No policy wants this many plans after one flush; one that does never stops, which is a bug.
constexpr std::uint64_t kPlansPerFlushMax = 1'000'000;

// The entries that a flush writes.
Entries count_flushed(const std::vector<const Memtable*>& tables, bool keeps_overwritten) {
  return summarize(tables, SstableFormat{}, keeps_overwritten).pending.entries;
}

// Measures what this thread spends from now on, if the plan writes files.
class MergeClock {
 public:
  explicit MergeClock(bool writes_files) : writes_(writes_files) {
    if (!writes_) return;
    times_ = thread_times();
    begin_ = std::chrono::steady_clock::now();
  }
  /// The times so far; the byte counts stay 0.
  [[nodiscard]] MergeTime taken() const {
    MergeTime time;
    if (!writes_) return time;
    const auto taken = std::chrono::steady_clock::now() - begin_;
    const ThreadTimes now = thread_times();
    time.nanoseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count());
    time.processor_ns = now.processor_ns - times_.processor_ns;
    time.core_wait_ns = now.core_wait_ns - times_.core_wait_ns;
    return time;
  }

 private:
  bool writes_;
  ThreadTimes times_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace

/// The output files of one plan, in the store's directory.
class StoreOutputs final : public OutputFiles {
 public:
  StoreOutputs(StoreImpl& store, PlanJob& job) : store_(store), job_(job) {
    const bool is_flush = std::holds_alternative<FlushPlan>(job.plan.action);
    options_.kind = is_flush ? WriteKind::kFlush : WriteKind::kMerge;
    options_.direct = store.setup_.direct_io;
  }

  [[nodiscard]] Result<Opened> open() override {
    Opened opened;
    {
      const StoreImpl::Lock lock(store_.mutex_);
      opened.id = store_.tree_.allocate_file_id();
    }
    job_.created.push_back(opened.id);
    options_.expected_bytes = job_.room.next_file_bytes();
    opened.file =
        BOOST_OUTCOME_TRYX(store_.files_.create(store_.path_of(sstable_name(opened.id)), options_));
    if (store_.scheduler_.is_given() && !store_.is_stepped()) {
      opened.file = std::make_unique<PacedFile>(std::move(opened.file), store_, job_.urgency);
    }
    return opened;
  }

  [[nodiscard]] Result<void> close(Opened& opened) override {
    if (store_.setup_.sync_files) {
      BOOST_OUTCOME_TRYV(opened.file->sync());
    }
    BOOST_OUTCOME_TRYV(opened.file->close());
    job_.room.note_file(opened.file->size());
    // Opening the table here means that no lookup waits for it, and that no edit names a damaged
    // file.
    BOOST_OUTCOME_TRYV(store_.table_cache_.get(opened.id));
    return success();
  }

 private:
  // Waits before each write for as long as the scheduling of merges wants.
  class PacedFile final : public WritableFile {
   public:
    PacedFile(std::unique_ptr<WritableFile> file, StoreImpl& store, PlanUrgency urgency)
        : file_(std::move(file)), store_(store), urgency_(urgency) {}
    Result<void> append(std::string_view bytes) override {
      store_.pace(urgency_, bytes.size());
      return file_->append(bytes);
    }
    Result<void> sync() override { return file_->sync(); }
    Result<void> close() override { return file_->close(); }
    [[nodiscard]] std::uint64_t size() const override { return file_->size(); }

   private:
    const std::unique_ptr<WritableFile> file_;
    StoreImpl& store_;
    const PlanUrgency urgency_;
  };

  StoreImpl& store_;
  PlanJob& job_;
  CreateOptions options_;
};

bool StoreImpl::should_stop() const {
  return setup_.stop != nullptr && setup_.stop->load(std::memory_order_relaxed);
}

void StoreImpl::set_error(const Error& error) noexcept {
  const Lock state(mutex_);
  keep_error(error);
}

void StoreImpl::keep_error(const Error& error) noexcept {
  if (!error_) keep_copy(error, error_);
  has_error_.store(true, std::memory_order_release);
  changed_.notify_all();
}

void StoreImpl::changed() noexcept {
  const std::lock_guard view(view_mutex_);
  if (view_) {
    // If there is no memory for the list, the view is released right here.
    static_cast<void>(caught({}, [&]() -> Result<void> {
      dropped_.push_back(view_);
      return success();
    }));
  }
  view_ = nullptr;
  changed_.notify_all();
}

// Readers record accesses in the LiveFile objects; this copies them into the tree.
void StoreImpl::bring_accesses() {
  touched_ids_.clear();
  touched_->take(touched_ids_);
  for (const FileId id : touched_ids_) {
    const std::shared_ptr<LiveFile>* const found = live_.find(id);
    const std::optional<FileLocation> at = tree_.find_file(id);
    if (found == nullptr || !at) continue;  // a reader of an older view touched it
    const LiveFile& live = **found;
    const File& file = tree_.file_at(*at);
    const Instant access(live.last_access.load());
    const std::uint64_t seeks = live.seeks.load();
    const std::uint64_t known_seeks = file.seeks;
    // Touching a file that a view shares replaces it: `file` is not looked at afterwards.
    if (access > file.last_access) tree_.touch(*at, access);
    if (seeks > known_seeks) static_cast<void>(tree_.charge_seek(*at, seeks - known_seeks));
  }
}

void StoreImpl::begin_flush(Lock& lock) {
  CHECK(!waiting_.empty() && !tree_.pending_flush());
  // A recovery flushes memtable by memtable, as they were filled.
  const bool takes_all = policy_.flush_takes_all_waiting() && !is_recovering_;
  flushing_.assign(waiting_.begin(), takes_all ? waiting_.end() : waiting_.begin() + 1);
  const std::vector<const Memtable*> tables = tables_of(flushing_);
  lock.unlock();
  const StoreOptions& store = setup_.policy.store;
  const bool keeps_overwritten = flush_keeps_overwritten(policy_, store);
  const Entries entries = store.filter_split == FilterSplit::kMonkey
                              ? count_flushed(tables, keeps_overwritten)
                              : Entries();
  lock.lock();
  const SstableFormat format = output_format(
      policy_, store, tree_, {PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}}, entries);
  lock.unlock();
  MemtableSummary summary = summarize(tables, format, keeps_overwritten);
  lock.lock();
  flushing_summary_ = summary;
  PendingFlush pending = summary.pending;
  for (const std::shared_ptr<MemtableSlot>& slot : flushing_) pending.traffic.add(slot->traffic);
  tree_.advance_now(Instant(clock_.load(std::memory_order_relaxed)));
  tree_.begin_flush(pending);
  bring_byte_counts();
  ledger_.begin_flush(pending, flushing_.front()->full_ns);
}

Result<void> StoreImpl::settle_stepped(Lock& lock) {
  std::uint64_t plans = 0;
  for (;;) {
    if (error_) return *error_;
    if (!tree_.pending_flush() && !waiting_.empty()) begin_flush(lock);
    // A pending flush runs even after a stop; the tree is whole between later plans. An opening
    // only flushes the logs' entries and leaves other plans to the store's user: a merge may meet
    // damage, which should not keep sound data from being read.
    if (!tree_.pending_flush() && (should_stop() || is_recovering_)) return success();
    tree_.advance_now(Instant(clock_.load(std::memory_order_relaxed)));
    bring_accesses();
    look_at_copies();
    const std::optional<Plan> plan =
        is_manual_wanted_ ? policy_.pick_manual(tree_, schedule_.manual()) : policy_.pick(tree_);
    if (!plan) return success();
    BOOST_OUTCOME_TRYV(run_stepped(lock, *plan));
    CHECK(++plans < kPlansPerFlushMax);
  }
}

Result<void> StoreImpl::run_stepped(Lock& lock, const Plan& plan) {
  if (setup_.observer != nullptr) setup_.observer->on_plan(tree_, plan);
  const Result<void> reserved = tree_.reserve(plan);
  CHECK(reserved.has_value());
  PlanJob job = prepare(plan);
  return run_and_commit(lock, job);
}

Result<void> StoreImpl::run_and_commit(Lock& lock, PlanJob& job) {
  schedule_.begin(tree_, job.plan);
  is_at_rest_.store(false, std::memory_order_relaxed);
  const std::uint64_t operations_before = tree_.now().value();
  lock.unlock();
  const bool is_merge = std::holds_alternative<MergePlan>(job.plan.action);
  const bool is_flush = std::holds_alternative<FlushPlan>(job.plan.action);
  const MergeClock clock(is_merge || is_flush);
  Result<void> outcome = caught(directory_, [&] { return run(job); });
  MergeTime taken = clock.taken();
  taken.operations_before = operations_before;
  lock.lock();
  if (outcome) outcome = commit(lock, job);
  if (outcome && (is_merge || is_flush)) note_times(job, taken);
  let_go(lock, job);
  schedule_.end(job.plan);
  if (!outcome) give_up(lock, job, outcome.error());
  changed_.notify_all();
  return outcome;
}

void StoreImpl::note_times(const PlanJob& job, MergeTime time) {
  time.bytes_read = job.sums.read_bytes;
  for (const File& file : job.outcome->files) time.bytes_written += file.bytes.value();
  const Lock figures(figures_mutex_);
  add_job_time(job.plan, time.nanoseconds, time.processor_ns, job_times_);
  if (std::holds_alternative<MergePlan>(job.plan.action)) merge_times_.add(time);
}

void StoreImpl::let_go(Lock& lock, PlanJob& job) {
  std::vector<std::shared_ptr<const void>> dropped = std::exchange(dropped_, {});
  lock.unlock();
  std::optional<ObsoleteFiles::RemovesItself> removes;
  const bool removes_files = std::holds_alternative<MergePlan>(job.plan.action) ||
                             std::holds_alternative<DropPlan>(job.plan.action) ||
                             std::holds_alternative<TrimPlan>(job.plan.action);
  if (removes_files) removes.emplace();
  dropped.clear();
  job.sources.clear();
  removes.reset();
  lock.lock();
}

Result<void> StoreImpl::run(PlanJob& job) {
  if (std::holds_alternative<DropPlan>(job.plan.action)) {
    note_dropped_tombstones(job);
    return success();
  }
  if (job.sources.empty() && !std::holds_alternative<MergePlan>(job.plan.action)) return success();
  add_sources(job);
  StoreOutputs outputs(*this, job);
  job.outcome = BOOST_OUTCOME_TRYX(run_merge(std::move(job.merge), window_, outputs));
  if (setup_.policy.store.keeps_ranges()) {
    for (File& file : job.outcome->files) {
      const auto table = BOOST_OUTCOME_TRYX(table_cache_.get(file.id));
      keep_ranges(file, job.range_bytes, setup_.policy.store, table->kept_ranges(job.range_bytes));
    }
  }
  // The name of the log after a memtable's must also be durable before the edit that makes that log
  // the first one.
  if (setup_.sync_files && (!job.outcome->files.empty() || !job.memtables.empty())) {
    BOOST_OUTCOME_TRYV(files_.sync_directory(directory_));
  }
  return success();
}

void StoreImpl::count_slice_entries(PlanJob& job) {
  for (std::size_t i = 0; i < job.sources.size(); ++i) {
    if (job.sources[i].is_slice) job.sums.add_slice_entries(job.outcome->source_entries[i]);
  }
  job.sums.tombstones_dropped = job.outcome->dropped_sequences.size();
  job.sums.dropped_sequences = std::move(job.outcome->dropped_sequences);
  job.sums.range_tests = job.outcome->range_tests;
}

Result<TreeEdit> StoreImpl::make_edit(PlanJob& job) {
  TreeEdit edit = begin_edit(tree_, job.plan);
  if (const auto* link = std::get_if<LinkPlan>(&job.plan.action)) {
    auto table = BOOST_OUTCOME_TRYX(live_.at(link->upper.files.front())->table());
    add_links(
        tree_, *link, [&](const KeyRange& keys) { return table->bytes_in(keys); }, edit);
  }
  if (const auto* refer = std::get_if<ReferPlan>(&job.plan.action)) {
    const VirtualFileSource source{[&](FileId id, const KeyRange& keys) -> Result<Bytes> {
                                     const auto table = BOOST_OUTCOME_TRYX(live_.at(id)->table());
                                     return table->bytes_in(keys);
                                   },
                                   [&] { return tree_.allocate_file_id(); }};
    BOOST_OUTCOME_TRYV(add_virtual_files(tree_, *refer, source, edit));
  }
  if (!job.outcome) {
    BOOST_OUTCOME_TRYV(fit_edit(tree_, job.plan, edit));
    return edit;
  }
  count_slice_entries(job);
  edit.slice_entries = Entries(job.sums.slice_entries);
  TreeEdit::Added added = begin_added(job.plan);
  for (File& file : job.outcome->files) {
    finish_output(file, job.sums, tree_.now());
    added.files.push_back(file);
  }
  edit.added.push_back(std::move(added));
  if (const auto* merge = std::get_if<MergePlan>(&job.plan.action)) {
    add_copies(tree_, merge->inputs, merge->copies_max, edit);
  }
  // An edit that does not fit the tree must not reach the manifest.
  BOOST_OUTCOME_TRYV(fit_edit(tree_, job.plan, edit));
  return edit;
}

Result<void> StoreImpl::log_edit(Lock& lock, const PlanJob& job, const TreeEdit& edit) {
  ManifestEdit record;
  record.edit = edit;
  record.now = tree_.now();
  if (!job.memtables.empty()) {
    const std::size_t taken = job.memtables.size();
    record.traffic = tree_.pending_flush()->traffic;
    record.last_sequence = job.memtables.back()->last_sequence;
    record.first_wal = waiting_.size() > taken ? waiting_[taken]->wal_number : active_->wal_number;
  }
  // A plan without outputs is short, so it keeps the lock; nothing else protects the files below a
  // link.
  const bool is_short = !job.outcome;
  if (!is_short) lock.unlock();
  Result<void> logged = manifest_->append(record);
  if (!is_short) lock.lock();
  return logged;
}

Result<void> StoreImpl::commit(Lock& lock, PlanJob& job) {
  changed_.wait(lock, [&] { return !is_committing_; });
  // Another plan's edit or manifest may have failed midway; nothing may be applied on top of it.
  if (error_) return *error_;
  is_committing_ = true;
  const auto edit_of_job = [&]() -> Result<void> {
    const TreeEdit edit = BOOST_OUTCOME_TRYX(make_edit(job));
    BOOST_OUTCOME_TRYV(log_edit(lock, job, edit));
    is_tree_torn_ = true;  // until apply_edit() has returned
    apply_edit(job, edit);
    is_tree_torn_ = false;
    const std::uint64_t grown_bytes = 2 * manifest_->snapshot_bytes();
    if (manifest_->size() > setup_.manifest_bytes_max.value() + grown_bytes) {
      BOOST_OUTCOME_TRYV(start_manifest());
    }
    return success();
  };
  Result<void> outcome = caught(directory_, edit_of_job);
  if (!lock.owns_lock()) lock.lock();  // if log_edit() threw without it
  is_committing_ = false;
  // After an interrupted edit, the earlier read view shows the same entries; no later one can be
  // made.
  if (is_tree_torn_) {
    keep_error(outcome.error());
  } else {
    changed();
  }
  return outcome;
}

void StoreImpl::apply_edit(const PlanJob& job, const TreeEdit& edit) {
  const bool has_sums = std::holds_alternative<MergePlan>(job.plan.action) ||
                        std::holds_alternative<DropPlan>(job.plan.action);
  if (const auto now_ns = clock_ns()) ledger_.set_clock(*now_ns);
  ledger_.set_live_bytes(noted_live_bytes_.load(std::memory_order_relaxed));
  ledger_.record(tree_, job.plan, edit, has_sums ? &job.sums : nullptr);
  const std::vector<FileId> dropped = dropped_frozen_files(tree_, edit);
  const Result<void> applied = tree_.apply(edit);
  CHECK(applied.has_value());
  settle_files(edit, dropped);
  if (!job.memtables.empty()) finish_flush(job);
  if (!is_stepped()) note_edit();
  if (setup_.observer == nullptr) return;
  setup_.observer->on_edit(tree_, job.plan, edit, [this](FileId id) {
    Result<std::vector<StoredEntry>> entries = contents(id);
    return entries ? std::move(entries).value() : std::vector<StoredEntry>();
  });
}

std::shared_ptr<LiveFile> StoreImpl::live_file(const File& file) {
  std::string path = file.is_virtual ? std::string() : path_of(sstable_name(file.id));
  return ObsoleteFiles::share(
      obsolete_,
      std::make_unique<LiveFile>(file.id, std::move(path), files_, table_cache_, touched_));
}

void StoreImpl::settle_files(const TreeEdit& edit, const std::vector<FileId>& dropped) {
  for (const TreeEdit::Added& added : edit.added) {
    for (const File& file : added.files) {
      std::shared_ptr<LiveFile> live = live_file(file);
      live->last_access.store(file.last_access.value(), std::memory_order_relaxed);
      live_.insert(std::move(live));
    }
  }
  for (const TreeEdit::Moved& moved : edit.moved) {
    for (const FileId id : moved.files) live_.at(id)->seeks.store(0);
  }
  const auto drop = [&](FileId id) {
    live_.at(id)->make_obsolete();
    dropped_.push_back(live_.erase(id));
  };
  for (const FileId id : edit.removed) drop(id);
  for (const FileId id : dropped) drop(id);
}

void StoreImpl::finish_flush(const PlanJob& job) {
  for (const std::shared_ptr<MemtableSlot>& slot : job.memtables) {
    CHECK(!waiting_.empty() && waiting_.front() == slot);
    waiting_.pop_front();
  }
  flushing_.clear();
  is_memtable_awaited_ = false;
  flushes_.fetch_add(1, std::memory_order_release);
  filed_sequence_ = job.memtables.back()->last_sequence;
  first_log_ = waiting_.empty() ? active_->wal_number : waiting_.front()->wal_number;
  if (is_recovering_) return;
  for (const std::shared_ptr<MemtableSlot>& slot : job.memtables) {
    obsolete_->remove(path_of(wal_name(slot->wal_number)));
  }
}

void StoreImpl::give_up(Lock& lock, PlanJob& job, const Error& error) {
  if (error_ || !is_closing_) keep_error(error);
  // After a failed commit the inputs stay busy: only the manifest knows whether the edit took
  // effect.
  changed_.notify_all();
  if (job.outcome) return;
  lock.unlock();
  for (const FileId id : job.created) {
    table_cache_.forget(id);
    static_cast<void>(caught({}, [&] { return files_.remove(path_of(sstable_name(id))); }));
  }
  lock.lock();
}

Result<void> StoreImpl::start_manifest() {
  const ManifestSnapshot snapshot{identity(), tree_.image(),    filed_sequence_,
                                  first_log_, logs_are_synced_, logs_have_marks_};
  const std::uint64_t old_number = manifest_ ? manifest_->number() : 0;
  manifest_ = BOOST_OUTCOME_TRYX(ManifestWriter::create(files_, directory_, next_manifest_number_++,
                                                        snapshot, setup_.sync_files));
  if (old_number > 0) static_cast<void>(files_.remove(path_of(manifest_name(old_number))));
  return success();
}

Result<std::vector<StoredEntry>> StoreImpl::contents(FileId id) {
  std::vector<StoredEntry> entries;
  const auto table = BOOST_OUTCOME_TRYX(live_.at(id)->table());
  SstableScanner scanner(*table, {}, setup_.read_ahead.value());
  for (;;) {
    const bool has_entry = BOOST_OUTCOME_TRYX(scanner.next());
    if (!has_entry) return entries;
    const EntryView& entry = scanner.entry();
    entries.push_back({scanner.window(), entry.sequence(),
                       static_cast<std::uint32_t>(entry.key.size()),
                       static_cast<std::uint32_t>(entry.value.size()), entry.is_tombstone()});
  }
}

}  // namespace lsmlab::engine
