#include "models/base/stated_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "models/base/check.h"
#include "models/base/decimal.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"

namespace lsmlab {
namespace {

struct TimeUnit {
  std::string_view name;
  std::uint64_t seconds;
};

// Without "m", which is near the M of a million.
constexpr std::array<TimeUnit, 4> kUnits{{{"d", 86'400}, {"h", 3'600}, {"min", 60}, {"s", 1}}};
constexpr std::uint64_t kSecondsMax = std::uint64_t{1} << 40;

std::string_view number_part(std::string_view text) {
  return text.substr(0, text.find_first_not_of("0123456789."));
}

Error unknown_unit(std::string_view text, std::string_view unit) {
  const std::string number(number_part(text));
  if (unit == "m") {
    return input_error(fmt::format("'{}' could be minutes or millions; write {}min or {}M",
                                   excerpt(std::string(text)), number, number));
  }
  return input_error(fmt::format("'{}' has an unknown unit of time; expected s, min, h or d",
                                 excerpt(std::string(text))));
}

}  // namespace

bool is_stated_time(std::string_view text) {
  const std::string_view number = number_part(text);
  const std::string_view unit = text.substr(number.size());
  return !number.empty() && !unit.empty() && unit != "k" &&
         std::all_of(unit.begin(), unit.end(),
                     [](char letter) { return letter >= 'a' && letter <= 'z'; });
}

Result<std::uint64_t> parse_time(std::string_view text) {
  const std::string_view number = number_part(text);
  const std::string_view name = text.substr(number.size());
  const auto* const unit = std::find_if(kUnits.begin(), kUnits.end(),
                                        [&](const TimeUnit& one) { return one.name == name; });
  if (unit == kUnits.end()) return unknown_unit(text, name);
  const auto fault = [&](std::string_view what) {
    return input_error(fmt::format("'{}' is {}", excerpt(std::string(text)), what));
  };
  // A Decimal ends at 4 * 10^9, so it reads only what is behind the point.
  const std::size_t point = number.find('.');
  const bool has_decimals = point != std::string_view::npos;
  const std::string_view digits = number.substr(0, point);
  std::uint64_t whole = 0;
  const auto [end, whole_fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  const std::optional<Decimal> decimals =
      Decimal::parse(has_decimals ? fmt::format("0{}", number.substr(point)) : "0");
  if (digits.empty() || !decimals) {
    return fault(
        "no time; expected a number of at most nine decimals with s, min, h or d, as in 30d");
  }
  const Error too_long = fault("more than 2^40 seconds");
  if (whole_fault != std::errc() || whole > kSecondsMax) return too_long;
  const Uint128 fractions =
      (Uint128{whole} * decimals->denominator() + decimals->numerator()) * unit->seconds;
  if (fractions % decimals->denominator() != 0) return fault("not a whole number of seconds");
  const Uint128 seconds = fractions / decimals->denominator();
  if (seconds > kSecondsMax) return too_long;
  return static_cast<std::uint64_t>(seconds);
}

std::string typed_time_text(std::uint64_t seconds) {
  for (const TimeUnit& unit : kUnits) {
    if (seconds > 0 && seconds % unit.seconds == 0) {
      return fmt::format("{}{}", seconds / unit.seconds, unit.name);
    }
  }
  return "0s";
}

OperationRate::OperationRate(std::uint64_t per_second)
    : numerator_(per_second), text_(std::to_string(per_second)) {
  CHECK(per_second > 0 && per_second <= OperationRate::kMax);
}

OperationRate OperationRate::of_part(std::uint64_t parts) const {
  CHECK(parts > 0 && parts <= 10'000);
  OperationRate part = *this;
  if (parts == 1) return part;
  part.denominator_ *= parts;  // at most 10^9 before
  part.text_ = fmt::format("{} / {}", text_, parts);
  return part;
}

Result<OperationRate> OperationRate::parse(std::string_view text) {
  const auto bad = [&] {
    return input_error(
        fmt::format("'{}' is no rate; expected operations a second above 0 and up "
                    "to 2^40, as in 5000, 10k or 0.25",
                    excerpt(std::string(text))));
  };
  const Result<std::uint64_t> whole = parse_count(text);
  if (whole) {
    if (whole.value() == 0 || whole.value() > OperationRate::kMax) return bad();
    return OperationRate(whole.value());
  }
  const bool is_share = text.ends_with('%');
  const std::optional<Decimal> fraction = is_share ? std::nullopt : Decimal::parse(text);
  if (!fraction || fraction->numerator() == 0) return bad();
  OperationRate rate(1);
  rate.numerator_ = fraction->numerator();
  rate.denominator_ = fraction->denominator();
  rate.text_ = fraction->text();
  return rate;
}

Result<std::uint64_t> operations_in(std::uint64_t seconds, const OperationRate& rate,
                                    const OperationShare& share) {
  CHECK(share.operations > 0 && share.operations <= std::uint64_t{1} << 49);
  CHECK(share.counted <= share.operations && seconds <= kSecondsMax);
  // Twice the number, to round. The product of all four would not fit 128 bits, so that the shares
  // multiply the quotient and the remainder apart.
  const Uint128 all = Uint128{2} * seconds * rate.numerator();
  const Uint128 divisor = Uint128{rate.denominator()} * share.operations;
  const Uint128 quotient = all / divisor;
  const Uint128 remainder = all % divisor;
  const auto too_many = [] { return input_error("more than 2^62"); };
  if (share.counted > 0 && quotient > Uint128{2} * kCountedOperationsMax / share.counted) {
    return too_many();
  }
  const Uint128 doubled = quotient * share.counted + remainder * share.counted / divisor;
  const Uint128 count = (doubled + 1) / 2;
  if (count > kCountedOperationsMax) return too_many();
  if (count == 0 && seconds > 0) return input_error("less than one");
  return static_cast<std::uint64_t>(count);
}

}  // namespace lsmlab
