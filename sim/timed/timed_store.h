// A simulated store with a clock. A flush worker and merge workers carry out the policy's plans
// concurrently with the clients, as the engine's threads do in threaded mode
// (models/execution/plan_schedule.h has the rules of both). A worker reads a piece of its inputs,
// merges it, writes it, and continues with the next piece:
//
//   read (device) -> merge (processor) -> write (device) -> ... -> the edit is applied
//
// If the policy divides a merge into parts (models/policies/merge_parts.h), each has a worker of
// its own, and the edit is applied when the last one is done. Moves and links take no time. Not
// thread safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/accounting/job_times.h"
#include "models/accounting/merge_time_samples.h"
#include "models/base/part_mark.h"
#include "models/execution/merge_debt.h"
#include "models/execution/merge_scheduler.h"
#include "models/execution/plan_schedule.h"
#include "models/execution/write_stall.h"
#include "models/machine/simulated_machine.h"
#include "sim/timed/event_queue.h"
#include "sim/timed/timed_files.h"
#include "sim/timed/work_part.h"

namespace lsmlab {

struct TimedStoreSetup {
  StallRules stalls;
  bool sync_files = false;   // an SSTable is durable before its edit is applied
  bool sync_writes = false;  // logs are on the device's flash; otherwise they stay in memory
  // A large flush or merge passes so many requests of one kind to the device at once, at most.
  std::uint64_t joined_requests_max = 1;
};

class TimedStore {
 public:
  /// The machine's first worker flushes, the others merge. If the policy's system schedules merges
  /// (MergeScheduling), the last one carries out plans of level 0 only. The store adds workers for
  /// further parts of merges. Machine and queue must outlive the store.
  TimedStore(std::unique_ptr<TimedFiles> files, const TimedStoreSetup& setup,
             SimulatedMachine& machine, EventQueue& events);

  /// Why this put or delete may not begin now; nothing: it may begin.
  [[nodiscard]] std::optional<StallReason> stop_of(const Operation& write) const {
    return stop_if(files_->fills_memtable(write));
  }
  /// Notes that such a write begins to wait.
  void note_stop(std::uint64_t now_ns, StallReason reason);
  /// Nanoseconds by which a write that may begin is slowed down.
  [[nodiscard]] std::uint64_t slowdown_ns(std::uint64_t now_ns, const Operation& write);
  /// Tells whether and why writes are slowed down, and when a slowed writer checks again.
  [[nodiscard]] const WriteController& controller() const { return controller_; }
  /// Puts or deletes a key. If the memtable is then full, it waits for the flush worker. Errors: as
  /// TimedFiles::write().
  [[nodiscard]] Result<void> write(std::uint64_t now_ns, const Operation& write);
  /// So many further puts like this one surely neither fill the memtable nor wait, until a plan is
  /// finished.
  [[nodiscard]] std::uint64_t puts_without_wait(const Operation& put) const;
  /// Does such a put several times. REQUIRES: puts <= puts_without_wait(put).
  void put_more(const Operation& put, std::uint64_t puts);
  /// Returns what this lookup cost.
  [[nodiscard]] LookupFigures get(std::uint64_t now_ns, const Operation& lookup);
  /// Returns what this scan cost.
  [[nodiscard]] ScanFigures scan(const Operation& scan);
  /// Whether flush() must wait, because merges go first (StallRules) and some are not done.
  [[nodiscard]] bool holds_flush() const { return setup_.stalls.merges_first && !is_idle(); }
  /// Hands the memtable to the flush worker, full or not, unless it is empty.
  void flush(std::uint64_t now_ns);
  /// Does what clients ask for at the end of a part. Returns whether it is done; if not, it is to
  /// be called again when a plan was finished. REQUIRES: no operation runs meanwhile.
  [[nodiscard]] bool end_part(std::uint64_t now_ns, PartEnd asked);

  /// Continues a worker at its event.
  void on_worker(std::uint64_t now_ns, std::uint32_t worker);
  /// Measures what clients transfer, and lets merges begin and continue accordingly. To be called
  /// once an interval of the scheduler, if scheduler().is_given().
  void on_look(std::uint64_t now_ns);
  [[nodiscard]] const MergeScheduler& scheduler() const { return scheduler_; }
  /// The first file of to_trim_ is trimmed.
  void on_trim(std::uint64_t now_ns);
  /// Whether the worker's event is the end of its work or request. False: its next request waits
  /// for the limit on background bandwidth.
  [[nodiscard]] bool is_at_work(std::uint32_t worker) const {
    return !workers_[worker].is_slot_taken;
  }
  /// A lookup or scan begins or ends. Between the two calls it holds all present files.
  void begin_read() { ++reads_; }
  void end_read() { --reads_; }

