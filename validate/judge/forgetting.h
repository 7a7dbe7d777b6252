// How fast the runs of a validation forget deletes (docs/deletes.md), and what they write for it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "validate/judge/cell.h"

namespace lsmlab {

/// What a validation keeps of a cell's deletes, by side: "simulated" and "measured", each an object
/// of figures, or null where that side does not know them. Null where neither side has deletes.
[[nodiscard]] nlohmann::ordered_json deletes_json(const Cell& cell);

/// A table of the cells whose runs have deletes, its head first; empty if none has. A cell whose
/// sides agree has one row, others one for each side.
[[nodiscard]] std::vector<std::vector<std::string>> forgetting_rows(
    const nlohmann::ordered_json& validation);
/// Columns of that table, from the first one on, that hold words.
inline constexpr std::size_t kForgettingWords = 3;

/// What the table's times and shares mean.
[[nodiscard]] std::string forgetting_words();

}  // namespace lsmlab
