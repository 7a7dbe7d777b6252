// How pages show a figure. Label, unit, definition and the form of its numbers come from the
// figure's descriptor (models/accounting/figure.h): a page never guesses them from a name.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "models/accounting/figure.h"

namespace lsmlab {

/// A unit on a page, and how many of the figure's own units it is: a microsecond is 1,000 ns.
struct ShownUnit {
  std::string name;
  double size = 1;
};

/// The figure's own unit.
[[nodiscard]] ShownUnit own_unit(const FigureDescriptor& figure);
/// A larger unit of the same kind, such as "µs" for ns. REQUIRES: the figure's unit converts to it.
[[nodiscard]] ShownUnit larger_unit(const FigureDescriptor& figure, std::string_view name);

/// A title for an axis or a column: "write_flushed (bytes/byte)". A figure whose name is its unit
/// has the name only: "flushes".
[[nodiscard]] std::string figure_label(const FigureDescriptor& figure, const ShownUnit& unit);
[[nodiscard]] std::string figure_label(const FigureDescriptor& figure);

/// Text for a table's head: a line may break after an underscore, a point or a slash.
[[nodiscard]] std::string breakable_html(const std::string& text);

/// What the cells of a table do not say about the unit: nothing for bytes and ns, whose cells name
/// a unit each, and nothing for texts and flags.
[[nodiscard]] std::string column_unit(const FigureDescriptor& figure);

/// A value in a table: "8 MiB", "1.25 ms", "7,492", "2.313", "yes"; a dash where there is none.
/// Not escaped.
[[nodiscard]] std::string figure_value_text(const FigureDescriptor& figure,
                                            const nlohmann::ordered_json& value);

/// Four digits that mean something: "2.313", "34.71", "7,492".
[[nodiscard]] std::string figure_text(double value);

/// "1,000,000". A number beyond 1e38 has an exponent.
[[nodiscard]] std::string whole_text(double value);
/// "8 MiB"; the same.
[[nodiscard]] std::string byte_count_text(double bytes);

}  // namespace lsmlab
