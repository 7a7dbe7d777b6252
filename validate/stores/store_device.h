// The machine of a user's store, as its LOG or its table of statistics tells of it: a device file,
// so that workloads can be simulated on a machine that nobody can measure any more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/base/error.h"
#include "traces/stores/store_reading.h"

namespace lsmlab {

struct StoreDevice {
  std::string family;
  std::uint64_t flush_entry_ns = 0;       // nanoseconds for each entry that a flush writes
  std::uint64_t merge_entry_ns = 0;       // of one thread, for each entry that a merge reads
  std::string division_note;              // LoggedClock::division_note
  std::optional<std::uint64_t> write_ns;  // time of writers that did not wait, for each write
  std::optional<double> stalled_seconds;  // which writers waited
  std::string json;                       // of the device file
};

/// `family`: empty where there is one only. Errors: an unknown family; the files do not tell how
/// long flushes and merges took.
[[nodiscard]] Result<StoreDevice> store_device(const stores::Store& store,
                                               const std::string& family);

/// What it is, in some lines for people.
[[nodiscard]] std::string store_device_text(const StoreDevice& device);

}  // namespace lsmlab
