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

const Json& no_value() {
  static const Json null;
  return null;
}

}  // namespace

const Figure& figure_at(std::string_view path) {
  const Figure* figure = find_figure(path);
  CHECK(figure != nullptr);
  return *figure;
}

const FigureGroup& group_at(std::string_view path) {
  const auto& groups = figure_groups();
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const FigureGroup& group) { return group.path == path; });
  CHECK(found != groups.end());
  return *found;
}

const FigureGroup& group_of(std::string_view path) {
  const Figure& figure = figure_at(path);
  const auto& groups = figure_groups();
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const FigureGroup& group) {
    return std::any_of(group.figures.begin(), group.figures.end(),
                       [&](const Figure& other) { return &other == &figure; });
  });
  CHECK(found != groups.end());
  return *found;
}

std::string plain_text(std::string definition) {
  std::erase(definition, '`');
  return definition;
}

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

const Json* group_json(const Json& result, std::string_view path) {
  const Json* json = &result;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    if (!json->is_object()) return nullptr;
    const auto member = json->find(std::string(path.substr(start, end - start)));
    if (member == json->end() || member->is_null()) return nullptr;
    json = &*member;
    start = end + 1;
  }
  return json;
}

const Json& member_of(const Json& object, const std::string& name) {
  if (!object.is_object()) return no_value();
  const auto member = object.find(name);
  return member == object.end() ? no_value() : *member;
}

const Json& figure_json(const Json& result, std::string_view path) {
  const Json* group = group_json(result, group_of(path).path);
  return group == nullptr ? no_value() : member_of(*group, figure_at(path).name);
}

void for_each_instance(const FigureGroup& group, const Json& result,
                       const std::function<void(const std::string&, const Json&)>& visit) {
  const Json* json = group_json(result, group.path);
  if (json == nullptr) return;
  switch (group.shape) {
    case GroupShape::kObject:
      visit("", *json);
      return;
    case GroupShape::kNamed:
      if (!json->is_object()) return;
      for (const auto& [name, object] : json->items()) visit(name, object);
      return;
    case GroupShape::kValues:
      if (!json->is_object()) return;
      for (const auto& [name, value] : json->items()) {
        visit(name, Json{{group.figures.front().name, value}});
      }
      return;
    case GroupShape::kList:
      if (!json->is_array()) return;
      for (const Json& object : *json) {
        const Json& place = member_of(object, group.place);
        visit(place.is_null() ? "" : fmt::format("{} {}", group.place, place.dump()), object);
      }
      return;
    case GroupShape::kColumns:
      return;
  }
}

}  // namespace lsmlab
