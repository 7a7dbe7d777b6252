#include "models/base/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/base/check.h"
#include "models/base/foreign_options.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"

namespace lsmlab {
namespace {

using Fault = std::optional<std::string>;

std::string limit_text(std::uint64_t value) {
  if (value == std::numeric_limits<std::uint64_t>::max()) return "2^64-1";
  for (unsigned bit = 30; bit < 64; ++bit) {
    if (value == std::uint64_t{1} << bit) return fmt::format("2^{}", bit);
  }
  return std::to_string(value);
}

std::string range_text(CountRange range) {
  return fmt::format("{}..{}", limit_text(range.min), limit_text(range.max));
}

// "; write 6 or 7" for "6.5". Empty for any other text.
std::string neighbours_text(const std::string& text) {
  constexpr std::size_t kDigitsMax = 12;
  const std::size_t point = text.find('.');
  const bool is_decimal = point != std::string::npos && point > 0 && point <= kDigitsMax &&
                          text.find_first_not_of("0123456789.") == std::string::npos &&
                          text.find('.', point + 1) == std::string::npos &&
                          text.find_first_of("123456789", point) != std::string::npos;
  if (!is_decimal) return {};
  const std::uint64_t below = std::stoull(text.substr(0, point));
  return fmt::format("; write {} or {}", below, below + 1);
}

Fault read_in_range(const std::string& text, CountRange range,
                    Result<std::uint64_t> (*parse)(std::string_view), std::uint64_t& value) {
  Result<std::uint64_t> parsed = parse(text);
  if (!parsed) {
    return fmt::format("{}, within {}{}", parsed.error().message, range_text(range),
                       neighbours_text(text));
  }
  if (parsed.value() < range.min || parsed.value() > range.max) {
    return fmt::format("{} is out of range; expected {}", excerpt(text), range_text(range));
  }
  value = parsed.value();
  return std::nullopt;
}

std::function<Fault(const std::string&)> decimal_assigner(
    std::string_view min_text, std::string_view max_text,
    std::function<void(const Decimal&)> assign) {
  const std::optional<Decimal> min = Decimal::parse(min_text);
  const std::optional<Decimal> max = Decimal::parse(max_text);
  CHECK(min && max);
  const std::string range = fmt::format("{}..{}", min_text, max_text);
  return [range, min, max, assign = std::move(assign)](const std::string& text) -> Fault {
    if (text.starts_with('-'))
      return fmt::format("{} is negative; expected {}", excerpt(text), range);
    const std::optional<Decimal> parsed = Decimal::parse(text);
    if (!parsed) {
      return fmt::format("'{}' is not a decimal number of at most nine decimals; expected {}",
                         excerpt(text), range);
    }
    if (*parsed < *min || *max < *parsed) {
      return fmt::format("{} is out of range; expected {}", excerpt(text), range);
    }
    assign(*parsed);
    return std::nullopt;
  };
}

}  // namespace

void OptionTable::add(std::string name, std::string range, std::string unit, std::string meaning,
                      std::function<Fault(const std::string&)> assign,
                      std::function<OptionValue()> value) {
  OptionInfo info{std::move(name), option_value_text(value()), std::move(range), std::move(unit),
                  std::move(meaning)};
  options_.push_back({std::move(info), std::move(assign), std::move(value)});
}

void OptionTable::count(std::string name, std::uint64_t& field, CountRange range, std::string unit,
                        std::string meaning) {
  add(
      std::move(name), range_text(range), std::move(unit), std::move(meaning),
      [&field, range](const std::string& text) {
        return read_in_range(text, range, parse_count, field);
      },
      [&field] { return OptionValue(field); });
}

void OptionTable::optional_count(std::string name, std::optional<std::uint64_t>& field,
                                 CountRange range, std::string unit, std::string meaning) {
  add(
      std::move(name), range_text(range), std::move(unit), std::move(meaning),
      [&field, range](const std::string& text) {
        std::uint64_t value = 0;
        Fault fault = read_in_range(text, range, parse_count, value);
        if (!fault) field = value;
        return fault;
      },
      [&field] { return field ? OptionValue(*field) : OptionValue(); });
}

void OptionTable::bytes(std::string name, Bytes& field, CountRange range, std::string meaning) {
  add(
      std::move(name), range_text(range), "bytes", std::move(meaning),
      [&field, range](const std::string& text) {
        std::uint64_t value = 0;
        Fault fault = read_in_range(text, range, parse_bytes, value);
        if (!fault) field = Bytes(value);
        return fault;
      },
      [&field] { return OptionValue(field.value()); });
}

void OptionTable::optional_bytes(std::string name, std::optional<Bytes>& field, CountRange range,
                                 std::string meaning) {
  add(
      std::move(name), range_text(range), "bytes", std::move(meaning),
      [&field, range](const std::string& text) {
        std::uint64_t value = 0;
        Fault fault = read_in_range(text, range, parse_bytes, value);
        if (!fault) field = Bytes(value);
        return fault;
      },
      [&field] { return field ? OptionValue(field->value()) : OptionValue(); });
}

void OptionTable::make_last_a_rate() {
  OptionInfo& info = options_.back().info;
  info.unit += "/s";
  info.averaging = Averaging::kRate;
}

void OptionTable::count_per_second(std::string name, std::uint64_t& field, CountRange range,
                                   std::string unit, std::string meaning) {
  count(std::move(name), field, range, std::move(unit), std::move(meaning));
  make_last_a_rate();
}

void OptionTable::bytes_per_second(std::string name, Bytes& field, CountRange range,
                                   std::string meaning) {
  bytes(std::move(name), field, range, std::move(meaning));
  make_last_a_rate();
}

void OptionTable::decimal(std::string name, Decimal& field, std::string_view min,
                          std::string_view max, std::string meaning) {
  add(std::move(name), fmt::format("{}..{}", min, max), "", std::move(meaning),
      decimal_assigner(min, max, [&field](const Decimal& value) { field = value; }),
      [&field] { return OptionValue(field.as_double()); });
}

void OptionTable::optional_decimal(std::string name, std::optional<Decimal>& field,
                                   std::string_view min, std::string_view max,
                                   std::string meaning) {
  add(std::move(name), fmt::format("{}..{}", min, max), "", std::move(meaning),
      decimal_assigner(min, max, [&field](const Decimal& value) { field = value; }),
      [&field] { return field ? OptionValue(field->as_double()) : OptionValue(); });
}

namespace {

// Of a flag. Other systems write 1, yes or on.
std::string unknown_flag(const std::string& text) {
  const bool is_true = text == "1" || text == "yes" || text == "on" || text == "TRUE" ||
                       text == "True" || text == "t" || text == "y";
  const bool is_false = text == "0" || text == "no" || text == "off" || text == "FALSE" ||
                        text == "False" || text == "f" || text == "n";
  const std::vector<std::string> names{"false", "true"};
  const auto nearest = is_true    ? std::optional<std::string>("true")
                       : is_false ? std::optional<std::string>("false")
                                  : nearest_name(text, names);
  return fmt::format(
      "unknown value '{}'; {}", excerpt(text),
      nearest ? fmt::format("did you mean '{}'?", *nearest) : "expected true or false");
}

}  // namespace

void OptionTable::flag(std::string name, bool& field, std::string meaning) {
  choice<bool>(std::move(name), field, {{"false", false}, {"true", true}}, std::move(meaning));
  options_.back().assign = [&field](const std::string& text) -> Fault {
    if (text != "true" && text != "false") return unknown_flag(text);
    field = text == "true";
    return std::nullopt;
  };
  options_.back().value = [&field] { return OptionValue(field); };
}

void OptionTable::optional_flag(std::string name, std::optional<bool>& field, std::string meaning) {
  auto assign = [&field](const std::string& text) -> Fault {
    if (text != "true" && text != "false") return unknown_flag(text);
    field = text == "true";
    return std::nullopt;
  };
  add(std::move(name), "false|true", "", std::move(meaning), std::move(assign),
      [&field] { return field ? OptionValue(*field) : OptionValue(); });
}

void OptionTable::text(std::string name, std::string& field, std::string meaning) {
  add(
      std::move(name), "text", "", std::move(meaning),
      [&field](const std::string& given) -> Fault {
        field = given;
        return std::nullopt;
      },
      [&field] { return field.empty() ? OptionValue() : OptionValue(field); });
}

void OptionTable::add_choice(std::string name, std::vector<std::string> names, std::string meaning,
                             std::function<void(std::size_t)> assign,
                             std::function<std::size_t()> index) {
  auto assign_text = [names, assign = std::move(assign)](const std::string& text) -> Fault {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end())
      return fmt::format("unknown value '{}'{}", excerpt(text), suggestion(text, names));
    assign(static_cast<std::size_t>(found - names.begin()));
    return std::nullopt;
  };
  std::string range = fmt::format("{}", fmt::join(names, "|"));
  add(std::move(name), std::move(range), "", std::move(meaning), std::move(assign_text),
      [names, index = std::move(index)] { return OptionValue(names[index()]); });
  options_.back().choices = names;
}

