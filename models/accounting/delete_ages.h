// How long deletes take until they are physically gone: until a merge drops their tombstones
// because nothing older can exist. The delete persistence latency of Lethe (Sarkar et al., SIGMOD
// 2020) in operations of the clients, so that simulator and engine count the same.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/accounting/latency_histogram.h"
#include "models/accounting/run_result.h"
#include "models/base/units.h"
#include "models/tree/tree.h"

namespace lsmlab {

class DeleteAges {
 public:
  /// A memtable is full, after these operations since the last one. REQUIRES: sequence numbers
  /// count writes from 1.
  void on_flush(const Traffic& traffic, Entries tombstones);
  /// Tombstones with these sequence numbers are dropped, after so many operations.
  void on_dropped(std::span<const std::uint64_t> sequences, Instant now);
  /// Tombstones are dropped, and nobody knows which: figures() are unknown from then on.
  void on_unknown() { is_known_ = false; }

  /// `present`: tombstones in files. Nothing without deletes, or where they are unknown.
  [[nodiscard]] std::optional<DeleteFigures> figures(std::uint64_t present) const;

 private:
  // A memtable's last write, and the operations until then.
  struct Flush {
    std::uint64_t writes = 0;
    std::uint64_t operations = 0;
  };
  /// The number of operations after which a write came: its place in its memtable, with operations
  /// spread evenly over the memtable's time.
  [[nodiscard]] std::uint64_t operations_at(std::uint64_t sequence) const;

  std::vector<Flush> flushes_;  // from the one before the first with tombstones on
  Flush last_;
  std::uint64_t flushed_ = 0;
  LatencyHistogram ages_;
  bool is_known_ = true;
};

}  // namespace lsmlab
