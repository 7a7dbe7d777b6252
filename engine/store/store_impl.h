// The implementation of engine/store/store.h, in several files:
//
//   write    put -> log -> memtable; when a memtable is full, it waits and a new one replaces it
//   plans    pick, prepare, run and commit one plan, in both modes
//   threads  the flush thread and the merge threads of threaded mode
//   recovery open a store and recover what a crash left
//   read     get (point lookups); scans are in store_cursor.cc
//
// Exceptions (no memory, no thread): if an exception interrupts a change, the store keeps it as its
// sticky error, and still holds the lock that hides the incomplete change from other threads. No
// exception leaves a thread, or a public function unless store.h says so.
//
// Locks, in the order in which threads take them:
//   write_mutex_  one writer at a time: the log, the active memtable, sequence numbers
//   mutex_        the tree and everything that belongs to it. No thread holds it during file I/O,
//                 with two exceptions: manifest edits that write no SSTable, and a new manifest
//   view_mutex_   the pointer to the newest read view
//
// models/execution/plan_schedule.h decides which plans may run concurrently.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/files/caught.h"
#include "engine/logs/log_survey.h"
#include "engine/logs/manifest.h"
#include "engine/logs/wal.h"
#include "engine/memtable/arena.h"
#include "engine/merge/merge.h"
#include "engine/store/fetched_blocks.h"
#include "engine/store/live_file.h"
#include "engine/store/obsolete_files.h"
#include "engine/store/output_room.h"
#include "engine/store/store.h"
#include "models/accounting/job_times.h"
#include "models/accounting/merge_time_samples.h"
#include "models/accounting/store_ledger.h"
#include "models/execution/merge_scheduler.h"
#include "models/execution/plan_execution.h"
#include "models/execution/plan_schedule.h"

namespace lsmlab::engine {

/// A plan in progress: prepare() collects from the tree, under the lock, what run() needs without
/// it.
struct PlanJob {
  struct Part {
    std::shared_ptr<LiveFile> file;
    KeyRange windows;
  };
  struct Source {
    std::vector<Part> parts;  // empty: the memtables
    bool is_slice = false;
  };
  Plan plan;
  PlanUrgency urgency = PlanUrgency::kFlush;
  PlanSums sums;
  // Oldest first; empty: the plan does not take a memtable.
  std::vector<std::shared_ptr<MemtableSlot>> memtables;
  std::vector<Source> sources;
  MergeJob merge;     // run() opens its sources
  Bytes range_bytes;  // of its outputs' kept ranges
  OutputRoom room;
  std::optional<MergeOutcome> outcome;
  std::vector<FileId> created;  // files to remove after an error
};

class StoreImpl {
 public:
  using Lock = std::unique_lock<std::mutex>;

  static Result<std::unique_ptr<StoreImpl>> open(const std::string& directory, StoreSetup setup);
  ~StoreImpl();
  StoreImpl(const StoreImpl&) = delete;
  StoreImpl& operator=(const StoreImpl&) = delete;

  // store_write.cc
  [[nodiscard]] Result<void> put(std::string_view key, std::string_view value, bool is_tombstone);
  [[nodiscard]] Result<void> write(const WriteBatch& batch);
  [[nodiscard]] Result<void> flush();
  /// Brings everything written so far into files. In threaded mode it does not wait for merges:
  /// while others write, that could take forever.
  [[nodiscard]] Result<void> flush_memtables();
  [[nodiscard]] Result<void> settle();
  [[nodiscard]] Result<void> compact(ManualScope scope);
  [[nodiscard]] Result<void> sync();

