#include "sim/ranges/sampled_reads.h"

#include <algorithm>
#include <utility>

namespace lsmlab {

void SampledReads::begin_phase(const Phase& phase, bool are_keys_even, std::uint64_t seed,
                               std::uint64_t reads_between_flushes) {
  targets_.begin_phase(phase, are_keys_even, seed);
  is_outdated_ = true;
  reads_ = reads_of(phase).sum();
  // Of `reads_` as many as kReadsBetweenFlushes are of those between two flushes.
  const std::uint64_t by_flushes = static_cast<std::uint64_t>(
      Uint128{reads_} * kReadsBetweenFlushes / std::max<std::uint64_t>(1, reads_between_flushes));
  samples_ = std::min(reads_, std::max(kReadsOfPhase, by_flushes));
}

void SampledReads::read(const ReadCounts& counts, const KeyPopulation& population,
                        const KeyRange& memtable_keys, RangeStore& store) {
  const std::uint64_t more[kKinds] = {counts.present, counts.absent, counts.scans, counts.modified};
  for (std::size_t kind = 0; kind < kKinds; ++kind) pending_[kind] += more[kind];
  if (std::exchange(is_outdated_, false)) {
    targets_.update(population);
    store.reader().use(targets_);
    store.reader().show_memtable(population.memtable(), memtable_keys);
  }
  if (!targets_.has_keys()) return;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const auto samples = static_cast<std::uint64_t>(Uint128{pending_[kind]} * samples_ /
                                                    std::max(reads_, std::uint64_t{1}));
    do_kind(kind, samples, store);
  }
}

void SampledReads::end_phase(RangeStore& store) {
  if (!targets_.has_keys()) return;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    do_kind(kind, std::min<std::uint64_t>(1, pending_[kind]), store);
  }
}

void SampledReads::do_kind(std::size_t kind, std::uint64_t samples, RangeStore& store) {
  for (; samples > 0; --samples) {
    const std::uint64_t weight = pending_[kind] / samples;
    pending_[kind] -= weight;
    do_one(kind, weight, store);
  }
}

void SampledReads::do_one(std::size_t kind, std::uint64_t weight, RangeStore& store) {
  switch (kind) {
    case 0:
      static_cast<void>(store.get(targets_.draw_present(), weight));
      return;
    case 1:
      static_cast<void>(store.get(targets_.draw_absent(), weight));
      return;
    case 2: {
      const ReadKey first = targets_.draw_present();
      static_cast<void>(store.reader().scan(first, targets_.draw_limit(first.key), weight));
      return;
    }
    default:
      static_cast<void>(store.get(targets_.draw_modified(), weight));
  }
}

}  // namespace lsmlab
