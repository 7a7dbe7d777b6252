// When a store's writers wait and how many merges it runs at a time, by its own options.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/spec.h"
#include "traces/stores/store_reading.h"

namespace lsmlab {

struct StoreRules {
  Parameters stalls;  // changes to the rules of the policy's family; empty: none are known
  std::uint64_t merge_threads = 1;
};

/// Of a column family of RocksDB, with RocksDB's defaults where the files name no option, or of a
/// Pebble store; of other systems those of the policy's family. `policy`: the SPEC of its policy.
[[nodiscard]] StoreRules store_rules(const stores::Store& store, const std::string& family,
                                     const std::string& policy);

}  // namespace lsmlab