  // store_read.cc, store_cursor.cc
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key,
                                                       const ReadOptions& options);
  [[nodiscard]] std::unique_ptr<Cursor> scan(ScanBounds bounds, const ReadOptions& options);
  [[nodiscard]] Result<std::shared_ptr<const Snapshot>> snapshot();
  /// The current read view. Null: there is none, because an edit was interrupted
  /// (background_error()).
  [[nodiscard]] std::shared_ptr<const ReadView> view();
  void count_scan(const ScanFigures& figures);
  void touch(LiveFile& file) const;
  [[nodiscard]] DataBlockCache& block_cache() { return block_cache_; }
  /// A lookup or scan fetched a block, and no filter passed it in vain
  /// (models/execution/block_cache.h).
  void note_fetch(const SstableReader& table, std::size_t block);
  [[nodiscard]] const KeyWindow& window() const { return window_; }

  // store.cc
  [[nodiscard]] Result<void> close();
  [[nodiscard]] Result<void> checkpoint(const std::string& directory);
  [[nodiscard]] const RecoveryReport& recovery() const { return recovery_; }
  [[nodiscard]] TreeImage tree_image();
  [[nodiscard]] Totals totals();
  [[nodiscard]] ReadFigures reads();
  [[nodiscard]] StoreStalls stalls();
  /// Times of the merges so far; if they are very many, an evenly spaced sample.
  [[nodiscard]] std::vector<MergeTime> merge_times();
  [[nodiscard]] std::vector<JobTimes> job_times();
  [[nodiscard]] std::uint64_t file_bytes();
  [[nodiscard]] Result<void> background_error();
  /// Ends writes. The store keeps the first error only. REQUIRES: the caller does not hold mutex_.
  void set_error(const Error& error) noexcept;
  [[nodiscard]] const std::string& directory() const { return directory_; }

  // For replays. In stepped mode the caller may read tree and ledger between operations; in
  // threaded mode only in with_state().
  [[nodiscard]] const TreeView& tree() const { return tree_; }
  [[nodiscard]] const StoreLedger& ledger() const { return ledger_; }
  /// Calls `look` while holding the lock of tree and ledger, after bringing the ledger's sums up to
  /// date.
  void with_state(const std::function<void()>& look);
  /// Number of memtables flushed so far, including those that eager merges took.
  [[nodiscard]] std::uint64_t flushes() const { return flushes_.load(std::memory_order_acquire); }
  /// Key and value bytes of all live entries in files, without the memtables. Reads every file.
  [[nodiscard]] Result<std::uint64_t> live_bytes();
  /// Key and value bytes of all live keys, as the client counts them, for the ledger.
  void note_live_bytes(std::uint64_t bytes) {
    noted_live_bytes_.store(bytes, std::memory_order_relaxed);
  }
  [[nodiscard]] const StoreSetup& setup() const { return setup_; }

 private:
  StoreImpl(std::string directory, StoreSetup setup);
  [[nodiscard]] bool is_stepped() const { return setup_.mode == StoreMode::kStepped; }
  /// Nanoseconds since the store was made; nothing in stepped mode.
  [[nodiscard]] std::optional<std::uint64_t> clock_ns() const {
    if (is_stepped()) return std::nullopt;
    const auto since = std::chrono::steady_clock::now() - made_at_;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  }
  [[nodiscard]] std::string path_of(std::string_view name) const;

