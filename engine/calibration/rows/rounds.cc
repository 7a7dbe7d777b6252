#include "engine/calibration/rows/rounds.h"

#include <algorithm>
#include <numeric>

namespace lsmlab::engine {

double RoundFigures::median() const {
  if (figures_.empty()) return 0;
  std::vector<double> sorted = figures_;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double RoundFigures::mean() const {
  const double count = std::max<double>(1, static_cast<double>(figures_.size()));
  return std::accumulate(figures_.begin(), figures_.end(), 0.0) / count;
}

double RoundFigures::usual_mean() const {
  const double most = 2 * median();
  RoundFigures usual;
  for (const double figure : figures_) {
    if (figure <= most) usual.add(figure);
  }
  return usual.mean();
}

double RoundFigures::spread() const {
  const double middle = median();
  if (middle == 0) return 0;
  const auto [least, most] = std::minmax_element(figures_.begin(), figures_.end());
  return (*most - *least) / middle;
}

}  // namespace lsmlab::engine
