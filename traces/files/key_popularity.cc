#include "traces/files/key_popularity.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/base/check.h"
#include "models/base/portable_math.h"

namespace lsmlab {
namespace {

constexpr int kFitRoundsMax = 200;
constexpr double kFitTolerance = 1e-7;
constexpr unsigned kLiveBits = 4;

// Weights as billionths of their sum. A weight above 0 stays above 0.
std::vector<KeyClass> classes_of(const std::vector<std::uint64_t>& keys,
                                 const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  std::vector<KeyClass> classes;
  for (std::size_t c = 0; c < keys.size(); ++c) {
    if (keys[c] == 0) continue;
    const auto weight = static_cast<std::uint64_t>(
        std::ceil(weights[c] / sum * double{kClassWeightSum} - 0.5));
    classes.push_back({keys[c], weights[c] > 0 ? std::max<std::uint64_t>(1, weight) : 0});
  }
  return classes;
}

// A step of live keys: the upper bits of their number.
std::size_t live_step_of(std::uint64_t live) {
  const auto power = static_cast<unsigned>(std::bit_width(live)) - 1;
  const std::uint64_t fraction =
      power >= kLiveBits ? live >> (power - kLiveBits) : live << (kLiveBits - power);
  return (std::size_t{power} << kLiveBits) + (fraction & ((1U << kLiveBits) - 1));
}

// The middle of a step.
double live_of_step(std::size_t step) {
  const auto power = static_cast<int>(step >> kLiveBits);
  const auto fraction = static_cast<double>(step & ((1U << kLiveBits) - 1));
  const double first = std::ldexp(1 + fraction / (1U << kLiveBits), power);
  const double width = std::ldexp(1.0, power - static_cast<int>(kLiveBits));
  return first + std::max(0.0, width - 1) / 2;
}

// Accesses that saw so many live keys.
struct Seen {
  double live = 0;
  double accesses = 0;
};

// The part of each class that lies among so many live keys.
double part_of(std::uint64_t begin, std::uint64_t keys, double live) {
  if (keys == 0) return 0;
  return std::clamp((live - static_cast<double>(begin)) / static_cast<double>(keys), 0.0, 1.0);
}

struct StepClasses {
  std::vector<std::uint64_t> begins;
  std::vector<std::uint64_t> keys;
  std::vector<double> accesses;

