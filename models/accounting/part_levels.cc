#include "models/accounting/part_levels.h"

namespace lsmlab {
namespace {

std::optional<double> write_amplification_of(const PartFigures& part, std::size_t level) {
  const OutputTraffic& traffic = part.by_output_level[level];
  const Uint128 arrived = level == 0 ? part.bytes_flushed : traffic.bytes_read_others;
  if (arrived == 0) return std::nullopt;
  return ratio_of(traffic.bytes_written, arrived);
}

}  // namespace

std::vector<PartLevel> part_levels_of(const RunResult& run) {
  std::vector<PartLevel> levels;
  for (std::size_t i = 0; i < run.parts.size(); ++i) {
    const PartFigures& part = run.parts[i];
    for (std::size_t level = 0; level < part.by_output_level.size(); ++level) {
      const OutputTraffic& traffic = part.by_output_level[level];
      if (traffic == OutputTraffic{}) continue;
      levels.push_back({i, part.name, level, traffic, write_amplification_of(part, level)});
    }
  }
  return levels;
}

}  // namespace lsmlab
