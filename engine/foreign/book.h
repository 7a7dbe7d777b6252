// The books of a store that is not ours: the jobs that it tells of, entered in a tree of our own,
// so that figures, curves and plan log come out as they do for ours.
//
// Files get ids in the order in which they come up, as ours do, so that logs can be compared. The
// tree refuses a job that does not fit it: then something was missed, and the run ends in an error.
//
// Threading: entries may come from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/accounting/run_recorder.h"
#include "models/accounting/store_ledger.h"
#include "models/tree/tree.h"

namespace lsmlab::engine {

struct ForeignFile {
  std::uint64_t number = 0;  // the store's own
  std::uint32_t level = 0;
  std::uint64_t bytes = 0;
  KeyRange keys;
  std::uint64_t entries = 0;
  std::uint64_t tombstones = 0;
  std::uint64_t key_bytes = 0;  // of all keys and values
  std::uint64_t value_bytes = 0;
};

class ForeignBook final : public MeteredStore {
 public:
  explicit ForeignBook(PlanLogSink log) : ledger_(std::move(log)) {}

  /// A flush wrote a file, or, where all that it took was overwritten or is not there, none.
  void flushed(const std::optional<ForeignFile>& file);
  /// Inputs by their numbers.
  void merged(PlanReason reason, const std::vector<std::uint64_t>& inputs,
              const std::vector<ForeignFile>& outputs, std::uint32_t output_level);
  void moved(PlanReason reason, const std::vector<std::uint64_t>& inputs,
             std::uint32_t output_level);
  /// A put or delete of so many bytes, or, with 0, a read: what the tree's clock counts.
  void add_operation(std::uint64_t bytes) {
    user_bytes_ += bytes;
    operations_.fetch_add(1, std::memory_order_relaxed);
  }
  /// What went wrong, in the books or elsewhere; the first stays.
  void fail(const Error& error);
  [[nodiscard]] Result<void> state() const;

  [[nodiscard]] bool knows(std::uint64_t number) const;
  /// Waits until the files are known: a flush may be told after what was done with its file. Gives
  /// up after some seconds.
  void wait_for(const std::vector<std::uint64_t>& numbers);
  void with_state(const std::function<void()>& look);
  [[nodiscard]] std::uint64_t flushes() const { return flushes_.load(std::memory_order_acquire); }
  /// Bytes of what a reader of everything finds; set at the end, when nothing runs.
  void set_live_bytes(std::uint64_t bytes) { live_bytes_ = bytes; }
  void set_wal_and_manifest(std::uint64_t wal_bytes, std::uint64_t manifest_bytes);

  // Within with_state() only.
  [[nodiscard]] const TreeView& tree() const override { return tree_; }
  [[nodiscard]] const StoreLedger& ledger() const override { return ledger_; }
  [[nodiscard]] ReadFigures reads() const override { return {}; }
  [[nodiscard]] Result<std::uint64_t> live_bytes() override { return live_bytes_; }

 private:
  [[nodiscard]] Result<std::vector<PlanInput>> inputs_of(const std::vector<std::uint64_t>& numbers);
  [[nodiscard]] OutputTarget target_of(std::uint32_t level) const;
  [[nodiscard]] File adopt(const ForeignFile& file, FlushSpan flushes,
                           std::optional<Instant> oldest_tombstone);
  [[nodiscard]] Result<void> enter(const Plan& plan, TreeEdit edit, const PlanSums& sums);
  /// Keeps what an entry came to, and lets those who wait for it look.
  template <class Enter>
  void note(const Enter& enter);
  [[nodiscard]] Result<void> enter_flush(const std::optional<ForeignFile>& file);
  [[nodiscard]] Result<void> enter_merge(PlanReason reason,
                                         const std::vector<std::uint64_t>& inputs,
                                         const std::vector<ForeignFile>& outputs,
                                         std::uint32_t output_level);
  [[nodiscard]] Result<void> enter_move(PlanReason reason, const std::vector<std::uint64_t>& inputs,
                                        std::uint32_t output_level);

  mutable std::mutex mutex_;
  std::condition_variable entered_;
  TreeState tree_;
  StoreLedger ledger_;
  std::unordered_map<std::uint64_t, FileId> ids_;  // by number; asked, never walked
  std::uint64_t user_bytes_ = 0;                   // of the client's thread
  std::atomic<std::uint64_t> operations_{0};
  std::atomic<std::uint64_t> flushes_{0};
  std::uint64_t live_bytes_ = 0;
  std::optional<Error> error_;
};

}  // namespace lsmlab::engine