  [[nodiscard]] double sum(const std::vector<double>& weights, double live) const {
    double all = 0;
    for (std::size_t c = 0; c < keys.size(); ++c) {
      all += weights[c] * part_of(begins[c], keys[c], live);
    }
    return all;
  }
};

// The most probable weights, by the iteration of Zermelo (1929) for choices among some of all.
std::vector<double> fitted_weights(const StepClasses& steps, const std::vector<Seen>& seen) {
  std::vector<double> weights = steps.accesses;
  for (int round = 0; round < kFitRoundsMax; ++round) {
    std::vector<double> chances(weights.size());
    double sum_before = 0;
    for (const double weight : weights) sum_before += weight;
    for (const Seen& each : seen) {
      const double all = steps.sum(weights, each.live);
      if (all <= 0) continue;
      for (std::size_t c = 0; c < weights.size(); ++c) {
        chances[c] += each.accesses / all * part_of(steps.begins[c], steps.keys[c], each.live);
      }
    }
    double change = 0;
    double sum = 0;
    for (std::size_t c = 0; c < weights.size(); ++c) {
      const double next = chances[c] > 0 ? steps.accesses[c] / chances[c] : 0;
      change += std::abs(next - weights[c]);
      weights[c] = next;
      sum += next;
    }
    if (change <= kFitTolerance * sum_before || sum <= 0) break;
  }
  return weights;
}

}  // namespace

std::size_t RankSteps::step_of(std::uint64_t rank) {
  const std::uint64_t number = rank + 1;
  const auto power = static_cast<std::size_t>(std::bit_width(number)) - 1;
  const bool is_upper = power > 0 && ((number >> (power - 1)) & 1) != 0;
  return 2 * power + (is_upper ? 1 : 0);
}

std::uint64_t RankSteps::begin_of(std::size_t step) {
  const std::uint64_t doubling = std::uint64_t{1} << (step / 2);
  if (step % 2 == 0) return doubling - 1;
  return step == 1 ? 1 : doubling + doubling / 2 - 1;
}

void AccessCounts::add(std::uint64_t older, std::uint64_t live) {
  CHECK(older < live);
  ++from_oldest_[RankSteps::step_of(older)];
  ++from_newest_[RankSteps::step_of(live - 1 - older)];
  ++by_live_[live_step_of(live)];
  ++count_;
}

void AccessCounts::halve() {
  for (Steps* steps : {&from_oldest_, &from_newest_}) {
    for (std::uint64_t& count : *steps) count /= 2;
  }
  for (std::uint64_t& count : by_live_) count /= 2;
  count_ /= 2;
}

PopularityFit AccessCounts::from_oldest(std::uint64_t keys) const {
  return fit(from_oldest_, keys);
}

PopularityFit AccessCounts::from_newest(std::uint64_t keys) const {
  return fit(from_newest_, keys);
}

PopularityFit AccessCounts::fit(const Steps& accesses, std::uint64_t keys) const {
  StepClasses steps;
  for (std::size_t step = 0; step + 1 < RankSteps::kSteps; ++step) {
    const std::uint64_t begin = RankSteps::begin_of(step);
    if (begin >= keys) break;
    steps.begins.push_back(begin);
    steps.keys.push_back(std::min(keys, RankSteps::begin_of(step + 1)) - begin);
    steps.accesses.push_back(static_cast<double>(accesses[step]));
  }
  std::vector<Seen> seen;
  for (std::size_t step = 0; step < kLiveSteps; ++step) {
    if (by_live_[step] == 0) continue;
    seen.push_back({live_of_step(step), static_cast<double>(by_live_[step])});
  }
  const std::vector<double> weights = fitted_weights(steps, seen);
  PopularityFit fit{classes_of(steps.keys, weights), 0};
  double all = 0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    all += steps.accesses[c];
    if (weights[c] <= 0) continue;
    fit.explained +=
        steps.accesses[c] * portable_log(weights[c] / static_cast<double>(steps.keys[c]));
  }
  for (const Seen& each : seen) {
    const double sum = steps.sum(weights, each.live);
    if (sum > 0) fit.explained += each.accesses * portable_log(each.live / sum);
  }
  fit.explained = all > 0 ? fit.explained / all : 0;
  return fit;
}

PopularityFit popularity_by_key(std::vector<CountedKey> keys, std::uint64_t keys_each) {
  std::vector<std::uint64_t> widths;
  std::vector<double> accesses;
  std::vector<double> expected;
  for (std::size_t step = 0; RankSteps::begin_of(step) < keys.size(); ++step) {
    const std::uint64_t end = std::min<std::uint64_t>(keys.size(), RankSteps::begin_of(step + 1));
    widths.push_back((end - RankSteps::begin_of(step)) * keys_each);
  }
  accesses.resize(widths.size());
  expected.resize(widths.size());
  for (std::size_t half = 0; half < 2; ++half) {
    // With one access more than counted and expected, a young key with one access is no popular
    // one.
    const auto score = [half](const CountedKey& key) {
      return (key.accesses[half] + 1.0) / (key.expected / 2 + 1);
    };
    std::sort(keys.begin(), keys.end(), [&](const CountedKey& a, const CountedKey& b) {
      const double score_a = score(a);
      const double score_b = score(b);
      return score_a > score_b || (score_a >= score_b && a.tie < b.tie);
    });
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::size_t step = RankSteps::step_of(i);
      accesses[step] += keys[i].accesses[1 - half];
      expected[step] += keys[i].expected / 2;
    }
  }
  double accesses_sum = 0;
  double expected_sum = 0;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    accesses_sum += accesses[c];
    expected_sum += expected[c];
  }
  CHECK(accesses_sum > 0 && expected_sum > 0);
  PopularityFit fit;
  std::vector<double> weights;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    const double rate = expected[c] > 0 ? accesses[c] / expected[c] : 0;
    weights.push_back(rate * static_cast<double>(widths[c]));
    if (rate <= 0) continue;
    fit.explained +=
        accesses[c] / accesses_sum * portable_log(rate * expected_sum / accesses_sum);
  }
  fit.classes = classes_of(widths, weights);
  return fit;
}

}  // namespace lsmlab
