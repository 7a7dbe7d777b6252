#include "validate/advise/policy_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/spec_parameters.h"
#include "models/base/stated_time.h"
#include "validate/advise/parameter_table.h"
#include "validate/catalog/catalog.h"

namespace lsmlab {
namespace {

constexpr std::string_view kBuffer = "buffer";

Bytes times(Bytes bytes, const Decimal& factor) {
  const Uint128 product = Uint128{bytes.value()} * factor.numerator() / factor.denominator();
  return Bytes(static_cast<std::uint64_t>(
      std::clamp<Uint128>(product, 1, std::numeric_limits<std::uint64_t>::max() / 4)));
}

// The number that orders a value among others: a count, a decimal, a size, a time in seconds.
std::optional<double> number_of(const std::string& text) {
  if (is_stated_time(text)) {
    const auto seconds = parse_time(text);
    return seconds ? std::optional(static_cast<double>(seconds.value())) : std::nullopt;
  }
  if (const auto decimal = Decimal::parse(text)) return decimal->as_double();
  const auto bytes = parse_bytes(text);
  return bytes ? std::optional(static_cast<double>(bytes.value())) : std::nullopt;
}

std::optional<double> number_of(const SearchedValue& value, Bytes buffer) {
  if (value.buffers) return static_cast<double>(times(buffer, *value.buffers).value());
  return number_of(value.text);
}

// Counts and times have no common order before they are counted.
bool is_mixed(const std::vector<std::string>& values) {
  const auto times = std::count_if(values.begin(), values.end(),
                                   [](const std::string& text) { return is_stated_time(text); });
  return times > 0 && static_cast<std::size_t>(times) < values.size();
}

// Half, a quarter, ... of the memory for the memtable: the rest is for filters.
std::vector<SearchedValue> buffers_within(Bytes memory) {
  constexpr std::uint64_t kMemtableMin = std::uint64_t{1} << 16;
  std::vector<SearchedValue> values;
  for (std::uint64_t share = 32; share >= 1; share /= 2) {
    const std::uint64_t bytes = memory.value() / share;
    if (bytes < kMemtableMin && share > 1) continue;
    const bool is_coarse = share == 1 || share == 4 || share == 16;
    values.push_back({typed_bytes_text(std::max<std::uint64_t>(1, bytes)), {}, is_coarse});
  }
  return values;
}

std::vector<SearchedValue> values_of(const SearchedParameter& row) {
  std::vector<SearchedValue> values;
  for (const std::string& text : row.ladder) {
    SearchedValue value;
    if (row.kind == LadderKind::kBuffers) {
      value.buffers = Decimal::parse(text);
    } else {
      value.text = text;
    }
    value.is_coarse = std::find(row.coarse.begin(), row.coarse.end(), text) != row.coarse.end();
    values.push_back(std::move(value));
  }
  return values;
}

class SpaceBuilder {
 public:
  SpaceBuilder(const Spec& policy, const SpaceRequest& request, ConfiguredPolicy configured)
      : request_(request), configured_(std::move(configured)) {
    space_.policy = policy;
    space_.buffer = configured_.store.buffer;
  }

  Result<PolicySpace> build() {
    for (const VariedParameter& varied : request_.varied) {
      if (is_fixed(varied.name) || !value_in_force(configured_, varied.name)) continue;
      BOOST_OUTCOME_TRYV(add_of_user(varied));
    }
    for (const SearchedParameter& row : searched_parameters()) {
      const bool is_here = row.family == configured_.family || row.family == kEveryFamily;
      if (is_here && is_wanted(row)) add_row(row);
    }
    return std::move(space_);
  }

 private:
  [[nodiscard]] bool is_fixed(std::string_view name) const {
    return std::find(request_.fixed.begin(), request_.fixed.end(), name) != request_.fixed.end();
  }
  [[nodiscard]] bool is_wanted(const SearchedParameter& row) const {
    const bool is_varied =
        std::any_of(request_.varied.begin(), request_.varied.end(),
                    [&](const VariedParameter& one) { return one.name == row.name; });
    if (is_varied || is_fixed(row.name)) return false;
    if (row.when == SearchedWhen::kReads) return request_.is_filter_searched;
    return row.when == SearchedWhen::kAlways || request_.memory.has_value();
  }

