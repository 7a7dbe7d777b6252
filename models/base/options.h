// Options of a policy, workload or device, declared once. An OptionTable binds names to the members
// of an options struct. From that one declaration it reads values, checks their ranges, lists the
// options with their defaults, and reports the values in force.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "models/base/averaging.h"
#include "models/base/decimal.h"
#include "models/base/error.h"
#include "models/base/spec.h"
#include "models/base/units.h"

namespace lsmlab {

/// A value as a result shows it; monostate if an optional value is absent.
using OptionValue = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;
using ResolvedOptions = std::vector<std::pair<std::string, OptionValue>>;

struct OptionInfo {
  std::string name;
  std::string default_text;
  std::string range;                       // "1..1024", "true|false"
  std::string unit;                        // "SSTables", "bytes"; empty for choices
  std::string meaning;                     // its effect, and its trade-off
  Averaging averaging = Averaging::kMean;  // of numbers, over several calibrations of a device
};

/// Whether an option of a policy is an age or a period that counts operations or writes, so that a
/// time may stand for it (models/base/stated_time.h).
[[nodiscard]] inline bool counts_operations(const OptionInfo& option) {
  return option.unit == "operations" || option.unit == "writes";
}

/// A family of policies, and the names of the options that it declares.
struct OptionOwner {
  std::string name;
  std::vector<std::string> options;
};

struct CountRange {
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
};

class OptionTable {
 public:
  // Each of these binds a name to a field. The field's present value is the default. The field must
  // outlive the table.
  void count(std::string name, std::uint64_t& field, CountRange range, std::string unit,
             std::string meaning);
  void optional_count(std::string name, std::optional<std::uint64_t>& field, CountRange range,
                      std::string unit, std::string meaning);
  void bytes(std::string name, Bytes& field, CountRange range, std::string meaning);
  void optional_bytes(std::string name, std::optional<Bytes>& field, CountRange range,
                      std::string meaning);
  /// Rates: several calibrations have the mean of rates.
  void count_per_second(std::string name, std::uint64_t& field, CountRange range, std::string unit,
                        std::string meaning);
  void bytes_per_second(std::string name, Bytes& field, CountRange range, std::string meaning);
  void decimal(std::string name, Decimal& field, std::string_view min, std::string_view max,
               std::string meaning);
  void optional_decimal(std::string name, std::optional<Decimal>& field, std::string_view min,
                        std::string_view max, std::string meaning);
  void flag(std::string name, bool& field, std::string meaning);
  void optional_flag(std::string name, std::optional<bool>& field, std::string meaning);
  void text(std::string name, std::string& field, std::string meaning);
  /// A value with a syntax of its own. `parse`: returns Result<T> for a text. `as_text`: the text
  /// of a value; empty if it is absent.
  template <class T, class Parse, class Text>
  void parsed(std::string name, T& field, std::string range, Parse parse, Text as_text,
              std::string meaning);
  /// `choices`: pairs of a name and a value.
  template <class Enum>
  void choice(std::string name, Enum& field, std::vector<std::pair<std::string, Enum>> choices,
              std::string meaning);

  /// Assigns the parameters to the fields. Errors: unknown names and bad values; all of them are in
  /// Error::faults and in the message, each with its option.
  [[nodiscard]] Result<void> assign(const Parameters& parameters);
  /// The options in the order of declaration, with their current values as defaults.
  [[nodiscard]] std::vector<OptionInfo> describe() const;
  /// The values in force, in declaration order.
  [[nodiscard]] ResolvedOptions values() const;

 private:
  struct Option {
    OptionInfo info;
    std::function<std::optional<std::string>(const std::string&)> assign;  // a fault, or nothing
    std::function<OptionValue()> value;
    std::vector<std::string> choices = {};  // the valid values, if they have names
  };
  void add(std::string name, std::string range, std::string unit, std::string meaning,
           std::function<std::optional<std::string>(const std::string&)> assign,
           std::function<OptionValue()> value);
  void make_last_a_rate();
  void add_choice(std::string name, std::vector<std::string> names, std::string meaning,
                  std::function<void(std::size_t)> assign, std::function<std::size_t()> index);

  std::vector<Option> options_;
};

/// The options that `options` declares, with its values as defaults.
template <class Options>
[[nodiscard]] std::vector<OptionInfo> declared_by(Options options) {
  OptionTable table;
  options.declare(table);
  return table.describe();
}

/// Options with these values. Errors: as OptionTable::assign(), in the context of `owner`.
template <class Options>
[[nodiscard]] Result<Options> options_with(const Parameters& parameters, const std::string& owner) {
  Options options;
  OptionTable table;
  options.declare(table);
  if (auto assigned = table.assign(parameters); !assigned) {
    return in_context(owner, assigned.error());
  }
  return options;
}

/// The fault of parameter `name`, which is not one of `names`. Its message has the name of the same
/// option here if another system has that name (models/base/foreign_options.h), else the nearest
/// name, else all names. `owner`: the policy's family; empty if there is none. `families`: all that
/// another system's option may belong to.
[[nodiscard]] OptionFault unknown_parameter(const std::string& name, const std::string& text,
                                            std::span<const std::string> names,
                                            std::string_view owner = {},
                                            std::span<const OptionOwner> families = {});

/// "6", "1.2", "true"; "-" if the value is absent.
[[nodiscard]] std::string option_value_text(const OptionValue& value);

template <class T, class Parse, class Text>
void OptionTable::parsed(std::string name, T& field, std::string range, Parse parse, Text as_text,
                         std::string meaning) {
  add(
      std::move(name), std::move(range), "", std::move(meaning),
      [&field, parse](const std::string& given) -> std::optional<std::string> {
        Result<T> value = parse(given);
        if (!value) return value.error().message;
        field = std::move(value).value();
        return std::nullopt;
      },
      [&field, as_text] {
        std::string shown = as_text(field);
        return shown.empty() ? OptionValue() : OptionValue(std::move(shown));
      });
}

template <class Enum>
void OptionTable::choice(std::string name, Enum& field,
                         std::vector<std::pair<std::string, Enum>> choices, std::string meaning) {
  std::vector<std::string> names;
  std::vector<Enum> values;
  for (const auto& [choice_name, value] : choices) {
    names.push_back(choice_name);
    values.push_back(value);
  }
  add_choice(
      std::move(name), std::move(names), std::move(meaning),
      [&field, values](std::size_t index) { field = values[index]; },
      [&field, values] {
        std::size_t index = 0;
        while (values[index] != field) ++index;
        return index;
      });
}

}  // namespace lsmlab
