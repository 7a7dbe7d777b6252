// The charts of a report, as gnuplot commands. Colour and point symbol tell policy families apart,
// dash patterns the members of a family, so that lines stay distinct without colour; where every
// family has one member, dash patterns tell families apart too. Values that a logarithmic axis
// cannot show (0) are left out.
#pragma once

#include <optional>
#include <string>

#include "validate/report/gnuplot.h"
#include "validate/report/results/data.h"

namespace lsmlab {

/// How the members of the n-th family of a chart are marked: "lc rgb '#0072B2' pt 7".
[[nodiscard]] std::string family_mark(std::size_t family);

/// The same for lines: "lc rgb '#0072B2' dt solid".
[[nodiscard]] std::string family_line(std::size_t family);

/// Write amplification (of bytes flushed) over flushes, both axes logarithmic; floors of the
/// policies' own k are marked on the right.
[[nodiscard]] Chart write_over_flushes(const ReportWorkload& workload);

/// Mean sorted runs over flushes; linear unless one policy would flatten the others.
[[nodiscard]] Chart runs_over_flushes(const ReportWorkload& workload);

/// Transient space over flushes. Nothing where all policies that merge end within 5 %:
/// most need twice the data sooner or later.
[[nodiscard]] std::optional<Chart> space_over_flushes(const ReportWorkload& workload);

/// Write against mean read amplification, a point a result, a line a family.
[[nodiscard]] Chart write_against_read(const ReportWorkload& workload);

/// The SSTables after every flush as stacked rectangles. `bytes_max`: the height of the vertical
/// axis.
[[nodiscard]] Chart stack_over_time(const ReportResult& result, double bytes_max);
/// More flushes than this are not drawn as stacks.
inline constexpr std::size_t kStackFlushesMax = 64;
/// True where a chart of so many flushes needs the page's full width.
[[nodiscard]] bool is_wide_stack(const ReportResult& result);

}  // namespace lsmlab
