// The charts of a report, as gnuplot commands. Colour and point symbol tell policy families apart.
// Dash patterns tell the members of a family apart, so lines stay distinct without colour. If every
// family has one member, dash patterns tell the families apart too. A logarithmic axis cannot show
// 0, so such charts leave zeros out.
#pragma once

#include <optional>
#include <string>

#include "validate/report/gnuplot.h"
#include "validate/report/results/data.h"

namespace lsmlab {

/// Colour and symbol of the n-th family of a chart: "lc rgb '#0072B2' pt 7".
[[nodiscard]] std::string family_mark(std::size_t family);

/// Colour and dash pattern of the n-th family's lines: "lc rgb '#0072B2' dt solid".
[[nodiscard]] std::string family_line(std::size_t family);

/// Colour, dash pattern and symbol of the n-th family's lines with points.
[[nodiscard]] std::string family_curve(std::size_t family);

/// The colour of the n-th family: "#0072B2". Colours repeat.
[[nodiscard]] std::string family_colour(std::size_t family);

/// Write amplification (of bytes flushed) over flushes, both axes logarithmic. Marks on the right
/// show the lower bound for each policy's own bound of SSTables.
[[nodiscard]] Chart write_over_flushes(const ReportWorkload& workload);

/// Mean sorted runs over flushes. The axis of runs is linear unless one policy would flatten the
/// others.
[[nodiscard]] Chart runs_over_flushes(const ReportWorkload& workload);

/// Transient space over flushes. Nothing if all policies that merge end within 5 % of each other:
/// most of them need twice the data sooner or later.
[[nodiscard]] std::optional<Chart> space_over_flushes(const ReportWorkload& workload);

/// Write against mean read amplification: a point for each result, a line for each family.
[[nodiscard]] Chart write_against_read(const ReportWorkload& workload);

/// The SSTables after every flush as stacked rectangles. `bytes_max`: the height of the vertical
/// axis.
[[nodiscard]] Chart stack_over_time(const ReportResult& result, double bytes_max);
/// More flushes than this are not drawn as stacks.
inline constexpr std::size_t kStackFlushesMax = 64;
/// Whether the chart has so many flushes that it needs the page's full width.
[[nodiscard]] bool is_wide_stack(const ReportResult& result);

}  // namespace lsmlab