  // store_write.cc. REQUIRES, for functions with a Lock parameter: the lock holds write_mutex_.
  template <class Add>
  [[nodiscard]] Result<void> write_encoded(Lock& lock, const LoggedBatch& batch,
                                           std::uint64_t user_bytes, const Add& add);
  /// Returns the Result<void> of `work`. If `work` throws, writes end, and the log accepts no more
  /// records because it may hold an incomplete one.
  template <class Work>
  [[nodiscard]] Result<void> guard_writes(const Work& work);
  void end_writes(const Error& error) noexcept;
  void add_entry(const EntryView& entry, Instant now);
  [[nodiscard]] Result<void> check_writable();
  /// Waits for the sync that runs without the lock, if there is one.
  void wait_for_sync(Lock& lock);
  /// Whether no further batch goes into the memtable.
  [[nodiscard]] bool is_memtable_full() const {
    return active_->table.is_full() &&
           active_->table.writes() % setup_.policy.store.write_batch == 0;
  }
  [[nodiscard]] Result<void> rotate_memtable();
  /// Replaces wal_ by a new log; returns the memtable that belongs to it.
  [[nodiscard]] Result<std::shared_ptr<MemtableSlot>> open_log();
  /// Rotates the memtable if it holds any entry.
  [[nodiscard]] Result<void> rotate_written();
  [[nodiscard]] Result<void> sync_log(Lock& lock, std::uint64_t logged_bytes);
  void make_room(Lock& lock, std::uint64_t batch_bytes);
  void wait_for_memtables();
  /// Whether the active memtable is nearly full.
  [[nodiscard]] bool fills_memtable(std::uint64_t batch_bytes) const;
  /// Waits until the memtables that are full now are in files.
  [[nodiscard]] Result<void> wait_for_flushes();
  /// The reason why a write must wait for merges; nullopt if it need not.
  [[nodiscard]] std::optional<StallReason> merge_stop(bool fills_memtable) const;
  [[nodiscard]] std::optional<StallReason> wait_for_merges(bool fills_memtable);
  void slow_down(std::uint64_t batch_bytes);
  void count_stall(StallReason reason, std::uint64_t nanoseconds);
  // REQUIRES: the caller holds mutex_. In threaded mode:
  [[nodiscard]] StoreLoad load() const;
  void note_edit();
  void note_memtable_full();

  // store_plans.cc. REQUIRES: the lock holds mutex_.
  void begin_flush(Lock& lock);
  [[nodiscard]] Result<void> settle_stepped(Lock& lock);
  [[nodiscard]] Result<void> run_stepped(Lock& lock, const Plan& plan);
  [[nodiscard]] PlanJob prepare(const Plan& plan);
  [[nodiscard]] Result<void> run_and_commit(Lock& lock, PlanJob& job);
  /// REQUIRES: `time` has the merge's times; this adds its bytes.
  void note_times(const PlanJob& job, MergeTime time);
  void prepare_drop(const DropPlan& plan, PlanJob& job);
  void note_dropped_tombstones(PlanJob& job);
  void prepare_inputs(const MergePlan& plan, PlanJob& job);
  [[nodiscard]] Result<void> run(PlanJob& job);
  void add_sources(PlanJob& job);
  [[nodiscard]] Result<void> commit(Lock& lock, PlanJob& job);
  [[nodiscard]] Result<TreeEdit> make_edit(PlanJob& job);
  void count_slice_entries(PlanJob& job);
  [[nodiscard]] Result<void> log_edit(Lock& lock, const PlanJob& job, const TreeEdit& edit);
  void apply_edit(const PlanJob& job, const TreeEdit& edit);
  [[nodiscard]] std::shared_ptr<LiveFile> live_file(const File& file);
  void settle_files(const TreeEdit& edit, const std::vector<FileId>& dropped);
  void finish_flush(const PlanJob& job);
  /// Without the lock, releases files and read views that the store no longer needs; obsolete files
  /// are removed.
  void let_go(Lock& lock, PlanJob& job);
  void give_up(Lock& lock, PlanJob& job, const Error& error);
  [[nodiscard]] Result<void> start_manifest();
  [[nodiscard]] Result<std::vector<StoredEntry>> contents(FileId id);
  void bring_accesses();
  /// Counts the cached blocks of copies, if the policy is about to look at them.
  void look_at_copies();
  void bring_byte_counts();
  [[nodiscard]] bool should_stop() const;
  void keep_error(const Error& error) noexcept;
  void changed() noexcept;
  friend class StoreOutputs;

