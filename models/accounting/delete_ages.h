// How long deletes take until they are physically gone: until a merge drops their tombstones
// because nothing older can exist. The delete persistence latency of Lethe (Sarkar et al., SIGMOD
// 2020) in operations of the clients, so that simulator and engine count the same; with a clock
// also in nanoseconds.
//
// A delete came at the place of its sequence number in its memtable's time, over which operations
// are spread evenly. Where only the flushes of a cohort of deletes are known, they are spread
// evenly over the time of these flushes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/accounting/latency_histogram.h"
#include "models/accounting/run_result.h"
#include "models/base/units.h"
#include "models/execution/delete_cohort.h"
#include "models/tree/tree.h"

namespace lsmlab {

class DeleteAges {
 public:
  /// A point in a run: operations so far, and nanoseconds if there is a clock.
  struct Moment {
    std::uint64_t operations = 0;
    std::optional<std::uint64_t> ns;
  };

  /// A memtable is full, after these operations since the last one. `full_ns`: when that was; with
  /// a clock. REQUIRES: sequence numbers count writes from 1.
  void on_flush(const Traffic& traffic, Entries tombstones,
                std::optional<std::uint64_t> full_ns = std::nullopt);
  /// Tombstones with these sequence numbers are dropped.
  void on_dropped(std::span<const std::uint64_t> sequences, const Moment& now);
  /// The same where only their cohorts are known.
  void on_dropped(std::span<const DeleteCohort> cohorts, const Moment& now);
  /// Tombstones are dropped, and nobody knows which: figures() are unknown from then on.
  void on_unknown() { is_known_ = false; }

  /// `present`: tombstones in files. Nothing without deletes, or where they are unknown.
  [[nodiscard]] std::optional<DeleteFigures> figures(std::uint64_t present) const;

 private:
  // A memtable's last write, and the operations and the time until then.
  struct Flush {
    std::uint64_t writes = 0;
    std::uint64_t operations = 0;
    std::uint64_t ns = 0;
  };
  /// Where a write came: its place in its memtable.
  [[nodiscard]] Flush place_of(std::uint64_t sequence) const;
  /// The end of a flush, counted from 1.
  [[nodiscard]] const Flush& end_of(std::uint64_t flush) const;
  void add(const Flush& then, const Moment& now, std::uint64_t units);

  std::vector<Flush> flushes_;  // from the one before the first with tombstones on
  Flush last_;
  std::uint64_t flushes_before_ = 0;  // number of flushes up to flushes_.front()
  std::uint64_t flushed_ = 0;
  // In units of 1 / kCohortUnits deletes.
  LatencyHistogram ages_;
  LatencyHistogram ages_ns_;  // with a clock
  bool is_known_ = true;
};

}  // namespace lsmlab
