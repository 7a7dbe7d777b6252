#include "sim/timed/timed_store.h"

#include <algorithm>
#include <utility>

#include "models/accounting/tree_figures.h"
#include "models/base/check.h"
#include "models/machine/merge_fan_in.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

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
      workers_(machine.workers()),
      plan_workers_(static_cast<std::uint32_t>(workers_.size())) {
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

// RocksDB replaces a full memtable before its writers wait, so that the next flush takes it too.
void TimedStore::note_stop(std::uint64_t now_ns, StallReason reason) {
  if (reason != StallReason::kFullMemtables || is_memtable_awaited_) return;
  is_memtable_awaited_ = true;
  // A write that fills a memtable alone may wait beside an empty one.
  const bool replaces = policy_.flush_takes_all_waiting() && !setup_.stalls.merges_first &&
                        !files_->is_memtable_empty();
  controller_.on_full_memtables(setup_.stalls.full_memtables_max + (replaces ? 1 : 0));
  if (replaces) static_cast<void>(replace_memtable(now_ns));
  dispatch(now_ns);  // while writers wait, more merges may run
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

void TimedStore::rotate(std::uint64_t now_ns) {
  if (replace_memtable(now_ns)) dispatch(now_ns);
}

bool TimedStore::replace_memtable(std::uint64_t now_ns) {
  // The memtable's log is about as large as all that was written to the memtable.
  const Bytes log_bytes(files_->memtable_bytes());
  if (!files_->rotate(std::exchange(traffic_, {}), now_ns)) return false;
  if (FlashWearMeter* flash = machine_.flash(); flash != nullptr && setup_.sync_writes) {
    keep(flash->add_log(log_bytes));
  }
  ++waiting_;
  controller_.on_memtable_full(load());
  return true;
}

void TimedStore::dispatch(std::uint64_t now_ns) {
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    if (!workers_[0].plan && waiting_ > 0) {
      if (!tree_.pending_flush()) flushing_ = files_->begin_flush();
      const std::optional<Plan> plan = schedule_.pick(policy_, tree_, PlanWish::kFlush);
      // A blocked flush goes before further merges. Otherwise it would wait until all is merged.
      is_flush_blocked_ = !plan;
      CHECK(plan || schedule_.running() > 0);
      if (plan && start(now_ns, 0, *plan)) is_changed = true;
    }
    const std::uint64_t merges_max = threads_max();
    const PlanWish wish = manual_ == Manual::kWanted      ? PlanWish::kManual
                          : scheduler_.may_begin_deeper() ? PlanWish::kOther
                                                          : PlanWish::kLevel0;
    for (std::uint32_t i = 1; i <= merge_workers() && !is_flush_blocked_; ++i) {
      if (workers_[i].plan) continue;
      if (busy_threads() >= merges_max) break;
      files_->look_at_copies();
      const std::optional<Plan> plan = schedule_.pick(policy_, tree_, wish);
      if (!plan) break;
      if (start(now_ns, i, *plan)) is_changed = true;
    }
    if (scheduler_.is_given() && dispatch_level0(now_ns)) is_changed = true;
  }
}

bool TimedStore::dispatch_level0(std::uint64_t now_ns) {
  const std::uint32_t last = plan_workers_ - 1;
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

std::uint64_t TimedStore::work_ns(const PlanJob& job, std::uint64_t bytes,
                                  std::uint64_t parts) const {
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
  work_ns = std::min<Uint128>(work_ns, kLastTimeNs);
  work_ns += work_ns * machine_.merge_part_slowdown() * (parts - 1) >> kSlowdownBits;
  return static_cast<std::uint64_t>(std::min<Uint128>(work_ns, kLastTimeNs));
}

bool TimedStore::start(std::uint64_t now_ns, std::uint32_t index, const Plan& plan) {
  std::unique_ptr<PlanJob> job = files_->start(plan);
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  if (merge == nullptr && !std::holds_alternative<FlushPlan>(plan.action)) {
    static_cast<void>(apply(now_ns, std::move(job), false));
    return true;
  }
  schedule_.begin(tree_, plan);
  const std::uint64_t bytes = std::max(job->sums.read_bytes, output_bytes(*job));
  const MergeParts division = merge != nullptr ? parts_of(*merge) : MergeParts{};
  const std::uint64_t work =
      work_ns(*job, bytes, std::max<std::uint64_t>(1, division.input_bytes.size()));
  std::vector<WorkPart> parts = work_parts(*job, division, work);
  std::vector<std::uint32_t> workers{index};
  while (workers.size() < parts.size()) workers.push_back(part_worker());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Worker worker;
    worker.urgency = urgency_of(plan);
    worker.part = std::move(parts[i]);
    worker.part.divide(machine_.model().queue.request_bytes.value(), setup_.joined_requests_max);
    // The first read continues no other read, and read_latency_ns does not contain its system call.
    if (worker.part.read_bytes > 0) worker.part.cpu_ns += machine_.costs().read_ns;
    worker.needs_sync = setup_.sync_files && worker.part.writes();
    if (i > 0) worker.leader = index;
    workers_[workers[i]] = std::move(worker);
    machine_.begin_plan(workers[i]);
  }
  Worker& leader = workers_[index];
  leader.plan = plan;
  leader.parts = leader.parts_left = parts.size();
  leader.threads = 1 + division.merge_threads;
  leader.begin_ns = now_ns;
  leader.operations_before = tree_.now().value();
  leader.job = std::move(job);
  bool is_changed = false;
  for (const std::uint32_t worker : workers) {
    if (go_on(now_ns, worker)) is_changed = true;
  }
  return is_changed;
}

MergeParts TimedStore::parts_of(const MergePlan& merge) const {
  const std::uint64_t taken = busy_threads() + 1;
  const std::uint64_t most = threads_max();
  return policy_.merge_parts(tree_, merge, most > taken ? most - taken : 0);
}

std::uint32_t TimedStore::part_worker() {
  if (idle_part_workers_.empty()) {
    machine_.add_worker();
    workers_.emplace_back();
    return static_cast<std::uint32_t>(workers_.size() - 1);
  }
  const std::uint32_t index = idle_part_workers_.back();
  idle_part_workers_.pop_back();
  return index;
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
  const WorkPart& part = worker.part;
  if (worker.step < part.steps && part.requests > part.steps) {
    request.requests = std::min(bytes, part_of(part.requests, worker.step, part.steps));
  }
  worker.phase = next;
  return machine_.transfer(now_ns, index, request);
}

std::optional<std::uint64_t> TimedStore::advance(std::uint64_t now_ns, std::uint32_t index) {
  Worker& worker = workers_[index];
  WorkPart& part = worker.part;
  const std::uint64_t late = machine_.late_ns(now_ns, index);
  if (late > 0) return now_ns + late;
  for (;;) {
    std::optional<std::uint64_t> done;
    switch (worker.phase) {
      case Phase::kRead:
        done = transfer(now_ns, index, DeviceRequest::kRead,
                        part_of(part.read_bytes, worker.step, part.steps), Phase::kMerge);
        break;
      case Phase::kMerge: {
        worker.phase = Phase::kWrite;
        const std::uint64_t work = part_of(part.cpu_ns, worker.step, part.steps);
        if (work > 0) return machine_.work(now_ns, index, work);
        break;
      }
      case Phase::kWrite:
        done = transfer(now_ns, index, DeviceRequest::kWrite,
                        part_of(part.write_bytes, worker.step, part.steps), Phase::kEnd);
        break;
      case Phase::kEnd:
        if (worker.step < part.steps) ++worker.step;
        if (worker.step < part.steps) {
          worker.phase = Phase::kRead;
        } else if (!part.file_ends.empty()) {
          worker.phase = Phase::kWriteFileEnd;
        } else if (std::exchange(worker.needs_sync, false)) {
          return now_ns + machine_.model().sync.latency_ns;
        } else {
          return std::nullopt;
        }
        break;
      case Phase::kWriteFileEnd:
        done =
            transfer(now_ns, index, DeviceRequest::kWrite, part.file_ends.back(), Phase::kMakeFile);
        break;
      case Phase::kMakeFile:
        worker.phase = Phase::kOpenFile;
        if (const std::uint64_t work = machine_.costs().file_ns + machine_.costs().read_ns;
            work > 0) {
          return machine_.work(now_ns, index, work);
        }
        break;
      case Phase::kOpenFile:
        done = transfer(now_ns, index, DeviceRequest::kRead, part.file_ends.back(), Phase::kEnd);
        if (worker.phase == Phase::kEnd) {
          opened_bytes_ += part.file_ends.back();
          part.file_ends.pop_back();
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
  const std::optional<std::uint64_t> next = advance(now_ns, index);
  Worker& worker = workers_[index];
  if (next) {
    if (!worker.is_held) events_.push(*next, EventKind::kWorker, index);
    return false;
  }
  if (worker.phase != Phase::kRemove) return end_part(now_ns, index);
  schedule_.end(*worker.plan);
  worker.plan.reset();
  has_progress_ = true;  // a stalled writer checks again, as this plan cannot help it any more
  return true;
}

bool TimedStore::end_part(std::uint64_t now_ns, std::uint32_t index) {
  const std::uint32_t leading = workers_[index].leader.value_or(index);
  Worker& leader = workers_[leading];
  leader.processor_ns += machine_.worker(index).processor_ns();
  leader.core_wait_ns += machine_.worker(index).core_wait_ns();
  if (leading != index) {
    workers_[index] = {};
    idle_part_workers_.push_back(index);
  }
  if (--leader.parts_left > 0) return false;
  finish(now_ns, leading);
  static_cast<void>(go_on(now_ns, leading));
  return true;
}

void TimedStore::on_worker(std::uint64_t now_ns, std::uint32_t index) {
  if (go_on(now_ns, index)) dispatch(now_ns);
}

void TimedStore::finish(std::uint64_t now_ns, std::uint32_t index) {
  Worker& worker = workers_[index];
  std::unique_ptr<PlanJob> job = std::move(worker.job);
  const std::uint64_t written = output_bytes(*job);
  running_output_bytes_ -= written;
  if (std::holds_alternative<MergePlan>(job->plan.action)) {
    merge_times_.add({worker.operations_before, job->sums.read_bytes, written,
                      now_ns - worker.begin_ns, worker.processor_ns / worker.parts,
                      worker.core_wait_ns / worker.parts});
  }
  add_job_time(job->plan, now_ns - worker.begin_ns, worker.processor_ns, job_times_);
  worker.phase = Phase::kRemove;
  worker.threads = 1;
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
    for (std::uint64_t i = 0; outcome.takes_memtable && i < flushing_; ++i) {
      if (setup_.sync_writes && !error_) flash->remove_log();
    }
  }
  if (outcome.takes_memtable) {
    files_->drop_memtables();
    waiting_ -= flushing_;
    flushed_memtables_ += std::exchange(flushing_, 0);
    is_memtable_awaited_ = false;
  }
  stalling_runs_ = policy_.stalling_runs(tree_);
  pending_bytes_ = policy_.pending_bytes(tree_);
  behind_bytes_ = policy_.behind_bytes(tree_);
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
  point.sorted_runs = sorted_runs(tree_);
  point.running_plans = schedule_.running();
  point.file_bytes = ledger_.file_bytes() + running_output_bytes_;
  point.backlog_bytes = backlog_bytes();
}

}  // namespace lsmlab
