#include "sim/timed/timed_store.h"

#include <algorithm>
#include <utility>

#include "models/base/check.h"
#include "models/machine/merge_fan_in.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// The n-th of `parts` equal parts of a sum.
std::uint64_t part_of(std::uint64_t sum, std::uint64_t n, std::uint64_t parts) {
  const auto upto = [&](std::uint64_t end) {
    return static_cast<std::uint64_t>(Uint128{sum} * end / parts);
  };
  return upto(n + 1) - upto(n);
}

// Each worker has two streams of the device. Streams 0 and 1 belong to the clients.
std::uint64_t stream_of(std::uint32_t worker, DeviceRequest kind) {
  return 2 + 2 * std::uint64_t{worker} + (kind == DeviceRequest::kWrite ? 1 : 0);
}

}  // namespace

TimedStore::TimedStore(const ConfiguredPolicy& policy, const TimedStoreSetup& setup,
                       const PlanLogSink& log, SimulatedMachine& machine, EventQueue& events)
    : setup_(setup),
      machine_(machine),
      events_(events),
      files_(policy, KeyTree::Inputs::kKept, log, nullptr, memtables_),
      active_(std::make_unique<KeyMemtable>(policy.store)),
      controller_(setup.stalls),
      workers_(machine.workers()) {
  memtables_.push_back(active_.get());
  keep(machine_.make_flash());
}

void TimedStore::keep(const Result<void>& outcome) {
  if (!outcome && !error_) error_ = outcome.error();
}

bool TimedStore::fills_memtable(std::uint32_t key_bytes, std::uint32_t value_bytes) const {
  constexpr std::uint64_t kOverheadBytesMax = 20;  // per entry: two varints, tag, offset
  const StoreOptions& store = files_.store();
  const MemtableSize& size = active_->size();
  const std::uint64_t most = size.charged_bytes() + key_bytes + value_bytes + kOverheadBytesMax;
  if (store.layout == SstableLayout::kLsmlab && most < store.buffer.value()) return false;
  return size.is_full_after(files_.next_sequence(), key_bytes, value_bytes,
                            buffered_entry_bytes(key_bytes, value_bytes));
}

std::optional<StallReason> TimedStore::stop_of(std::uint32_t key_bytes,
                                               std::uint32_t value_bytes) const {
  const auto reason = stop_reason(setup_.stalls, fills_memtable(key_bytes, value_bytes), load());
  // If no plan is running and no memtable waits, nothing would ever end the stall.
  if (reason && reason != StallReason::kFullMemtables && is_idle()) return std::nullopt;
  return reason;
}

std::uint64_t TimedStore::slowdown_ns(std::uint64_t now_ns, std::uint32_t key_bytes,
                                      std::uint32_t value_bytes) {
  if (!controller_.slowdown()) return 0;
  return controller_.wait_ns(now_ns, buffered_entry_bytes(key_bytes, value_bytes));
}

Result<void> TimedStore::write(std::uint64_t now_ns, std::uint64_t key, std::uint32_t key_bytes,
                               std::uint32_t value_bytes, bool is_tombstone) {
  const Entry entry = BOOST_OUTCOME_TRYX(files_.accept(key, key_bytes, value_bytes, is_tombstone));
  active_->add(entry, files_.size_of(entry), files_.tree().now());
  ++traffic_.writes;
  if (active_->is_full()) rotate(now_ns);
  return success();
}

KeyReader::Lookup TimedStore::get(std::uint64_t now_ns, std::uint64_t key) {
  ++traffic_.lookups;
  KeyReader::Lookup lookup = files_.reader().get(key);
  if (!lookup.searched_in_vain) return lookup;
  const FileLocation& at = *lookup.searched_in_vain;
  const std::uint64_t seeks = files_.state().charge_seek(at);
  const auto seeks_max = files_.policy().seeks_max(files_.tree().file_at(at));
  if (seeks_max && seeks >= *seeks_max) dispatch(now_ns);
  return lookup;
}

ScanFigures TimedStore::scan(const ScanRange& range) {
  ++traffic_.lookups;
  const ScanFigures before = files_.reader().figures().scans;
  files_.reader().scan(range, {});
  const ScanFigures& after = files_.reader().figures().scans;
  ScanFigures cost;
  cost.count = 1;
  cost.entries = after.entries - before.entries;
  cost.runs_touched = after.runs_touched - before.runs_touched;
  cost.blocks.blocks_fetched = after.blocks.blocks_fetched - before.blocks.blocks_fetched;
  cost.blocks.blocks_read = after.blocks.blocks_read - before.blocks.blocks_read;
  cost.blocks.bytes_read = after.blocks.bytes_read - before.blocks.bytes_read;
  return cost;
}

