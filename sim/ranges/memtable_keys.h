// Where the keys of memtables lie at resolution `range`: over the whole key space if they are
// inserted at random, one memtable behind the other if they follow each other or nearly do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "sim/ranges/near_sorted_keys.h"
#include "sim/ranges/range_contents.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

/// The first and the last of so many keys that lie at random over the whole key space.
[[nodiscard]] inline KeyRange keys_at_random(std::uint64_t entries) {
  const std::uint64_t half = ~std::uint64_t{0} / std::max<std::uint64_t>(1, entries) / 2;
  return {half, ~std::uint64_t{0} - half};
}

/// Whether the keys of a workload follow each other at equal distances, or nearly so.
[[nodiscard]] inline bool follow_each_other(const OperationWorkload& workload) {
  const Phase& load = workload.phases.front();
  const InsertKeyKind kind = load.insert_keys.kind;
  return load.actions[Action::kInsert] > 0 &&
         (kind == InsertKeyKind::kSequential || kind == InsertKeyKind::kNearSorted);
}

class MemtableKeys {
 public:
  MemtableKeys(const OperationWorkload& workload, std::uint64_t seed)
      : near_sorted_(NearSortedKeys::make(workload, seed)),
        are_even_(follow_each_other(workload)) {}

  /// Whether keys follow each other at equal distances.
  [[nodiscard]] bool are_even() const { return are_even_; }
  /// Where the keys of the open memtable lie after so many writes.
  [[nodiscard]] KeyRange open(std::uint64_t writes) const {
    if (!are_even_) return {0, ~std::uint64_t{0}};
    return even_keys({begun_at_, begun_at_ + std::max<std::uint64_t>(1, writes) - 1});
  }
  /// Sets the keys of the memtable, which ends with so many writes. REQUIRES: its classes are set.
  void take(std::uint64_t writes, RangeContents& memtable) {
    if (!are_even_) {
      memtable.keys = keys_at_random(rounded(total_entries(memtable.classes)));
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

  std::optional<NearSortedKeys> near_sorted_;
  bool are_even_ = false;
  std::uint64_t begun_at_ = 0;
};

}  // namespace lsmlab
