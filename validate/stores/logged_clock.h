// The clock of a store whose LOG tells how long its flushes and merges took. A run with it needs no
// model of the machine: the jobs have the store's own speed, and writes its own rate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/base/spec.h"
#include "traces/stores/store_figures.h"
#include "traces/stores/store_reading.h"

namespace lsmlab {

struct LoggedClock {
  std::string device;                // a SPEC
  std::uint64_t flush_entry_ns = 0;  // nanoseconds for each entry that a flush writes
  std::uint64_t merge_entry_ns = 0;  // of one thread, for each entry that a merge reads
  std::uint64_t divided_merges = 0;  // merges of the LOG that had several threads
  // How much faster than one thread these were, as the clock has it.
  double divided_gain = 1;
  std::uint64_t merge_threads = 1;
  Parameters stalls = {};  // of RocksDB's rules; empty: the options do not tell them
};

/// None: the LOG does not tell how long jobs took.
[[nodiscard]] std::optional<LoggedClock> logged_clock(const stores::Store& store,
                                                      const stores::FamilyFigures& figures,
                                                      const std::string& policy);

}  // namespace lsmlab
