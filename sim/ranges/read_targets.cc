#include "sim/ranges/read_targets.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {
namespace {

// Streams of the run's seed.
constexpr std::uint64_t kReadKeyStream = 2'000'000;
constexpr std::uint64_t kReadDrawStream = 2'000'001;

// The mean of a distribution is that of a fixed sample.
double mean_of(const SizeSampler& sizes) {
  constexpr int kDraws = 4096;
  SplitMix64 random(1);
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += static_cast<double>(sizes.draw(random));
  return sum / kDraws;
}

}  // namespace

ReadCounts reads_of(const Phase& phase) {
  return {phase.actions[Action::kGetPresent], phase.actions[Action::kGetAbsent],
          phase.actions[Action::kScan], phase.actions[Action::kReadModifyWrite]};
}

void ReadTargets::begin_phase(const Phase& phase, bool are_keys_even, std::uint64_t seed) {
  phase_ = &phase;
  all_ = reads_of(phase);
  are_keys_even_ = are_keys_even;
  if (key_seed_ == 0) {
    key_seed_ = derive_seed(seed, kReadKeyStream);
    random_ = SplitMix64(derive_seed(seed, kReadDrawStream));
  }
  scan_sizes_.reset();
  scan_entries_ = 0;
  if (phase.scan_entries) {
    scan_sizes_.emplace(*phase.scan_entries, kScanEntriesRange);
    scan_entries_ = mean_of(*scan_sizes_);
  }
}

void ReadTargets::update(const KeyPopulation& population) {
  classes_ = population.readable();
  inserted_ = population.inserted();
  if (are_keys_even_) last_key_ = (population.inserted() << (kPhaseBits + 1)) - 1;
  const auto reads = static_cast<double>(std::max<std::uint64_t>(1, all_.sum()));
  const auto share = [&](std::uint64_t count) { return static_cast<double>(count) / reads; };
  const bool is_neighbour = phase_->absent_keys == AbsentKeys::kNeighbour;
  absent_anywhere_ = is_neighbour ? 0 : share(all_.absent);
  keys_ = 0;
  looked_up_.clear();
  updated_.clear();
  rates_.clear();
  double looked_up = 0;
  double updated = 0;
  for (const KeyPopulation::Readable& each : classes_) {
    keys_ += each.keys;
    looked_up_.push_back(looked_up += each.looked_up);
    updated_.push_back(updated += each.updated);
    const double keys = std::max(1.0, each.keys);
    const double of_lookups = each.looked_up / keys;
    rates_.push_back({share(all_.present) * of_lookups + share(all_.modified) * each.updated / keys,
                      share(all_.scans) * of_lookups,
                      is_neighbour ? share(all_.absent) * of_lookups : 0});
  }
}

ReadKey ReadTargets::draw(const Sums& sums) {
  CHECK(has_keys());
  const double at = random_.unit() * sums.back();
  auto c = static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end(), at) - sums.begin());
  c = std::min(c, sums.size() - 1);
  const auto keys = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(classes_[c].keys));
  return {key_of(c, random_.below(keys)),
          c,
          false,
          rates_[c].get,
          rates_[c].scan,
          rates_[c].get_absent};
}

std::uint64_t ReadTargets::key_of(std::size_t key_class, std::uint64_t index) const {
  const std::uint64_t first = classes_[key_class].first;
  if (!are_keys_even_) {
    return derive_seed(key_seed_, first + index) & ~std::uint64_t{1};  // absent keys are odd
  }
  // Those that are deleted lie among the others.
  const bool is_last = key_class + 1 == classes_.size();
  const std::uint64_t end =
      is_last ? inserted_ : std::min(inserted_, classes_[key_class + 1].first);
  const auto live =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(classes_[key_class].keys));
  const std::uint64_t numbers = std::max(end, first + live) - first;
  const auto number = first + static_cast<std::uint64_t>(Uint128{index} * numbers / live);
  return number << (kPhaseBits + 1);
}

std::size_t ReadTargets::class_at(std::uint64_t key) const {
  const auto after =
      std::upper_bound(classes_.begin(), classes_.end(), key >> (kPhaseBits + 1),
                       [](std::uint64_t number, const KeyPopulation::Readable& each) {
                         return number < each.first;
                       });
  return after == classes_.begin() ? 0 : static_cast<std::size_t>(after - classes_.begin()) - 1;
}

ReadKey ReadTargets::draw_absent() {
  if (phase_->absent_keys == AbsentKeys::kNeighbour) {
    ReadKey neighbour = draw(looked_up_);
    neighbour.key |= 1;
    neighbour.is_absent = true;
    return neighbour;
  }
  ReadKey anywhere;
  anywhere.key = static_cast<std::uint64_t>(Uint128{last_key_} * random_.next() >> 64) | 1;
  anywhere.is_absent = true;
  return anywhere;
}

ScanLimit ReadTargets::draw_limit(std::uint64_t first_key) {
  if (scan_sizes_) return {scan_sizes_->draw(random_), ~std::uint64_t{0}};
  const Decimal& share = *phase_->scan_selectivity;
  const Uint128 domain = Uint128{last_key_} + 1;
  const Uint128 width = std::max<Uint128>(1, domain * share.numerator() / share.denominator());
  const Uint128 last = first_key + width - 1;
  return {0, static_cast<std::uint64_t>(std::min<Uint128>(last, ~std::uint64_t{0}))};
}

double ReadTargets::density() const {
  return are_keys_even_ ? 0x1p64 / static_cast<double>(std::uint64_t{2} << kPhaseBits) : keys_;
}

double ReadTargets::scan_share() const {
  if (!phase_->scan_selectivity) return 0;
  return phase_->scan_selectivity->as_double() * static_cast<double>(last_key_) * 0x1p-64;
}

}  // namespace lsmlab
