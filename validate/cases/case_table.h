// Public cases, reported and predicted, as tables.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "validate/cases/public_case.h"

namespace lsmlab {

/// For the terminal.
[[nodiscard]] std::string cases_text(std::span<const PublicCase> cases,
                                     std::span<const CaseFigures> predicted);
/// For docs/measurements/cases.md: the table, and the command of each run.
[[nodiscard]] std::string cases_markdown(std::span<const PublicCase> cases,
                                         std::span<const CaseFigures> predicted);
[[nodiscard]] nlohmann::ordered_json cases_json(std::span<const PublicCase> cases,
                                                std::span<const CaseFigures> predicted);
/// Without predictions: what there is.
[[nodiscard]] std::string cases_list(std::span<const PublicCase> cases);

}  // namespace lsmlab
