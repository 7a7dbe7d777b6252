#include "traces/files/trace_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "models/base/check.h"
#include "models/base/quantity_text.h"
#include "models/base/random.h"

namespace lsmlab {
namespace {

constexpr std::size_t kProfileSlotsMin = 1024;  // a power of two
// Inserts of which fewer are out of order count as sequential, of which more are as random.
constexpr double kDisplacedMin = 0.001;
constexpr double kDisplacedMax = 0.9;
// Popularity that explains less is chance.
constexpr double kExplainedMin = 0.01;
// Popularity by key must explain so much more than popularity by the order of inserts.
constexpr double kByKeyFactor = 1.1;
constexpr double kByKeyFactorOfSample = 1.3;  // popular keys are few, so a sample is uneven
// Of fewer update distances a percentile says little.
constexpr std::uint64_t kDistancesMin = 100;
constexpr std::uint64_t kSeedOfDraws = 1;

std::uint64_t quarter_of(std::uint64_t size) {
  if (size < 4) return size;
  const auto power = static_cast<unsigned>(std::bit_width(size)) - 1;
  return (std::uint64_t{power} << 2) + ((size >> (power - 2)) & 3);
}

Decimal decimal_of(double share) {
  return Decimal(static_cast<std::uint32_t>(share * 1e6 + 0.5), 1'000'000);
}

bool differs_by_a_quarter(std::uint64_t a, std::uint64_t b) {
  return Uint128{std::max(a, b)} * 4 > Uint128{std::min(a, b)} * 5;
}

std::string estimated_text(std::uint64_t count, bool is_sample) {
  return (is_sample ? "about " : "") + grouped_text(count);
}

}  // namespace

void SizeCounts::add(std::uint64_t size) {
  Sum& sum = sums_[quarter_of(size)];
  ++sum.count;
  sum.bytes += size;
  sum.least = std::min(sum.least, size);
  sum.most = std::max(sum.most, size);
}

SizeDistribution SizeCounts::distribution(std::uint64_t without) const {
  if (sums_.empty()) return SizeDistribution::constant(without);
  const Sum& first = sums_.begin()->second;
  if (sums_.size() == 1 && first.least == first.most) {
    return SizeDistribution::constant(first.least);
  }
  std::uint64_t count = 0;
  for (const auto& [quarter, sum] : sums_) count += sum.count;
  constexpr std::uint64_t kWeightMax = 1'000'000'000;
  const std::uint64_t divisor = count / kWeightMax + 1;
  SizeDistribution distribution;
  distribution.kind = SizeKind::kDiscrete;
  const auto add = [&](std::uint64_t size, std::uint64_t weight) {
    if (weight == 0) return;
    distribution.sizes.push_back({size, std::max<std::uint64_t>(1, weight / divisor)});
  };
  for (const auto& [quarter, sum] : sums_) {
    const auto mean = static_cast<std::uint64_t>(sum.bytes / sum.count);
    const auto larger = static_cast<std::uint64_t>(sum.bytes - Uint128{mean} * sum.count);
    add(mean, sum.count - larger);
    add(mean + 1, larger);
  }
  return distribution;
}

TraceProfile::TraceProfile(std::size_t sampled_keys_max)
    : sampled_keys_max_(sampled_keys_max), sample_(kProfileSlotsMin) {
  static_assert(sizeof(Key) * 4 <= kKeyBytesMax);  // at least a quarter of the slots are in use
  CHECK(sampled_keys_max >= 2);
}

void TraceProfile::add(std::span<const Operation> operations) {
  for (const Operation& operation : operations) {
    ++operations_;
    if (operation.kind == OperationKind::kScan && operation.scan_entries_max == 0) {
      ++scans_by_key_;
      continue;
    }
    mix_.add(operation.kind);
    if (operation.kind == OperationKind::kPut || operation.kind == OperationKind::kDelete) {
      ++writes_;
    }
    if (operation.kind == OperationKind::kScan) {
      scan_entries_.add(operation.scan_entries_max);
      continue;
    }
    if (operation.kind == OperationKind::kPut) {
      key_bytes_.add(operation.key_bytes);
      value_bytes_.add(operation.value_bytes);
    }
    add_key(operation);
  }
}

void TraceProfile::add_key(const Operation& operation) {
  const std::uint64_t hash = mix_bits(operation.key + kGoldenGamma);
  if (halvings_ > 0 && (hash >> (64 - halvings_)) != 0) return;
  Key& key = slot_of(hash);
  const bool is_new = !key.is_used;
  key.hash = hash;
  key.is_used = true;
  if (operation.kind == OperationKind::kPut) {
    add_put(key, operation.key);
  } else if (operation.kind == OperationKind::kDelete) {
    add_delete(key);
  } else if (key.is_alive) {
    mix_.add_outcome(OperationMix::Outcome::kGetPresent);
    count_access(Access::kLookup, key);
  } else {
    mix_.add_outcome(OperationMix::Outcome::kGetAbsent);
  }
  if (!is_new) return;
  ++sampled_;
  while (sampled_ > sampled_keys_max_) {
    ++halvings_;
    CHECK(halvings_ < 64);
    rebuild(sample_.size());
    number_again();
  }
  if (sampled_ * 2 > sample_.size()) rebuild(sample_.size() * 2);
}

void TraceProfile::add_put(Key& key, std::uint64_t id) {
  if (key.is_alive) {
    mix_.add_outcome(OperationMix::Outcome::kUpdate);
    count_access(Access::kUpdate, key);
  } else {
    insert(key, id);
  }
  note_write(key);
}

void TraceProfile::insert(Key& key, std::uint64_t id) {
  inserts_again_ += key.number > 0 ? 1 : 0;
  mix_.add_outcome(OperationMix::Outcome::kInsert);
  live_.append();
  key.number = ++next_number_;
  key.is_alive = true;
  if (key.born == 0) key.born = operations_;
  key.died = 0;
  id_least_ = std::min(id_least_, id);
  id_most_ = std::max(id_most_, id);
  if (last_inserted_) {
    ++(id > *last_inserted_ ? rises_ : falls_);
    if (id < *last_inserted_) fall_sum_ += static_cast<double>(*last_inserted_ - id);
  }
  last_inserted_ = id;
}

void TraceProfile::add_delete(Key& key) {
  if (!key.is_alive) {
    ++deletes_absent_;
    return;
  }
  mix_.add_outcome(OperationMix::Outcome::kDelete);
  count_access(Access::kDelete, key);
  note_write(key);
  key.is_alive = false;
  key.died = operations_;
  live_.remove(key.number - 1);
}

void TraceProfile::count_access(Access kind, Key& key) {
  const auto at = static_cast<std::size_t>(kind);
  const std::uint64_t bits = mix_bits(operations_ * kGoldenGamma);
  // A sampled key stands for several neighbours.
  const std::uint64_t neighbour = bits & (scaled(1) - 1);
  counts_[at].add(scaled(live_.rank(key.number - 1)) + neighbour, scaled(live_.count()));
  if (kind == Access::kDelete) return;
  ++key.accesses[at][bits >> 63];
  times_[at].add(operations_);
}

void TraceProfile::note_write(Key& key) {
  if (key.last_write > 0) distances_.add(operations_ - key.last_write);
  written_ += key.last_write > 0 ? 0 : 1;
  key.last_write = operations_;
}

TraceProfile::Key& TraceProfile::slot_of(std::uint64_t hash) {
  const std::size_t mask = sample_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(hash) & mask;
  while (sample_[slot].is_used && sample_[slot].hash != hash) slot = (slot + 1) & mask;
  return sample_[slot];
}

// Keeps the keys of the sampled share.
void TraceProfile::rebuild(std::size_t slots) {
  std::vector<Key> old(slots);
  old.swap(sample_);
  sampled_ = 0;
  for (const Key& key : old) {
    if (!key.is_used || (halvings_ > 0 && (key.hash >> (64 - halvings_)) != 0)) continue;
    slot_of(key.hash) = key;
    ++sampled_;
  }
}

// After a halving: half of the keys are left, so half of what was counted, and live keys get new
// numbers without gaps.
void TraceProfile::number_again() {
  mix_.halve_outcomes();
  distances_.halve();
  written_ /= 2;
  inserts_again_ /= 2;
  deletes_absent_ /= 2;
  for (AccessCounts& counts : counts_) counts.halve();
  for (AccessTimes& times : times_) times.halve();
  std::vector<Key*> alive;
  for (Key& key : sample_) {
    if (key.is_alive) alive.push_back(&key);
  }
  std::sort(alive.begin(), alive.end(),
            [](const Key* a, const Key* b) { return a->number < b->number; });
  live_ = {};
  next_number_ = 0;
  for (Key* key : alive) {
    live_.append();
    key->number = ++next_number_;
  }
}

UpdateDistances TraceProfile::update_distances() const {
  // The sample may lack the most popular keys, which have the smallest distances. So count from the
  // largest ones.
  const std::uint64_t written = std::min(writes_, scaled(written_));
  const double all = static_cast<double>(writes_ - written) / static_cast<double>(scaled(1));
  return {distances_.count(), distances_.with_larger(0.5 * all), distances_.with_larger(0.1 * all)};
}

UpdateDistances TraceProfile::independent(const OperationWorkload& workload) const {
  constexpr std::size_t kBatch = 4096;
  // A smaller sample is precise enough for percentiles.
  TraceProfile drawn(std::max<std::size_t>(2, sampled_keys_max_ / 4));
  const std::unique_ptr<OperationSource> source = workload.open(kSeedOfDraws);
  std::vector<Operation> batch(kBatch);
  for (;;) {
    const auto count = source->fill(batch);
    CHECK(count.has_value());  // a generator has no errors
    if (count.value() == 0) return drawn.update_distances();
    drawn.add({batch.data(), count.value()});
  }
}

std::uint64_t TraceProfile::rising_percent() const {
  if (rises_ + falls_ == 0) return 100;
  return rises_ * 100 / (rises_ + falls_);
}

// How many accesses a fair sample has. What a sample counted differs by chance; more than that, if
// it lacks popular keys or has too many of them.
double TraceProfile::sampled_accesses(std::uint64_t actions, double counted) const {
  const double fair = static_cast<double>(actions) / static_cast<double>(scaled(1));
  const double chance = 4 / std::sqrt(static_cast<double>(std::max<std::size_t>(1, sampled_)));
  return std::abs(fair - counted) <= chance * fair ? counted : fair;
}

PopularityFit TraceProfile::by_key(Access kind, std::uint64_t keys, std::uint64_t actions) const {
  const auto at = static_cast<std::size_t>(kind);
  std::vector<CountedKey> counted;
  double accesses = 0;
  for (const Key& key : sample_) {
    if (key.born == 0) continue;
    counted.push_back({key.hash, key.accesses[at], key.born, key.died});
    accesses += static_cast<double>(key.accesses[at][0]) + key.accesses[at][1];
  }
  if (accesses <= 0) return {};  // the accesses counted were of keys that left the sample
  accesses = sampled_accesses(actions, accesses);
  return popularity_by_key(std::move(counted), times_[at], keys, accesses);
}

auto TraceProfile::access_keys(Access kind, const ActionCounts& actions) const -> Chosen {
  Chosen chosen;
  const AccessCounts& counts = counts_of(kind);
  const Action action = kind == Access::kUpdate   ? Action::kUpdate
                        : kind == Access::kLookup ? Action::kGetPresent
                                                  : Action::kDelete;
  const std::uint64_t keys = actions[Action::kInsert];
  if (counts.count() == 0 || actions[action] == 0) return chosen;
  const double accesses = sampled_accesses(actions[action], static_cast<double>(counts.count()));
  PopularityFit best = counts.from_oldest(keys, accesses);
  bool is_newest_first = false;
  if (PopularityFit newest = counts.from_newest(keys, accesses);
      newest.explained > best.explained) {
    best = std::move(newest);
    is_newest_first = true;
  }
  if (kind != Access::kDelete) {
    PopularityFit own = by_key(kind, keys, actions[action]);
    const double factor = halvings_ == 0 ? kByKeyFactor : kByKeyFactorOfSample;
    if (own.explained > best.explained * factor + kExplainedMin) {
      best = std::move(own);
      is_newest_first = false;
      chosen.is_by_key = true;
    }
  }
  if (best.explained < kExplainedMin || best.classes.empty()) return chosen;
  chosen.keys.kind = AccessKeyKind::kClasses;
  chosen.keys.classes = std::move(best.classes);
  if (is_newest_first) chosen.keys.newest_first = true;
  return chosen;
}

// If a share K of the keys is out of order, an insert is above the one before it with the
// probability 1 - K + K^2 / 2.
InsertKeys TraceProfile::insert_keys() const {
  InsertKeys keys;
  const std::uint64_t pairs = rises_ + falls_;
  if (pairs == 0) return keys;
  const double rising = static_cast<double>(rises_) / static_cast<double>(pairs);
  const double displaced = 1 - std::sqrt(std::max(0.0, 2 * rising - 1));
  if (displaced > kDisplacedMax) return keys;
  keys.kind = InsertKeyKind::kSequential;
  if (displaced < kDisplacedMin || falls_ == 0) return keys;
  // Two places in a block are on average a third of it apart.
  const double fall =
      fall_sum_ / static_cast<double>(falls_) / static_cast<double>(id_most_ - id_least_);
  keys.kind = InsertKeyKind::kNearSorted;
  keys.displaced = decimal_of(displaced);
  keys.displacement_max = decimal_of(std::min(1.0, 3 * fall));
  return keys;
}

// A phase with the distributions of `common` that it needs. `keys`: inserts of all phases.
Phase TraceProfile::phase_of(const ActionCounts& actions, const Phase& common,
                             std::uint64_t keys) const {
  Phase phase;
  phase.actions = actions;
  phase.insert_keys = common.insert_keys;
  if (phase.insert_keys.displacement_max && actions[Action::kInsert] > 0) {
    // A share of the phase's inserts.
    const double share = phase.insert_keys.displacement_max->as_double() *
                         static_cast<double>(keys) / static_cast<double>(actions[Action::kInsert]);
    phase.insert_keys.displacement_max = decimal_of(std::min(1.0, share));
  }
  phase.value_bytes = common.value_bytes;
  if (actions[Action::kUpdate] > 0) phase.update_keys = common.update_keys;
  if (actions[Action::kDelete] > 0) phase.delete_keys = common.delete_keys;
  if (actions[Action::kGetPresent] > 0) phase.lookup_keys = common.lookup_keys;
  if (actions[Action::kScan] > 0) phase.scan_entries = common.scan_entries;
  return phase;
}

Result<OperationWorkload> TraceProfile::workload() const {
  std::vector<ActionCounts> phases = mix_.phases(scaled(1));
  ActionCounts all;
  std::uint64_t live = 0;
  for (ActionCounts& actions : phases) {
    live += actions[Action::kInsert];
    if (live == 0 && actions[Action::kUpdate] > 0) {  // a sample may lack the first insert
      --actions[Action::kUpdate];
      ++actions[Action::kInsert];
      ++live;
    }
    if (live == 0) {
      actions[Action::kGetAbsent] += std::exchange(actions[Action::kGetPresent], 0);
    }
    // Estimates must not delete more keys than there are.
    std::uint64_t& deletes = actions[Action::kDelete];
    deletes = std::min(deletes, live > 0 ? live - 1 : 0);
    live -= deletes;
    for (std::size_t a = 0; a < kActions; ++a) all.values[a] += actions.values[a];
  }
  const std::uint64_t inserts = all[Action::kInsert];
  if (inserts == 0) return input_error("a profile needs puts, and the trace has none");
  Phase common;
  common.insert_keys = insert_keys();
  common.value_bytes = value_bytes_.distribution(0);
  common.update_keys = access_keys(Access::kUpdate, all).keys;
  common.delete_keys = access_keys(Access::kDelete, all).keys;
  common.lookup_keys = access_keys(Access::kLookup, all).keys;
  common.scan_entries = scan_entries_.distribution(1);
  OperationWorkload workload;
  workload.key_bytes = key_bytes_.distribution(1);
  for (const ActionCounts& actions : phases) {
    workload.phases.push_back(phase_of(actions, common, inserts));
  }
  if (const std::vector<std::string> faults = workload.validate(); !faults.empty()) {
    return input_error("the trace has no profile: " + faults.front());
  }
  return workload;
}

std::vector<std::string> TraceProfile::omissions(const OperationWorkload& workload,
                                                 const UpdateDistances& independent) const {
  std::vector<std::string> omissions;
  const bool is_sample = halvings_ > 0;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) omissions.push_back(estimated_text(count, is_sample) + what);
  };
  const UpdateDistances measured = update_distances();
  if (measured.count >= kDistancesMin && (differs_by_a_quarter(measured.p50, independent.p50) ||
                                          differs_by_a_quarter(measured.p90, independent.p90))) {
    omissions.push_back(fmt::format(
        "Writes of a key do not look independent: there are {} (P50) and {} (P90) operations "
        "between two writes of a key in the trace, but {} and {} in the profile.",
        grouped_text(measured.p50), grouped_text(measured.p90), grouped_text(independent.p50),
        grouped_text(independent.p90)));
  }
  ActionCounts all;
  for (const Phase& phase : workload.phases) {
    for (std::size_t a = 0; a < kActions; ++a) all.values[a] += phase.actions.values[a];
  }
  const bool is_in_order = insert_keys().kind != InsertKeyKind::kUniform;
  for (const Access kind : {Access::kUpdate, Access::kLookup}) {
    if (!access_keys(kind, all).is_by_key) continue;
    omissions.push_back(fmt::format(
        "{} does not depend on when keys were inserted; in the profile the oldest keys are the "
        "most popular{}.",
        kind == Access::kUpdate ? "Which keys are updated" : "Which keys are looked up",
        is_in_order ? ", and because inserts are in order, popular keys are neighbours" : ""));
  }
  add(scans_by_key_, " scans that end at a key are left out.");
  add(scaled(deletes_absent_), " deletes of keys that are not alive are left out.");
  add(scaled(inserts_again_), " inserts of deleted keys count as inserts of new keys.");
  return omissions;
}

}  // namespace lsmlab
