// How a pick of level 0 grows to a rectangle of intervals and sublevels
// (extendCandidateToRectangle).
#include <algorithm>

#include "models/policies/pebble/sublevels.h"

namespace lsmlab {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

// Files of a sublevel that follow each other.
struct Stretch {
  std::size_t first = kNone;
  std::size_t last = kNone;
  bool has_picked = false;  // some are in the pick already
};

}  // namespace

bool PebbleSublevels::extend(std::size_t interval_min, std::size_t interval_max, bool is_for_base,
                             PebbleLevel0Pick& pick) const {
  // Signed: what a sublevel leaves out may empty the rectangle.
  auto low = static_cast<std::ptrdiff_t>(std::min(interval_min, pick.interval_min));
  auto high = static_cast<std::ptrdiff_t>(std::max(interval_max, pick.interval_max));
  const auto first_of = [&](std::size_t index) {
    return static_cast<std::ptrdiff_t>(files_[index].first);
  };
  const auto last_of = [&](std::size_t index) {
    return static_cast<std::ptrdiff_t>(files_[index].last);
  };
  const std::size_t begin = is_for_base ? 0 : pick.seed_sublevel_min;
  const std::size_t end = is_for_base ? pick.seed_sublevel_max + 1 : sublevels_.size();
  bool has_added = false;
  for (std::size_t step = 0; step < end - begin; ++step) {
    const std::vector<std::size_t>& files = sublevels_[is_for_base ? step : end - 1 - step];
    std::size_t first = kNone;
    std::size_t last = kNone;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (last_of(files[i]) < low) continue;
      if (first_of(files[i]) > high) break;
      // A file that extends beyond the rectangle narrows it for the sublevels that follow.
      bool fits = true;
      if (first_of(files[i]) < low) {
        fits = false;
        low = last_of(files[i]) + 1;
      }
      if (last_of(files[i]) > high) {
        fits = false;
        high = first_of(files[i]) - 1;
      }
      if (!fits) continue;
      if (first == kNone) first = i;
      last = i;
    }
    if (low > high) break;
    if (first == kNone) continue;
    // Of the stretches between busy files: the first one with files of the pick, else the longest.
    Stretch best;
    Stretch open;
    const auto close = [&](std::size_t behind) {
      if (open.first == kNone) return;
      open.last = behind - 1;
      const bool is_longer = best.first == kNone || open.last - open.first > best.last - best.first;
      if (!best.has_picked && (open.has_picked || is_longer)) best = open;
      open = Stretch();
    };
    for (std::size_t i = first; i <= last; ++i) {
      if (files_[files[i]].file->busy) {
        close(i);
        continue;
      }
      if (open.first == kNone) open.first = i;
      open.has_picked = open.has_picked || pick.included[files[i]];
    }
    close(last + 1);
    if (best.first == kNone) break;
    if (best.first > first) low = last_of(files[best.first - 1]) + 1;
    if (best.last < last) high = first_of(files[best.last + 1]) - 1;
    for (std::size_t i = best.first; i <= best.last; ++i) {
      has_added = has_added || !pick.included[files[i]];
      include(files[i], pick);
    }
  }
  return has_added;
}

}  // namespace lsmlab
