// A policy in RocksDB's own words, for whoever sets its options.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/policies/registry.h"

namespace lsmlab {

struct OptionWords {
  std::string name;
  std::string value;
  std::string value_before = {};  // empty: the store did not have the option before
};

/// The options of RocksDB that decide what the policy does, with its values; none if RocksDB does
/// not have the policy. `before`: null for all of them; otherwise only those that differ from it.
[[nodiscard]] std::vector<OptionWords> rocksdb_words(const ConfiguredPolicy& policy,
                                                     const ConfiguredPolicy* before);

}  // namespace lsmlab
