// Keys and values of Tectonic's workload specs: expressions that draw texts. lsmlab needs their
// sizes, and how often a key repeats.
// Source: SSD-Brandeis/Tectonic, tectonic/src/spec.rs (2026).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "traces/tools/tectonic_draws.h"
#include "traces/workloads/size_distribution.h"

namespace lsmlab::tools {

struct TextLength {
  std::uint64_t bytes = 0;
  double share = 0;  // of the texts
};

struct TextExpression {
  std::vector<TextLength> lengths;         // ascending; shares add up to 1
  std::optional<SizeDistribution> closed;  // the same sizes, where lsmlab has the distribution
  double repeat_chance = 1;                // that two texts are equal
  std::string first_constant;              // the text that all of them begin with
};

/// `characters`: how many different ones a text has whose expression names no set. Errors name the
/// place.
[[nodiscard]] Result<TextExpression> read_text_expression(const std::string& place,
                                                          const nlohmann::ordered_json& json,
                                                          unsigned characters);
/// How many characters a set has; nothing if `json` names none. Errors: an unknown set.
[[nodiscard]] Result<std::optional<unsigned>> read_character_set(
    const std::string& place, const nlohmann::ordered_json& json);
inline constexpr unsigned kCharactersDefault = 62;  // alphanumeric

/// The sizes of several expressions' texts, each with its number of texts. REQUIRES: some number is
/// not 0.
[[nodiscard]] SizeDistribution sizes_of_texts(
    const std::vector<std::pair<const TextExpression*, std::uint64_t>>& texts);

/// The whole numbers that an expression draws. Errors: a constant that is negative or too large.
[[nodiscard]] Result<SizeDistribution> sizes_of_number(const std::string& place,
                                                       const NumberExpression& number);

}  // namespace lsmlab::tools
