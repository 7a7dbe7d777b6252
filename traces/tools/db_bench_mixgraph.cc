#include "traces/tools/db_bench_mixgraph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "models/base/check.h"
#include "models/base/portable_math.h"

namespace lsmlab::tools {
namespace {

// Rounds up to a whole number. What does not fit becomes the smallest one, as on x86-64.
std::int64_t whole_above(double number) {
  const double up = std::ceil(number);
  if (up >= -0x1p63 && up < 0x1p63) return static_cast<std::int64_t>(up);
  return std::numeric_limits<std::int64_t>::min();
}

// base^exponent for bases from 0 on.
double power(double base, double exponent) {
  if (exponent == 0 || base == 1) return 1;
  if (base == 0) return exponent > 0 ? 0 : std::numeric_limits<double>::infinity();
  if (base < 0) return std::numeric_limits<double>::quiet_NaN();
  return portable_exp(exponent * portable_log(base));
}

std::int64_t inverse_pareto(double share, double theta, double k, double sigma) {
  if (k == 0) {
    if (share == 0) return std::numeric_limits<std::int64_t>::min();
    return whole_above(theta - sigma * portable_log(share));
  }
  return whole_above(theta + sigma * (power(share, -k) - 1) / k);
}

std::uint64_t first_number(std::int64_t seed) {
  return std::mt19937_64(static_cast<std::uint64_t>(seed))();
}

bool has_ranges(const MixGraph& mix) {
  return mix.range_a != 0 || mix.range_b != 0 || mix.range_c != 0 || mix.range_d != 0;
}

bool has_hot_keys(const MixGraph& mix) { return mix.key_a != 0 && mix.key_b != 0; }

}  // namespace

bool MixGraphDraws::can_draw(const MixGraph& mix, std::uint64_t numbers) {
  if (!has_hot_keys(mix) || !has_ranges(mix)) return true;
  if (static_cast<std::uint64_t>(mix.ranges) > numbers) return false;
  return MixGraphDraws(mix, numbers).weights_ > 0;
}

MixGraphDraws::MixGraphDraws(const MixGraph& mix, std::uint64_t numbers)
    : mix_(mix), numbers_(numbers) {
  constexpr double kParts = 1000;
  const double sum = mix.gets + mix.puts + mix.seeks;
  const auto parts = [&](double ratio) {
    return static_cast<int>(std::ceil(kParts * (ratio / sum)));
  };
  gets_below_ = parts(mix.gets);
  puts_below_ = gets_below_ + parts(mix.puts);
  kinds_ = puts_below_ + parts(mix.seeks);
  if (has_hot_keys(mix) && has_ranges(mix)) make_ranges();
}

void MixGraphDraws::make_ranges() {
  const auto count = static_cast<std::size_t>(mix_.ranges);
  range_keys_ = numbers_ / count;
  // The coldest range comes first, and its probability is the unit of all weights.
  std::vector<std::uint64_t> weights;
  std::int64_t unit = 0;
  for (std::size_t range = count; range >= 1; --range) {
    const auto x = static_cast<double>(range);
    double probability = mix_.range_a * portable_exp(mix_.range_b * x) +
                         mix_.range_c * portable_exp(mix_.range_d * x);
    if (probability < 1e-16) probability = 0;
    if (unit == 0 && probability > 0) unit = whole_above(std::floor(1 / probability)) + 1;
    const double weight = std::floor(static_cast<double>(unit) * probability);
    weights.push_back(weight < 0x1p62 ? static_cast<std::uint64_t>(weight) : 0);
    weights_ += weights.back();
  }
  std::mt19937_64 random(weights_);
  for (std::size_t i = 0; i < count; ++i) std::swap(weights[i], weights[random() % count]);
  std::uint64_t begin = 0;
  for (const std::uint64_t weight : weights) {
    begins_.push_back(begin);
    begin += weight;
  }
}

double MixGraphDraws::share_of(std::uint64_t drawn) const {
  return static_cast<double>(drawn) / static_cast<double>(numbers_);
}

std::uint64_t MixGraphDraws::key(std::uint64_t drawn) const {
  if (!has_hot_keys(mix_)) return drawn;
  if (has_ranges(mix_)) return key_in_range(drawn);
  const std::int64_t seed = whole_above(power(share_of(drawn) / mix_.key_a, 1 / mix_.key_b));
  const auto signed_number = static_cast<std::int64_t>(first_number(seed));
  return static_cast<std::uint64_t>(signed_number % static_cast<std::int64_t>(numbers_));
}

std::uint64_t MixGraphDraws::key_in_range(std::uint64_t drawn) const {
  CHECK(weights_ > 0);
  const auto above = std::upper_bound(begins_.begin() + 1, begins_.end(), drawn % weights_);
  const auto range = static_cast<std::uint64_t>(above - begins_.begin() - 1);
  const double share = static_cast<double>(drawn % range_keys_) / static_cast<double>(range_keys_);
  const std::int64_t seed = whole_above(power(share / mix_.key_a, 1 / mix_.key_b));
  return range_keys_ * range + first_number(seed) % range_keys_;
}

MixKind MixGraphDraws::kind(std::uint64_t drawn) const {
  const auto at = static_cast<int>(drawn % static_cast<std::uint64_t>(kinds_));
  if (at < gets_below_) return MixKind::kGet;
  return at < puts_below_ ? MixKind::kPut : MixKind::kSeek;
}

std::uint32_t MixGraphDraws::value_bytes(std::uint64_t drawn) const {
  const std::int64_t bytes =
      inverse_pareto(share_of(drawn), mix_.value_theta, mix_.value_k, mix_.value_sigma);
  if (bytes < 10) return 10;
  return static_cast<std::uint32_t>(bytes > mix_.value_max ? bytes % mix_.value_max : bytes);
}

std::uint64_t MixGraphDraws::scan_steps(std::uint64_t drawn) const {
  const std::int64_t steps =
      inverse_pareto(share_of(drawn), mix_.scan_theta, mix_.scan_k, mix_.scan_sigma) %
      mix_.scan_max;
  return steps < 0 ? 0 : static_cast<std::uint64_t>(steps);
}

}  // namespace lsmlab::tools
