// The clock of a store whose LOG or table of statistics tells how long its flushes and merges took.
// A run with it needs no model of the machine: the jobs have the store's own speed, and writes its
// own rate.
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
  // Of a table whose merges were divided, or seem to have been: that `merge_entry_ns` is not the
  // speed of one thread. Otherwise empty.
  std::string division_note = {};
  // Of writers that waited much: how long a write takes without stalls, which `device` then
  // contains. None: the writes come at a rate.
  std::optional<std::uint64_t> write_ns = {};
  double stalled_share = 0;  // of the time of a LOG up to its last flush
};

/// What the last table of statistics tells of writers.
struct TableWrites {
  // The time that the store was open, less that which its writers waited, for each key. It contains
  // what clients did between their writes.
  std::optional<std::uint64_t> write_ns;
  std::optional<double> stalled_seconds;
  double stalled_share = 0;  // of the time that the store was open
};
[[nodiscard]] TableWrites table_writes(const stores::Store& store, const std::string& family);

/// How much of a LOG's time passed between flushes of a family among which writers were slowed or
/// stopped, and how long a write took between the others.
struct LoggedWrites {
  double stalled_share = 0;
  std::optional<std::uint64_t> write_ns;  // none: unknown
};
[[nodiscard]] LoggedWrites logged_writes(const stores::Store& store, const std::string& family);

/// Whether the newest LOG tells of merges, all of them ended, and no level is due today.
[[nodiscard]] bool ends_at_rest(const stores::Store& store, const stores::FamilyFigures& figures);

/// None: the files do not tell how long jobs took.
[[nodiscard]] std::optional<LoggedClock> logged_clock(const stores::Store& store,
                                                      const stores::FamilyFigures& figures);

}  // namespace lsmlab