void TimedStore::flush(std::uint64_t now_ns) {
  if (!active_->empty()) rotate(now_ns);
}

void TimedStore::rotate(std::uint64_t now_ns) {
  // The memtable's log is about as large as the memtable.
  if (FlashWearMeter* flash = machine_.flash(); flash != nullptr && setup_.sync_writes) {
    keep(flash->add_log(Bytes(active_->size().charged_bytes())));
  }
  static_cast<void>(active_->sort());
  waiting_.push_back({std::move(active_), std::exchange(traffic_, {})});
  if (spare_.empty()) {
    active_ = std::make_unique<KeyMemtable>(files_.store());
  } else {
    active_ = std::move(spare_.back());
    spare_.pop_back();
  }
  memtables_.insert(memtables_.begin(), active_.get());
  controller_.on_memtable_full(load());
  dispatch(now_ns);
}

void TimedStore::dispatch(std::uint64_t now_ns) {
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    TreeState& tree = files_.state();
    if (!workers_[0].plan && !waiting_.empty()) {
      Waiting& oldest = waiting_.front();
      if (!tree.pending_flush()) files_.begin_flush(*oldest.memtable, oldest.traffic);
      const std::optional<Plan> plan = schedule_.pick(files_.policy(), tree, true);
      // A blocked flush goes before further merges. Otherwise it would wait until all is merged.
      is_flush_blocked_ = !plan;
      CHECK(plan || schedule_.running() > 0);
      if (plan && start(now_ns, 0, *plan)) is_changed = true;
    }
    for (std::uint32_t i = 1; i < workers_.size() && !is_flush_blocked_; ++i) {
      if (workers_[i].plan) continue;
      const std::optional<Plan> plan = schedule_.pick(files_.policy(), tree, false);
      if (!plan) break;
      if (start(now_ns, i, *plan)) is_changed = true;
    }
  }
}

std::uint64_t TimedStore::work_ns(const KeyJob& job, std::uint64_t bytes) const {
  const WorkCosts& costs = machine_.costs();
  const bool is_flush = std::holds_alternative<FlushPlan>(job.plan.action);
  const auto work_of = [&](std::uint64_t entry_ns, std::uint64_t kib_ns) {
    return Uint128{job.sums.entries} * entry_ns + Uint128{bytes} * kib_ns / 1024;
  };
  Uint128 work_ns = is_flush ? work_of(costs.flush_entry_ns, costs.flush_kib_ns)
                             : work_of(costs.merge_entry_ns, costs.merge_kib_ns);
  if (!is_flush) {
    CHECK(job.sums.source_entries.size() == job.sums.sources);
    work_ns += work_of(costs.merge_doubling_entry_ns, costs.merge_doubling_kib_ns) *
                   source_entropy(job.sums.source_entries) >>
               kSourceEntropyPlaces;
  }
  return static_cast<std::uint64_t>(std::min<Uint128>(work_ns, kLastTimeNs));
}

bool TimedStore::start(std::uint64_t now_ns, std::uint32_t index, const Plan& plan) {
  KeyJob job = files_.start(plan);
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  if (merge == nullptr && !std::holds_alternative<FlushPlan>(plan.action)) {
    static_cast<void>(apply(std::move(job), false));
    return true;
  }
  schedule_.begin(plan);
  Worker worker;
  worker.plan = plan;
  worker.begin_ns = now_ns;
  worker.operations_before = files_.tree().now().value();
  worker.read_bytes = job.sums.read_bytes;
  for (const File& file : job.files) {
    worker.write_bytes += file.bytes.value();
    worker.file_ends.push_back(sstable_end_bytes(file.bytes.value()));
    worker.file_ends_bytes += worker.file_ends.back();
  }
  std::reverse(worker.file_ends.begin(), worker.file_ends.end());
  const std::uint64_t bytes = std::max(worker.read_bytes, worker.write_bytes);
  const std::uint64_t piece = machine_.model().queue.request_bytes.value();
  worker.steps = std::max<std::uint64_t>(1, (bytes + piece - 1) / piece);
  // The first read continues no other read, and read_latency_ns does not contain its system call.
  if (worker.read_bytes > 0) worker.cpu_ns = machine_.costs().read_ns;
  worker.cpu_ns += work_ns(job, bytes);
  worker.job = std::move(job);
  workers_[index] = std::move(worker);
  machine_.begin_plan(index);
  return go_on(now_ns, index);
}

