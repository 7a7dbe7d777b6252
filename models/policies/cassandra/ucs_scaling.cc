#include "models/policies/cassandra/ucs_scaling.h"

#include <fmt/format.h>

#include <cstdlib>

#include "models/base/quantity_text.h"

namespace lsmlab {

UcsScaling ucs_scaling(std::int64_t w) {
  const auto fanout = static_cast<std::uint64_t>(2 + std::abs(w));
  return {fanout, w <= 0 ? 2 : fanout, w < 0};
}

std::optional<std::int64_t> parse_ucs_scaling(std::string_view text) {
  if (text == "N") return 0;
  if (text.empty()) return std::nullopt;
  const bool is_named = text.front() == 'T' || text.front() == 'L';
  const bool is_leveled = text.front() == 'L' || text.front() == '-';
  if (is_named || text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  const auto number = parse_count(text);
  if (!number || number.value() > kUcsFanoutMax) return std::nullopt;
  if (is_named && number.value() < 2) return std::nullopt;
  const auto distance = static_cast<std::int64_t>(number.value()) - (is_named ? 2 : 0);
  return is_leveled ? -distance : distance;
}

std::optional<std::vector<std::int64_t>> parse_ucs_scalings(std::string_view text) {
  std::vector<std::int64_t> by_level;
  for (;;) {
    const std::size_t end = text.find(':');
    const std::optional<std::int64_t> w = parse_ucs_scaling(text.substr(0, end));
    if (!w) return std::nullopt;
    if (by_level.size() < kUcsLevelsMax) by_level.push_back(*w);
    if (end == std::string_view::npos) return by_level;
    text.remove_prefix(end + 1);
  }
}

std::string ucs_scalings_text(const std::vector<std::int64_t>& by_level) {
  std::size_t count = by_level.size();
  while (count > 1 && by_level[count - 2] == by_level[count - 1]) --count;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t w = by_level[i];
    if (i > 0) text += ':';
    text += w == 0 ? "N" : fmt::format("{}{}", w < 0 ? 'L' : 'T', 2 + std::abs(w));
  }
  return text;
}

}  // namespace lsmlab
