#include "sim/timed/timed_store.h"

#include <algorithm>
#include <utility>

#include "models/base/check.h"
#include "models/machine/merge_fan_in.h"
#include "models/sizes/sstable_size.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// Work is divided into this number of steps before requests of a step are joined.
constexpr std::uint64_t kStepsOfJoined = 64;

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

TimedStore::TimedStore(std::unique_ptr<TimedFiles> files, const TimedStoreSetup& setup,
                       SimulatedMachine& machine, EventQueue& events)
    : setup_(setup),
      machine_(machine),
      events_(events),
      files_(std::move(files)),
      tree_(files_->state()),
      ledger_(files_->metered().ledger()),
      policy_(files_->policy()),
      scheduler_(policy_.merge_scheduling()),
      controller_(setup.stalls),
      workers_(machine.workers()) {
  keep(machine_.make_flash());
}

void TimedStore::keep(const Result<void>& outcome) {
  if (!outcome && !error_) error_ = outcome.error();
}

std::optional<StallReason> TimedStore::stop_if(bool fills_memtable) const {
  const auto reason = stop_reason(setup_.stalls, fills_memtable, load());
  // If no plan is running and no memtable waits, nothing would ever end the stall.
  if (reason && reason != StallReason::kFullMemtables && is_idle()) return std::nullopt;
  return reason;
}

std::uint64_t TimedStore::slowdown_ns(std::uint64_t now_ns, const Operation& write) {
  if (!controller_.slowdown()) return 0;
  return controller_.wait_ns(now_ns,
                             buffered_entry_bytes(write.key_bytes, written_value_bytes(write)));
}

Result<void> TimedStore::write(std::uint64_t now_ns, const Operation& write) {
  const bool is_full = BOOST_OUTCOME_TRYX(files_->write(write));
  client_bytes_ += std::uint64_t{write.key_bytes} + written_value_bytes(write);
  ++traffic_.writes;
  if (write.kind == OperationKind::kDelete) ++traffic_.deletes;
  if (is_full) rotate(now_ns);
  return success();
}

std::uint64_t TimedStore::puts_without_wait(const Operation& put) const {
  if (stop_if(false)) return 0;
  const std::uint64_t room = files_->room_for_puts();
  if (!controller_.slowdown()) return room;
  return std::min(
      room, controller_.writes_without_wait(buffered_entry_bytes(put.key_bytes, put.value_bytes)));
}

void TimedStore::put_more(const Operation& put, std::uint64_t puts) {
  if (controller_.slowdown()) {
    controller_.pass(puts, buffered_entry_bytes(put.key_bytes, put.value_bytes));
  }
  traffic_.writes += puts;
  client_bytes_ += puts * (std::uint64_t{put.key_bytes} + put.value_bytes);
  files_->put_more(put, puts);
}

LookupFigures TimedStore::get(std::uint64_t now_ns, const Operation& lookup) {
  ++traffic_.lookups;
  const TimedFiles::Lookup found = files_->get(lookup);
  client_bytes_ += static_cast<std::uint64_t>(found.figures.blocks.bytes_read);
  if (!found.searched_in_vain) return found.figures;
  const FileLocation& at = *found.searched_in_vain;
  const std::uint64_t seeks = tree_.charge_seek(at);
  const auto seeks_max = policy_.seeks_max(tree_.file_at(at));
  if (seeks_max && seeks >= *seeks_max) dispatch(now_ns);
  return found.figures;
}

ScanFigures TimedStore::scan(const Operation& scan) {
  ++traffic_.lookups;
  ++traffic_.scans;
  const ScanFigures cost = files_->scan(scan);
  client_bytes_ += static_cast<std::uint64_t>(cost.blocks.bytes_read);
  return cost;
}

void TimedStore::flush(std::uint64_t now_ns) {
  if (!files_->is_memtable_empty()) rotate(now_ns);
}

bool TimedStore::end_part(std::uint64_t now_ns, PartEnd asked) {
  if (asked == PartEnd::kNothing) return true;
  if (asked != PartEnd::kSettle && !files_->is_memtable_empty()) {
    if (holds_flush()) return false;
    rotate(now_ns);
  }
  if (asked == PartEnd::kFlush) return waiting_ == 0;
  if (asked == PartEnd::kCompact) {
    if (whole_ == Whole::kNone && is_idle()) {
      whole_ = Whole::kWanted;
      schedule_.begin_whole(tree_);
      dispatch(now_ns);
    }
    if (whole_ == Whole::kWanted && is_idle()) {
      whole_ = Whole::kDone;
      dispatch(now_ns);
    }
    if (whole_ != Whole::kDone) return false;
  }
  if (!is_idle()) return false;
  whole_ = Whole::kNone;
  return true;
}

