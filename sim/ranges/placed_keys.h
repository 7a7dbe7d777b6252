// The keys of a store by place, if they are inserted in order and other operations write them too.
// Then a popularity class is a part of the key space, and densities by key say all that is known of
// a file. So a file has one class, and the widths of its cells follow the densities
// (sim/ranges/cell_bounds.h).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ranges/key_population.h"
#include "sim/ranges/range_contents.h"
#include "traces/workloads/key_distribution.h"

namespace lsmlab {

class PlacedKeys {
 public:
  /// The distance of keys with neighbouring insertion numbers.
  static constexpr std::uint64_t kStep = std::uint64_t{1} << (kPhaseBits + 1);

  /// Takes the open memtable's writes: how its entries lie. The memtable is empty from then on.
  /// `cells`: of a file.
  [[nodiscard]] RangeContents take_memtable(KeyPopulation& population, std::size_t cells);
  /// The live keys from `begin` to before `end` after the last take_memtable(), in units of
  /// FixedCount.
  [[nodiscard]] std::int64_t keys_between(std::uint64_t begin, std::uint64_t end) const;
  /// Where the inserts of the open memtable lie; nowhere, {1, 0}, if there are none.
  [[nodiscard]] KeyRange inserts_of_open(const KeyPopulation& population) const;

 private:
  void note_deletes(const KeyPopulation& population);

  // The share of the keys that are not deleted, from a key on.
  struct LiveShare {
    std::uint64_t begin = 0;
    double share = 1;
  };
  std::uint64_t inserted_ = 0;
  std::vector<LiveShare> live_;  // empty: no key is deleted
};

}  // namespace lsmlab
