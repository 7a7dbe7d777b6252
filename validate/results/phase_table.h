// The table of a run's parts, for runs that have several.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace lsmlab {

/// A row for each part of each result, and one for what follows the last operation; empty if no
/// result has parts. `width`: of the first column.
[[nodiscard]] std::string phase_table(std::span<const nlohmann::ordered_json> results,
                                      std::size_t width);

}  // namespace lsmlab
