#include "models/base/decimal.h"

#include <charconv>
#include <numeric>

#include "models/base/check.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kScale = 1'000'000'000;  // nine decimals
constexpr std::uint64_t kWholeMax = 4'000'000'000;

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Decimal::Decimal(std::uint32_t numerator, std::uint32_t denominator)
    : numerator_(numerator), denominator_(denominator) {
  CHECK(denominator != 0 && kScale % denominator == 0);
  const std::uint64_t divisor = std::gcd(numerator_, denominator_);
  numerator_ /= divisor;
  denominator_ /= divisor;
}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  std::uint64_t scale = kScale;
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    scale /= 100;
  }
  const auto point = text.find('.');
  const std::string_view whole_text = text.substr(0, point);
  const std::string_view fraction_text =
      point == std::string_view::npos ? "" : text.substr(point + 1);
  if (!is_digits(whole_text) || (point != std::string_view::npos && !is_digits(fraction_text))) {
    return std::nullopt;
  }
  std::uint64_t whole = 0;
  const auto [end, fault] =
      std::from_chars(whole_text.data(), whole_text.data() + whole_text.size(), whole);
  if (fault != std::errc{} || whole > kWholeMax) return std::nullopt;
  std::uint64_t scaled = whole * scale;
  for (std::uint64_t unit = scale; const char digit : fraction_text) {
    if (unit % 10 != 0) {
      if (digit != '0') return std::nullopt;
      continue;
    }
    unit /= 10;
    scaled += unit * static_cast<std::uint64_t>(digit - '0');
  }
  Decimal result(0, 1);
  const std::uint64_t divisor = std::gcd(scaled, kScale);
  result.numerator_ = scaled / divisor;
  result.denominator_ = kScale / divisor;
  return result;
}

std::string Decimal::text() const {
  std::string result = std::to_string(numerator_ / denominator_);
  std::uint64_t rest = numerator_ % denominator_;
  if (rest != 0) result += '.';
  for (; rest != 0; rest %= denominator_) {
    rest *= 10;
    result += static_cast<char>('0' + rest / denominator_);
  }
  return result;
}

double Decimal::as_double() const {
  return static_cast<double>(numerator_) / static_cast<double>(denominator_);
}

}  // namespace lsmlab
