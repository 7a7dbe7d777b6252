// The store behind engine/store/store.h. Its parts stand in store_*.cc:
//
//   write    put -> log -> memtable; a full memtable is rotated: it waits, a new one takes over
//   plans    pick / prepare / run / commit of one plan, in both modes
//   threads  the flush thread and the merge threads of threaded mode
//   recovery open, and what a crash left
//   read     get; store_cursor: scans
//
// Exceptions (no memory, no thread): whatever may throw in the middle of a change ends in the
// store's sticky error, with the lock held that keeps others from what is half done; no exception
// leaves a thread or, but where store.h says so, a public function.
//
// Locks, in the order in which they are taken:
//   write_mutex_  writers, one at a time: log, active memtable, sequence numbers
//   mutex_        the tree and all that goes with it; not held while files are read or written, but
//                 for edits of the manifest that write no SSTable, and when a manifest is begun
//                 anew
//   view_mutex_   the pointer to the newest picture for readers
//
// Which plans run beside others says models/execution/plan_schedule.h.
#pragma once

#include <atomic>
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
#include "engine/store/live_file.h"
#include "engine/store/obsolete_files.h"
#include "engine/store/output_room.h"
#include "engine/store/store.h"
#include "models/accounting/merge_time_samples.h"
#include "models/accounting/store_ledger.h"
#include "models/execution/plan_execution.h"
#include "models/execution/plan_schedule.h"

namespace lsmlab::engine {

/// A plan on its way: what is taken from the tree under the lock, and then worked on without it.
struct PlanJob {
  struct Part {
    std::shared_ptr<LiveFile> file;
    KeyRange windows;
  };
  struct Source {
    std::vector<Part> parts;  // empty: the memtable
    bool is_slice = false;
  };
  Plan plan;
  PlanSums sums;
  std::shared_ptr<MemtableSlot> memtable;  // where the plan takes it
  std::vector<Source> sources;
  MergeJob merge;  // its sources are opened when it runs
  OutputRoom room;
  std::optional<MergeOutcome> outcome;
  std::vector<FileId> created;  // files that an error leaves behind
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
  [[nodiscard]] Result<void> settle();
  [[nodiscard]] Result<void> sync();

  // store_read.cc, store_cursor.cc
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key,
                                                       const ReadOptions& options);
  [[nodiscard]] std::unique_ptr<Cursor> scan(ScanBounds bounds, const ReadOptions& options);
  [[nodiscard]] Result<std::shared_ptr<const Snapshot>> snapshot();
  /// The picture of now. Null: there is none, as an edit ended in the middle (background_error()).
  [[nodiscard]] std::shared_ptr<const ReadView> view();
  void count_scan(const ScanFigures& figures);
  void touch(LiveFile& file) const;
  [[nodiscard]] DataBlockCache& block_cache() { return block_cache_; }
  [[nodiscard]] const KeyWindow& window() const { return window_; }

  // store.cc
  [[nodiscard]] Result<void> close();
  [[nodiscard]] Result<void> checkpoint(const std::string& directory);
  [[nodiscard]] const RecoveryReport& recovery() const { return recovery_; }
  [[nodiscard]] TreeImage tree_image();
  [[nodiscard]] Totals totals();
  [[nodiscard]] ReadFigures reads();
  [[nodiscard]] StoreStalls stalls();
  /// Of the merges so far; of very many evenly spaced ones.
  [[nodiscard]] std::vector<MergeTime> merge_times();
  [[nodiscard]] std::uint64_t file_bytes();
  [[nodiscard]] Result<void> background_error();
  /// Ends writes; the first error is kept. REQUIRES: the caller does not hold mutex_.
  void set_error(const Error& error) noexcept;
  [[nodiscard]] const std::string& directory() const { return directory_; }

  // For replays. In stepped mode tree and ledger may be looked at between operations; in threaded
  // mode in with_state() only.
  [[nodiscard]] const TreeView& tree() const { return tree_; }
  [[nodiscard]] const StoreLedger& ledger() const { return ledger_; }
  /// Calls `look` with the lock of tree and ledger held, and the ledger's sums brought up to date.
  void with_state(const std::function<void()>& look);
  /// Memtables that plans have taken.
  [[nodiscard]] std::uint64_t flushes() const { return flushes_.load(std::memory_order_acquire); }
  /// Key and value bytes of what a reader of every key would find, the memtable left out. Reads
  /// everything.
  [[nodiscard]] Result<std::uint64_t> live_bytes();
  [[nodiscard]] const StoreSetup& setup() const { return setup_; }

