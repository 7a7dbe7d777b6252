// The ledger of RocksDB or LevelDB. The store reports each finished job (flush, merge, move), and
// the ledger applies it to a tree of lsmlab's own. So figures, curves and plan log have the same
// definitions as those of lsmlab's engine.
//
// Files get ids in the order in which they are reported, as in lsmlab's engine, so that plan logs
// can be compared. The tree refuses a job that does not fit it. Then a job was missed, and the run
// ends with an error.
//
// Threading: any thread may report jobs.
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
  std::uint64_t number = 0;  // the store's own number
  std::uint32_t level = 0;
  std::uint64_t bytes = 0;
  KeyRange keys;
  std::uint64_t entries = 0;
  std::uint64_t tombstones = 0;
  std::uint64_t key_bytes = 0;  // all keys; value_bytes: all values
  std::uint64_t value_bytes = 0;
  SequenceSpan sequences = {};  // of a flush's entries; {0, 0}: not known
};

class ForeignLedger final : public MeteredStore {
 public:
  explicit ForeignLedger(PlanLogSink log) : ledger_(std::move(log)) {}

  /// A flush wrote a file; none if all of its entries were overwritten or dropped.
  void flushed(const std::optional<ForeignFile>& file);
  /// A merge read `inputs` (the store's file numbers) and wrote `outputs`.
  void merged(PlanReason reason, const std::vector<std::uint64_t>& inputs,
              const std::vector<ForeignFile>& outputs, std::uint32_t output_level);
  /// A move changed the level of `inputs`.
  void moved(PlanReason reason, const std::vector<std::uint64_t>& inputs,
             std::uint32_t output_level);
  /// `inputs` were removed without a merge.
  void dropped(PlanReason reason, const std::vector<std::uint64_t>& inputs);
  /// A put or delete of `bytes` bytes, or a read (0). The tree's clock counts these operations.
  void add_operation(std::uint64_t bytes) {
    user_bytes_ += bytes;
    operations_.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t operations() const {
    return operations_.load(std::memory_order_relaxed);
  }
  /// Keeps an error of the ledger or the store; the first one stays.
  void fail(const Error& error);
  [[nodiscard]] Result<void> state() const;

  [[nodiscard]] bool knows(std::uint64_t number) const;
  /// Waits until the files are known, because a store may report a flush after a merge of its file.
  /// Gives up after 10 seconds.
  void wait_for(const std::vector<std::uint64_t>& numbers);
  void with_state(const std::function<void()>& look);
  [[nodiscard]] std::uint64_t flushes() const { return flushes_.load(std::memory_order_acquire); }
  /// Key and value bytes of all live entries; set at the end, when no job runs.
  void set_live_bytes(std::uint64_t bytes) { live_bytes_ = bytes; }
  void set_wal_and_manifest(std::uint64_t wal_bytes, std::uint64_t manifest_bytes);

  // REQUIRES: called within with_state().
  [[nodiscard]] const TreeView& tree() const override { return tree_; }
  [[nodiscard]] const StoreLedger& ledger() const override { return ledger_; }
  [[nodiscard]] ReadFigures reads() const override { return {}; }
  [[nodiscard]] Result<std::uint64_t> live_bytes() override { return live_bytes_; }
  void note_live_bytes(std::uint64_t bytes) override {
    noted_live_bytes_.store(bytes, std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] Result<std::vector<PlanInput>> inputs_of(const std::vector<std::uint64_t>& numbers);
  [[nodiscard]] OutputTarget target_of(std::uint32_t level) const;
  [[nodiscard]] File adopt(const ForeignFile& file, const PlanSums& sums,
                           const SequenceSpan& sequences);
  [[nodiscard]] SequenceSpan sequences_of(const std::vector<PlanInput>& inputs) const;
  [[nodiscard]] Result<void> enter(const Plan& plan, TreeEdit edit, const PlanSums& sums);
  /// Runs `enter`, keeps its error, and wakes those who wait for files.
  template <class Enter>
  void note(const Enter& enter);
  [[nodiscard]] Result<void> enter_flush(const std::optional<ForeignFile>& file);
  [[nodiscard]] Result<void> enter_merge(PlanReason reason,
                                         const std::vector<std::uint64_t>& inputs,
                                         const std::vector<ForeignFile>& outputs,
                                         std::uint32_t output_level);
  [[nodiscard]] Result<void> enter_move(PlanReason reason, const std::vector<std::uint64_t>& inputs,
                                        std::uint32_t output_level);
  [[nodiscard]] Result<void> enter_drop(PlanReason reason,
                                        const std::vector<std::uint64_t>& inputs);

  mutable std::mutex mutex_;
  std::condition_variable entered_;
  TreeState tree_;
  StoreLedger ledger_;
  std::unordered_map<std::uint64_t, FileId> ids_;  // by number; looked up, never iterated
  std::uint64_t user_bytes_ = 0;                   // used by the client's thread
  std::atomic<std::uint64_t> operations_{0};
  std::atomic<std::uint64_t> flushes_{0};
  std::uint64_t live_bytes_ = 0;
  std::atomic<std::uint64_t> noted_live_bytes_{0};
  std::optional<Error> error_;
};

}  // namespace lsmlab::engine
