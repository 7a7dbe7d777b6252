// What was found in a store, as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "traces/stores/store_figures.h"
#include "traces/stores/store_reading.h"

namespace lsmlab::stores {

/// All column families of a store with their figures, in the order of Store::families().
[[nodiscard]] std::vector<FamilyFigures> all_figures(const Store& store);

/// A report of several lines for each column family.
[[nodiscard]] std::string report_text(const Store& store,
                                      const std::vector<FamilyFigures>& families);

/// The same as JSON. Names of members end in their unit (_bytes, _seconds); null: unknown.
[[nodiscard]] nlohmann::ordered_json report_json(const Store& store,
                                                 const std::vector<FamilyFigures>& families);

/// What of a column family's figures is a guess, or known in part only.
[[nodiscard]] nlohmann::ordered_json guesses_json(const Store& store, const FamilyFigures& figures);

}  // namespace lsmlab::stores
