// A policy's options as RocksDB's.
#pragma once

#include <rocksdb/options.h>

#include <cstdint>
#include <string_view>

#include "models/policies/registry.h"

namespace lsmlab::engine {

/// Errors: RocksDB has no such policy, or none of these options.
[[nodiscard]] Result<rocksdb::Options> rocksdb_options(const ConfiguredPolicy& policy);

/// An option in operations; 0 where it has no value, or the policy does not have it.
[[nodiscard]] std::uint64_t age_of(const ConfiguredPolicy& policy, std::string_view name);

}  // namespace lsmlab::engine
