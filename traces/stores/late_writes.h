// What a store's writes do lately, as far as that differs from the whole history: a load that ended
// and overwrites that follow it are one share of inserts over the history, and none from now on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "traces/stores/store_events.h"
#include "traces/stores/store_figures.h"

namespace lsmlab::stores {

struct StoreWorkload;  // of store_workload.h

/// Of the writes that come from now on.
struct LateWrites {
  double update_fraction = 0;
  double delete_fraction = 0;
  std::optional<double> zipf_exponent = {};  // none: updates hit all records alike
  std::uint64_t records = 0;                 // in the tree today
  std::string why;
};

/// From the LOGs. None: no flush of them tells how many entries its memtable had.
[[nodiscard]] std::optional<LateFigures> late_figures(const FamilyEvents& events);

/// `workload`: of the whole history. None: the later half of the writes is like all of them, or
/// does not tell.
[[nodiscard]] std::optional<LateWrites> late_writes(const FamilyFigures& figures,
                                                    const StoreWorkload& workload);

/// Of how many different keys so many writes are, which draw them by a Zipf distribution.
[[nodiscard]] double distinct_keys(double writes, double keys, double exponent);

}  // namespace lsmlab::stores
