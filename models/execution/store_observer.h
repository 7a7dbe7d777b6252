// What a test (or a curious user) can observe in a stepped run, simulated or real: every write,
// every plan, and the contents of the files that each plan made.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// One version of a key in an SSTable.
struct StoredEntry {
  std::uint64_t key = 0;
  std::uint64_t sequence = 0;  // number of writes so far, including this one
  std::uint32_t key_bytes = 0;
  std::uint32_t value_bytes = 0;  // 0 for a tombstone
  bool is_tombstone = false;
  friend bool operator==(const StoredEntry&, const StoredEntry&) = default;
};

class StoreObserver {
 public:
  /// Returns the entries, by key, of a file that is in the tree or is frozen.
  using Contents = std::function<std::vector<StoredEntry>(FileId)>;

  StoreObserver() = default;
  StoreObserver(const StoreObserver&) = delete;
  StoreObserver& operator=(const StoreObserver&) = delete;
  virtual ~StoreObserver() = default;

  /// The store accepted a put or delete at `now`; it is in the memtable.
  virtual void on_write(const StoredEntry& entry, Instant now) = 0;
  /// The policy wants `plan`; `tree` is the tree before the plan.
  virtual void on_plan(const TreeView& tree, const Plan& plan) = 0;
  /// `edit` carried out the plan; `tree` is the tree after the edit.
  virtual void on_edit(const TreeView& tree, const Plan& plan, const TreeEdit& edit,
                       const Contents& contents) = 0;
};

}  // namespace lsmlab
