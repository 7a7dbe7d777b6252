#include "traces/stores/glued_cells.h"

#include <cstddef>
#include <iterator>
#include <optional>

namespace lsmlab::stores {
namespace {

// Nothing for a column of whole numbers, or one whose form is not known.
std::optional<std::size_t> decimals_of(std::string_view heading) {
  if (heading == "Avg(sec)") return 3;
  if (heading == "Avg(ms)" || heading == "Stall(sec)") return 2;
  const bool has_one = heading == "Score" || heading.ends_with("(GB)") ||
                       heading.ends_with("(MB/s)") || heading.ends_with("W-Amp");
  return has_one ? std::optional<std::size_t>(1) : std::nullopt;
}

}  // namespace

std::vector<std::string_view> taken_apart(std::vector<std::string_view> cells,
                                          const std::vector<std::string>& headings) {
  for (std::size_t i = 0; i < cells.size() && cells.size() < headings.size(); ++i) {
    const std::string_view cell = cells[i];
    const auto decimals = decimals_of(headings[i]);
    const std::size_t point = cell.find('.');
    if (!decimals || point == std::string_view::npos) continue;
    const std::size_t end = point + 1 + *decimals;
    if (end >= cell.size()) continue;
    cells[i] = cell.substr(0, end);
    cells.insert(std::next(cells.begin(), static_cast<std::ptrdiff_t>(i + 1)), cell.substr(end));
  }
  return cells;
}

}  // namespace lsmlab::stores
