// Which candidates no other candidate beats in every figure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lsmlab {

/// The places of the rows that no other row dominates, sorted by their figures. A row dominates
/// another if none of its figures is larger and one is smaller. Of equal rows the first counts.
/// REQUIRES: all rows have the same number of figures.
[[nodiscard]] std::vector<std::size_t> pareto_front(std::span<const std::vector<double>> rows);

/// At most `count` places of 0..size-1, evenly spread, the first and the last among them.
[[nodiscard]] std::vector<std::size_t> spread_places(std::size_t size, std::size_t count);

}  // namespace lsmlab
