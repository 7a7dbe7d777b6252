// A simulated store that is exact about keys, in stepped mode: a full memtable is flushed at once,
// and everything that the policy then wants is done before the next write.
//
//   write -> memtable; full -> flush: begin_flush, then pick / reserve / execute / apply until the
//   policy wants nothing more.
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
  /// `log` may be empty, `observer` null. The policy must outlive the store.
  KeyStore(const ConfiguredPolicy& policy, const PlanLogSink& log, StoreObserver* observer);

  /// Set from outside: what the policy still wants is left undone.
  void stop_on(const std::atomic<bool>* stop) { stop_ = stop; }
  /// Operations so far: what the tree's clock shows.
  void advance_now(Instant now) { files_.state().advance_now(now); }
  /// Puts or deletes a key (a delete's value is of 0 bytes); flushes a memtable that is then full.
  /// Errors: more writes or different sizes than a run may hold.
  [[nodiscard]] Result<void> write(std::uint64_t key, std::uint32_t key_bytes,
                                   std::uint32_t value_bytes, bool is_tombstone);
  /// The newest version of a key; nothing where it is absent or deleted. A file that the policy
  /// wants merged after so many needless seeks is merged.
  [[nodiscard]] std::optional<Entry> get(std::uint64_t key);
  /// As KeyReader::scan().
  void scan(const ScanRange& range, const KeyReader::Visit& visit);
  /// Flushes the memtable, full or not; nothing to do where it is empty.
  void flush();
  /// Does what the policy wants until it wants nothing.
  void settle();

  [[nodiscard]] MeteredStore& metered() { return files_; }
  [[nodiscard]] const TreeView& tree() const { return files_.tree(); }
  [[nodiscard]] const Totals& totals() const { return files_.ledger().totals(); }
  [[nodiscard]] ReadFigures reads() const { return files_.reads(); }
  [[nodiscard]] std::vector<StoredEntry> contents(FileId id) const { return files_.contents(id); }

 private:
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
