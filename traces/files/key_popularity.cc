#include "traces/files/key_popularity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "models/base/check.h"
#include "models/base/portable_math.h"

namespace lsmlab {
namespace {

constexpr int kFitRoundsMax = 200;
constexpr double kFitTolerance = 1e-7;

// Weights as billionths of their sum. A weight above 0 stays above 0.
std::vector<KeyClass> classes_of(const std::vector<std::uint64_t>& keys,
                                 const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  std::vector<KeyClass> classes;
  if (sum <= 0) return classes;
  for (std::size_t c = 0; c < keys.size(); ++c) {
    if (keys[c] == 0) continue;
    const auto weight =
        static_cast<std::uint64_t>(std::ceil(weights[c] / sum * double{kClassWeightSum} - 0.5));
    classes.push_back({keys[c], weights[c] > 0 ? std::max<std::uint64_t>(1, weight) : 0});
  }
  return classes;
}

// Gives the first classes what is missing to the sum, or takes the rest from them, in proportion:
// as many classes as have twice the difference.
void correct_first(std::vector<double>& counts, double sum) {
  double difference = sum;
  for (const double count : counts) difference -= count;
  double first_sum = 0;
  std::size_t end = 0;
  while (end < counts.size() && first_sum < 2 * std::abs(difference)) first_sum += counts[end++];
  if (first_sum <= 0) return;
  const double factor = std::max(0.0, 1 + difference / first_sum);
  for (std::size_t c = 0; c < end; ++c) counts[c] *= factor;
}

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
std::vector<double> fitted_weights(const StepClasses& steps,
                                   const std::vector<FineCounts::Step>& seen) {
  std::vector<double> weights = steps.accesses;
  for (int round = 0; round < kFitRoundsMax; ++round) {
    std::vector<double> chances(weights.size());
    double sum_before = 0;
    for (const double weight : weights) sum_before += weight;
    for (const FineCounts::Step& each : seen) {
      const double all = steps.sum(weights, each.number);
      if (all <= 0) continue;
      for (std::size_t c = 0; c < weights.size(); ++c) {
        chances[c] += each.count / all * part_of(steps.begins[c], steps.keys[c], each.number);
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

void FineCounts::add(std::uint64_t number) {
  const auto power = static_cast<unsigned>(std::bit_width(number)) - 1;
  const std::uint64_t fraction =
      power >= kBits ? number >> (power - kBits) : number << (kBits - power);
  ++counts_[(std::size_t{power} << kBits) + (fraction & ((1U << kBits) - 1))];
  ++count_;
}

void FineCounts::halve() {
  count_ = 0;
  for (std::uint64_t& count : counts_) {
    count /= 2;
    count_ += count;
  }
}

double FineCounts::middle_of(std::size_t step) {
  const auto power = static_cast<int>(step >> kBits);
  const auto fraction = static_cast<double>(step & ((1U << kBits) - 1));
  const double first = std::ldexp(1 + fraction / (1U << kBits), power);
  const double width = std::ldexp(1.0, power - static_cast<int>(kBits));
  return first + std::max(0.0, width - 1) / 2;
}

std::uint64_t FineCounts::with_larger(double larger) const {
  double above = 0;
  for (std::size_t step = counts_.size(); step-- > 0;) {
    above += static_cast<double>(counts_[step]);
    if (counts_[step] > 0 && above > larger) return static_cast<std::uint64_t>(middle_of(step));
  }
  return count_ == 0 ? 0 : 1;
}

auto FineCounts::steps() const -> std::vector<Step> {
  std::vector<Step> steps;
  for (std::size_t step = 0; step < counts_.size(); ++step) {
    if (counts_[step] == 0) continue;
    steps.push_back({middle_of(step), static_cast<double>(counts_[step])});
  }
  return steps;
}

void AccessCounts::add(std::uint64_t older, std::uint64_t live) {
  CHECK(older < live);
  ++from_oldest_[RankSteps::step_of(older)];
  ++from_newest_[RankSteps::step_of(live - 1 - older)];
  by_live_.add(live);
}

void AccessCounts::halve() {
  for (Steps* steps : {&from_oldest_, &from_newest_}) {
    for (std::uint64_t& count : *steps) count /= 2;
  }
  by_live_.halve();
}

PopularityFit AccessCounts::from_oldest(std::uint64_t keys, double accesses) const {
  return fit(from_oldest_, keys, accesses);
}

PopularityFit AccessCounts::from_newest(std::uint64_t keys, double accesses) const {
  return fit(from_newest_, keys, accesses);
}

PopularityFit AccessCounts::fit(const Steps& counted, std::uint64_t keys, double accesses) const {
  StepClasses steps;
  for (std::size_t step = 0; step + 1 < RankSteps::kSteps; ++step) {
    const std::uint64_t begin = RankSteps::begin_of(step);
    if (begin >= keys) break;
    steps.begins.push_back(begin);
    steps.keys.push_back(std::min(keys, RankSteps::begin_of(step + 1)) - begin);
    steps.accesses.push_back(static_cast<double>(counted[step]));
  }
  correct_first(steps.accesses, accesses);
  std::vector<FineCounts::Step> seen = by_live_.steps();
  for (FineCounts::Step& each : seen) each.count *= accesses / static_cast<double>(count());
  const std::vector<double> weights = fitted_weights(steps, seen);
  PopularityFit fit{classes_of(steps.keys, weights), 0};
  double all = 0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    all += steps.accesses[c];
    if (weights[c] <= 0) continue;
    fit.explained +=
        steps.accesses[c] * portable_log(weights[c] / static_cast<double>(steps.keys[c]));
  }
  for (const FineCounts::Step& each : seen) {
    const double sum = steps.sum(weights, each.number);
    if (sum > 0) fit.explained += each.count * portable_log(each.number / sum);
  }
  fit.explained = all > 0 ? fit.explained / all : 0;
  return fit;
}

void AccessTimes::add(std::uint64_t operation) {
  std::size_t interval = interval_of(operation);
  while (interval >= kIntervalsMax) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::uint64_t count = std::exchange(counts_[i], 0);
      counts_[i / 2] += count;
    }
    counts_.resize((counts_.size() + 1) / 2);
    width_ *= 2;
    interval = interval_of(operation);
  }
  if (interval >= counts_.size()) counts_.resize(interval + 1);
  ++counts_[interval];
}

void AccessTimes::halve() {
  for (std::uint64_t& count : counts_) count /= 2;
}

namespace {

// Rounds in which the popularity of keys born together and their chances of an access follow from
// each other.
constexpr int kRoundsByKey = 40;

class PopularityByKey {
 public:
  PopularityByKey(std::vector<CountedKey> keys, const AccessTimes& times)
      : keys_(std::move(keys)), counts_(times.counts()) {
    // Intervals of the last accesses; later ones have none.
    const std::size_t last = counts_.size() - 1;
    for (CountedKey& key : keys_) {
      key.born = std::min(last, times.interval_of(key.born));
      key.died = key.died == 0 ? last : std::min(last, times.interval_of(key.died));
    }
    for (std::size_t step = 0; RankSteps::begin_of(step) < keys_.size(); ++step) {
      const std::uint64_t end =
          std::min<std::uint64_t>(keys_.size(), RankSteps::begin_of(step + 1));
      widths_.push_back(end - RankSteps::begin_of(step));
    }
    born_rates_.assign(counts_.size(), 1);
    popularity_ = popularity();
    live_ = popularity_;
  }

  void run(double accesses) {
    for (int round = 0; round < kRoundsByKey; ++round) weigh_births();
    count_classes(accesses);
  }
  [[nodiscard]] const std::vector<std::uint64_t>& widths() const { return widths_; }
  [[nodiscard]] const std::vector<double>& rates() const { return rates_; }
  /// As PopularityFit::explained.
  [[nodiscard]] double explained() const {
    double sum = 0;
    double all = 0;
    for (std::size_t c = 0; c < rates_.size(); ++c) {
      all += accesses_[c];
      if (rates_[c] > 0) sum += accesses_[c] * portable_log(rates_[c]);
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] == 0 || popularity_[i] <= 0) continue;
      sum += static_cast<double>(counts_[i]) * portable_log(live_[i] / popularity_[i]);
    }
    return all > 0 ? sum / all : 0;
  }

 private:
  // The popularity of all live keys, by interval.
  [[nodiscard]] std::vector<double> popularity() const {
    std::vector<double> sums(counts_.size());
    for (const CountedKey& key : keys_) {
      sums[key.born] += born_rates_[key.born];
      if (key.died + 1 < sums.size()) sums[key.died + 1] -= born_rates_[key.born];
    }
    for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
    return sums;
  }

  // The accesses that a key of popularity 1 has until the end of each interval.
  [[nodiscard]] std::vector<double> chances() const {
    std::vector<double> until{0};
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const double own = popularity_[i] > 0 ? static_cast<double>(counts_[i]) / popularity_[i] : 0;
      until.push_back(until.back() + own);
    }
    return until;
  }

