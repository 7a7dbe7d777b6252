#include "sim/ranges/rank_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/portable_math.h"

namespace lsmlab {
namespace {

class UniformWeights final : public RankWeights {
 public:
  [[nodiscard]] double of(double first, double last, double live) const override {
    return (last - first) / live;
  }
  [[nodiscard]] std::vector<std::uint64_t> class_begins(std::uint64_t) const override {
    return {0};
  }
};

// Popularity of rank r, counted from 1: r^-exponent.
class ZipfianWeights final : public RankWeights {
 public:
  explicit ZipfianWeights(const Decimal& exponent) : exponent_(exponent.as_double()) {
    sums_.push_back(0);
    for (std::size_t rank = 1; rank <= kSummed; ++rank) {
      sums_.push_back(sums_.back() + power(static_cast<double>(rank), -exponent_));
    }
  }
  [[nodiscard]] double of(double first, double last, double live) const override {
    return (sum(last) - sum(first)) / sum(live);
  }
  // Popularity falls by about a third inside a class.
  [[nodiscard]] std::vector<std::uint64_t> class_begins(std::uint64_t inserts) const override {
    std::vector<std::uint64_t> begins;
    for (std::uint64_t doubling = 1; doubling < inserts; doubling *= 2) {
      for (const std::uint64_t begin : {doubling, doubling + doubling * 13 / 32}) {
        if (begin < inserts && (begins.empty() || begin > begins.back())) begins.push_back(begin);
      }
    }
    begins.insert(begins.begin(), 0);
    return begins;
  }

 private:
  static constexpr std::size_t kSummed = 1024;
  static double power(double base, double exponent) {
    return portable_exp(exponent * portable_log(base));
  }
  // The sum over ranks 1..last; beyond a table the integral from half a rank to half a rank.
  [[nodiscard]] double sum(double last) const {
    if (last < kSummed) {
      const double whole = std::floor(last);
      const auto index = static_cast<std::size_t>(whole);
      return sums_[index] + (last - whole) * (sums_[index + 1] - sums_[index]);
    }
    return sums_[kSummed] + integral(last + 0.5) - integral(kSummed + 0.5);
  }
  [[nodiscard]] double integral(double x) const {
    const double scaled = (1 - exponent_) * portable_log(x);
    return std::abs(scaled) > 1e-8 ? portable_expm1(scaled) / (1 - exponent_)
                                   : portable_log(x) * (1 + scaled / 2);
  }

  double exponent_;
  std::vector<double> sums_;
};

// The zipfian weights by the distance from the newest live key.
class LatestWeights final : public RankWeights {
 public:
  explicit LatestWeights(const Decimal& exponent) : by_distance_(exponent) {}
  [[nodiscard]] double of(double first, double last, double live) const override {
    return by_distance_.of(std::max(0.0, live - last), std::max(0.0, live - first), live);
  }
  [[nodiscard]] std::vector<std::uint64_t> class_begins(std::uint64_t) const override {
    return {0};
  }
  [[nodiscard]] bool prefers_newest() const override { return true; }

 private:
  ZipfianWeights by_distance_;
};

// Given classes, from the oldest live key or from the newest one.
class ClassWeights final : public RankWeights {
 public:
  explicit ClassWeights(const AccessKeys& keys)
      : sums_(keys.classes), is_newest_first_(keys.newest_first.value_or(false)) {}
  [[nodiscard]] double of(double first, double last, double live) const override {
    if (!is_newest_first_) return sums_.share(first, last, live);
    return sums_.share(std::max(0.0, live - last), std::max(0.0, live - first), live);
  }
  [[nodiscard]] std::vector<std::uint64_t> class_begins(std::uint64_t inserts) const override {
    if (is_newest_first_) return {0};
    std::vector<std::uint64_t> begins = sums_.begins();
    std::erase_if(begins, [inserts](std::uint64_t begin) { return begin > 0 && begin >= inserts; });
    return begins;
  }
  [[nodiscard]] bool prefers_newest() const override { return is_newest_first_; }

 private:
  KeyClassSums sums_;
  bool is_newest_first_;
};

// Ranks near the middle, by a normal distribution over their share of all.
class NormalWeights final : public RankWeights {
 public:
  explicit NormalWeights(const Decimal& deviation) {
    sums_.push_back(0);
    for (std::size_t i = 0; i < kParts; ++i) {
      const double z = ((static_cast<double>(i) + 0.5) / kParts - 0.5) / deviation.as_double();
      sums_.push_back(sums_.back() + portable_exp(-z * z / 2));
    }
  }
  [[nodiscard]] double of(double first, double last, double live) const override {
    return (sum(last / live) - sum(first / live)) / sums_.back();
  }
  [[nodiscard]] std::vector<std::uint64_t> class_begins(std::uint64_t inserts) const override {
    constexpr std::uint64_t kClasses = 32;
    std::vector<std::uint64_t> begins;
    for (std::uint64_t c = 0; c < kClasses; ++c) {
      const auto begin = static_cast<std::uint64_t>(Uint128{inserts} * c / kClasses);
      if (begins.empty() || begin > begins.back()) begins.push_back(begin);
    }
    return begins;
  }

 private:
  static constexpr std::size_t kParts = 4096;
  [[nodiscard]] double sum(double share) const {
    const double at = std::clamp(share, 0.0, 1.0) * kParts;
    const auto index = std::min(static_cast<std::size_t>(at), kParts - 1);
    return sums_[index] + (at - static_cast<double>(index)) * (sums_[index + 1] - sums_[index]);
  }
  std::vector<double> sums_;
};

}  // namespace

Result<std::shared_ptr<const RankWeights>> rank_weights_of(const AccessKeys& keys,
                                                           const std::string& member) {
  using Weights = std::shared_ptr<const RankWeights>;
  switch (keys.kind) {
    case AccessKeyKind::kUniform:
      return Weights(std::make_shared<UniformWeights>());
    case AccessKeyKind::kZipfian:
      return Weights(std::make_shared<ZipfianWeights>(keys.zipf_exponent_or_default()));
    case AccessKeyKind::kLatest:
      return Weights(std::make_shared<LatestWeights>(keys.zipf_exponent_or_default()));
    case AccessKeyKind::kNormal:
      return Weights(std::make_shared<NormalWeights>(keys.standard_deviation_or_default()));
    case AccessKeyKind::kClasses:
      return Weights(std::make_shared<ClassWeights>(keys));
    case AccessKeyKind::kSequential:
      break;
  }
  return input_error(fmt::format(
      "{}: resolution 'range' does not know sequential access; use resolution 'key'", member));
}

}  // namespace lsmlab
