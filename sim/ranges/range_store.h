// A simulated store at resolution `range`, in stepped mode. A full memtable is flushed at once, and
// all plans that the policy then wants run before the next write.
//
// Not thread safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "sim/ranges/range_tree.h"

namespace lsmlab {

class RangeStore {
 public:
  /// As for RangeTree.
  RangeStore(const ConfiguredPolicy& policy, const RangeSizes& sizes, std::size_t cells,
             std::uint64_t seed, const PlanLogSink& log)
      : files_(policy, sizes, cells, seed, log) {}

  /// Another thread may set `stop`. The store then leaves out the plans that the policy still
  /// wants.
  void stop_on(const std::atomic<bool>* stop) { stop_ = stop; }
  void advance_now(Instant now) { files_.state().advance_now(now); }
  /// Flushes a memtable and runs the policy's plans until it wants nothing more. A memtable of less
  /// than half an entry is dropped.
  void flush(const RangeMemtable& memtable);
  /// Runs the policy's plans until it wants nothing more.
  void settle() { run_plans(std::nullopt); }
  /// Does the manual compaction (Policy::pick_manual()), then settles.
  void compact(ManualScope scope) {
    run_plans(ManualCompaction{scope, files_.state().next_file_id()});
    settle();
  }
  /// Looks a key up `weight` times. If the lookups bring a file to its limit of useless seeks, the
  /// policy's merge runs. REQUIRES: the files have a reader.
  LookupFigures get(const ReadKey& key, std::uint64_t weight);
  [[nodiscard]] RangeReader& reader() { return files_.reader(); }
  [[nodiscard]] RangeTree& files() { return files_; }

 private:
  /// Those of a manual compaction, if one is given.
  void run_plans(const std::optional<ManualCompaction>& manual);

  RangeTree files_;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace lsmlab
