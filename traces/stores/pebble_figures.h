// What only stores of Pebble have: sublevels of level 0, targets of its own, a table of metrics.
// Source: Pebble 1.1.5 and 2.1.7, compaction_picker.go, internal/manifest/l0_sublevels.go.
#pragma once

#include "traces/stores/store_figures.h"

namespace lsmlab::stores {

/// The sorted runs that Pebble makes of the files of level 0: a file lies above the older ones
/// whose keys it overlaps. Keys are compared bytewise.
[[nodiscard]] std::uint64_t sublevels_of(const std::map<std::uint64_t, StoreFile>& files);

/// Targets of the levels for the bytes that are in them. Empty: the options are unknown, or nothing
/// is below level 0.
[[nodiscard]] std::vector<double> pebble_targets(const OptionValues& options,
                                                 const std::vector<LevelFigures>& levels);

/// Fills tree, levels and sums from a table of metrics.
void fill_from_metrics(FamilyFigures& figures, const Store& store);

}  // namespace lsmlab::stores
