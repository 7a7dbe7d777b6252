// The actions of a phase in batches, at resolution `range`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/base/units.h"
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
};

/// A phase whose actions mix evenly.
class EvenMix {
 public:
  explicit EvenMix(const Phase& phase) : counts_(phase.actions), total_(batch_of(phase.actions)) {}

  [[nodiscard]] const ActionBatch& total() const { return total_; }
  [[nodiscard]] std::uint64_t left() const { return total_.actions() - done_; }
  /// The next `count` actions. REQUIRES: count <= left().
  [[nodiscard]] ActionBatch take(std::uint64_t count) {
    done_ += count;
    const ActionCounts wanted = first(done_);
    // A number of first() may be smaller by one for more actions. It then stays as it was, and
    // another action waits.
    ActionCounts taken;
    for (std::size_t a = 0; a < kActions; ++a) {
      const std::uint64_t due = wanted.values[a] - std::min(wanted.values[a], given_.values[a]);
      taken.values[a] = std::min(due, count);
      count -= taken.values[a];
      given_.values[a] += taken.values[a];
    }
    return batch_of(taken);
  }

 private:
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
      const auto share = static_cast<std::uint64_t>(Uint128{behind} * count / total_.actions());
      counts[*action] = share - behind_share;
      behind_share = share;
    }
    return counts;
  }

  const ActionCounts counts_;
  const ActionBatch total_;
  ActionCounts given_;
  std::uint64_t done_ = 0;
};

}  // namespace lsmlab
