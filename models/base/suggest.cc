#include "models/base/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace lsmlab {
namespace {

// Damerau-Levenshtein distance (optimal string alignment). Two swapped neighbours count as one
// error, because that is a frequent typing error.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> distance(a.size() + 1,
                                                 std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) distance[i][0] = i;
  std::iota(distance[0].begin(), distance[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
      }
    }
  }
  return distance[a.size()][b.size()];
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Candidates that contain the name, whatever its case. Shorter names say too little.
std::vector<std::string> containing(std::string_view name,
                                    std::span<const std::string> candidates) {
  constexpr std::size_t kNameSizeMin = 3;
  constexpr std::size_t kNameSizeMax = 64;
  std::vector<std::string> found;
  if (name.size() < kNameSizeMin || name.size() > kNameSizeMax) return found;
  const std::string part = in_lower_case(name);
  for (const std::string& candidate : candidates) {
    if (in_lower_case(candidate).find(part) != std::string::npos) found.push_back(candidate);
  }
  return found;
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  const std::size_t near_distance = std::max<std::size_t>(1, name.size() / 3);
  const std::string* nearest = nullptr;
  std::size_t nearest_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : candidates) {
    // The distance of two texts is at least the difference of their lengths. So a long input is
    // never compared with a short candidate.
    const std::size_t longer = std::max(name.size(), candidate.size());
    if (longer - std::min(name.size(), candidate.size()) > near_distance) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < nearest_distance) {
      nearest = &candidate;
      nearest_distance = distance;
    }
  }
  if (nearest_distance > near_distance) return std::nullopt;
  return *nearest;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  if (candidates.empty()) return "; there are none";
  const std::optional<std::string> nearest = nearest_name(name, candidates);
  if (nearest) return fmt::format("; did you mean '{}'?", *nearest);
  constexpr std::size_t kNamesMax = 6;
  std::vector<std::string> alike = containing(name, candidates);
  const std::size_t more = alike.size() - std::min(alike.size(), kNamesMax);
  alike.resize(alike.size() - more);
  if (alike.size() == 1) return fmt::format("; did you mean '{}'?", alike[0]);
  if (!alike.empty()) {
    return fmt::format("; did you mean one of '{}'{}?", fmt::join(alike, "', '"),
                       more > 0 ? fmt::format(" and {} more", more) : "");
  }
  return fmt::format("; expected one of {}", fmt::join(candidates, ", "));
}

}  // namespace lsmlab
