// Describes the machine on which figures were measured.
#pragma once

#include <nlohmann/json.hpp>

namespace lsmlab {

/// An object with the members "host", "cpu", "cores", "memory_bytes", "kernel", "version",
/// "rocksdb" and "leveldb". A member is null if the system does not tell it.
[[nodiscard]] nlohmann::ordered_json machine_json();

}  // namespace lsmlab
