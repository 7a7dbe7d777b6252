// A simulated store that is exact about keys, in stepped mode. A full memtable is flushed at once,
// and all plans that the policy then wants run before the next write.
//
// A write goes to the memtable. When the memtable is full: begin_flush, then pick / reserve /
// execute / apply until the policy wants nothing more.
//
// Not thread safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/keys/key_tree.h"

namespace lsmlab {

class KeyStore {
 public:
  /// `log` may be empty, `observer` may be null. REQUIRES: the policy outlives the store.
  KeyStore(const ConfiguredPolicy& policy, const PlanLogSink& log, StoreObserver* observer);

  /// Another thread may set `stop`. The store then leaves out the plans that the policy still
  /// wants.
  void stop_on(const std::atomic<bool>* stop) { stop_ = stop; }
  /// The number of operations so far, which is the time of the tree's clock.
  void advance_now(Instant now) { files_.state().advance_now(now); }
  /// Puts or deletes a key (the value of a delete has 0 bytes). If the memtable is then full,
  /// flushes it. Errors: the run has more writes or more pairs of sizes than it may hold.
  [[nodiscard]] Result<void> write(std::uint64_t key, std::uint32_t key_bytes,
                                   std::uint32_t value_bytes, bool is_tombstone);
  /// The newest version of a key; nothing if it is absent or deleted. If the lookup brings a file
  /// to its limit of useless seeks, the policy's merge runs.
  [[nodiscard]] std::optional<Entry> get(std::uint64_t key);
  /// See KeyReader::scan().
  void scan(const ScanRange& range, const KeyReader::Visit& visit);
  /// Flushes the memtable, whether or not it is full. Does nothing if it is empty.
  void flush();
  /// Runs the policy's plans until it wants nothing more.
  void settle() { run_plans(std::nullopt); }
  /// Does the manual compaction (Policy::pick_manual()), before it a flush of the memtable if the
  /// scope takes it; then settles.
  void compact(ManualScope scope);

  [[nodiscard]] KeyTree& files() { return files_; }
  [[nodiscard]] MeteredStore& metered() { return files_; }
  [[nodiscard]] const TreeView& tree() const { return files_.tree(); }
  [[nodiscard]] const Totals& totals() const { return files_.ledger().totals(); }
  [[nodiscard]] ReadFigures reads() const { return files_.reads(); }
  [[nodiscard]] std::vector<StoredEntry> contents(FileId id) const { return files_.contents(id); }

 private:
  /// Those of a manual compaction, if one is given.
  void run_plans(const std::optional<ManualCompaction>& manual);
  [[nodiscard]] bool should_stop() const {
    return stop_ != nullptr && stop_->load(std::memory_order_relaxed);
  }

  KeyMemtable memtable_;
  const std::vector<KeyMemtable*> memtables_{&memtable_};
  KeyTree files_;
  const std::atomic<bool>* stop_ = nullptr;
  Traffic traffic_;  // since the last flush
};

}  // namespace lsmlab