void TimedStore::rotate(std::uint64_t now_ns) {
  // The memtable's log is about as large as the memtable.
  const Bytes log_bytes(files_->memtable_bytes());
  if (!files_->rotate(std::exchange(traffic_, {}), now_ns)) return;
  if (FlashWearMeter* flash = machine_.flash(); flash != nullptr && setup_.sync_writes) {
    keep(flash->add_log(log_bytes));
  }
  ++waiting_;
  controller_.on_memtable_full(load());
  dispatch(now_ns);
}

void TimedStore::dispatch(std::uint64_t now_ns) {
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    if (!workers_[0].plan && waiting_ > 0) {
      if (!tree_.pending_flush()) files_->begin_flush();
      const std::optional<Plan> plan = schedule_.pick(policy_, tree_, PlanWish::kFlush);
      // A blocked flush goes before further merges. Otherwise it would wait until all is merged.
      is_flush_blocked_ = !plan;
      CHECK(plan || schedule_.running() > 0);
      if (plan && start(now_ns, 0, *plan)) is_changed = true;
    }
    const std::uint64_t merges_max =
        merges_at_a_time(setup_.stalls, load(), policy_.merge_trigger_runs(), merge_workers());
    const PlanWish wish = whole_ == Whole::kWanted        ? PlanWish::kWhole
                          : scheduler_.may_begin_deeper() ? PlanWish::kOther
                                                          : PlanWish::kLevel0;
    for (std::uint32_t i = 1; i <= merge_workers() && !is_flush_blocked_; ++i) {
      if (workers_[i].plan) continue;
      if (merges_running() >= merges_max) break;
      const std::optional<Plan> plan = schedule_.pick(policy_, tree_, wish);
      if (!plan) break;
      if (start(now_ns, i, *plan)) is_changed = true;
    }
    if (scheduler_.is_given() && dispatch_level0(now_ns)) is_changed = true;
  }
}

bool TimedStore::dispatch_level0(std::uint64_t now_ns) {
  const auto last = static_cast<std::uint32_t>(workers_.size() - 1);
  bool is_changed = false;
  if (!workers_[last].plan && !is_flush_blocked_) {
    const std::optional<Plan> plan = schedule_.pick(policy_, tree_, PlanWish::kLevel0);
    if (plan) is_changed = start(now_ns, last, *plan);
  }
  const std::optional<std::uint64_t> trigger = policy_.merge_trigger_runs();
  const bool is_full = trigger && stalling_runs_ >= *trigger;
  const bool waits = is_full && std::none_of(workers_.begin(), workers_.end(), [](const Worker& w) {
                       return w.plan && w.urgency == PlanUrgency::kLevel0;
                     });
  return (scheduler_.note_level0_waits(waits) && release_held(now_ns)) || is_changed;
}

bool TimedStore::release_held(std::uint64_t now_ns) {
  bool is_changed = false;
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (std::exchange(workers_[i].is_held, false) && go_on(now_ns, i)) is_changed = true;
  }
  return is_changed;
}

void TimedStore::on_look(std::uint64_t now_ns) {
  if (!scheduler_.look(now_ns, client_bytes_)) return;
  has_progress_ = true;  // the policy may want nothing, so that no plan would end a stall
  if (!scheduler_.holds_deeper()) static_cast<void>(release_held(now_ns));
  dispatch(now_ns);
}

std::uint64_t TimedStore::work_ns(const PlanJob& job, std::uint64_t bytes) const {
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
  std::unique_ptr<PlanJob> job = files_->start(plan);
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  if (merge == nullptr && !std::holds_alternative<FlushPlan>(plan.action)) {
    static_cast<void>(apply(now_ns, std::move(job), false));
    return true;
  }
  schedule_.begin(plan);
  Worker worker;
  worker.plan = plan;
  worker.begin_ns = now_ns;
  worker.operations_before = tree_.now().value();
  worker.urgency = urgency_of(plan);
  worker.read_bytes = job->sums.read_bytes;
  for (const File& file : job->files) {
    worker.write_bytes += file.bytes.value();
    worker.file_ends.push_back(sstable_end_bytes(file.bytes.value()));
    worker.file_ends_bytes += worker.file_ends.back();
  }
  std::reverse(worker.file_ends.begin(), worker.file_ends.end());
  const std::uint64_t bytes = std::max(worker.read_bytes, worker.write_bytes);
  divide(worker);
  // The first read continues no other read, and read_latency_ns does not contain its system call.
  if (worker.read_bytes > 0) worker.cpu_ns = machine_.costs().read_ns;
  worker.cpu_ns += work_ns(*job, bytes);
  worker.job = std::move(job);
  workers_[index] = std::move(worker);
  machine_.begin_plan(index);
  return go_on(now_ns, index);
}

void TimedStore::divide(Worker& worker) const {
  const std::uint64_t bytes = std::max(worker.read_bytes, worker.write_bytes);
  const std::uint64_t piece = machine_.model().queue.request_bytes.value();
  worker.requests = std::max<std::uint64_t>(1, (bytes + piece - 1) / piece);
  const std::uint64_t joined =
      std::clamp<std::uint64_t>(worker.requests / kStepsOfJoined, 1, setup_.joined_requests_max);
  worker.steps = (worker.requests + joined - 1) / joined;
}

