#include "sim/timed/simulate_timed.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "models/accounting/run_recorder.h"
#include "models/base/check.h"
#include "models/machine/simulated_machine.h"
#include "sim/ranges/read_targets.h"
#include "sim/ranges/simulate_ranges.h"
#include "sim/timed/key_files.h"
#include "sim/timed/range_files.h"
#include "sim/timed/range_operations.h"
#include "sim/timed/timed_clients.h"

namespace lsmlab {
namespace {

// When the curves over time have so many points, every second one is dropped.
constexpr std::size_t kTimePointsMax = 512;
constexpr std::uint64_t kFirstSampleNs = 1'000'000;
// The merge debt needs the plans that the policy would make if writes stopped. The run asks for
// them at every second point. All answers together may contain kAskedPlans plans, plus
// kAskedPlansPerPlan for each plan of the run, plus one for each kBytesPerAskedPlan bytes that the
// run merged.
constexpr std::size_t kPointsToAskPolicy = 2;
constexpr std::uint64_t kAskedPlans = 2'000;
constexpr std::uint64_t kAskedPlansPerPlan = 4;
constexpr std::uint64_t kBytesPerAskedPlan = 8 << 20;
// At resolution `range` the run's own merges cost hardly more than those of an answer. So all
// answers together may move as many bytes as the run, divided by this.
constexpr Uint128 kBytesPerAskedByte = 16;

// A step of joined requests is at most such a part of a memtable, so that a flush is not delayed
// noticeably by the step of a concurrent merge.
constexpr std::uint64_t kJoinedPartOfMemtable = 64;
constexpr std::uint64_t kJoinedRequestsMax = 16;

bool syncs_writes(const RunSetup& setup) { return setup.options.sync == SyncRule::kEveryBatch; }

// Requests of a flush or merge may be joined if no client waits for the device behind them, and if
// no pause would come between them.
bool may_join_requests(const RunSetup& setup, const DeviceModel& device,
                       const OperationWorkload& workload) {
  if (setup.policy.policy->merge_scheduling()) return false;  // it looks at single requests
  const bool has_reads = std::any_of(workload.phases.begin(), workload.phases.end(),
                                     [](const Phase& phase) { return reads_of(phase).sum() > 0; });
  return !has_reads && !syncs_writes(setup) && !device.pauses.interval_ns();
}

std::uint64_t joined_requests_max(const RunSetup& setup, const DeviceModel& device) {
  const std::uint64_t part = setup.policy.store.buffer.value() / kJoinedPartOfMemtable;
  return std::clamp<std::uint64_t>(part / device.queue.request_bytes.value(), 1,
                                   kJoinedRequestsMax);
}

// Of the operations that the run carries out: the records of a starting tree are not among them.
std::uint64_t loading_operations(const RunSetup& setup, const OperationSource& source) {
  const std::uint64_t loading = source.loading_operations();
  return setup.start == nullptr ? loading : loading - std::min(loading, setup.start->records);
}

std::optional<std::uint64_t> large_request_of(const RunSetup& setup) {
  const std::optional<MergeScheduling> scheduling = setup.policy.policy->merge_scheduling();
  if (!scheduling || !scheduling->separates_requests) return std::nullopt;
  return scheduling->large_request.value();
}

// What clients do, and which shortcuts that permits.
struct Operations {
  OperationSource& source;
  RangeOperations* repeats = nullptr;
  std::uint64_t joined_requests_max = 1;
  bool merges_entries = true;  // so that a merge's cost grows with its bytes
};

class TimedRun {
 public:
  TimedRun(const RunSetup& setup, const DeviceAndClients& given, const Operations& operations,
           std::unique_ptr<TimedFiles> files, RunControl& control)
      : machine_(given.device.model, 1 + setup.options.merge_threads +
                                         (setup.policy.policy->merge_scheduling() ? 1 : 0)),
        store_(std::move(files),
               {setup.stalls, setup.options.sync_files, syncs_writes(setup),
                operations.joined_requests_max},
               machine_, events_),
        recorder_(store_.metered(), RunRecorder::SpaceCounts::kAtEnd),
        clients_(
            {given.clients.model, setup.options.seed, syncs_writes(setup),
             WalSize(setup.policy.store), setup.options.gathered_wal_bytes().value(),
             loading_operations(setup, operations.source), large_request_of(setup), setup.parts},
            {machine_, store_, events_, operations.source, recorder_, control, operations.repeats}),
        control_(control),
        merges_entries_(operations.merges_entries),
        loading_operations_(loading_operations(setup, operations.source)) {
    recorder_.set_parts(setup.parts);
    recorder_.set_clients(given.clients.model.clients);
    recorder_.set_clock([this] { return now_ns_; });
  }