  // store_threads.cc
  /// Errors: the system cannot start a thread; stop_threads() then ends those that were started.
  [[nodiscard]] Result<void> start_threads();
  void stop_threads();
  /// Runs `loop` in a thread; an exception becomes the store's error.
  void work(void (StoreImpl::*loop)()) noexcept;
  void flush_loop();
  void merge_loop();
  /// If the policy's system schedules merges: the thread that runs plans of level 0 only, and the
  /// one that measures what clients transfer.
  void level0_loop();
  void look_loop();
  /// Notes whether level 0 waits for running plans. REQUIRES: the lock is held.
  void note_level0_waits();
  /// A plan is about to write so many bytes: waits until it may.
  void pace(PlanUrgency urgency, std::uint64_t bytes);
  /// Records that the store is at rest if no plan runs or waits. REQUIRES: a merge thread that has
  /// nothing to do holds the lock.
  void note_rest();
  /// Whether the stall rules let another merge thread begin a plan.
  [[nodiscard]] bool may_merge() const;
  /// The next plan, reserved and prepared; nullopt if no plan can run now.
  [[nodiscard]] std::optional<PlanJob> start_plan(PlanWish wish);
  /// Executes a plan in a merge thread.
  void run_merge_job(Lock& lock, PlanJob& job);
  /// Waits for a change. If no plan runs, the caller executes the policy's next plan itself. False
  /// if the policy wants nothing. REQUIRES: the lock holds mutex_.
  [[nodiscard]] bool wait_or_help(Lock& lock);
  [[nodiscard]] Result<void> settle_threaded(Lock& lock);
  [[nodiscard]] PlanWish merge_wish() const {
    if (is_manual_wanted_) return PlanWish::kManual;
    return scheduler_.may_begin_deeper() ? PlanWish::kOther : PlanWish::kLevel0;
  }

  // store_recovery.cc
  [[nodiscard]] Result<void> recover();
  [[nodiscard]] Result<void> recover_tree();
  [[nodiscard]] Result<void> check_identity(const StoreIdentity& found) const;
  [[nodiscard]] StoreIdentity identity() const;
  /// The identity of a store with the default options of the policy's family.
  [[nodiscard]] StoreIdentity default_identity() const;
  /// Finds what the logs lost. Errors: the recovery mode does not allow that loss.
  void load_kept_ranges();
  [[nodiscard]] Result<void> survey(const RecoveredManifest& found,
                                    const std::vector<std::string>& names);
  [[nodiscard]] Result<void> set_logs_aside();
  [[nodiscard]] Result<void> keep_log(const std::string& path, const std::string& kept);
  [[nodiscard]] Result<void> recover_logs();
  [[nodiscard]] Result<void> recover_batch(const LoggedBatch& batch);
  [[nodiscard]] Result<void> flush_recovered();
  [[nodiscard]] Result<void> check_dropped_edit(const RecoveredManifest& found,
                                                const std::vector<std::string>& names) const;
  [[nodiscard]] Result<void> sweep();

  // store_read.cc
  void charge_seek(const ReadView& view, const FileLocation& at);

  const std::string directory_;
  const StoreSetup setup_;
  FileSystem& files_;
  const Policy& policy_;
  const KeyWindow window_;
  DataBlockCache block_cache_;
  std::optional<FetchedBlocks> fetched_blocks_;  // if the policy leaves copies
  TableCache table_cache_;
  std::unique_ptr<DirectoryLock> directory_lock_;
  RecoveryReport recovery_;
  LogSurvey logs_found_;  // while the store is opened
  bool is_closed_ = false;

  const std::chrono::steady_clock::time_point made_at_ = std::chrono::steady_clock::now();