 private:
  StoreImpl(std::string directory, StoreSetup setup);
  [[nodiscard]] bool is_stepped() const { return setup_.mode == StoreMode::kStepped; }
  [[nodiscard]] std::string path_of(std::string_view name) const;

  // store_write.cc; REQUIRES of those with a lock: it holds write_mutex_.
  template <class Add>
  [[nodiscard]] Result<void> write_encoded(Lock& lock, const LoggedBatch& batch,
                                           std::uint64_t user_bytes, const Add& add);
  /// What `work` returns, a Result<void>; what it throws ends writes, and the log takes no more: it
  /// may hold a part of a record.
  template <class Work>
  [[nodiscard]] Result<void> guard_writes(const Work& work);
  void end_writes(const Error& error) noexcept;
  void add_entry(const EntryView& entry, Instant now);
  [[nodiscard]] Result<void> check_writable();
  /// Lets a sync end that goes on without the lock.
  void wait_for_sync(Lock& lock);
  [[nodiscard]] Result<void> rotate_memtable();
  /// A new log in wal_'s place; returns the memtable that goes with it.
  [[nodiscard]] Result<std::shared_ptr<MemtableSlot>> open_log();
  /// Rotates the memtable where it holds anything.
  [[nodiscard]] Result<void> rotate_written();
  /// All that was written by now gets into files. In threaded mode merges need not end: beside
  /// writers that might take for ever.
  [[nodiscard]] Result<void> flush_memtables();
  [[nodiscard]] Result<void> sync_log(Lock& lock, std::uint64_t logged_bytes);
  void make_room(Lock& lock, std::uint64_t batch_bytes);
  void wait_for_memtables();
  /// Until the memtables that are full now are in files.
  [[nodiscard]] Result<void> wait_for_flushes();
  /// Why merges must go on first, if they must.
  [[nodiscard]] std::optional<StallReason> merge_stop(bool fills_memtable) const;
  [[nodiscard]] std::optional<StallReason> wait_for_merges(bool fills_memtable);
  void slow_down(std::uint64_t batch_bytes);
  void count_stall(StallReason reason, std::uint64_t nanoseconds);
  // REQUIRES: the caller holds mutex_. In threaded mode:
  [[nodiscard]] StoreLoad load() const;
  void note_edit();
  void note_memtable_full();

  // store_plans.cc; REQUIRES: the lock holds mutex_.
  void begin_flush(Lock& lock);
  [[nodiscard]] Result<void> settle_stepped(Lock& lock);
  [[nodiscard]] Result<void> run_stepped(Lock& lock, const Plan& plan);
  [[nodiscard]] PlanJob prepare(const Plan& plan);
  [[nodiscard]] Result<void> run_and_commit(Lock& lock, PlanJob& job);
  /// REQUIRES: its times.
  void note_merge(const PlanJob& job, MergeTime time);
  void prepare_inputs(const MergePlan& plan, PlanJob& job);
  [[nodiscard]] Result<void> run(PlanJob& job);
  void add_sources(PlanJob& job);
  [[nodiscard]] Result<void> commit(Lock& lock, PlanJob& job);
  [[nodiscard]] Result<TreeEdit> make_edit(PlanJob& job);
  void count_slice_entries(PlanJob& job);
  [[nodiscard]] Result<void> log_edit(Lock& lock, const PlanJob& job, const TreeEdit& edit);
  void apply_edit(const PlanJob& job, const TreeEdit& edit);
  [[nodiscard]] std::shared_ptr<LiveFile> live_file(FileId id);
  void settle_files(const TreeEdit& edit, const std::vector<FileId>& dropped);
  void finish_flush(const PlanJob& job);
  /// Of files and pictures that nothing in the store needs, without the lock; what is obsolete is
  /// removed.
  void let_go(Lock& lock, PlanJob& job);
  void give_up(Lock& lock, PlanJob& job, const Error& error);
  [[nodiscard]] Result<void> start_manifest();
  [[nodiscard]] Result<std::vector<StoredEntry>> contents(FileId id);
  void bring_accesses();
  void bring_byte_counts();
  [[nodiscard]] bool should_stop() const;
  void keep_error(const Error& error) noexcept;
  void changed() noexcept;
  friend class StoreOutputs;

