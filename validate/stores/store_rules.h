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
  std::string merge_threads_guess = {};  // why so many; empty: an option, or its default
  // So many flushes ran at once, where a table tells it. A run has one thread that flushes.
  std::uint64_t flush_threads_min = 1;
};

/// Of a column family of RocksDB, with RocksDB's defaults where the files name no option and their
/// table does not contradict these, or of a Pebble store; of other systems those of the policy's
/// family. `policy`: the SPEC of its policy.
[[nodiscard]] StoreRules store_rules(const stores::Store& store, const std::string& family,
                                     const std::string& policy);

}  // namespace lsmlab
