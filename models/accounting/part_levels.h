// What flushes and merges of each part of a run wrote into each level: RocksDB's table of
// compaction statistics, of one part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/accounting/run_result.h"

namespace lsmlab {

struct PartLevel {
  std::uint64_t part = 0;  // its place in RunResult::parts
  std::string name;        // of the part
  std::uint64_t level = 0;
  OutputTraffic traffic;
  // RocksDB's W-Amp: bytes written / bytes that came from other levels, or that were flushed into
  // level 0. None where nothing came.
  std::optional<double> write_amplification = {};
};

/// The levels of each part that anything was written or moved into, in the order of the parts.
[[nodiscard]] std::vector<PartLevel> part_levels_of(const RunResult& run);

}  // namespace lsmlab
