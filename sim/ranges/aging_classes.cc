#include "sim/ranges/aging_classes.h"

#include <algorithm>
#include <cmath>

namespace lsmlab {
namespace {

// Of the distance at which a class or a part begins.
constexpr double kClassWidth = 0.4;
constexpr double kPartWidth = 0.2;

// The last distance of a part that begins after so many newer keys.
double part_end(double newer) { return std::max(newer + 1, std::floor(newer * (1 + kPartWidth))); }

}  // namespace

ClassMerges merges_of_old_classes(const std::vector<KeyPart>& parts) {
  if (parts.empty()) return {};
  // Whether a class begins a new one: not if the older neighbour joins it.
  std::vector<bool> is_begin(parts.back().key_class + 1, true);
  double newer = 0;  // keys newer than the class at hand, with those that it joined
  double width = 0;
  for (std::size_t end = parts.size(); end > 0;) {
    const std::size_t c = parts[end - 1].key_class;
    double own = 0;
    bool is_fixed = false;  // its end
    if (end < parts.size()) is_fixed = parts[end].is_fixed;
    for (; end > 0 && parts[end - 1].key_class == c; --end) own += parts[end - 1].live;
    if (width > 0 && !is_fixed && width + own <= kClassWidth * newer) {
      is_begin[c + 1] = false;
      width += own;
    } else {
      newer += width;
      width = own;
    }
  }
  ClassMerges merges;
  std::uint32_t merged = 0;
  for (std::size_t c = 0; c < is_begin.size(); ++c) {
    if (c > 0 && is_begin[c]) ++merged;
    merges.push_back(merged);
  }
  return merges;
}

std::vector<KeyPart> cut_by_distance(const std::vector<KeyPart>& parts, std::uint64_t inserted) {
  std::vector<KeyPart> cut;  // from the newest
  double newer = 0;          // live keys that are newer than what is left
  double limit = part_end(0);
  std::uint64_t end = inserted;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    KeyPart rest = *part;
    const double numbers_each =
        rest.live > 0 ? static_cast<double>(end - rest.first) / rest.live : 0;
    bool joins = !cut.empty() && cut.back().key_class == rest.key_class;
    for (bool is_left = true; is_left;) {
      if (newer >= limit) {
        limit = part_end(newer);
        joins = false;
      }
      is_left = rest.live > limit - newer;
      KeyPart piece = rest;
      if (is_left) {
        piece.live = limit - newer;
        rest.live -= piece.live;
        piece.first = rest.first + static_cast<std::uint64_t>(rest.live * numbers_each);
        piece.is_fixed = false;
        newer = limit;
      } else {
        newer += rest.live;
      }
      if (joins) piece.live += cut.back().live;
      if (joins) cut.pop_back();
      cut.push_back(piece);
    }
    end = rest.first;
  }
  std::reverse(cut.begin(), cut.end());
  return cut;
}

std::vector<std::uint64_t> begins_by_distance(std::uint64_t inserted) {
  std::vector<std::uint64_t> begins;
  for (std::uint64_t distance = 1; distance < inserted;) {
    begins.push_back(inserted - distance);
    distance += 1 + static_cast<std::uint64_t>(kClassWidth * static_cast<double>(distance));
  }
  begins.push_back(0);
  std::reverse(begins.begin(), begins.end());
  return begins;
}

}  // namespace lsmlab
