// Scaling parameters of Cassandra's UnifiedCompactionStrategy: a number w for each level, which
// says how often the level is merged. w < 0 (L3, L4, ...): one run, which is merged with what
// arrives. w = 0 (N). w > 0 (T3, T4, ...): runs gather.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lsmlab {

inline constexpr std::uint64_t kUcsFanoutMax = 1024;
inline constexpr std::size_t kUcsLevelsMax = 32;

/// What a scaling parameter makes of a level.
struct UcsScaling {
  std::uint64_t fanout = 4;
  std::uint64_t threshold = 4;
  bool is_leveled = false;  // w < 0
};

[[nodiscard]] UcsScaling ucs_scaling(std::int64_t w);

/// Of "T4", "L10", "N", or w as a number. Nothing if the text is none of them.
[[nodiscard]] std::optional<std::int64_t> parse_ucs_scaling(std::string_view text);
/// Of such texts by level, joined by colons: as many as there are, at most kUcsLevelsMax.
[[nodiscard]] std::optional<std::vector<std::int64_t>> parse_ucs_scalings(std::string_view text);

/// The shortest text of these parameters, of which the last one holds for all further levels.
[[nodiscard]] std::string ucs_scalings_text(const std::vector<std::int64_t>& by_level);

}  // namespace lsmlab
