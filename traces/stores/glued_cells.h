// Cells of a table of statistics between which a figure was too wide for a blank.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lsmlab::stores {

/// The cells of a row that has fewer than there are headings, with those taken apart that have more
/// decimals than their column prints: "0.002032745988" below "Avg(ms)" is "0.00" and "2032745988"
/// (RocksDB 3 and older). Cells of columns that print several widths stay.
[[nodiscard]] std::vector<std::string_view> taken_apart(std::vector<std::string_view> cells,
                                                        const std::vector<std::string>& headings);

}  // namespace lsmlab::stores
