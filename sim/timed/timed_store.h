// A simulated store with a clock: a flush worker and merge workers do what the policy wants beside
// the clients, as the engine's threads do in threaded mode (models/execution/plan_schedule.h has
// the rules of both). A worker reads a piece of its inputs, merges it, writes it, and goes on to
// the next:
//
//   read (device) -> merge (processor) -> write (device) -> ... -> the edit is applied
//
// Moves and links take no time. Not thread safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/accounting/merge_time_samples.h"
#include "models/execution/merge_debt.h"
#include "models/execution/plan_schedule.h"
#include "models/execution/write_stall.h"
#include "models/machine/simulated_machine.h"
#include "sim/keys/key_tree.h"
#include "sim/timed/event_queue.h"

namespace lsmlab {

struct TimedStoreSetup {
  StallRules stalls;
  bool sync_files = false;   // an SSTable is durable before its edit counts
  bool sync_writes = false;  // logs are on the device's flash; otherwise they stay in memory
};

class TimedStore {
 public:
  /// The machine's first worker flushes, the others merge. `log` may be empty. Policy, machine and
  /// queue must outlive the store.
  TimedStore(const ConfiguredPolicy& policy, const TimedStoreSetup& setup, const PlanLogSink& log,
             SimulatedMachine& machine, EventQueue& events);

  /// Why a write of such sizes may not begin now, if so.
  [[nodiscard]] std::optional<StallReason> stop_of(std::uint32_t key_bytes,
                                                   std::uint32_t value_bytes) const;
  /// Such a write begins to wait.
  void note_stop(StallReason reason) {
    if (reason == StallReason::kFullMemtables) controller_.on_full_memtables();
  }
  /// For how long a write that may begin is held up; 0: not at all.
  [[nodiscard]] std::uint64_t slowdown_ns(std::uint64_t now_ns, std::uint32_t key_bytes,
                                          std::uint32_t value_bytes);
  /// What slows writes, if anything, and how often who is held up looks.
  [[nodiscard]] const WriteController& controller() const { return controller_; }
  /// Puts or deletes a key. A memtable that is then full waits for the flush worker. Errors: as
  /// KeyTree::accept().
  [[nodiscard]] Result<void> write(std::uint64_t now_ns, std::uint64_t key, std::uint32_t key_bytes,
                                   std::uint32_t value_bytes, bool is_tombstone);
  [[nodiscard]] KeyReader::Lookup get(std::uint64_t now_ns, std::uint64_t key);
  /// What the scan cost.
  [[nodiscard]] ScanFigures scan(const ScanRange& range);
  /// What goes first is not done yet, as flush() should find it.
  [[nodiscard]] bool holds_flush() const { return setup_.stalls.merges_first && !is_idle(); }
  /// The memtable waits to be flushed, full or not; nothing to do where it is empty.
  void flush(std::uint64_t now_ns);

  /// An event of a worker.
  void on_worker(std::uint64_t now_ns, std::uint32_t worker);
  /// A file that a reader let go of is trimmed.
  void on_trim(std::uint64_t now_ns);
  /// Whether a worker's event is the end of what it does, and not when its next request may begin.
  [[nodiscard]] bool is_at_work(std::uint32_t worker) const {
    return !workers_[worker].is_slot_taken;
  }
  /// A lookup or scan begins, and ends: meanwhile it holds the files that there are.
  void begin_read() { ++reads_; }
  void end_read() { --reads_; }

  /// Whether a plan was finished since this was asked last, so that a writer that waits may go on.
  [[nodiscard]] bool take_progress() { return std::exchange(has_progress_, false); }

  /// Operations so far: what the policies' clock shows.
  void advance_operations(std::uint64_t operations) {
    files_.state().advance_now(Instant(operations));
  }
  [[nodiscard]] MeteredStore& metered() { return files_; }
  [[nodiscard]] const StoreLedger& ledger() const { return files_.ledger(); }
  /// Of the one that is written to; they count from 0.
  [[nodiscard]] std::uint64_t memtable() const { return flushed_memtables_ + waiting_.size(); }
  /// As many of the first are in files, and their logs removed.
  [[nodiscard]] std::uint64_t flushed_memtables() const { return flushed_memtables_; }
  /// Nothing runs and nothing waits.
  [[nodiscard]] bool is_idle() const { return schedule_.running() == 0 && waiting_.empty(); }
  /// Nor is a file still to be removed.
  [[nodiscard]] bool is_settled() const { return is_idle() && to_trim_.empty(); }
  [[nodiscard]] const std::vector<MergeTime>& merge_times() const { return merge_times_.times(); }
  /// Of files that were written, to have them open.
  [[nodiscard]] Uint128 opened_bytes() const { return opened_bytes_; }
  /// Largest total of files, outputs of running plans as far as written included.
  [[nodiscard]] std::uint64_t peak_file_bytes() const { return peak_file_bytes_; }
  /// What failed, if anything: the flash drive is full.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  /// The store's part of a moment.
  void describe(std::uint64_t now_ns, TimePoint& point) const;
  /// What is owed beside the plans that run, if it is no more than so many plans.
  [[nodiscard]] MergeDebt merge_debt(std::uint64_t plans_max) const;