  /// Whether a plan was finished since the last call, so that a stalled writer may be able to
  /// continue.
  [[nodiscard]] bool take_progress() { return std::exchange(has_progress_, false); }

  /// Sets the policies' clock to the number of operations so far.
  void advance_operations(std::uint64_t operations) { tree_.advance_now(Instant(operations)); }
  [[nodiscard]] MeteredStore& metered() { return files_->metered(); }
  [[nodiscard]] const StoreLedger& ledger() const { return ledger_; }
  /// Number of the memtable that takes writes, counted from 0.
  [[nodiscard]] std::uint64_t memtable() const { return flushed_memtables_ + waiting_; }
  /// How many memtables have been flushed. Their logs are removed.
  [[nodiscard]] std::uint64_t flushed_memtables() const { return flushed_memtables_; }
  /// Whether no plan is running or paused, and no memtable waits.
  [[nodiscard]] bool is_idle() const {
    return schedule_.running() == 0 && waiting_ == 0 && scheduler_.may_begin_deeper();
  }
  /// Whether the store is idle and no file is left to remove.
  [[nodiscard]] bool is_settled() const { return is_idle() && to_trim_.empty(); }
  [[nodiscard]] const std::vector<MergeTime>& merge_times() const { return merge_times_.times(); }
  [[nodiscard]] const std::vector<JobTimes>& job_times() const { return job_times_; }
  /// Bytes read to open written files.
  [[nodiscard]] Uint128 opened_bytes() const { return opened_bytes_; }
  /// Largest total of files, including the written part of running plans' outputs.
  /// Outputs of running plans included, as far as they are written.
  [[nodiscard]] const DiskPeaks& disk() const { return disk_; }
  /// The first failure, if any: the flash drive is full.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  /// Fills in the store's members of a point of the curves over time.
  void describe(std::uint64_t now_ns, TimePoint& point) const;
  /// What flushes and merges would read and write after the running plans if writes stopped now.
  /// Incomplete if that takes more than plans_max plans.
  [[nodiscard]] MergeDebt merge_debt(std::uint64_t plans_max) const;

 private:
  // For each written file the worker writes its end, does the file system's work, and opens it, so
  // that no lookup waits for that. When the edit is applied, it trims the removed files.
  enum class Phase { kRead, kMerge, kWrite, kEnd, kWriteFileEnd, kMakeFile, kOpenFile, kRemove };
  struct Worker {
    std::optional<Plan> plan;      // nothing: the worker is idle, or has a part of another's plan
    std::unique_ptr<PlanJob> job;  // until the edit is applied
    std::uint64_t parts = 1;       // of the plan
    std::uint64_t parts_left = 0;  // not yet done
    std::uint64_t threads = 1;     // merge threads that the plan occupies
    std::uint64_t begin_ns = 0;
    std::uint64_t operations_before = 0;
    std::uint64_t processor_ns = 0;  // of the parts that are done
    std::uint64_t core_wait_ns = 0;
    std::vector<std::uint64_t> trims;  // bytes of each file still to remove

    std::optional<std::uint32_t> leader;  // the worker with the plan of which it has a part
    WorkPart part;
    Phase phase = Phase::kRead;
    std::uint64_t step = 0;
    bool needs_sync = false;     // before it is done
    bool is_slot_taken = false;  // it asked the limits on bandwidth for a slot
    PlanUrgency urgency = PlanUrgency::kDeeper;
    bool is_held = false;  // until the scheduler lets it continue; it has no event
  };