  // Whether the policy takes the value where nothing else changes.
  [[nodiscard]] Result<void> taken(const std::string& name, const SearchedValue& value) const {
    Spec spec = space_.policy;
    state(spec.parameters, name,
          value.buffers ? typed_bytes_text(times(space_.buffer, *value.buffers).value())
                        : value.text);
    const auto policy = policy_of_spec(spec, request_.workload);
    return policy ? Result<void>(success()) : Result<void>(policy.error());
  }

  Result<void> add_of_user(const VariedParameter& varied) {
    Dimension dimension{varied.name, {}, 0, !is_mixed(varied.values), true};
    const std::string* const time = stated_value(configured_.stated_times, varied.name);
    const std::string in_force =
        time != nullptr ? *time : *value_in_force(configured_, varied.name);
    for (const std::string& text : varied.values) {
      const SearchedValue value{text, {}, true};
      if (const auto checked = taken(varied.name, value); !checked) {
        return in_context(fmt::format("--vary {}", varied.name), checked.error());
      }
      dimension.is_ordered = dimension.is_ordered && number_of(text).has_value();
      dimension.values.push_back(value);
    }
    add(std::move(dimension), in_force);
    return success();
  }

  void add_row(const SearchedParameter& row) {
    Dimension dimension{std::string(row.name), {}, 0, row.kind != LadderKind::kNames, false};
    const auto in_force = value_in_force(configured_, row.name);
    if (!in_force) return;
    const bool is_of_memory = row.when == SearchedWhen::kMemory;
    for (SearchedValue& value : is_of_memory ? buffers_within(*request_.memory) : values_of(row)) {
      if (taken(dimension.name, value)) dimension.values.push_back(std::move(value));
    }
    add(std::move(dimension), *in_force);
  }

  // Puts what the policy has anyway among the values: in the place of an equal one, or before the
  // next larger one.
  void add(Dimension dimension, const std::string& in_force) {
    const std::optional<double> base = number_of(in_force);
    auto& values = dimension.values;
    if (dimension.is_ordered) {
      std::stable_sort(values.begin(), values.end(),
                       [&](const SearchedValue& a, const SearchedValue& b) {
                         return number_of(a, space_.buffer) < number_of(b, space_.buffer);
                       });
    }
    const auto same = std::find_if(values.begin(), values.end(), [&](const SearchedValue& value) {
      const auto number = number_of(value, space_.buffer);
      const bool is_same_kind =
          !value.buffers && is_stated_time(value.text) == is_stated_time(in_force);
      return value.text == in_force || (is_same_kind && base && number == base);
    });
    if (same != values.end()) {
      dimension.base = static_cast<std::size_t>(same - values.begin());
      // Nothing need be stated, but a value of the user is, so that the answer shows it.
      if (!dimension.is_of_user) same->text.clear();
      same->shown = in_force;
      same->is_coarse = true;
    } else if (dimension.is_of_user) {
      // The user named the values: no other is tried.
      dimension.base = values.size();
    } else {
      const auto next = std::find_if(values.begin(), values.end(), [&](const SearchedValue& value) {
        return dimension.is_ordered && base && number_of(value, space_.buffer) > base;
      });
      dimension.base = static_cast<std::size_t>(next - values.begin());
      values.insert(next, SearchedValue{"", {}, true, in_force});
    }
    if (dimension.is_of_user && dimension.base == values.size()) dimension.base = 0;
    if (values.size() > 1 || dimension.is_of_user) {
      space_.dimensions.push_back(std::move(dimension));
    }
  }

  const SpaceRequest& request_;
  ConfiguredPolicy configured_;
  PolicySpace space_;
};

std::size_t changes_of(const PolicySpace& space, const Point& point) {
  std::size_t changes = 0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (point[i] != space.dimensions[i].base) ++changes;
  }
  return changes;
}

}  // namespace

