#include "validate/advise/pareto.h"

#include <algorithm>
#include <numeric>

namespace lsmlab {

std::vector<std::size_t> pareto_front(std::span<const std::vector<double>> rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
  // In this order a row can only be dominated by an earlier one, and then by one of the front.
  std::vector<std::size_t> front;
  for (const std::size_t place : order) {
    const bool is_dominated = std::any_of(front.begin(), front.end(), [&](std::size_t other) {
      return std::equal(rows[other].begin(), rows[other].end(), rows[place].begin(),
                        [](double better, double worse) { return better <= worse; });
    });
    if (!is_dominated) front.push_back(place);
  }
  return front;
}

std::vector<std::size_t> spread_places(std::size_t size, std::size_t count) {
  std::vector<std::size_t> places;
  if (size <= count) {
    places.resize(size);
    std::iota(places.begin(), places.end(), std::size_t{0});
    return places;
  }
  for (std::size_t i = 0; i < count; ++i) {
    places.push_back(count == 1 ? 0 : i * (size - 1) / (count - 1));
  }
  return places;
}

}  // namespace lsmlab
