// Cells and numbers of the tables that Pebble prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lsmlab::stores {

using Words = std::vector<std::string_view>;

/// The words of each cell of a row between bars; those of the whole line where there are none.
[[nodiscard]] std::vector<Words> cells_of(std::string_view line);
/// A log of CockroachDB puts '+' before each line after the first one of an entry.
[[nodiscard]] bool ends_with_word(const Words& words, std::string_view word);
/// A number with a suffix: counts are decimal ("1.2K"), sizes binary ("1.2KB").
[[nodiscard]] std::optional<std::uint64_t> quantity(std::string_view word);
/// Of a word that may be missing.
[[nodiscard]] std::uint64_t quantity_at(const Words& words, std::size_t index);
[[nodiscard]] std::optional<double> real_at(const Words& words, std::size_t index);
/// The quantity after a mark such as "written: ".
[[nodiscard]] std::optional<std::uint64_t> quantity_after(std::string_view line,
                                                          std::string_view mark);

}  // namespace lsmlab::stores