std::uint64_t TimedStore::slot_ns(std::uint64_t now_ns, const Worker& worker, DeviceRequest kind,
                                  std::uint64_t bytes) {
  const bool is_write = kind == DeviceRequest::kWrite;
  const std::uint64_t slot = machine_.device().background_slot(now_ns, bytes, is_write);
  if (!scheduler_.is_given() || !is_write) return slot;
  if (worker.urgency == PlanUrgency::kDeeper) return scheduler_.write_slot_ns(slot, bytes);
  scheduler_.note_urgent_write(slot, bytes);
  return slot;
}

std::optional<std::uint64_t> TimedStore::transfer(std::uint64_t now_ns, std::uint32_t index,
                                                  DeviceRequest kind, std::uint64_t bytes,
                                                  Phase next) {
  Worker& worker = workers_[index];
  if (bytes == 0) {
    worker.phase = next;
    return std::nullopt;
  }
  if (worker.urgency == PlanUrgency::kDeeper && scheduler_.holds_deeper()) {
    worker.is_held = true;
    return EventQueue::kNever;
  }
  if (!std::exchange(worker.is_slot_taken, true)) {
    const std::uint64_t slot = slot_ns(now_ns, worker, kind, bytes);
    if (slot > now_ns) return slot;
  }
  worker.is_slot_taken = false;
  if (kind == DeviceRequest::kWrite) {
    running_output_bytes_ += bytes;
    note_space();
  }
  const bool goes_on = worker.step > 0 && worker.phase != Phase::kOpenFile;
  ServedRequest request{kind, bytes, stream_of(index, kind), goes_on, machine_.request_slowdown(),
                        true};
  if (worker.step < worker.steps && worker.requests > worker.steps) {
    request.requests = std::min(bytes, part_of(worker.requests, worker.step, worker.steps));
  }
  worker.phase = next;
  return machine_.transfer(now_ns, index, request);
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
    if (!worker.is_held) events_.push(*next, EventKind::kWorker, index);
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
  std::unique_ptr<PlanJob> job = std::move(worker.job);
  running_output_bytes_ -= worker.write_bytes;
  if (std::holds_alternative<MergePlan>(job->plan.action)) {
    merge_times_.add({worker.operations_before, worker.read_bytes, worker.write_bytes,
                      now_ns - worker.begin_ns, machine_.worker(index).processor_ns(),
                      machine_.worker(index).core_wait_ns()});
  }
  add_job_time(job->plan, now_ns - worker.begin_ns, machine_.worker(index).processor_ns(),
               job_times_);
  worker.phase = Phase::kRemove;
  const PlanOutcome outcome = apply(now_ns, std::move(job), true);
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

PlanOutcome TimedStore::apply(std::uint64_t now_ns, std::unique_ptr<PlanJob> job,
                              bool ran_beside_others) {
  has_progress_ = true;
  PlanOutcome outcome = files_->finish(std::move(job), ran_beside_others, now_ns);
  note_space();
  if (FlashWearMeter* flash = machine_.flash(); flash != nullptr && !error_) {
    for (const auto& [id, bytes] : outcome.added) keep(flash->write(id, bytes));
    if (!error_) {
      for (const auto& [id, bytes] : outcome.removed) flash->remove(id);
    }
    if (outcome.takes_memtable && setup_.sync_writes && !error_) flash->remove_log();
  }
  if (outcome.takes_memtable) {
    files_->drop_memtable();
    --waiting_;
    ++flushed_memtables_;
  }
  stalling_runs_ = policy_.stalling_runs(tree_);
  pending_bytes_ = policy_.pending_bytes(tree_);
  controller_.on_edit(load());
  return outcome;
}

void TimedStore::note_space() {
  disk_.observe(ledger_.file_bytes() + running_output_bytes_, ledger_.live_bytes());
}

void TimedStore::describe(std::uint64_t now_ns, TimePoint& point) const {
  const DeviceServer& server = machine_.device();
  const DeviceFigures& device = server.figures();
  point.device_bytes_read = device.bytes_read;
  point.device_bytes_written = device.bytes_written;
  point.device_busy_ns = server.busy_ns(now_ns);
  point.waiting_memtables = waiting_;
  point.sorted_runs = tree_.run_count();
  point.running_plans = schedule_.running();
  point.file_bytes = ledger_.file_bytes() + running_output_bytes_;
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
  for (std::size_t i = tree_.pending_flush() ? 1 : 0; i < waiting_; ++i) {
    waiting.push_back(files_->flush_of(i));
  }
  return lsmlab::merge_debt(policy_, tree_, {running, waiting, files_->block_size(), plans_max});
}

}  // namespace lsmlab