  std::mutex whole_mutex_;  // one manual compaction at a time; taken before all others
  std::mutex write_mutex_;
  std::condition_variable log_synced_;
  std::unique_ptr<WalWriter> wal_;  // null: the old log is closed, and opening a new one failed
  std::string encoded_;             // the batch being written
  std::uint64_t logged_bytes_ = 0;  // written to all logs
  std::uint64_t synced_bytes_ = 0;  // of those, the durable ones
  bool is_syncing_ = false;
  std::uint64_t writes_ = 0;                            // since the last rotation
  const std::shared_ptr<ArenaReserve> memory_reserve_;  // memory of flushed memtables
  std::atomic<std::uint64_t> last_sequence_{0};
  std::atomic<std::uint64_t> clock_{0};    // operations
  std::atomic<std::uint64_t> lookups_{0};  // since the last rotation, scans included
  std::atomic<std::uint64_t> scans_{0};    // since the last rotation
  std::atomic<std::uint64_t> user_bytes_{0};
  std::atomic<std::uint64_t> read_bytes_{0};  // blocks that lookups and scans read from files
  std::atomic<std::uint64_t> noted_live_bytes_{0};

  std::mutex mutex_;
  std::condition_variable changed_;
  TreeState tree_;
  StoreLedger ledger_;
  LiveFiles live_;
  const std::shared_ptr<TouchedFiles> touched_ = std::make_shared<TouchedFiles>();
  std::vector<FileId> touched_ids_;  // kept for its memory
  const std::shared_ptr<ObsoleteFiles> obsolete_ = std::make_shared<ObsoleteFiles>(files_);
  std::shared_ptr<MemtableSlot> active_;               // changed with write_mutex_ held as well
  std::deque<std::shared_ptr<MemtableSlot>> waiting_;  // full memtables, oldest first
  // Of the pending flush: the first of waiting_, and what it will write.
  std::vector<std::shared_ptr<MemtableSlot>> flushing_;
  MemtableSummary flushing_summary_;
  bool is_memtable_awaited_ = false;  // StoreLoad::is_memtable_awaited
  std::unique_ptr<ManifestWriter> manifest_;
  std::uint64_t next_log_number_ = 1;
  std::uint64_t next_manifest_number_ = 1;
  std::uint64_t first_log_ = 1;       // the first log with entries that are not in files
  bool logs_are_synced_ = false;      // value for a manifest's snapshot
  bool logs_have_marks_ = true;       // likewise
  std::uint64_t filed_sequence_ = 0;  // all writes up to this one are in files
  std::vector<std::shared_ptr<const void>> dropped_;  // let_go() releases these
  PlanSchedule schedule_;
  bool is_flush_blocked_ = false;  // the flush waits until running plans end
  bool is_manual_wanted_ = false;  // a manual compaction takes the place of the policy's merges
  // No plan runs or waits, and since then a merge thread has found nothing to do or may not begin.
  // Changed under the lock.
  std::atomic<bool> is_at_rest_{false};
  bool is_committing_ = false;
  bool is_recovering_ = true;
  bool is_closing_ = false;
  bool is_tree_torn_ = false;  // an exception interrupted the applying of an edit
  std::optional<Error> error_;
  std::atomic<bool> has_error_{false};
  // Threaded mode: what stalls writers. Writers read these copies without the lock.
  WriteController controller_{setup_.stalls};
  std::uint64_t merges_running_ = 0;  // in merge threads
  std::uint64_t level0_plans_running_ = 0;
  MergeScheduler scheduler_;
  std::atomic<std::uint64_t> stalling_runs_{0};
  std::atomic<std::uint64_t> pending_bytes_{0};
  std::atomic<std::uint64_t> behind_bytes_{0};
  std::atomic<bool> is_slowed_{false};
  std::atomic<std::uint64_t> flushes_{0};
  std::atomic<bool> are_merges_stopped_{false};
  std::vector<std::thread> threads_;

  std::mutex view_mutex_;
  std::shared_ptr<const ReadView> view_;  // null: view() makes a new one

  std::mutex figures_mutex_;
  ReadFigures reads_;
  StoreStalls stalls_;
  MergeTimeSamples merge_times_;
  std::vector<JobTimes> job_times_;
};

template <class Work>
Result<void> StoreImpl::guard_writes(const Work& work) {
  try {
    return work();
  } catch (...) {
    const Error error = caught_error(directory_);
    end_writes(error);
    return error;
  }
}

}  // namespace lsmlab::engine