  /// Runs until the clients have done all operations.
  [[nodiscard]] Result<void> serve() {
    if (machine_.has_quota()) look_at_quota();
    if (store_.scheduler().is_given()) push_look();
    clients_.begin();
    push_sample();
    while (!clients_.is_done() && !control_.should_stop()) {
      BOOST_OUTCOME_TRYV(handle(events_.pop()));
      if (store_.error()) return *store_.error();
    }
    return success();
  }

  /// Runs until no plan is running, the policy wants none, and no file is left to remove. With
  /// `flushes` it flushes the memtable first.
  [[nodiscard]] Result<void> settle(bool flushes) {
    now_ns_ = std::max(now_ns_, clients_.last_done_ns());
    recorder_.end_operations(store_.job_times());
    while (flushes && store_.holds_flush() && !control_.should_stop()) {
      BOOST_OUTCOME_TRYV(handle(events_.pop()));
    }
    if (flushes) store_.flush(now_ns_);
    while (!store_.is_settled() && !control_.should_stop()) {
      BOOST_OUTCOME_TRYV(handle(events_.pop()));
      if (store_.error()) return *store_.error();
    }
    // Requests that no thread waits for, such as write-back, are then done too.
    now_ns_ = std::max(now_ns_, machine_.device().figures().last_done_ns);
    sample(true);
    return recorder_.observe();
  }

