// An exact decimal such as lambda = 1.2 (6/5). Policies compare it in integers, so they decide the
// same on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/units.h"

namespace lsmlab {

class Decimal {
 public:
  /// REQUIRES: denominator divides 10^9 and is not 0.
  Decimal(std::uint32_t numerator, std::uint32_t denominator);
  /// Reads digits with at most nine decimals, "1.2" or "70%". Nothing if the text is something else
  /// or the number is above 4 * 10^9.
  [[nodiscard]] static std::optional<Decimal> parse(std::string_view text);

  [[nodiscard]] std::uint64_t numerator() const { return numerator_; }
  [[nodiscard]] std::uint64_t denominator() const { return denominator_; }
  [[nodiscard]] std::string text() const;  // shortest exact form: "1.2"
  [[nodiscard]] double as_double() const;
  /// Whether a <= this * b.
  [[nodiscard]] bool times_is_at_least(std::uint64_t b, std::uint64_t a) const {
    return Uint128{a} * denominator_ <= Uint128{b} * numerator_;
  }
  friend bool operator<(const Decimal& a, const Decimal& b) {
    return Uint128{a.numerator_} * b.denominator_ < Uint128{b.numerator_} * a.denominator_;
  }

 private:
  std::uint64_t numerator_;
  std::uint64_t denominator_;
};

}  // namespace lsmlab
