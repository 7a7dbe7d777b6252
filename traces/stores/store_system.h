// The systems whose stores lsmlab reads.
#pragma once

#include <string_view>

namespace lsmlab::stores {

enum class StoreSystem { kLeveldb, kRocksdb, kPebble, kCassandra, kScylladb };

[[nodiscard]] constexpr std::string_view name_of(StoreSystem system) {
  switch (system) {
    case StoreSystem::kLeveldb:
      return "LevelDB";
    case StoreSystem::kRocksdb:
      return "RocksDB";
    case StoreSystem::kPebble:
      return "Pebble";
    case StoreSystem::kCassandra:
      return "Cassandra";
    case StoreSystem::kScylladb:
      break;
  }
  return "ScyllaDB";
}

/// Cassandra and ScyllaDB have the same schemas and histories.
[[nodiscard]] constexpr bool has_tables(StoreSystem system) {
  return system == StoreSystem::kCassandra || system == StoreSystem::kScylladb;
}

}  // namespace lsmlab::stores
