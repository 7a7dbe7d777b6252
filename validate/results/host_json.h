// The machine that figures were measured on.
#pragma once

#include <nlohmann/json.hpp>

namespace lsmlab {

/// {"host", "cpu", "cores", "memory_bytes", "kernel", "version", "rocksdb", "leveldb"}: what the
/// system tells, null where it does not.
[[nodiscard]] nlohmann::ordered_json machine_json();

}  // namespace lsmlab
