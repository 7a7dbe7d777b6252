// A simulated store with a clock: a flush worker and merge workers do what the policy wants beside
// the clients, as the engine's threads do in threaded mode (models/plan_schedule.h has the rules of
// both). A worker reads a piece of its inputs, merges it, writes it, and goes on to the next:
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

#include "models/merge_time_samples.h"
#include "models/plan_schedule.h"
#include "models/write_stall.h"
#include "sim/cpu_share.h"
#include "sim/device_server.h"
#include "sim/event_queue.h"
#include "sim/flash_wear.h"
#include "sim/key_tree.h"

namespace lsmlab {

struct TimedStoreSetup {
  DeviceModel device;
  StallRules stalls;
  unsigned merge_threads = 1;
  bool sync_files = false;  // an SSTable is durable before its edit counts
};

/// Who waits for an event of the queue that the store and its clients share.
enum class TimedEvent : std::uint32_t { kWorker, kClient, kSync, kSample };

class TimedStore {
 public:
  /// `log` may be empty. Policy and queue must outlive the store.
  TimedStore(const ConfiguredPolicy& policy, const TimedStoreSetup& setup, const PlanLogSink& log,
             EventQueue& events);

  /// Why a write of so many bytes may not begin now, if so.
  [[nodiscard]] std::optional<StallReason> stop_of(std::uint64_t write_bytes) const;
  /// How long a write that may begin is slowed down; 0: not at all.
  [[nodiscard]] std::uint64_t slowdown_ns(std::uint64_t write_bytes);
  /// Puts or deletes a key. A memtable that is then full waits for the flush worker. Errors: as
  /// KeyTree::accept().
  [[nodiscard]] Result<void> write(std::uint64_t now_ns, std::uint64_t key, std::uint32_t key_bytes,
                                   std::uint32_t value_bytes, bool is_tombstone);
  [[nodiscard]] KeyReader::Lookup get(std::uint64_t now_ns, std::uint64_t key);
  /// What the scan cost.
  [[nodiscard]] ScanFigures scan(const ScanRange& range);
  /// The memtable waits to be flushed, full or not; nothing to do where it is empty.
  void flush(std::uint64_t now_ns);

  /// An event of a worker.
  void on_worker(std::uint64_t now_ns, std::uint32_t worker);

  /// Whether a plan was finished since this was asked last, so that a writer that waits may go on.
  [[nodiscard]] bool take_progress() { return std::exchange(has_progress_, false); }

  /// Operations so far: what the policies' clock shows.
  void advance_operations(std::uint64_t operations) {
    files_.state().advance_now(Instant(operations));
  }
  [[nodiscard]] MeteredStore& metered() { return files_; }
  [[nodiscard]] const StoreLedger& ledger() const { return files_.ledger(); }
  [[nodiscard]] DeviceServer& device() { return device_; }
  [[nodiscard]] const DeviceFigures& device_figures() const { return device_.figures(); }
  [[nodiscard]] CpuShare& cpu() { return cpu_; }
  [[nodiscard]] const CpuModel& cpu_model() const { return setup_.device.cpu; }
  /// Nothing runs and nothing waits.
  [[nodiscard]] bool is_idle() const { return schedule_.running() == 0 && waiting_.empty(); }
  [[nodiscard]] const std::vector<MergeTime>& merge_times() const { return merge_times_.times(); }
  /// Of files that were written, to have them open.
  [[nodiscard]] Uint128 opened_bytes() const { return opened_bytes_; }
  /// Largest total of files, outputs of running plans as far as written included.
  [[nodiscard]] std::uint64_t peak_file_bytes() const { return peak_file_bytes_; }
  /// What failed, if anything: the flash drive is full.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  /// Nothing where no flash is modelled.
  [[nodiscard]] std::optional<FlashFigures> flash(std::uint64_t nanoseconds) const;
  /// The store's part of a moment.
  void describe(std::uint64_t now_ns, TimePoint& point) const;

 private:
  // The last three are of each file that was written: its end, the file system's work, and that it
  // is opened, so that no lookup waits for it.
  enum class Phase { kRead, kMerge, kWrite, kEnd, kWriteFileEnd, kMakeFile, kOpenFile };
  struct Worker {
    std::optional<KeyJob> job;
    Phase phase = Phase::kRead;
    std::uint64_t step = 0;
    std::uint64_t steps = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;         // file_ends included
    std::vector<std::uint64_t> file_ends;  // bytes of each, the last file first
    std::uint64_t file_ends_bytes = 0;     // of all of them
    std::uint64_t cpu_ns = 0;
    std::uint64_t begin_ns = 0;
    bool is_synced = false;
    bool is_slot_taken = false;          // of the device's limit on background work
    std::optional<CpuShare::Work> work;  // on the processor
  };

  [[nodiscard]] std::uint64_t level0_runs() const;
  void rotate(std::uint64_t now_ns);
  /// Hands out what idle workers may do now.
  void dispatch(std::uint64_t now_ns);
  /// Returns whether it is already done: a move or a link.
  bool start(std::uint64_t now_ns, std::uint32_t worker, const Plan& plan);
  void finish(std::uint64_t now_ns, Worker& worker);
  void apply(KeyJob job, bool ran_beside_others);
  /// The worker's next phase that takes time; returns when it is over, or nothing where the plan is
  /// done.
  [[nodiscard]] std::optional<std::uint64_t> advance(std::uint64_t now_ns, std::uint32_t index);
  [[nodiscard]] std::optional<std::uint64_t> transfer(std::uint64_t now_ns, std::uint32_t index,
                                                      DeviceRequest kind, std::uint64_t bytes,
                                                      Phase next);
  [[nodiscard]] std::uint64_t begin_work(std::uint64_t now_ns, Worker& worker,
                                         std::uint64_t work_ns);
  void note_space();
  void keep(const Result<void>& outcome);

  const TimedStoreSetup setup_;
  const bool has_level0_;
  EventQueue& events_;
  DeviceServer device_;
  CpuShare cpu_;
  std::vector<KeyMemtable*> memtables_;  // newest first; the first is written to
  KeyTree files_;
  struct Waiting {
    std::unique_ptr<KeyMemtable> memtable;
    Traffic traffic;
  };
  std::unique_ptr<KeyMemtable> active_;
  std::deque<Waiting> waiting_;  // full ones, oldest first
  std::vector<std::unique_ptr<KeyMemtable>> spare_;
  Traffic traffic_;  // since the last rotation
  PlanSchedule schedule_;
  bool has_progress_ = false;
  bool is_flush_blocked_ = false;  // it waits for the end of what runs
  WriteSlowdown slowdown_;
  std::vector<Worker> workers_;  // the first flushes
  MergeTimeSamples merge_times_;
  Uint128 opened_bytes_ = 0;
  std::uint64_t running_output_bytes_ = 0;  // written by plans that run
  std::uint64_t peak_file_bytes_ = 0;
  std::optional<FlashWearMeter> flash_;
  std::optional<Error> error_;
};

}  // namespace lsmlab
