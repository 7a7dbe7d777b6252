// Where the keys of memtables lie at resolution `range`: over the whole key space if they are
// inserted at random, one memtable behind the other if they follow each other or nearly do, and by
// their densities (sim/ranges/placed_keys.h) if they follow each other and other operations write
// them too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "models/base/random.h"
#include "sim/ranges/action_batches.h"
#include "sim/ranges/near_sorted_keys.h"
#include "sim/ranges/placed_keys.h"
#include "sim/ranges/random_keys.h"
#include "sim/ranges/range_contents.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

/// Whether the keys of a workload follow each other at equal distances, or nearly so.
[[nodiscard]] inline bool follow_each_other(const OperationWorkload& workload) {
  const Phase& load = workload.phases.front();
  const InsertKeyKind kind = load.insert_keys.kind;
  return load.actions[Action::kInsert] > 0 &&
         (kind == InsertKeyKind::kSequential || kind == InsertKeyKind::kNearSorted);
}

/// Whether other writes than the inserts of the first phase follow.
[[nodiscard]] inline bool has_more_writes(const OperationWorkload& workload) {
  const Phase* first = &workload.phases.front();
  return std::any_of(workload.phases.begin(), workload.phases.end(), [&](const Phase& phase) {
    const ActionBatch all = EvenMix(phase).total();
    return all.writes() > (&phase == first ? all.inserts : 0);
  });
}

/// Whether some phase inserts keys that follow each other and other operations write them too.
[[nodiscard]] inline bool are_keys_placed(const OperationWorkload& workload) {
  return has_more_writes(workload) &&
         std::any_of(workload.phases.begin(), workload.phases.end(), [](const Phase& phase) {
           return phase.actions[Action::kInsert] > 0 &&
                  phase.insert_keys.kind == InsertKeyKind::kSequential;
         });
}

class MemtableKeys {
 public:
  /// `cells`: of a file.
  MemtableKeys(const OperationWorkload& workload, std::uint64_t seed, std::size_t cells)
      : cells_(cells), seed_(seed) {
    if (are_keys_placed(workload)) {
      placed_.emplace();
    } else {
      near_sorted_ = NearSortedKeys::make(workload, seed);
      are_even_ = follow_each_other(workload);
    }
  }

  /// Whether keys follow each other at equal distances, and each is written once.
  [[nodiscard]] bool are_even() const { return are_even_; }
  /// Whether keys follow each other in the order of inserts.
  [[nodiscard]] bool are_in_order() const { return are_even_ || placed_; }
  /// Null unless keys follow each other and other operations write them too.
  [[nodiscard]] const PlacedKeys* placed() const { return placed_ ? &*placed_ : nullptr; }
  /// Where the keys of the open memtable lie after so many writes; if keys are placed, its inserts.
  [[nodiscard]] KeyRange open(std::uint64_t writes, const KeyPopulation& population) const {
    if (placed_) return placed_->inserts_of_open(population);
    if (!are_even_) return {0, ~std::uint64_t{0}};
    return even_keys({begun_at_, begun_at_ + std::max<std::uint64_t>(1, writes) - 1});
  }
  /// Takes the open memtable, which ends with so many writes, from the population.
  void take(std::uint64_t writes, KeyPopulation& population, RangeContents& memtable) {
    if (placed_) {
      memtable = placed_->take_memtable(population, cells_);
      return;
    }
    memtable.classes = population.take_memtable();
    if (!are_even_) {
      const std::uint64_t entries = rounded(total_entries(memtable.classes));
      memtable.keys = keys_at_random(entries, derive_seed(seed_, memtables_++));
      return;
    }
    const std::uint64_t begin = std::exchange(begun_at_, begun_at_ + writes);
    if (near_sorted_) {
      near_sorted_->place(begin, begun_at_, memtable);
    } else {
      memtable.keys = even_keys({begin, begun_at_ - 1});
    }
  }

 private:
  // The keys of these insertion numbers, if keys follow each other.
  [[nodiscard]] static KeyRange even_keys(const KeyRange& numbers) {
    constexpr unsigned kKeyShift = kPhaseBits + 1;
    return {numbers.smallest << kKeyShift, numbers.largest << kKeyShift};
  }

  std::size_t cells_;
  std::uint64_t seed_;
  std::uint64_t memtables_ = 0;  // taken, of keys at random
  std::optional<PlacedKeys> placed_;
  std::optional<NearSortedKeys> near_sorted_;
  bool are_even_ = false;
  std::uint64_t begun_at_ = 0;
};

}  // namespace lsmlab