  // Orders the keys by what one half of the accesses says, and by the keys born together: so a
  // young key with one access is no popular one.
  void order(std::size_t half, const std::vector<double>& until) {
    const auto score = [&](const CountedKey& key) {
      const double expected = until[key.died + 1] - until[key.born];
      return (key.accesses[half] + born_rates_[key.born]) / (expected / 2 + 1);
    };
    std::sort(keys_.begin(), keys_.end(), [&](const CountedKey& a, const CountedKey& b) {
      const double score_a = score(a);
      const double score_b = score(b);
      return score_a > score_b || (score_a >= score_b && a.tie < b.tie);
    });
  }

  // Keys born together have a popularity that explains their accesses. That of single keys would
  // not do: the sum of many uncertain ones is wrong.
  void weigh_births() {
    const std::vector<double> until = chances();
    std::vector<double> accesses(counts_.size());
    std::vector<double> expected(counts_.size());
    for (const CountedKey& key : keys_) {
      accesses[key.born] += static_cast<double>(key.accesses[0]) + key.accesses[1];
      expected[key.born] += until[key.died + 1] - until[key.born];
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (expected[i] > 0) born_rates_[i] = accesses[i] / expected[i];
    }
    popularity_ = popularity();
  }

  void count_classes(double accesses) {
    const std::vector<double> until = chances();
    accesses_.assign(widths_.size(), 0);
    rates_.assign(widths_.size(), 0);
    std::vector<double> expected(widths_.size());
    for (std::size_t half = 0; half < 2; ++half) {
      order(half, until);
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        const std::size_t c = RankSteps::step_of(i);
        accesses_[c] += keys_[i].accesses[1 - half];
        expected[c] += (until[keys_[i].died + 1] - until[keys_[i].born]) / 2;
      }
    }
    correct_first(accesses_, accesses);
    set_falling_rates(expected);
  }