Result<VariedParameter> parse_varied(const std::string& text) {
  const std::size_t equals = text.find('=');
  VariedParameter varied;
  if (equals != std::string::npos) {
    varied.name = text.substr(0, equals);
    const std::string list = text.substr(equals + 1);
    const char separator = list.find('|') == std::string::npos ? ',' : '|';
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(separator, at), list.size());
      varied.values.push_back(list.substr(at, end - at));
      at = end + 1;
    }
  }
  const bool has_empty = std::any_of(varied.values.begin(), varied.values.end(),
                                     [](const std::string& value) { return value.empty(); });
  if (varied.name.empty() || has_empty) {
    return input_error(fmt::format(
        "--vary '{}': expected a parameter and its values, as in size_ratio=2,4,8", excerpt(text)));
  }
  for (std::size_t i = 1; i < varied.values.size(); ++i) {
    const auto begin = varied.values.begin();
    const auto here = begin + static_cast<std::ptrdiff_t>(i);
    if (std::find(begin, here, *here) == here) continue;
    return input_error(fmt::format("--vary {}: the value '{}' is given twice", excerpt(varied.name),
                                   excerpt(*here)));
  }
  return varied;
}

Result<PolicySpace> space_of(const Spec& policy, const SpaceRequest& request) {
  auto configured = BOOST_OUTCOME_TRYX(policy_of_spec(policy, request.workload));
  return SpaceBuilder(policy, request, std::move(configured)).build();
}

Point base_point(const PolicySpace& space) {
  Point point;
  for (const Dimension& dimension : space.dimensions) point.push_back(dimension.base);
  return point;
}

Spec spec_at(const PolicySpace& space, const Point& point) {
  Spec spec = space.policy;
  Bytes buffer = space.buffer;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Dimension& dimension = space.dimensions[i];
    const std::string& text = dimension.values[point[i]].text;
    if (text.empty()) continue;
    state(spec.parameters, dimension.name, text);
    if (dimension.name != kBuffer) continue;
    if (const auto bytes = parse_bytes(text)) buffer = Bytes(bytes.value());
  }
  for (std::size_t i = 0; i < point.size(); ++i) {
    const SearchedValue& value = space.dimensions[i].values[point[i]];
    if (!value.buffers) continue;
    state(spec.parameters, space.dimensions[i].name,
          typed_bytes_text(times(buffer, *value.buffers).value()));
  }
  return spec;
}

std::string value_text(const SearchedValue& value) {
  if (value.buffers) return fmt::format("{}x buffer", value.buffers->text());
  return value.text.empty() ? value.shown + " as it is" : value.text;
}

std::uint64_t coarse_count(const PolicySpace& space) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  Uint128 count = 1;
  for (const Dimension& dimension : space.dimensions) {
    count *= static_cast<std::uint64_t>(
        std::count_if(dimension.values.begin(), dimension.values.end(),
                      [](const SearchedValue& value) { return value.is_coarse; }));
    count = std::min<Uint128>(count, kMost);
  }
  return static_cast<std::uint64_t>(count);
}

std::vector<Point> coarse_points(const PolicySpace& space) {
  std::vector<Point> points{{}};
  for (const Dimension& dimension : space.dimensions) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (std::size_t place = 0; place < dimension.values.size(); ++place) {
        if (!dimension.values[place].is_coarse) continue;
        longer.push_back(point);
        longer.back().push_back(place);
      }
    }
    points = std::move(longer);
  }
  std::stable_sort(points.begin(), points.end(), [&](const Point& a, const Point& b) {
    return changes_of(space, a) < changes_of(space, b);
  });
  return points;
}

std::vector<Point> neighbours(const PolicySpace& space, const Point& point) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Dimension& dimension = space.dimensions[i];
    for (std::size_t place = 0; place < dimension.values.size(); ++place) {
      const bool is_next = place + 1 == point[i] || place == point[i] + 1;
      if (place == point[i] || (dimension.is_ordered && !is_next)) continue;
      points.push_back(point);
      points.back()[i] = place;
    }
  }
  return points;
}

Bytes memory_of(const StoreOptions& store, std::uint64_t keys) {
  const Uint128 bits =
      Uint128{keys} * store.bits_per_key.numerator() / store.bits_per_key.denominator();
  const Uint128 bytes = Uint128{store.buffer.value()} + (bits + 7) / 8;
  return Bytes(static_cast<std::uint64_t>(
      std::min<Uint128>(bytes, std::numeric_limits<std::uint64_t>::max())));
}

}  // namespace lsmlab