  [[nodiscard]] Result<RunResult> result() {
    RunResult result = BOOST_OUTCOME_TRYX(recorder_.result());
    result.merge_times = store_.merge_times();
    TimeSection& time = result.time.emplace();
    time.latency = clients_.latencies();
    time.stalls = clients_.stalls();
    time.arrivals = clients_.arrivals();
    time.job_times = store_.job_times();
    time.loading_operations = loading_operations_;
    const std::uint64_t measured_ns = clients_.last_done_ns() - clients_.loaded_ns();
    if (clients_.operations() > loading_operations_ && measured_ns > 0) {
      const Uint128 measured = clients_.operations() - loading_operations_;
      time.operations_per_second = ratio_of(measured * 1'000'000'000, measured_ns);
    }
    MachineSection& machine = result.machine.emplace();
    machine.device_figures = machine_.device().figures();
    machine.simulated_ns = now_ns_;
    machine.cpu_busy_ns = machine_.cpu().busy_ns();
    machine.cpu_stops = machine_.stops();
    machine.cpu_stopped_ns = machine_.stopped_ns();
    machine.flash = machine_.flash_figures(now_ns_);
    result.disk.observe(store_.disk().file_bytes, store_.disk().live_bytes);
    machine.series = std::move(points_);
    return result;
  }

  /// CHECKs that the device transferred exactly the bytes of the ledger, of lookups, of the log and
  /// of opened files.
  void check_conservation() {
    const DeviceFigures& device = machine_.device().figures();
    const Totals& totals = store_.ledger().totals();
    CHECK(device.bytes_read ==
          totals.merge_bytes_read + clients_.block_bytes_read() + store_.opened_bytes());
    CHECK(device.bytes_written ==
          totals.flush_bytes_written + totals.merge_bytes_written + clients_.log_device_bytes());
    CHECK(device.transfer_ns <= device.last_done_ns);
    machine_.device().check_conservation();
  }

 private:
  [[nodiscard]] Result<void> handle(const EventQueue::Event& event) {
    if (event.time_ns >= kLastTimeNs) {
      return input_error("the run would take more than a hundred years of simulated time");
    }
    CHECK(event.time_ns >= now_ns_);
    now_ns_ = event.time_ns;
    switch (event.kind) {
      case EventKind::kClient:
        return clients_.on_client(now_ns_, event.index);
      case EventKind::kWorker:
        store_.on_worker(now_ns_, event.index);
        if (store_.take_progress()) clients_.on_progress(now_ns_);
        return recorder_.observe();
      case EventKind::kLook:
        store_.on_look(now_ns_);
        if (store_.take_progress()) clients_.on_progress(now_ns_);
        push_look();
        return recorder_.observe();
      case EventKind::kSync:
        clients_.on_sync(now_ns_);
        return success();
      case EventKind::kWriteBack:
        clients_.on_write_back(now_ns_);
        return success();
      case EventKind::kTrim:
        store_.on_trim(now_ns_);
        return success();
      case EventKind::kQuota:
        look_at_quota();
        return success();
      case EventKind::kSample:
        break;
    }
    // Another event must be due, or sampling would never end.
    CHECK(events_.size() > (machine_.has_quota() ? 1 : 0) || clients_.is_done());
    sample(false);
    push_sample();
    return success();
  }

  void look_at_quota() {
    const CpuQuota::Look look = machine_.look_at_quota(now_ns_);
    if (look.stop_ns > 0) {
      events_.stand_still(now_ns_, look.stop_ns,
                          [&](const EventQueue::Event& event) { return is_work(event); });
    }
    events_.push(look.next_ns, EventKind::kQuota);
  }
  [[nodiscard]] bool is_work(const EventQueue::Event& event) const {
    switch (event.kind) {
      case EventKind::kClient:
        return clients_.is_at_work(event.index);
      case EventKind::kWorker:
        return store_.is_at_work(event.index);
      case EventKind::kSync:
      case EventKind::kTrim:
        return true;
      case EventKind::kWriteBack:
      case EventKind::kSample:
      case EventKind::kQuota:
      case EventKind::kLook:
        break;
    }
    return false;
  }

  void push_look() { events_.push(now_ns_ + store_.scheduler().interval_ns(), EventKind::kLook); }
  void push_sample() { events_.push(now_ns_ + sample_ns_, EventKind::kSample); }

  void sample(bool is_last) {
    if (!points_.empty() && points_.back().time_ns == now_ns_) points_.pop_back();
    TimePoint point;
    point.time_ns = now_ns_;
    point.operations = clients_.operations();
    point.stalled_ns = clients_.stalled_ns(now_ns_);
    store_.describe(now_ns_, point);
    // An answer may take minutes, which a run that was stopped does not have.
    if (!control_.should_stop() && (is_last || points_.size() % kPointsToAskPolicy == 1)) {
      point.merge_debt_bytes = debt_bytes(point.backlog_bytes, is_last);
    }
    points_.push_back(point);
    if (points_.size() < kTimePointsMax) return;
    for (std::size_t i = 0; 2 * i + 1 < points_.size(); ++i) points_[i] = points_[2 * i + 1];
    points_.resize(points_.size() / 2);
    sample_ns_ *= 2;
  }

  // The merge debt, or nothing if an answer would cost too much now. A plan of an answer costs as
  // much as a plan of the run without its entries, or as merging some megabytes. So all answers
  // take a fraction of the run's own time. The run saves up its budget until it suffices for an
  // answer.
  [[nodiscard]] std::optional<std::uint64_t> debt_bytes(std::uint64_t backlog_bytes, bool is_last) {
    const Totals& totals = store_.ledger().totals();
    const std::uint64_t plans = totals.flushes + totals.merges + totals.moves + totals.links +
                                totals.drops + totals.refers + totals.trims;
    const Uint128 bytes = totals.merge_bytes_read + totals.merge_bytes_written;
    std::uint64_t budget = kAskedPlans + kAskedPlansPerPlan * plans;
    if (merges_entries_) {
      budget += static_cast<std::uint64_t>(bytes / kBytesPerAskedPlan);
    } else if ((asked_bytes_ + last_asked_bytes_) * kBytesPerAskedByte > bytes && !is_last) {
      return std::nullopt;
    }
    const std::uint64_t left = budget - std::min(budget, asked_plans_);
    if (left < std::max<std::uint64_t>(1, plans_to_save_) && !is_last) return std::nullopt;
    const MergeDebt debt = store_.merge_debt(std::max<std::uint64_t>(1, left));
    asked_plans_ += debt.plans;
    last_asked_bytes_ = debt.bytes_read + debt.bytes_written;
    asked_bytes_ += last_asked_bytes_;
    plans_to_save_ = debt.is_whole ? debt.plans : 2 * debt.plans;
    if (!debt.is_whole) return std::nullopt;
    return backlog_bytes + debt.bytes_read + debt.bytes_written;
  }

  EventQueue events_;
  SimulatedMachine machine_;
  TimedStore store_;
  RunRecorder recorder_;
  TimedClients clients_;
  RunControl& control_;
  const bool merges_entries_;
  const std::uint64_t loading_operations_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t sample_ns_ = kFirstSampleNs;
  std::vector<TimePoint> points_;
  std::uint64_t asked_plans_ = 0;    // in all answers
  std::uint64_t plans_to_save_ = 0;  // budget that the next question needs
  Uint128 asked_bytes_ = 0;          // that all answers move
  std::uint64_t last_asked_bytes_ = 0;
};

Result<RunResult> run_and_describe(const RunSetup& setup, const DeviceAndClients& machine,
                                   const Operations& operations, std::unique_ptr<TimedFiles> files,
                                   RunControl& control) {
  CHECK(setup.options.sync != SyncRule::kEveryBytes);
  const auto begin = std::chrono::steady_clock::now();
  TimedRun run(setup, machine, operations, std::move(files), control);
  BOOST_OUTCOME_TRYV(run.serve());
  const bool is_whole = !control.should_stop();
  BOOST_OUTCOME_TRYV(run.settle(is_whole && setup.options.final_flush));
  const bool complete = is_whole && !control.should_stop();
  if (complete) run.check_conservation();
  RunResult result = BOOST_OUTCOME_TRYX(run.result());
  describe_key_run(setup, begin, result);
  result.mode = "timed";
  result.complete = complete;
  MachineSection& section = *result.machine;
  section.device = machine.device.name;
  section.device_options = machine.device.options;
  section.client_options = machine.clients.options;
  for (ResolvedOptions of_run :
       {setup.options.of_timed_simulation(), stall_options(setup.stalls)}) {
    for (auto& option : of_run) section.client_options.push_back(std::move(option));
  }
  return result;
}

}  // namespace

Result<RunResult> simulate_timed(const RunSetup& setup, const DeviceAndClients& machine,
                                 OperationSource& source, RunControl& control) {
  auto files = BOOST_OUTCOME_TRYX(make_key_files(setup, source));
  return run_and_describe(setup, machine, {source}, std::move(files), control);
}

Result<RunResult> simulate_timed_ranges(const RunSetup& setup, const DeviceAndClients& machine,
                                        const OperationWorkload& workload, RunControl& control) {
  auto files = BOOST_OUTCOME_TRYX(make_range_files(setup, workload));
  const RangeSizes sizes = range_sizes_of(setup.policy.store, workload);
  RangeOperations source(workload, sizes, setup.options.seed);
  if (setup.start != nullptr) source.begin_after_first_phase();
  Operations operations{source};
  operations.merges_entries = false;
  if (machine.repeats_puts) operations.repeats = &source;
  if (machine.joins_requests && may_join_requests(setup, machine.device.model, workload)) {
    operations.joined_requests_max = joined_requests_max(setup, machine.device.model);
  }
  RunResult result =
      BOOST_OUTCOME_TRYX(run_and_describe(setup, machine, operations, std::move(files), control));
  result.resolution = "range";
  result.cells = setup.options.range_cells;
  return result;
}

}  // namespace lsmlab
