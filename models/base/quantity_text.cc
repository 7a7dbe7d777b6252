#include "models/base/quantity_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/base/shortened.h"

namespace lsmlab {
namespace {

struct Suffix {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kKibi = 1024;
// So many, because 10^18 times the largest factor fits 128 bits.
constexpr std::size_t kFractionDigitsMax = 18;
constexpr std::array<Suffix, 6> kCountSuffixes{{{"", 1},
                                                {"k", 1'000},
                                                {"K", 1'000},
                                                {"M", 1'000'000},
                                                {"G", 1'000'000'000},
                                                {"T", 1'000'000'000'000}}};
constexpr std::array<Suffix, 15> kByteSuffixes{{{"", 1},
                                                {"B", 1},
                                                {"k", 1'000},
                                                {"kB", 1'000},
                                                {"KB", 1'000},
                                                {"M", 1'000'000},
                                                {"MB", 1'000'000},
                                                {"G", 1'000'000'000},
                                                {"GB", 1'000'000'000},
                                                {"T", 1'000'000'000'000},
                                                {"TB", 1'000'000'000'000},
                                                {"KiB", kKibi},
                                                {"MiB", kKibi* kKibi},
                                                {"GiB", kKibi* kKibi* kKibi},
                                                {"TiB", kKibi* kKibi* kKibi* kKibi}}};

std::string suffix_list(std::span<const Suffix> suffixes) {
  std::string list;
  for (const Suffix& suffix : suffixes) {
    if (!suffix.name.empty()) list += (list.empty() ? "" : ", ") + std::string(suffix.name);
  }
  return list;
}

bool is_same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// The suffix "e6" of "1e6" as a factor's suffix: "M". Empty where there is none.
std::string_view suffix_of_exponent(std::string_view suffix) {
  constexpr std::pair<std::string_view, std::string_view> kExponents[] = {
      {"e3", "k"}, {"e6", "M"}, {"e9", "G"}, {"e12", "T"}};
  for (const auto& [exponent, name] : kExponents) {
    if (is_same_letters(suffix, exponent)) return name;
  }
  return {};
}

// "; write 64MB or 64MiB": what someone may mean by a number with an unknown suffix.
std::string meant(std::string_view number, std::string_view suffix,
                  std::span<const Suffix> suffixes) {
  std::vector<std::string> forms;
  if (const auto exponent = suffix_of_exponent(suffix); !exponent.empty()) {
    forms.push_back(fmt::format("{}{}", number, exponent));
  }
  for (const Suffix& known : suffixes) {
    if (known.name.empty()) continue;
    // "kB" and "KB" mean the same; "64mb" may mean 64MB or 64MiB.
    const bool is_binary = known.name.size() == 3 && suffix.size() == 2 &&
                           is_same_letters(suffix.substr(0, 1), known.name.substr(0, 1)) &&
                           is_same_letters(suffix.substr(1), "b");
    if (!is_same_letters(suffix, known.name) && !is_binary) continue;
    if (known.name.starts_with('k')) continue;
    forms.push_back(fmt::format("{}{}", number, known.name));
  }
  return forms.empty() ? std::string() : fmt::format("; write {}", fmt::join(forms, " or "));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

enum class Fractions { kRefused, kRounded };

// `expected`: what such a text looks like. `fractions`: whether a number with a unit that has a
// fraction left is refused, or rounded to the nearest whole number.
Result<std::uint64_t> parse_scaled(std::string_view text, std::span<const Suffix> suffixes,
                                   std::string_view expected, Fractions fractions) {
  const auto fault = [&](std::string_view what) {
    return input_error(fmt::format("'{}' {}; expected {}", excerpt(text), what, expected));
  };
  if (text.starts_with('-')) return fault("is negative");
  const auto number_end =
      std::find_if(text.begin(), text.end(), [](char c) { return !is_digit(c) && c != '.'; });
  const std::string_view number(text.begin(), number_end);
  const std::string_view suffix_name(number_end, text.end());
  const auto point = number.find('.');
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view{} : number.substr(point + 1);
  const bool is_number = !number.empty() && is_digit(number.front()) && is_digit(number.back()) &&
                         fraction.find('.') == std::string_view::npos;
  if (!is_number) return fault("is not a number");
  const auto suffix = std::find_if(suffixes.begin(), suffixes.end(),
                                   [&](const Suffix& s) { return s.name == suffix_name; });
  if (suffix == suffixes.end()) {
    return fault(fmt::format("ends with the unknown unit '{}' (units: {}){}", excerpt(suffix_name),
                             suffix_list(suffixes), meant(excerpt(number), suffix_name, suffixes)));
  }
  constexpr Uint128 kMax = std::numeric_limits<std::uint64_t>::max();
  const Error too_large = fault("is larger than 2^64 - 1");
  Uint128 value = 0;
  for (const char c : number.substr(0, point)) {
    value = value * 10 + static_cast<unsigned>(c - '0');
    if (value > kMax) return too_large;
  }
  value *= suffix->factor;
  const auto significant = fraction.substr(0, fraction.find_last_not_of('0') + 1);
  Uint128 fraction_value = 0;
  Uint128 fraction_scale = 1;
  for (const char c : significant.substr(0, kFractionDigitsMax)) {
    fraction_value = fraction_value * 10 + static_cast<unsigned>(c - '0');
    fraction_scale *= 10;
  }
  const bool is_rounded = fractions == Fractions::kRounded && suffix->factor > 1;
  if (!is_rounded && (significant.size() > kFractionDigitsMax ||
                      (fraction_value * suffix->factor) % fraction_scale != 0)) {
    return fault("is not a whole number");
  }
  value +=
      (fraction_value * suffix->factor + (is_rounded ? fraction_scale / 2 : 0)) / fraction_scale;
  if (value > kMax) return too_large;
  return static_cast<std::uint64_t>(value);
}

}  // namespace

Result<std::uint64_t> parse_count(std::string_view text) {
  return parse_scaled(text, kCountSuffixes, "a whole number such as 100000 or 10M",
                      Fractions::kRefused);
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  return parse_scaled(text, kByteSuffixes, "a number of bytes such as 4096, 8MiB or 10MB",
                      Fractions::kRounded);
}

std::string bytes_text(Uint128 bytes) {
  constexpr std::array<const char*, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  Uint128 scale = 1;
  while (unit + 1 < kUnits.size() && bytes / scale >= kKibi) {
    scale *= kKibi;
    ++unit;
  }
  if (bytes % scale == 0) return uint128_text(bytes / scale) + " " + kUnits[unit];
  return fmt::format("{:.2f} {}", static_cast<double>(bytes) / static_cast<double>(scale),
                     kUnits[unit]);
}

std::string typed_bytes_text(std::uint64_t bytes) {
  constexpr std::pair<unsigned, const char*> kUnits[] = {{30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (const auto& [shift, unit] : kUnits) {
    const std::uint64_t size = std::uint64_t{1} << shift;
    if (bytes >= size && bytes % size == 0) return fmt::format("{}{}", bytes / size, unit);
  }
  return std::to_string(bytes);
}

std::string uint128_text(Uint128 value) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string grouped_text(Uint128 value) {
  std::string text = uint128_text(value);
  for (std::size_t i = text.size(); i > 3;) {
    i -= 3;
    text.insert(i, 1, ',');
  }
  return text;
}

std::string counted_text(Uint128 count, std::string_view thing, std::string_view things) {
  const std::string number = grouped_text(count) + ' ';
  if (count == 1) return number + std::string(thing);
  return number + (things.empty() ? std::string(thing) + 's' : std::string(things));
}

}  // namespace lsmlab
