// Where the keys of a memtable lie if inserts are near-sorted
// (traces/workloads/key_distribution.h): a share of the keys in the interval of their numbers, the
// others mirrored inside the block.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/ranges/range_contents.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

class NearSortedKeys {
 public:
  /// Nothing if the first phase's inserts are not near-sorted. `seed`: of the run, so that keys
  /// have the places that the exact workload gives them.
  [[nodiscard]] static std::optional<NearSortedKeys> make(const OperationWorkload& workload,
                                                          std::uint64_t seed);

  /// Keys at equal distances, as many for each position as `density`. A position is a key's place
  /// in the order of all keys.
  struct Interval {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    double density = 0;
  };
  /// Where the keys of these insertion numbers lie, by position; intervals may overlap, and begin
  /// and end with keys that the exact workload has. Their counts may be a few too small. REQUIRES:
  /// first < end.
  [[nodiscard]] std::vector<Interval> intervals(std::uint64_t first, std::uint64_t end) const;
  /// Sets the key range of a memtable with these insertion numbers, and its cells.
  void place(std::uint64_t first, std::uint64_t end, RangeContents& contents) const;

 private:
  NearSortedKeys(const KeyLayout& layout, double displaced)
      : layout_(layout), displaced_(displaced) {}
  void add_trimmed(const KeyLayout::Block& block, Interval interval, bool is_mirrored,
                   std::vector<Interval>& intervals) const;
  void add_part(const KeyLayout::Block& block, std::uint64_t first, std::uint64_t end,
                std::vector<Interval>& intervals) const;

  KeyLayout layout_;
  double displaced_;
};

}  // namespace lsmlab