OptionFault unknown_parameter(const std::string& name, const std::string& text,
                              std::span<const std::string> names, std::string_view owner,
                              std::span<const OptionOwner> families) {
  OptionFault fault;
  fault.option = name;
  fault.found = text;
  fault.expected = fmt::format("{}", fmt::join(names, ", "));
  fault.is_unknown = true;
  fault.nearest = nearest_name(name, names).value_or("");
  const std::string foreign = foreign_option_help(name, text, names, owner, families);
  fault.message = fmt::format("unknown parameter '{}'{}", excerpt(name),
                              foreign.empty() ? suggestion(name, names) : "; " + foreign);
  return fault;
}

Result<void> OptionTable::assign(const Parameters& parameters) {
  std::vector<std::string> names;
  for (const Option& option : options_) names.push_back(option.info.name);
  std::vector<OptionFault> faults;
  for (const auto& [name, text] : parameters) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      faults.push_back(unknown_parameter(name, text, names));
      continue;
    }
    const Option& option = options_[static_cast<std::size_t>(found - names.begin())];
    if (Fault fault = option.assign(text)) {
      faults.push_back({name, text, option.info.range, false,
                        nearest_name(text, option.choices).value_or(""),
                        fmt::format("{}: {}", name, *fault)});
    }
  }
  if (!faults.empty()) return option_error(std::move(faults));
  return success();
}

std::vector<OptionInfo> OptionTable::describe() const {
  std::vector<OptionInfo> infos;
  for (const Option& option : options_) infos.push_back(option.info);
  return infos;
}

ResolvedOptions OptionTable::values() const {
  ResolvedOptions values;
  for (const Option& option : options_) values.emplace_back(option.info.name, option.value());
  return values;
}

std::string option_value_text(const OptionValue& value) {
  struct Printer {
    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::uint64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(Printer{}, value);
}

}  // namespace lsmlab
