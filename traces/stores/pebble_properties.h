// Reads the table of `pebble db properties` (CockroachDB: `cockroach debug pebble db properties`):
// what the SSTables of each level hold. Pure functions of the text.
// Source: Pebble 1 and 2 tool/db.go and its testdata.
#pragma once

#include <string_view>

#include "traces/stores/info_log.h"

namespace lsmlab::stores {

[[nodiscard]] bool is_pebble_properties(std::string_view text);

/// Files by level, and their size: data, index and filter blocks, which Pebble rounds.
[[nodiscard]] InfoLog read_pebble_properties(std::string_view text);

}  // namespace lsmlab::stores