std::optional<std::uint64_t> TimedStore::transfer(std::uint64_t now_ns, std::uint32_t index,
                                                  DeviceRequest kind, std::uint64_t bytes,
                                                  Phase next) {
  Worker& worker = workers_[index];
  if (bytes == 0) {
    worker.phase = next;
    return std::nullopt;
  }
  if (!std::exchange(worker.is_slot_taken, true)) {
    const std::uint64_t slot = machine_.device().background_slot(now_ns, bytes);
    if (slot > now_ns) return slot;
  }
  worker.is_slot_taken = false;
  if (kind == DeviceRequest::kWrite) {
    running_output_bytes_ += bytes;
    note_space();
  }
  const bool goes_on = worker.step > 0 && worker.phase != Phase::kOpenFile;
  worker.phase = next;
  return machine_.transfer(
      now_ns, index,
      {kind, bytes, stream_of(index, kind), goes_on, machine_.request_slowdown(), true});
}

std::optional<std::uint64_t> TimedStore::advance(std::uint64_t now_ns, std::uint32_t index) {
  Worker& worker = workers_[index];
  const std::uint64_t late = machine_.late_ns(now_ns, index);
  if (late > 0) return now_ns + late;
  for (;;) {
    std::optional<std::uint64_t> done;
    switch (worker.phase) {
      case Phase::kRead:
        done = transfer(now_ns, index, DeviceRequest::kRead,
                        part_of(worker.read_bytes, worker.step, worker.steps), Phase::kMerge);
        break;
      case Phase::kMerge: {
        worker.phase = Phase::kWrite;
        const std::uint64_t work = part_of(worker.cpu_ns, worker.step, worker.steps);
        if (work > 0) return machine_.work(now_ns, index, work);
        break;
      }
      case Phase::kWrite:
        done = transfer(
            now_ns, index, DeviceRequest::kWrite,
            part_of(worker.write_bytes - worker.file_ends_bytes, worker.step, worker.steps),
            Phase::kEnd);
        break;
      case Phase::kEnd:
        if (worker.step < worker.steps) ++worker.step;
        if (worker.step < worker.steps) {
          worker.phase = Phase::kRead;
        } else if (!worker.file_ends.empty()) {
          worker.phase = Phase::kWriteFileEnd;
        } else if (setup_.sync_files && !std::exchange(worker.is_synced, true) &&
                   worker.write_bytes > 0) {
          return now_ns + machine_.model().sync.latency_ns;
        } else {
          return std::nullopt;
        }
        break;
      case Phase::kWriteFileEnd:
        done = transfer(now_ns, index, DeviceRequest::kWrite, worker.file_ends.back(),
                        Phase::kMakeFile);
        break;
      case Phase::kMakeFile:
        worker.phase = Phase::kOpenFile;
        if (const std::uint64_t work = machine_.costs().file_ns + machine_.costs().read_ns;
            work > 0) {
          return machine_.work(now_ns, index, work);
        }
        break;
      case Phase::kOpenFile:
        done = transfer(now_ns, index, DeviceRequest::kRead, worker.file_ends.back(), Phase::kEnd);
        if (worker.phase == Phase::kEnd) {
          opened_bytes_ += worker.file_ends.back();
          worker.file_ends.pop_back();
        }
        break;
      case Phase::kRemove: {
        if (worker.trims.empty()) return std::nullopt;
        const std::uint64_t bytes = worker.trims.back();
        worker.trims.pop_back();
        return machine_.device().trim(now_ns, bytes);
      }
    }
    if (done) return done;
  }
}

bool TimedStore::go_on(std::uint64_t now_ns, std::uint32_t index) {
  Worker& worker = workers_[index];
  std::optional<std::uint64_t> next = advance(now_ns, index);
  const bool counts = !next && worker.job;
  if (counts) {
    finish(now_ns, index);
    next = advance(now_ns, index);
  }
  if (next) {
    events_.push(*next, EventKind::kWorker, index);
    return counts;
  }
  schedule_.end(*worker.plan);
  worker.plan.reset();
  has_progress_ = true;  // a stalled writer checks again, as this plan cannot help it any more
  return true;
}

void TimedStore::on_worker(std::uint64_t now_ns, std::uint32_t index) {
  if (go_on(now_ns, index)) dispatch(now_ns);
}

