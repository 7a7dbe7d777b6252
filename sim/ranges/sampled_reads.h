// The reads of a workload at resolution `range`: all of them where they are few, otherwise a
// sample, evenly over a phase, each for several equal ones.
#pragma once

#include <array>
#include <cstdint>

#include "sim/ranges/range_store.h"
#include "sim/ranges/read_targets.h"

namespace lsmlab {

class SampledReads {
 public:
  /// A phase with at most so many reads does each of them. Others do about as many.
  static constexpr std::uint64_t kReadsOfPhase = std::uint64_t{1} << 20;
  /// But at least so many between two flushes.
  static constexpr std::uint64_t kReadsBetweenFlushes = 32;

  /// `reads_between_flushes`: in the phase; all of them if nothing is written.
  void begin_phase(const Phase& phase, bool are_keys_even, std::uint64_t seed,
                   std::uint64_t reads_between_flushes);
  /// The keys of the store or of the memtable have changed.
  void note_change() { is_outdated_ = true; }
  /// Does these reads. Without keys to read they wait for the next call. `memtable_keys`: where the
  /// open memtable's keys lie.
  void read(const ReadCounts& counts, const KeyPopulation& population,
            const KeyRange& memtable_keys, RangeStore& store);
  /// Does the reads that are left.
  void end_phase(RangeStore& store);

 private:
  static constexpr std::size_t kKinds = 4;  // the members of ReadCounts
  void do_kind(std::size_t kind, std::uint64_t samples, RangeStore& store);
  void do_one(std::size_t kind, std::uint64_t weight, RangeStore& store);

  ReadTargets targets_;
  bool is_outdated_ = true;
  std::uint64_t reads_ = 0;    // of the phase
  std::uint64_t samples_ = 0;  // of these
  std::array<std::uint64_t, kKinds> pending_{};
};

}  // namespace lsmlab
