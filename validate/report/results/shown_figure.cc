#include "validate/report/results/shown_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "models/base/check.h"
#include "models/base/quantity_text.h"
#include "validate/report/axes.h"
#include "validate/report/gnuplot.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNoValue = "\xE2\x80\x93";  // a dash

constexpr std::string_view kBytes = "bytes";
constexpr std::string_view kNanoseconds = "ns";

struct Conversion {
  std::string_view own;
  std::string_view shown;
  double size;
};
constexpr Conversion kConversions[] = {
    {kNanoseconds, "\xC2\xB5s", 1e3}, {kNanoseconds, "ms", 1e6},
    {kNanoseconds, "s", 1e9},         {kBytes, "MB", 1e6},
    {"bytes/s", "MB/s", 1e6},
};

// Three digits: the rate of one run on one machine is not worth more.
std::string rate_text(double per_second) {
  if (per_second < 1000) return fmt::format("{:.3g}", per_second);
  const double step = std::pow(10.0, std::floor(std::log10(per_second)) - 2);
  return tick_text(std::round(per_second / step) * step);
}

std::string duration_text(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.1f} \xC2\xB5s", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.2f} ms", ns / 1e6);
  return fmt::format("{:.2f} s", ns / 1e9);
}

std::string number_text(const FigureDescriptor& figure, const Json& value) {
  const double number = value.get<double>();
  if (!std::isfinite(number) || number < 0) return fmt::format("{:.4g}", number);
  if (figure.unit == kBytes) return byte_count_text(number);
  if (figure.unit == kNanoseconds) return duration_text(number);
  if (figure.averaging == Averaging::kRate) return rate_text(number);
  if (value.is_number_integer()) return whole_text(number);
  return figure_text(number);
}

}  // namespace

ShownUnit own_unit(const FigureDescriptor& figure) { return {figure.unit, 1}; }

ShownUnit larger_unit(const FigureDescriptor& figure, std::string_view name) {
  const auto* const found = std::find_if(
      std::begin(kConversions), std::end(kConversions),
      [&](const Conversion& row) { return row.own == figure.unit && row.shown == name; });
  CHECK(found != std::end(kConversions));
  return {std::string(name), found->size};
}

std::string figure_label(const FigureDescriptor& figure, const ShownUnit& unit) {
  if (unit.name.empty() || unit.name == figure.name) return figure.name;
  return fmt::format("{} ({})", figure.name, unit.name);
}

std::string figure_label(const FigureDescriptor& figure) {
  return figure_label(figure, own_unit(figure));
}

std::string breakable_html(const std::string& text) {
  std::string html;
  for (const char c : html_escaped(text)) {
    html += c;
    if (c == '_' || c == '.' || c == '/') html += "<wbr>";
  }
  return html;
}

std::string column_unit(const FigureDescriptor& figure) {
  const bool is_in_cells = figure.unit == kBytes || figure.unit == kNanoseconds;
  return is_in_cells || figure.unit == figure.name ? "" : figure.unit;
}

std::string figure_value_text(const FigureDescriptor& figure, const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? number_text(figure, value) : kNoValue;
}

std::string figure_text(double value) {
  if (value < 10) return fmt::format("{:.3f}", value);
  if (value < 100) return fmt::format("{:.2f}", value);
  if (value < 1000) return fmt::format("{:.1f}", value);
  return whole_text(std::round(value));
}

std::string whole_text(double value) {
  // Only an edited file holds more than 2^127, and the conversion would not be defined.
  if (value >= 1e38) return fmt::format("{:.4g}", value);
  return grouped_text(static_cast<Uint128>(value));
}

std::string byte_count_text(double bytes) {
  if (bytes >= 1e38) return fmt::format("{:.4g} B", bytes);
  return bytes_text(static_cast<Uint128>(bytes));
}

}  // namespace lsmlab