  // No class is more popular than one before it: neighbours that say so count as one. Accesses in
  // turn would otherwise look popular where one half of them has fewer.
  void set_falling_rates(const std::vector<double>& expected) {
    struct Block {
      std::size_t end = 0;
      double accesses = 0;
      double expected = 0;
      [[nodiscard]] double rate() const { return expected > 0 ? accesses / expected : 0; }
    };
    std::vector<Block> blocks;
    for (std::size_t c = 0; c < widths_.size(); ++c) {
      blocks.push_back({c + 1, accesses_[c], expected[c]});
      while (blocks.size() > 1 && blocks.back().rate() >= blocks[blocks.size() - 2].rate()) {
        const Block last = blocks.back();
        blocks.pop_back();
        blocks.back() = {last.end, blocks.back().accesses + last.accesses,
                         blocks.back().expected + last.expected};
      }
    }
    std::size_t c = 0;
    for (const Block& block : blocks) {
      for (; c < block.end; ++c) rates_[c] = block.rate();
    }
  }

  std::vector<CountedKey> keys_;  // born and died are intervals
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t> widths_;
  std::vector<double> accesses_;
  std::vector<double> rates_;
  std::vector<double> born_rates_;  // popularity of a key by the interval of its birth
  std::vector<double> live_;
  std::vector<double> popularity_;  // of all live keys together
};

}  // namespace

PopularityFit popularity_by_key(std::vector<CountedKey> keys, const AccessTimes& times,
                                std::uint64_t keys_all, double accesses) {
  CHECK(!keys.empty() && !times.counts().empty());
  PopularityByKey by_key(std::move(keys), times);
  by_key.run(accesses);
  Uint128 sum = 0;
  for (const std::uint64_t width : by_key.widths()) sum += width;
  std::vector<std::uint64_t> widths;
  std::vector<double> weights;
  Uint128 before = 0;
  for (std::size_t c = 0; c < by_key.widths().size(); ++c) {
    const Uint128 end = before + by_key.widths()[c];
    const auto to = static_cast<std::uint64_t>(end * keys_all / sum);
    widths.push_back(to - static_cast<std::uint64_t>(before * keys_all / sum));
    weights.push_back(by_key.rates()[c] * static_cast<double>(widths.back()));
    before = end;
  }
  return {classes_of(widths, weights), by_key.explained()};
}

}  // namespace lsmlab