  /// What the stall rules depend on. Runs and bytes are those after the last edit.
  [[nodiscard]] StoreLoad load() const {
    return {waiting_,   stalling_runs_,       pending_bytes_,
            !is_idle(), is_memtable_awaited_, behind_bytes_};
  }
  /// Merge threads that are taken.
  [[nodiscard]] std::uint64_t busy_threads() const {
    std::uint64_t threads = 0;
    for (std::uint32_t i = 1; i < plan_workers_; ++i) {
      if (workers_[i].plan) threads += workers_[i].threads;
    }
    return threads;
  }
  /// Merge threads that may be taken now.
  [[nodiscard]] std::uint64_t threads_max() const {
    return merges_at_a_time(setup_.stalls, load(), policy_.merge_trigger_runs(), merge_workers());
  }
  /// Workers that carry out any merge.
  [[nodiscard]] std::uint64_t merge_workers() const {
    return plan_workers_ - 1 - (scheduler_.is_given() ? 1 : 0);
  }
  [[nodiscard]] std::optional<StallReason> stop_if(bool fills_memtable) const;
  void rotate(std::uint64_t now_ns);
  /// The memtable begins to wait, and another one takes writes. False: it had nothing to flush.
  [[nodiscard]] bool replace_memtable(std::uint64_t now_ns);
  /// Gives idle workers the plans that may begin now.
  void dispatch(std::uint64_t now_ns);
  /// Likewise for the last worker, if the policy's system schedules merges. Returns whether other
  /// plans may now be possible.
  bool dispatch_level0(std::uint64_t now_ns);
  /// Lets held workers continue. Returns as dispatch_level0().
  bool release_held(std::uint64_t now_ns);
  /// When the worker's request may be issued, as the limits on bandwidth have it.
  [[nodiscard]] std::uint64_t slot_ns(std::uint64_t now_ns, const Worker& worker,
                                      DeviceRequest kind, std::uint64_t bytes);
  /// Begins a plan. Returns whether its edit is already applied, as for a move or link.
  bool start(std::uint64_t now_ns, std::uint32_t worker, const Plan& plan);
  /// The parts of a merge that begins now.
  [[nodiscard]] MergeParts parts_of(const MergePlan& merge) const;
  /// An idle worker for a part of another's plan.
  [[nodiscard]] std::uint32_t part_worker();
  /// The worker's part is done. Returns as go_on().
  bool end_part(std::uint64_t now_ns, std::uint32_t index);
  /// Processor time of a flush or merge in so many parts. `bytes`: those read or those written,
  /// whichever is more.
  [[nodiscard]] std::uint64_t work_ns(const PlanJob& job, std::uint64_t bytes,
                                      std::uint64_t parts) const;
  /// Continues a worker. Returns whether another plan may now be possible: the edit was applied, or
  /// the worker is idle.
  bool go_on(std::uint64_t now_ns, std::uint32_t worker);
  void finish(std::uint64_t now_ns, std::uint32_t index);
  PlanOutcome apply(std::uint64_t now_ns, std::unique_ptr<PlanJob> job, bool ran_beside_others);
  /// Begins to trim the first file of to_trim_.
  void push_trim(std::uint64_t now_ns);
  /// Begins the worker's next phase that takes time, and returns when it ends. Nothing: all outputs
  /// are written, or all files are removed.
  [[nodiscard]] std::optional<std::uint64_t> advance(std::uint64_t now_ns, std::uint32_t index);
  [[nodiscard]] std::optional<std::uint64_t> transfer(std::uint64_t now_ns, std::uint32_t index,
                                                      DeviceRequest kind, std::uint64_t bytes,
                                                      Phase next);
  void note_space();
  /// Bytes that running plans have still to read and write.
  [[nodiscard]] std::uint64_t backlog_bytes() const;
  void keep(const Result<void>& outcome);

  const TimedStoreSetup setup_;
  SimulatedMachine& machine_;
  EventQueue& events_;
  const std::unique_ptr<TimedFiles> files_;
  TreeState& tree_;
  const StoreLedger& ledger_;
  const Policy& policy_;
  MergeScheduler scheduler_;
  std::uint64_t client_bytes_ = 0;    // put, or read from the device
  std::uint64_t waiting_ = 0;         // full memtables
  std::uint64_t flushing_ = 0;        // of them, those that the pending flush takes
  bool is_memtable_awaited_ = false;  // StoreLoad::is_memtable_awaited
  std::uint64_t flushed_memtables_ = 0;
  Traffic traffic_;  // since the last rotation
  PlanSchedule schedule_;
  bool has_progress_ = false;
  bool is_flush_blocked_ = false;  // the flush waits for the end of running plans
  enum class Manual { kNone, kWanted, kDone } manual_ = Manual::kNone;
  WriteController controller_;
  std::uint64_t stalling_runs_ = 0;
  std::uint64_t pending_bytes_ = 0;
  std::uint64_t behind_bytes_ = 0;
  std::vector<Worker> workers_;  // the first one flushes; the last ones have parts of plans only
  const std::uint32_t plan_workers_;  // the others
  std::vector<std::uint32_t> idle_part_workers_;
  std::uint64_t reads_ = 0;  // running lookups and scans
  // Bytes of files that readers still held when a merge removed them. A separate thread trims them
  // one after another. The event queue holds an event for the first.
  std::deque<std::uint64_t> to_trim_;
  MergeTimeSamples merge_times_;
  std::vector<JobTimes> job_times_;
  Uint128 opened_bytes_ = 0;
  std::uint64_t running_output_bytes_ = 0;  // written so far by running plans
  DiskPeaks disk_;
  std::optional<Error> error_;
};

}  // namespace lsmlab
