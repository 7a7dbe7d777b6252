#include "models/policies/cassandra/scylla_sizes.h"

#include "models/sizes/sstable_size.h"

namespace lsmlab {

ScyllaSizes::ScyllaSizes(const StoreOptions& store) {
  if (!store.compression.compresses()) return;
  uncompressed_ = store.format();
  uncompressed_->compression = {};
}

std::uint64_t ScyllaSizes::of(const SortedRun& run) const {
  const RunSums& sums = run.files.sums();
  if (!uncompressed_ || sums.entries == 0) return run.bytes().value();
  return uniform_sstable_bytes(*uncompressed_, sums.entries, sums.key_bytes / sums.entries,
                               sums.value_bytes / sums.entries)
      .value();
}

SizeTier ScyllaSizes::of(const std::vector<Sstable>& sstables) const {
  SizeTier sizes;
  for (const Sstable& one : sstables) sizes.push_back({of(*one.run), sizes.size()});
  return sizes;
}

}  // namespace lsmlab
