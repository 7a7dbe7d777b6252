// By which bytes ScyllaDB compares SSTables and sorted runs (2026.4.0-dev, data_size() of
// sstables/sstables.cc): those of the data file before compression. Only the sums of its
// LeveledCompactionStrategy over levels count bytes on disk, and a writer ends an SSTable by the
// bytes on disk (get_data_offset() of sstables/mx/writer.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/policies/cassandra/size_tiers.h"
#include "models/sizes/store_options.h"
#include "models/tree/tree.h"

namespace lsmlab {

class ScyllaSizes {
 public:
  ScyllaSizes() = default;
  explicit ScyllaSizes(const StoreOptions& store);

  /// What the run takes on disk, or in a store that compresses, what its entries would take without
  /// compression if all were alike.
  [[nodiscard]] std::uint64_t of(const SortedRun& run) const;
  [[nodiscard]] SizeTier of(const std::vector<Sstable>& sstables) const;
  [[nodiscard]] bool compresses() const { return uncompressed_.has_value(); }

 private:
  std::optional<SstableFormat> uncompressed_;  // in a store that compresses
};

}  // namespace lsmlab
