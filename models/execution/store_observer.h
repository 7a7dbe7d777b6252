// What a test (or a curious user) can watch of a stepped run, simulated or real: every write, every
// plan, and the contents of the files that it made.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// One version of a key, as an SSTable holds it.
struct StoredEntry {
  std::uint64_t key = 0;
  std::uint64_t sequence = 0;  // writes so far, this one included
  std::uint32_t key_bytes = 0;
  std::uint32_t value_bytes = 0;  // 0 for a tombstone
  bool is_tombstone = false;
  friend bool operator==(const StoredEntry&, const StoredEntry&) = default;
};

class StoreObserver {
 public:
  /// The entries, by key, of a file that stands in the tree or is frozen.
  using Contents = std::function<std::vector<StoredEntry>(FileId)>;

  StoreObserver() = default;
  StoreObserver(const StoreObserver&) = delete;
  StoreObserver& operator=(const StoreObserver&) = delete;
  virtual ~StoreObserver() = default;

  /// A put or delete was accepted at `now`; it is in the memtable.
  virtual void on_write(const StoredEntry& entry, Instant now) = 0;
  /// The policy wants `plan` on `tree`, where nothing of it has happened yet.
  virtual void on_plan(const TreeView& tree, const Plan& plan) = 0;
  /// `edit` carried out the plan; `tree` is the tree after it.
  virtual void on_edit(const TreeView& tree, const Plan& plan, const TreeEdit& edit,
                       const Contents& contents) = 0;
};

}  // namespace lsmlab
