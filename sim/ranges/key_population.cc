#include "sim/ranges/key_population.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/base/check.h"
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

Result<std::shared_ptr<const RankWeights>> weights_of(const AccessKeys& keys,
                                                      const std::string& member) {
  using Weights = std::shared_ptr<const RankWeights>;
  switch (keys.kind) {
    case AccessKeyKind::kUniform:
      return Weights(std::make_shared<UniformWeights>());
    case AccessKeyKind::kZipfian:
      return Weights(std::make_shared<ZipfianWeights>(keys.zipf_exponent_or_default()));
    case AccessKeyKind::kNormal:
      return Weights(std::make_shared<NormalWeights>(keys.standard_deviation_or_default()));
    case AccessKeyKind::kLatest:
    case AccessKeyKind::kSequential:
      break;
  }
  return input_error(fmt::format(
      "{}: resolution 'range' knows uniform, zipfian and normal access; use resolution 'key'",
      member));
}

FixedCount fixed_of(double count) {
  return static_cast<FixedCount>(std::floor(std::max(count, 0.0) * kCountUnits + 0.5));
}

bool uses_lookup_keys(const Phase& phase) {
  const bool has_neighbours =
      phase.actions[Action::kGetAbsent] > 0 && phase.absent_keys == AbsentKeys::kNeighbour;
  return phase.actions[Action::kGetPresent] + phase.actions[Action::kScan] > 0 || has_neighbours;
}

}  // namespace

Result<KeyPopulation> KeyPopulation::make(const OperationWorkload& workload) {
  KeyPopulation population;
  std::vector<std::uint64_t> begins{0};
  const std::uint64_t inserts = workload.insert_count();
  for (std::size_t i = 0; i < workload.phases.size(); ++i) {
    const Phase& phase = workload.phases[i];
    PhaseWeights weights;
    const auto use = [&](const AccessKeys& keys, const char* member,
                         std::shared_ptr<const RankWeights>& made) -> Result<void> {
      made = BOOST_OUTCOME_TRYX(weights_of(keys, fmt::format("phase {}: {}", i, member)));
      for (const std::uint64_t begin : made->class_begins(inserts)) begins.push_back(begin);
      return success();
    };
    if (phase.actions[Action::kUpdate] + phase.actions[Action::kReadModifyWrite] > 0) {
      BOOST_OUTCOME_TRYV(use(phase.update_keys, "update_keys", weights.updates));
    }
    if (phase.actions[Action::kDelete] > 0) {
      BOOST_OUTCOME_TRYV(use(phase.delete_keys, "delete_keys", weights.deletes));
    }
    if (uses_lookup_keys(phase)) {
      BOOST_OUTCOME_TRYV(use(phase.lookup_keys, "lookup_keys", weights.lookups));
    }
    population.phases_.push_back(std::move(weights));
  }
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  for (const std::uint64_t begin : begins) population.classes_.push_back({begin});
  return population;
}

void KeyPopulation::begin_phase(std::size_t phase) { phase_ = phase; }

void KeyPopulation::insert(std::uint64_t count) {
  const std::uint64_t end = inserted_ + count;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const std::uint64_t last = c + 1 < classes_.size() ? classes_[c + 1].first : end;
    const std::uint64_t from = std::max(inserted_, classes_[c].first);
    const std::uint64_t to = std::min(end, std::max(last, classes_[c].first));
    if (from < to) classes_[c].inserts += static_cast<double>(to - from);
  }
  inserted_ = end;
}

void KeyPopulation::update(std::uint64_t count) {
  if (count > 0) spread(count, *phases_[phase_].updates, &KeyClass::updates);
}

void KeyPopulation::remove(std::uint64_t count) {
  if (count > 0) spread(count, *phases_[phase_].deletes, &KeyClass::deletes);
}

std::vector<double> KeyPopulation::shares_of(const RankWeights& weights) const {
  double live = 0;
  for (const KeyClass& each : classes_) live += each.present();
  std::vector<double> shares;
  if (live < 1) return shares;
  double rank = 0;
  for (const KeyClass& each : classes_) {
    shares.push_back(weights.of(rank, rank + each.present(), live));
    rank += each.present();
  }
  return shares;
}

void KeyPopulation::spread(std::uint64_t count, const RankWeights& weights,
                           double KeyClass::*counter) {
  const std::vector<double> shares = shares_of(weights);
  for (std::size_t c = 0; c < shares.size(); ++c) {
    classes_[c].*counter += static_cast<double>(count) * shares[c];
  }
}

auto KeyPopulation::readable() const -> std::vector<Readable> {
  const PhaseWeights& weights = phases_[phase_];
  const auto shares = [this](const std::shared_ptr<const RankWeights>& of) {
    return of == nullptr ? std::vector<double>() : shares_of(*of);
  };
  const std::vector<double> looked_up = shares(weights.lookups);
  const std::vector<double> updated = shares(weights.updates);
  std::vector<Readable> classes;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    classes.push_back({classes_[c].first, std::max(0.0, classes_[c].present()),
                       looked_up.empty() ? 0 : looked_up[c], updated.empty() ? 0 : updated[c]});
  }
  return classes;
}

// The keys that so many updates of a class's older keys hit. The class is cut into parts, because
// in a memtable the most popular keys of a class are overwritten most.
double KeyPopulation::distinct_of(std::size_t c, double updates) const {
  const RankWeights* weights = phases_[phase_].updates.get();
  const KeyClass& own = classes_[c];
  if (updates <= 0 || own.live <= 0 || weights == nullptr) return 0;
  constexpr int kParts = 4;
  double live = 0;
  double rank = 0;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (i == c) rank = live;
    live += classes_[i].live;
  }
  const double all = weights->of(rank, rank + own.live, live);
  if (all <= 0) return 0;
  double distinct = 0;
  for (int part = 0; part < kParts; ++part) {
    const double width = own.live / kParts;
    const double share = weights->of(rank + part * width, rank + (part + 1) * width, live) / all;
    distinct -= width * portable_expm1(-updates * share / width);
  }
  return distinct;
}

ClassCounts KeyPopulation::memtable_of(std::size_t c) const {
  const KeyClass& own = classes_[c];
  // On average half of the memtable's inserts came before an operation on the class.
  const double candidates = own.live + own.inserts / 2;
  const double share_of_older = candidates > 0 ? own.live / candidates : 0;
  const double distinct = distinct_of(c, own.updates * share_of_older);
  const double deletes = own.deletes * share_of_older;
  const double is_updated = own.live > 0 ? distinct / own.live : 0;
  const double entries = own.inserts + distinct + deletes * (1 - is_updated);
  ClassCounts counts{fixed_of(entries), fixed_of(own.inserts), fixed_of(own.deletes)};
  counts.oldest = std::min(counts.oldest, counts.entries);
  counts.tombstones = std::min(counts.tombstones, counts.entries);
  return counts;
}

ClassList KeyPopulation::memtable() const {
  ClassList memtable;
  for (std::size_t c = 0; c < classes_.size(); ++c) memtable.push_back(memtable_of(c));
  return memtable;
}

ClassList KeyPopulation::take_memtable() {
  ClassList taken;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    taken.push_back(memtable_of(c));
    KeyClass& own = classes_[c];
    own = {own.first, std::max(0.0, own.present()), 0, 0, 0};
  }
  return taken;
}

}  // namespace lsmlab
