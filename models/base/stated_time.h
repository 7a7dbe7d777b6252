// Times in place of numbers of operations: ttl=30d. Policies count operations or writes, because
// then simulator and engine agree; a workload says how many operations a second it stands for, and
// a time becomes the number of operations, or of writes, in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/error.h"
#include "models/base/units.h"

namespace lsmlab {

/// The most that a count of operations may be.
inline constexpr std::uint64_t kCountedOperationsMax = std::uint64_t{1} << 62;

/// Whether the text is a number with letters behind it that are no factor of a count, so that it is
/// a time or meant as one: "30d", "10m". "30M" and "30k" are counts.
[[nodiscard]] bool is_stated_time(std::string_view text);

/// Reads a time in seconds: "30d", "12h", "1.5h", "90min", "3600s". Errors: another unit, with the
/// right one for "m"; not a whole number of seconds; more than 2^40 seconds.
[[nodiscard]] Result<std::uint64_t> parse_time(std::string_view text);

/// The same time as parse_time() reads it, in the largest unit that leaves a whole number: "30d".
[[nodiscard]] std::string typed_time_text(std::uint64_t seconds);

/// So many operations a second, as an exact fraction.
class OperationRate {
 public:
  static constexpr std::uint64_t kMax = std::uint64_t{1} << 40;

  /// A whole number. REQUIRES: from 1 to kMax.
  explicit OperationRate(std::uint64_t per_second);
  /// Reads "5000", "10k" or "0.25". Errors: something else; 0 or more than kMax.
  [[nodiscard]] static Result<OperationRate> parse(std::string_view text);

  /// That of one of so many equal parts. REQUIRES: parts is from 1 to 10,000.
  [[nodiscard]] OperationRate of_part(std::uint64_t parts) const;

  [[nodiscard]] std::uint64_t numerator() const { return numerator_; }
  [[nodiscard]] std::uint64_t denominator() const { return denominator_; }
  [[nodiscard]] std::string text() const { return text_; }

 private:
  std::uint64_t numerator_ = 1;
  std::uint64_t denominator_ = 1;
  std::string text_;
};

/// A part of the operations, such as the writes among them.
struct OperationShare {
  std::uint64_t counted = 1;     // at most operations
  std::uint64_t operations = 1;  // from 1 to 2^49
};

/// How many of the counted operations happen in that time, rounded to the nearest. Errors: the
/// time is not 0 and has none; more than kCountedOperationsMax. REQUIRES: parse_time() can have
/// returned the time.
[[nodiscard]] Result<std::uint64_t> operations_in(std::uint64_t seconds, const OperationRate& rate,
                                                  const OperationShare& share = {});

}  // namespace lsmlab
