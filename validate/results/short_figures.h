// Short names of the figures that people ask for most, for conditions and searches: "put_p99" for
// "latency.put.p99_ns". Any other figure has the name that docs/results.md lists.
#pragma once

#include <span>
#include <string_view>

namespace lsmlab {

struct ShortFigure {
  std::string_view name;
  std::string_view path;     // with "[]": the sum over all elements of the list
  std::string_view meaning;  // with its unit
  bool is_better_larger = false;
};

[[nodiscard]] std::span<const ShortFigure> short_figures();

/// The short figure of that name, or with that path. Null where there is none.
[[nodiscard]] const ShortFigure* short_figure(std::string_view name_or_path);

/// Whether only a run with a clock (--device) has the figure at that path.
[[nodiscard]] bool figure_needs_clock(std::string_view path);

}  // namespace lsmlab
