#include "traces/workloads/key_distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/check.h"
#include "models/base/portable_math.h"

namespace lsmlab {
namespace {

const Decimal kStandardDeviationDefault(17, 50);
const Decimal kPrefixExponentDefault(1, 1);
const Decimal kAccessExponentDefault(99, 100);
const Decimal kDisplacedDefault(1, 10);
const Decimal kDisplacementMaxDefault(1, 20);

void refuse(bool given, bool is_wanted, const std::string& text, std::vector<std::string>& faults) {
  if (given && !is_wanted) faults.push_back(text);
}

std::uint64_t share_of(std::uint64_t count, const Decimal& share) {
  return static_cast<std::uint64_t>(Uint128{count} * share.numerator() / share.denominator());
}

}  // namespace

void InsertKeys::declare(OptionTable& table) {
  table.choice<InsertKeyKind>("distribution", kind,
                              {{"uniform", InsertKeyKind::kUniform},
                               {"normal", InsertKeyKind::kNormal},
                               {"prefix-zipf", InsertKeyKind::kPrefixZipf},
                               {"sequential", InsertKeyKind::kSequential},
                               {"near-sorted", InsertKeyKind::kNearSorted}},
                              "order and density of inserted keys");
  table.optional_decimal("standard_deviation", standard_deviation, "0.001", "10",
                         "normal: standard deviation, as a share of the key domain; default: 0.34");
  table.optional_decimal("zipf_exponent", zipf_exponent, "0.01", "10",
                         "prefix-zipf: Zipf exponent of the prefixes; default: 1");
  table.optional_count("prefixes", prefixes, {1, BucketTable::kBuckets}, "prefixes",
                       "prefix-zipf: number of prefixes; default: 65536");
  table.optional_decimal("displaced", displaced, "0", "1",
                         "near-sorted, K: share of keys that are out of order; default: 10%");
  table.optional_decimal(
      "displacement_max", displacement_max, "0", "1",
      "near-sorted, L: largest displacement of a key, as a share of all keys; default: 5%");
}

void InsertKeys::validate(const std::string& name, std::vector<std::string>& faults) const {
  const auto only = [&](bool given, const char* member, InsertKeyKind wanted, const char* where) {
    refuse(given, kind == wanted, fmt::format("{}: {} applies only to {}", name, member, where),
           faults);
  };
  only(standard_deviation.has_value(), "standard_deviation", InsertKeyKind::kNormal, "normal");
  only(zipf_exponent.has_value(), "zipf_exponent", InsertKeyKind::kPrefixZipf, "prefix-zipf");
  only(prefixes.has_value(), "prefixes", InsertKeyKind::kPrefixZipf, "prefix-zipf");
  only(displaced.has_value(), "displaced", InsertKeyKind::kNearSorted, "near-sorted");
  only(displacement_max.has_value(), "displacement_max", InsertKeyKind::kNearSorted, "near-sorted");
}

void AccessKeys::declare(OptionTable& table) {
  table.choice<AccessKeyKind>("distribution", kind,
                              {{"uniform", AccessKeyKind::kUniform},
                               {"normal", AccessKeyKind::kNormal},
                               {"zipfian", AccessKeyKind::kZipfian},
                               {"latest", AccessKeyKind::kLatest},
                               {"sequential", AccessKeyKind::kSequential},
                               {"classes", AccessKeyKind::kClasses}},
                              "which existing keys are used");
  table.optional_decimal("zipf_exponent", zipf_exponent, "0.01", "10",
                         "zipfian, latest: Zipf exponent; default: 0.99");
  table.optional_decimal("standard_deviation", standard_deviation, "0.001", "10",
                         "normal: standard deviation, as a share of all keys; default: 0.34");
  table.optional_flag("newest_first", newest_first,
                      "classes: the first class has the newest keys; default: false, the oldest");
}

void AccessKeys::validate(const std::string& name, std::vector<std::string>& faults) const {
  refuse(zipf_exponent.has_value(),
         kind == AccessKeyKind::kZipfian || kind == AccessKeyKind::kLatest,
         fmt::format("{}: zipf_exponent applies only to zipfian and latest", name), faults);
  refuse(standard_deviation.has_value(), kind == AccessKeyKind::kNormal,
         fmt::format("{}: standard_deviation applies only to normal", name), faults);
  const bool has_classes = kind == AccessKeyKind::kClasses;
  refuse(newest_first.has_value(), has_classes,
         fmt::format("{}: newest_first applies only to classes", name), faults);
  refuse(!classes.empty(), has_classes,
         fmt::format("{}: \"classes\" applies only to the distribution classes", name), faults);
  if (has_classes) validate_key_classes(name + ".classes", classes, faults);
}

Decimal AccessKeys::zipf_exponent_or_default() const {
  return zipf_exponent.value_or(kAccessExponentDefault);
}

Decimal AccessKeys::standard_deviation_or_default() const {
  return standard_deviation.value_or(kStandardDeviationDefault);
}

Decimal InsertKeys::displaced_or_default() const { return displaced.value_or(kDisplacedDefault); }

std::uint64_t layout_seed(std::uint64_t workload_seed) {
  constexpr std::uint64_t kLayoutStream = 1'000'000;
  return derive_seed(workload_seed, kLayoutStream);
}

BucketTable BucketTable::normal(const Decimal& standard_deviation) {
  const double deviation = standard_deviation.as_double();
  std::vector<double> weights(kBuckets);
  for (std::uint64_t b = 0; b < kBuckets; ++b) {
    const double z = ((static_cast<double>(b) + 0.5) / kBuckets - 0.5) / deviation;
    weights[b] = portable_exp(-z * z / 2);
  }
  return BucketTable(weights);
}

BucketTable BucketTable::zipf(const Decimal& exponent, std::uint64_t ranks) {
  CHECK(ranks >= 1 && ranks <= kBuckets);
  std::vector<double> weights(kBuckets, 0.0);
  for (std::uint64_t r = 1; r <= ranks; ++r) {
    weights[r - 1] = portable_exp(-exponent.as_double() * portable_log(static_cast<double>(r)));
  }
  return BucketTable(weights);
}

// Vose's construction with integer weights: a bucket below the mean weight takes the missing part
// from one other bucket, its alias.
BucketTable::BucketTable(const std::vector<double>& weights) : entries_(kBuckets) {
  const double largest = *std::max_element(weights.begin(), weights.end());
  std::vector<std::uint64_t> rest(kBuckets);
  std::uint64_t sum = 0;
  for (std::uint64_t b = 0; b < kBuckets; ++b) {
    const auto weight = static_cast<std::uint64_t>(weights[b] / largest * 0x1p40);
    sum += weight;
    rest[b] = weight * kBuckets;  // at most 2^56
  }
  std::vector<std::uint64_t> small;
  std::vector<std::uint64_t> large;
  for (std::uint64_t b = 0; b < kBuckets; ++b) (rest[b] < sum ? small : large).push_back(b);
  while (!small.empty()) {
    CHECK(!large.empty());
    const std::uint64_t b = small.back();
    const std::uint64_t donor = large.back();
    small.pop_back();
    entries_[b] = {static_cast<std::uint64_t>((Uint128{rest[b]} << 48) / sum), donor};
    rest[donor] -= sum - rest[b];
    if (rest[donor] < sum) {
      large.pop_back();
      small.push_back(donor);
    }
  }
  for (const std::uint64_t b : large) entries_[b] = {std::uint64_t{1} << 48, b};
}

ZipfSampler::ZipfSampler(const Decimal& exponent) : exponent_(exponent.as_double()) {
  integral_first_ = integral(1.5) - 1;
  acceptance_ = 2 - integral_inverse(integral(2.5) - density(2));
}

// The integral of x^-exponent from 1, in a form that stays precise if the exponent is near 1.
double ZipfSampler::integral(double x) const {
  const double log_x = portable_log(x);
  const double scaled = (1 - exponent_) * log_x;
  const double ratio =
      std::abs(scaled) > 1e-8 ? portable_expm1(scaled) / scaled : 1 + scaled / 2 * (1 + scaled / 3);
  return ratio * log_x;
}

double ZipfSampler::integral_inverse(double y) const {
  const double scaled = y * (1 - exponent_);
  if (scaled <= -1) return n_;  // rounding exceeded the integral's limit
  const double ratio = std::abs(scaled) > 1e-8 ? portable_log1p(scaled) / scaled
                                               : 1 - scaled * (0.5 - scaled * (1.0 / 3));
  return portable_exp(ratio * y);
}

double ZipfSampler::density(double x) const { return portable_exp(-exponent_ * portable_log(x)); }

std::uint64_t ZipfSampler::draw(std::uint64_t n, SplitMix64& generator) {
  if (static_cast<double>(n) != n_) {
    n_ = static_cast<double>(n);
    integral_last_ = integral(n_ + 0.5);
  }
  for (;;) {
    const double y = integral_last_ + generator.unit() * (integral_first_ - integral_last_);
    const double x = integral_inverse(y);
    const double rank = std::clamp(std::floor(x + 0.5), 1.0, n_);
    if (rank - x <= acceptance_ || y >= integral(rank + 0.5) - density(rank)) {
      return static_cast<std::uint64_t>(rank);
    }
  }
}

KeyLayout::KeyLayout(const InsertKeys& keys, const Place& place)
    : kind_(keys.kind),
      place_(place),
      scatter_(keys.kind == InsertKeyKind::kUniform ? kPositionBits : kInsertBits,
               derive_seed(place.seed, 1)),
      scatter_prefix_(kPositionBits - kInsertBits, derive_seed(place.seed, 2)),
      prefix_seed_(derive_seed(place.seed, 3)) {
  if (kind_ == InsertKeyKind::kNormal) {
    prefixes_ = std::make_shared<const BucketTable>(
        BucketTable::normal(keys.standard_deviation.value_or(kStandardDeviationDefault)));
  }
  if (kind_ == InsertKeyKind::kPrefixZipf) {
    prefixes_ = std::make_shared<const BucketTable>(
        BucketTable::zipf(keys.zipf_exponent.value_or(kPrefixExponentDefault),
                          keys.prefixes.value_or(BucketTable::kBuckets)));
  }
  if (kind_ == InsertKeyKind::kNearSorted) {
    const Decimal displaced = keys.displaced_or_default();
    swaps_all_ = displaced.numerator() >= displaced.denominator();
    swap_threshold_ = static_cast<std::uint64_t>((Uint128{displaced.numerator()} << 64) /
                                                 displaced.denominator());
    block_ = share_of(place.count, keys.displacement_max.value_or(kDisplacementMaxDefault)) + 1;
  }
}

std::uint64_t KeyLayout::position(std::uint64_t number) const {
  switch (kind_) {
    case InsertKeyKind::kUniform:
      return scatter_(number);
    case InsertKeyKind::kSequential:
      return number;
    case InsertKeyKind::kNearSorted:
      return near_sorted_position(number);
    case InsertKeyKind::kNormal:
    case InsertKeyKind::kPrefixZipf:
      break;
  }
  // The suffix alone distinguishes all keys, so the prefix can be any function of the number.
  std::uint64_t prefix = prefixes_->bucket(mix_bits(number * kGoldenGamma + prefix_seed_));
  if (kind_ == InsertKeyKind::kPrefixZipf) prefix = scatter_prefix_(prefix);
  return prefix << kInsertBits | scatter_(number);
}

// Inside a block, positions x and (c - x) mod size are partners; c is drawn per block. A share K of
// the pairs is swapped. So a key moves at most the block's size minus one, which is L.
std::uint64_t KeyLayout::near_sorted_position(std::uint64_t number) const {
  const Block block = block_of(number);
  const std::uint64_t offset = number - block.first;
  const std::uint64_t partner = (block.centre + block.count - offset) % block.count;
  const std::uint64_t pair = block.first - place_.first + std::min(offset, partner);
  const bool is_swapped = swaps_all_ || derive_seed(prefix_seed_ + 1, pair) < swap_threshold_;
  return block.first + (is_swapped ? partner : offset);
}

auto KeyLayout::block_of(std::uint64_t number) const -> Block {
  const std::uint64_t index = (number - place_.first) / block_;
  const std::uint64_t first = index * block_;
  const std::uint64_t count = std::min(block_, place_.count - first);
  return {place_.first + first, count, mix_bits(derive_seed(prefix_seed_, index)) % count};
}

std::uint64_t KeyLayout::last_key(std::uint64_t inserted) const {
  if (kind_ != InsertKeyKind::kSequential && kind_ != InsertKeyKind::kNearSorted) {
    return ~std::uint64_t{0};
  }
  return (inserted << (kPhaseBits + 1)) - 1;
}

KeyPicker::KeyPicker(const AccessKeys& keys)
    : kind_(keys.kind),
      zipf_(keys.zipf_exponent_or_default()),
      is_newest_first_(keys.newest_first.value_or(false)) {
  if (kind_ == AccessKeyKind::kClasses) {
    classes_ = std::make_shared<const KeyClassSums>(keys.classes);
  }
  if (kind_ == AccessKeyKind::kNormal) {
    normal_ = std::make_shared<const BucketTable>(
        BucketTable::normal(keys.standard_deviation_or_default()));
  }
}

std::uint64_t KeyPicker::draw(std::uint64_t live, SplitMix64& generator) {
  switch (kind_) {
    case AccessKeyKind::kUniform:
      return generator.below(live);
    case AccessKeyKind::kZipfian:
      return zipf_.draw(live, generator) - 1;
    case AccessKeyKind::kLatest:
      return live - zipf_.draw(live, generator);
    case AccessKeyKind::kSequential:
      if (next_ >= live) next_ = 0;
      return next_++;
    case AccessKeyKind::kClasses: {
      const std::uint64_t rank = classes_->draw(live, generator);
      return is_newest_first_ ? live - 1 - rank : rank;
    }
    case AccessKeyKind::kNormal:
      break;
  }
  const std::uint64_t bucket = normal_->bucket(generator.next());
  const std::uint64_t point = bucket << 48 | generator.next() >> 16;  // in a domain of 2^64 keys
  return static_cast<std::uint64_t>(Uint128{live} * point >> 64);
}

}  // namespace lsmlab
