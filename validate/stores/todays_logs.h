// A store's history under today's options: a LOG.old may tell what other ones did.
#pragma once

#include <optional>
#include <string>

#include "traces/stores/store_reading.h"

namespace lsmlab {

struct TodaysLogs {
  std::optional<stores::Store> store;  // without the older logs; none: as it is
  std::string note;                    // which logs had other options; empty: none
};

/// Leaves out the logs up to the last one whose compaction style or sizes of memtable, levels and
/// files were others than the newest LOG's, unless no flush of the family is left then.
[[nodiscard]] TodaysLogs todays_logs(const stores::Store& store, const std::string& family);

}  // namespace lsmlab
