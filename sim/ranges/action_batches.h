// The actions of a phase in batches, at resolution `range`. They mix evenly, except deletes, which
// may be drawn: a memtable's share of tombstones then scatters as if actions came in random order.
// Policies compare such shares with thresholds.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "models/base/random.h"
#include "models/base/units.h"
#include "sim/ranges/cell_draws.h"
#include "sim/ranges/read_targets.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

/// Numbers of actions. A read-modify-write is an update and a read.
struct ActionBatch {
  std::uint64_t inserts = 0;
  std::uint64_t updates = 0;
  std::uint64_t deletes = 0;
  ReadCounts reads;
  [[nodiscard]] std::uint64_t puts() const { return inserts + updates; }
  [[nodiscard]] std::uint64_t writes() const { return puts() + deletes; }
  [[nodiscard]] std::uint64_t actions() const { return writes() + reads.sum() - reads.modified; }
  void add(const ActionBatch& other) {
    inserts += other.inserts;
    updates += other.updates;
    deletes += other.deletes;
    reads.present += other.reads.present;
    reads.absent += other.reads.absent;
    reads.scans += other.reads.scans;
    reads.modified += other.reads.modified;
  }
};

/// A phase whose actions mix evenly.
class EvenMix {
 public:
  explicit EvenMix(const Phase& phase)
      : counts_(phase.actions), total_(batch_of(phase.actions)), even_(total_.actions()) {}
  /// The same, but the number of deletes in each batch is drawn. In all it is exact.
  EvenMix(const Phase& phase, std::uint64_t seed) : EvenMix(phase) {
    draws_ = counts_[Action::kDelete] > 0 && counts_[Action::kDelete] < even_;
    if (!draws_) return;
    seed_ = seed;
    even_ -= counts_[Action::kDelete];
    deletes_left_ = std::exchange(counts_[Action::kDelete], 0);
  }

  [[nodiscard]] const ActionBatch& total() const { return total_; }
  [[nodiscard]] bool draws_deletes() const { return draws_; }
  [[nodiscard]] std::uint64_t left() const { return total_.actions() - done_; }
  /// The next `count` actions. REQUIRES: count <= left().
  [[nodiscard]] ActionBatch take(std::uint64_t count) {
    const std::uint64_t deletes = draws_ ? draw_deletes(count) : 0;
    done_ += count;
    deletes_left_ -= deletes;
    count -= deletes;
    even_done_ += count;
    const ActionCounts wanted = first(even_done_);
    // A number of first() may be smaller by one for more actions. It then stays as it was, and
    // another action waits.
    ActionCounts taken;
    for (std::size_t a = 0; a < kActions; ++a) {
      const std::uint64_t due = wanted.values[a] - std::min(wanted.values[a], given_.values[a]);
      taken.values[a] = std::min(due, count);
      count -= taken.values[a];
      given_.values[a] += taken.values[a];
    }
    taken[Action::kDelete] += deletes;
    return batch_of(taken);
  }

 private:
  // The deletes among the next `count` of the actions that are left: as if these came in random
  // order. The deviation is that of a draw without replacement.
  [[nodiscard]] std::uint64_t draw_deletes(std::uint64_t count) const {
    const std::uint64_t left_before = left();
    const std::uint64_t others = left_before - deletes_left_;
    const auto n = static_cast<double>(count);
    const auto all = static_cast<double>(left_before);
    const double share = static_cast<double>(deletes_left_) / all;
    const double correction = left_before > 1 ? (all - n) / (all - 1) : 0;
    const double deviation =
        bell(derive_seed(seed_, done_)) * std::sqrt(n * share * (1 - share) * correction);
    const double drawn = std::floor(std::max(0.0, n * share + deviation) + 0.5);
    return std::clamp(static_cast<std::uint64_t>(drawn), count - std::min(count, others),
                      std::min(count, deletes_left_));
  }

  [[nodiscard]] static ActionBatch batch_of(const ActionCounts& counts) {
    const std::uint64_t modified = counts[Action::kReadModifyWrite];
    return {
        counts[Action::kInsert],
        counts[Action::kUpdate] + modified,
        counts[Action::kDelete],
        {counts[Action::kGetPresent], counts[Action::kGetAbsent], counts[Action::kScan], modified}};
  }

  // Whole numbers that add up to `count`: the share of an action and of all behind it, less that of
  // all behind it.
  [[nodiscard]] ActionCounts first(std::uint64_t count) const {
    constexpr std::array<Action, kActions> kOrder{
        Action::kInsert, Action::kUpdate,     Action::kReadModifyWrite,
        Action::kDelete, Action::kGetPresent, Action::kGetAbsent,
        Action::kScan};
    ActionCounts counts;
    std::uint64_t behind = 0;
    std::uint64_t behind_share = 0;
    for (auto action = kOrder.rbegin(); action != kOrder.rend(); ++action) {
      behind += counts_[*action];
      const auto share = static_cast<std::uint64_t>(Uint128{behind} * count / even_);
      counts[*action] = share - behind_share;
      behind_share = share;
    }
    return counts;
  }

  ActionCounts counts_;  // that mix evenly
  const ActionBatch total_;
  std::uint64_t even_;  // number of these
  ActionCounts given_;
  std::uint64_t done_ = 0;
  std::uint64_t even_done_ = 0;
  bool draws_ = false;
  std::uint64_t seed_ = 0;
  std::uint64_t deletes_left_ = 0;  // to be drawn
};

}  // namespace lsmlab