 private:
  // Of each file that was written: its end, the file system's work, and that it is opened, so that
  // no lookup waits for it. Once the edit counts, files that it removes are trimmed.
  enum class Phase { kRead, kMerge, kWrite, kEnd, kWriteFileEnd, kMakeFile, kOpenFile, kRemove };
  struct Worker {
    std::optional<Plan> plan;   // it is busy with
    std::optional<KeyJob> job;  // until the edit counts
    Phase phase = Phase::kRead;
    std::uint64_t step = 0;
    std::uint64_t steps = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;         // file_ends included
    std::vector<std::uint64_t> file_ends;  // bytes of each, the last file first
    std::uint64_t file_ends_bytes = 0;     // of all of them
    std::vector<std::uint64_t> trims;      // bytes of each file that is still to be removed
    std::uint64_t cpu_ns = 0;
    std::uint64_t begin_ns = 0;
    std::uint64_t operations_before = 0;
    bool is_synced = false;
    bool is_slot_taken = false;  // of the device's limit on background work
  };

  /// What the stalls' rules look at; runs and bytes are those of the last edit.
  [[nodiscard]] StoreLoad load() const {
    return {waiting_.size(), stalling_runs_, pending_bytes_, !is_idle()};
  }
  [[nodiscard]] bool fills_memtable(std::uint32_t key_bytes, std::uint32_t value_bytes) const;
  void rotate(std::uint64_t now_ns);
  /// Hands out what idle workers may do now.
  void dispatch(std::uint64_t now_ns);
  /// Returns whether its edit already counts, as a move's or a link's.
  bool start(std::uint64_t now_ns, std::uint32_t worker, const Plan& plan);
  /// Of a flush or merge that reads or writes so much, whatever is more.
  [[nodiscard]] std::uint64_t work_ns(const KeyJob& job, std::uint64_t bytes) const;
  /// A worker's next step. Returns whether something may begin now: the edit counts, or the worker
  /// is done.
  bool go_on(std::uint64_t now_ns, std::uint32_t worker);
  void finish(std::uint64_t now_ns, std::uint32_t index);
  KeyTree::Outcome apply(KeyJob job, bool ran_beside_others);
  /// The first of to_trim_ goes to the device.
  void push_trim(std::uint64_t now_ns);
  /// The oldest that waits is in files.
  void drop_memtable();
  /// The worker's next phase that takes time; returns when it is over, or nothing where all is
  /// written, and where all is removed.
  [[nodiscard]] std::optional<std::uint64_t> advance(std::uint64_t now_ns, std::uint32_t index);
  [[nodiscard]] std::optional<std::uint64_t> transfer(std::uint64_t now_ns, std::uint32_t index,
                                                      DeviceRequest kind, std::uint64_t bytes,
                                                      Phase next);
  void note_space();
  /// That running plans have still to read and write.
  [[nodiscard]] std::uint64_t backlog_bytes() const;
  void keep(const Result<void>& outcome);

  const TimedStoreSetup setup_;
  SimulatedMachine& machine_;
  EventQueue& events_;
  std::vector<KeyMemtable*> memtables_;  // newest first; the first is written to
  KeyTree files_;
  struct Waiting {
    std::unique_ptr<KeyMemtable> memtable;
    Traffic traffic;
  };
  std::unique_ptr<KeyMemtable> active_;
  std::deque<Waiting> waiting_;  // full ones, oldest first
  std::uint64_t flushed_memtables_ = 0;
  std::vector<std::unique_ptr<KeyMemtable>> spare_;
  Traffic traffic_;  // since the last rotation
  PlanSchedule schedule_;
  bool has_progress_ = false;
  bool is_flush_blocked_ = false;  // it waits for the end of what runs
  WriteController controller_;
  std::uint64_t stalling_runs_ = 0;
  std::uint64_t pending_bytes_ = 0;
  std::vector<Worker> workers_;  // the first flushes
  std::uint64_t reads_ = 0;      // under way
  // Bytes of files that readers held when a merge had done with them: a thread of its own removes
  // them, one after another. An event is under way for the first.
  std::deque<std::uint64_t> to_trim_;
  MergeTimeSamples merge_times_;
  Uint128 opened_bytes_ = 0;
  std::uint64_t running_output_bytes_ = 0;  // written by plans that run
  std::uint64_t peak_file_bytes_ = 0;
  std::optional<Error> error_;
};

}  // namespace lsmlab