  // store_threads.cc
  /// Errors: the system has no thread to give; stop_threads() ends those that it gave.
  [[nodiscard]] Result<void> start_threads();
  void stop_threads();
  /// What a thread does: the loop, whose exceptions are the store's error.
  void work(void (StoreImpl::*loop)()) noexcept;
  void flush_loop();
  void merge_loop();
  /// Where nothing runs nor waits, the store is at rest. REQUIRES: the lock, held by a merge thread
  /// that has nothing to do.
  void note_rest();
  /// The next plan, reserved and prepared; nothing where there is none that could run now.
  [[nodiscard]] std::optional<PlanJob> start_plan(bool takes_pending);
  /// Waits for a change or, where nothing is on its way, does what the policy wants next. False
  /// where it wants nothing. REQUIRES: the lock holds mutex_.
  [[nodiscard]] bool wait_or_help(Lock& lock);
  [[nodiscard]] Result<void> settle_threaded(Lock& lock);

  // store_recovery.cc
  [[nodiscard]] Result<void> recover();
  [[nodiscard]] Result<void> recover_tree();
  [[nodiscard]] Result<void> check_identity(const StoreIdentity& found) const;
  [[nodiscard]] StoreIdentity identity() const;
  /// With the defaults of the policy's family.
  [[nodiscard]] StoreIdentity default_identity() const;
  /// What is lost of the logs, and whether the store opens all the same.
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
  TableCache table_cache_;
  std::unique_ptr<DirectoryLock> directory_lock_;
  RecoveryReport recovery_;
  LogSurvey logs_found_;  // while the store is opened
  bool is_closed_ = false;

  std::mutex write_mutex_;
  std::condition_variable log_synced_;
  std::unique_ptr<WalWriter> wal_;  // null: closed, and no new one could be opened
  std::string encoded_;             // of the batch at hand
  std::uint64_t logged_bytes_ = 0;  // in all logs
  std::uint64_t synced_bytes_ = 0;  // of those
  bool is_syncing_ = false;
  std::uint64_t writes_ = 0;                            // since the last rotation
  const std::shared_ptr<ArenaReserve> memory_reserve_;  // of memtables that were flushed
  std::atomic<std::uint64_t> last_sequence_{0};
  std::atomic<std::uint64_t> clock_{0};    // operations
  std::atomic<std::uint64_t> lookups_{0};  // since the last rotation
  std::atomic<std::uint64_t> user_bytes_{0};

  std::mutex mutex_;
  std::condition_variable changed_;
  TreeState tree_;
  StoreLedger ledger_;
  LiveFiles live_;
  const std::shared_ptr<ObsoleteFiles> obsolete_ = std::make_shared<ObsoleteFiles>(files_);
  std::shared_ptr<MemtableSlot> active_;               // changed with write_mutex_ held as well
  std::deque<std::shared_ptr<MemtableSlot>> waiting_;  // oldest first
  std::unique_ptr<ManifestWriter> manifest_;
  std::uint64_t next_log_number_ = 1;
  std::uint64_t next_manifest_number_ = 1;
  std::uint64_t first_log_ = 1;                       // that holds what is not in files
  bool logs_are_synced_ = false;                      // as a manifest's snapshot has it
  bool logs_have_marks_ = true;                       // likewise
  std::uint64_t filed_sequence_ = 0;                  // up to which all is in files
  std::vector<std::shared_ptr<const void>> dropped_;  // to be let go of
  PlanSchedule schedule_;
  bool is_flush_blocked_ = false;  // it waits for the end of what runs
  // Nothing runs nor waits, and a merge thread has found nothing to do since, or may not begin it.
  // Changed under the lock.
  std::atomic<bool> is_at_rest_{false};
  bool is_committing_ = false;
  bool is_recovering_ = true;
  bool is_closing_ = false;
  bool is_tree_torn_ = false;  // an exception left an edit applied in part
  std::optional<Error> error_;
  std::atomic<bool> has_error_{false};
  // What holds writers up, in threaded mode; copies that are read without the lock.
  WriteController controller_{setup_.stalls};
  std::atomic<std::uint64_t> stalling_runs_{0};
  std::atomic<std::uint64_t> pending_bytes_{0};
  std::atomic<bool> is_slowed_{false};
  std::atomic<std::uint64_t> flushes_{0};
  std::atomic<bool> are_merges_stopped_{false};
  std::vector<std::thread> threads_;

  std::mutex view_mutex_;
  std::shared_ptr<const ReadView> view_;  // null: to be made

  std::mutex figures_mutex_;
  ReadFigures reads_;
  StoreStalls stalls_;
  MergeTimeSamples merge_times_;
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
