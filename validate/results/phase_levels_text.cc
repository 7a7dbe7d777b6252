#include "validate/results/phase_levels_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/accounting/part_levels.h"
#include "models/base/quantity_text.h"

namespace lsmlab {

std::string phase_levels_text(const RunResult& run) {
  const std::vector<PartLevel> levels = part_levels_of(run);
  if (levels.empty()) return {};
  std::size_t width = std::string_view("phase").size();
  for (const PartLevel& one : levels) width = std::max(width, one.name.size());
  std::string text =
      fmt::format("\n{:<{}} {:>6} {:>9} {:>12} {:>12} {:>12} {:>12} {:>6}\n", "phase", width,
                  "level", "Comp(cnt)", "Rn", "Rnp1", "Write", "Moved", "W-Amp");
  for (const PartLevel& one : levels) {
    const OutputTraffic& traffic = one.traffic;
    text += fmt::format(
        "{:<{}} {:>6} {:>9} {:>12} {:>12} {:>12} {:>12} {:>6}\n", one.name, width,
        fmt::format("L{}", one.level), traffic.jobs, bytes_text(traffic.bytes_read_others),
        bytes_text(traffic.bytes_read_own), bytes_text(traffic.bytes_written),
        bytes_text(traffic.bytes_moved_in),
        one.write_amplification ? fmt::format("{:.1f}", *one.write_amplification) : "-");
  }
  return text;
}

}  // namespace lsmlab
