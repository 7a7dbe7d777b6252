// The systems whose stores lsmlab reads.
#pragma once

#include <string_view>

namespace lsmlab::stores {

enum class StoreSystem { kLeveldb, kRocksdb, kPebble };

[[nodiscard]] constexpr std::string_view name_of(StoreSystem system) {
  switch (system) {
    case StoreSystem::kLeveldb:
      return "LevelDB";
    case StoreSystem::kRocksdb:
      return "RocksDB";
    case StoreSystem::kPebble:
      break;
  }
  return "Pebble";
}

}  // namespace lsmlab::stores