void TimedStore::finish(std::uint64_t now_ns, std::uint32_t index) {
  Worker& worker = workers_[index];
  KeyJob job = *std::exchange(worker.job, std::nullopt);
  running_output_bytes_ -= worker.write_bytes;
  if (std::holds_alternative<MergePlan>(job.plan.action)) {
    merge_times_.add({worker.operations_before, worker.read_bytes, worker.write_bytes,
                      now_ns - worker.begin_ns, machine_.worker(index).processor_ns(),
                      machine_.worker(index).core_wait_ns()});
  }
  worker.phase = Phase::kRemove;
  const PlanOutcome outcome = apply(std::move(job), true);
  if (!machine_.model().trims.is_given()) return;
  if (reads_ == 0) {
    for (const auto& [id, bytes] : outcome.removed) worker.trims.push_back(bytes.value());
    return;
  }
  const bool is_idle = to_trim_.empty();
  for (const auto& [id, bytes] : outcome.removed) to_trim_.push_back(bytes.value());
  if (is_idle && !to_trim_.empty()) push_trim(now_ns);
}

void TimedStore::push_trim(std::uint64_t now_ns) {
  events_.push(machine_.device().trim(now_ns, to_trim_.front()), EventKind::kTrim);
}

void TimedStore::on_trim(std::uint64_t now_ns) {
  to_trim_.pop_front();
  if (!to_trim_.empty()) push_trim(now_ns);
}

PlanOutcome TimedStore::apply(KeyJob job, bool ran_beside_others) {
  has_progress_ = true;
  PlanOutcome outcome = files_.finish(std::move(job), ran_beside_others);
  note_space();
  if (FlashWearMeter* flash = machine_.flash(); flash != nullptr && !error_) {
    for (const auto& [id, bytes] : outcome.added) keep(flash->write(id, bytes));
    if (!error_) {
      for (const auto& [id, bytes] : outcome.removed) flash->remove(id);
    }
    if (outcome.takes_memtable && setup_.sync_writes && !error_) flash->remove_log();
  }
  if (outcome.takes_memtable) drop_memtable();
  stalling_runs_ = files_.policy().stalling_runs(files_.tree());
  pending_bytes_ = files_.policy().pending_bytes(files_.tree());
  controller_.on_edit(load());
  return outcome;
}

void TimedStore::drop_memtable() {
  CHECK(memtables_.back() == waiting_.front().memtable.get());
  memtables_.pop_back();
  waiting_.front().memtable->clear();
  spare_.push_back(std::move(waiting_.front().memtable));
  waiting_.pop_front();
  ++flushed_memtables_;
}

void TimedStore::note_space() {
  peak_file_bytes_ =
      std::max(peak_file_bytes_, files_.ledger().file_bytes() + running_output_bytes_);
}

void TimedStore::describe(std::uint64_t now_ns, TimePoint& point) const {
  const DeviceServer& server = machine_.device();
  const DeviceFigures& device = server.figures();
  point.device_bytes_read = device.bytes_read;
  point.device_bytes_written = device.bytes_written;
  point.device_busy_ns = server.busy_ns(now_ns);
  point.waiting_memtables = waiting_.size();
  point.sorted_runs = files_.tree().run_count();
  point.running_plans = schedule_.running();
  point.file_bytes = files_.ledger().file_bytes() + running_output_bytes_;
  point.backlog_bytes = backlog_bytes();
}

std::uint64_t TimedStore::backlog_bytes() const {
  std::uint64_t left = 0;
  for (const Worker& worker : workers_) {
    if (!worker.job) continue;
    const std::uint64_t bytes = worker.read_bytes + worker.write_bytes - worker.file_ends_bytes;
    const std::uint64_t step = std::min(worker.step, worker.steps);
    left += bytes - static_cast<std::uint64_t>(Uint128{bytes} * step / worker.steps);
    // A file's end is written, and then read to open the file.
    for (const std::uint64_t end : worker.file_ends) left += 2 * end;
  }
  return left;
}

MergeDebt TimedStore::merge_debt(std::uint64_t plans_max) const {
  std::vector<Plan> running;
  for (const Worker& worker : workers_) {
    if (worker.job) running.push_back(worker.job->plan);
  }
  std::vector<PendingFlush> waiting;
  for (std::size_t i = files_.tree().pending_flush() ? 1 : 0; i < waiting_.size(); ++i) {
    waiting.push_back(files_.flush_of(*waiting_[i].memtable, waiting_[i].traffic));
  }
  return lsmlab::merge_debt(files_.policy(), files_.state(),
                            {running, waiting, files_.store().block_size, plans_max});
}

}  // namespace lsmlab
