#include "sim/ranges/key_population.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "models/base/check.h"
#include "models/base/portable_math.h"

namespace lsmlab {
namespace {

FixedCount fixed_of(double count) {
  return static_cast<FixedCount>(std::floor(std::max(count, 0.0) * kCountUnits + 0.5));
}

// Whether a part of the key space is a part of the time of inserts, and keys are deleted.
bool loses_keys_in_order(const OperationWorkload& workload) {
  bool is_in_order = false;
  bool has_deletes = false;
  for (const Phase& phase : workload.phases) {
    is_in_order = is_in_order || (phase.actions[Action::kInsert] > 0 &&
                                  phase.insert_keys.kind == InsertKeyKind::kSequential);
    has_deletes = has_deletes || phase.actions[Action::kDelete] > 0;
  }
  return is_in_order && has_deletes;
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
  std::vector<std::uint64_t> moving_begins;
  const std::uint64_t inserts = workload.insert_count();
  std::uint64_t inserted = 0;
  for (std::size_t i = 0; i < workload.phases.size(); ++i) {
    const Phase& phase = workload.phases[i];
    PhaseWeights weights;
    const auto use = [&](const AccessKeys& keys, const char* member,
                         std::shared_ptr<const RankWeights>& made) -> Result<void> {
      made = BOOST_OUTCOME_TRYX(rank_weights_of(keys, fmt::format("phase {}: {}", i, member)));
      for (const std::uint64_t begin : made->class_begins(inserts)) begins.push_back(begin);
      weights.prefers_newest = weights.prefers_newest || made->prefers_newest();
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
    if (weights.prefers_newest) {
      population.do_classes_age_ = true;
      for (const std::uint64_t begin : begins_by_distance(inserted)) moving_begins.push_back(begin);
    }
    inserted += phase.actions[Action::kInsert];
    population.phases_.push_back(std::move(weights));
  }
  if (loses_keys_in_order(workload)) {
    // Of keys that were inserted long ago, more are deleted by now. They lie together.
    constexpr std::uint64_t kParts = 64;
    for (std::uint64_t part = 1; part < kParts; ++part) {
      begins.push_back(static_cast<std::uint64_t>(Uint128{inserts} * part / kParts));
    }
  }
  population.set_begins(std::move(begins), std::move(moving_begins));
  return population;
}

void KeyPopulation::set_begins(std::vector<std::uint64_t> fixed,
                               std::vector<std::uint64_t> moving) {
  std::sort(fixed.begin(), fixed.end());
  for (const std::uint64_t begin : fixed) ahead_.push_back({begin, 0, true});
  for (const std::uint64_t begin : moving) {
    if (!std::binary_search(fixed.begin(), fixed.end(), begin)) ahead_.push_back({begin});
  }
  const auto is_later = [](const KeyPart& a, const KeyPart& b) { return a.first > b.first; };
  const auto is_equal = [](const KeyPart& a, const KeyPart& b) { return a.first == b.first; };
  std::sort(ahead_.begin(), ahead_.end(), is_later);
  ahead_.erase(std::unique(ahead_.begin(), ahead_.end(), is_equal), ahead_.end());
  reach(do_classes_age_ ? 1 : ~std::uint64_t{0});
}

void KeyPopulation::reach(std::uint64_t end) {
  for (; !ahead_.empty() && ahead_.back().first < end; ahead_.pop_back()) {
    KeyPart part = ahead_.back();
    if (!parts_.empty() && part.first == parts_.back().first) {
      parts_.back().is_fixed = parts_.back().is_fixed || part.is_fixed;
      continue;
    }
    part.key_class = parts_.empty() ? 0 : classes();
    parts_.push_back(part);
  }
}

void KeyPopulation::begin_phase(std::size_t phase) { phase_ = phase; }

void KeyPopulation::write(std::uint64_t inserts, std::uint64_t updates, std::uint64_t deletes) {
  // While keys arrive, the distances of older keys grow: a few steps follow that, short ones first,
  // because the first inserts change the smallest distances most.
  const std::uint64_t steps = phases_[phase_].prefers_newest ? kStepsOfWrite : 1;
  const auto part = [steps](std::uint64_t count, std::uint64_t step) {
    const auto until = [&](std::uint64_t end) {
      return static_cast<std::uint64_t>(Uint128{count} * end * end / (steps * steps));
    };
    return until(step + 1) - until(step);
  };
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::uint64_t arriving = part(inserts, step);
    const std::uint64_t first = steps > 1 ? arriving / 2 : arriving;
    insert(first);
    update(part(updates, step));
    remove(part(deletes, step));
    if (first < arriving) insert(arriving - first);
  }
}

void KeyPopulation::insert(std::uint64_t count) {
  const std::uint64_t end = inserted_ + count;
  reach(end);
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    const std::uint64_t last = c + 1 < parts_.size() ? parts_[c + 1].first : end;
    const std::uint64_t from = std::max(inserted_, parts_[c].first);
    const std::uint64_t to = std::min(end, std::max(last, parts_[c].first));
    if (from < to) parts_[c].inserts += static_cast<double>(to - from);
  }
  inserted_ = end;
}

void KeyPopulation::update(std::uint64_t count) {
  if (count > 0) spread(count, *phases_[phase_].updates, &KeyPart::updates);
}

void KeyPopulation::remove(std::uint64_t count) {
  if (count > 0) spread(count, *phases_[phase_].deletes, &KeyPart::deletes);
}

std::vector<double> KeyPopulation::shares_of(const RankWeights& weights) const {
  double live = 0;
  for (const KeyPart& each : parts_) live += each.present();
  std::vector<double> shares;
  if (live < 1) return shares;
  double rank = 0;
  for (const KeyPart& each : parts_) {
    shares.push_back(weights.of(rank, rank + each.present(), live));
    rank += each.present();
  }
  return shares;
}

void KeyPopulation::spread(std::uint64_t count, const RankWeights& weights,
                           double KeyPart::*counter) {
  const std::vector<double> shares = shares_of(weights);
  for (std::size_t c = 0; c < shares.size(); ++c) {
    parts_[c].*counter += static_cast<double>(count) * shares[c];
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
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const KeyPart& part = parts_[i];
    if (classes.size() <= part.key_class) classes.push_back({part.first});
    Readable& own = classes.back();
    own.keys += std::max(0.0, part.present());
    own.looked_up += looked_up.empty() ? 0 : looked_up[i];
    own.updated += updated.empty() ? 0 : updated[i];
  }
  return classes;
}

// The keys that so many updates of a part's older keys hit. The part is cut into smaller ones,
// because in a memtable its most popular keys are overwritten most.
double KeyPopulation::distinct_of(std::size_t part, double updates) const {
  const RankWeights* weights = phases_[phase_].updates.get();
  const KeyPart& own = parts_[part];
  if (updates <= 0 || own.live <= 0 || weights == nullptr) return 0;
  constexpr int kPieces = 4;
  double live = 0;
  double rank = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (i == part) rank = live;
    live += parts_[i].live;
  }
  const double all = weights->of(rank, rank + own.live, live);
  if (all <= 0) return 0;
  double distinct = 0;
  for (int piece = 0; piece < kPieces; ++piece) {
    const double width = own.live / kPieces;
    const double share = weights->of(rank + piece * width, rank + (piece + 1) * width, live) / all;
    distinct -= width * portable_expm1(-updates * share / width);
  }
  return distinct;
}

auto KeyPopulation::memtable_of(std::size_t part) const -> PartCounts {
  const KeyPart& own = parts_[part];
  // On average half of the memtable's inserts came before an operation on the part.
  const double candidates = own.live + own.inserts / 2;
  const double share_of_older = candidates > 0 ? own.live / candidates : 0;
  const double distinct = distinct_of(part, own.updates * share_of_older);
  const double deletes = own.deletes * share_of_older;
  const double is_updated = own.live > 0 ? distinct / own.live : 0;
  return {own.inserts + distinct + deletes * (1 - is_updated), own.inserts, own.deletes};
}

ClassCounts KeyPopulation::memtable_of_class(std::size_t first, std::size_t end) const {
  PartCounts sum;
  for (std::size_t i = first; i < end; ++i) {
    const PartCounts own = memtable_of(i);
    sum = {sum.entries + own.entries, sum.oldest + own.oldest, sum.tombstones + own.tombstones};
  }
  ClassCounts counts{fixed_of(sum.entries), fixed_of(sum.oldest), fixed_of(sum.tombstones)};
  counts.oldest = std::min(counts.oldest, counts.entries);
  counts.tombstones = std::min(counts.tombstones, counts.entries);
  return counts;
}

std::size_t KeyPopulation::end_of_class(std::size_t first) const {
  std::size_t end = first;
  while (end < parts_.size() && parts_[end].key_class == parts_[first].key_class) ++end;
  return end;
}

ClassList KeyPopulation::memtable() const {
  ClassList memtable;
  for (std::size_t first = 0, end = 0; first < parts_.size(); first = end) {
    end = end_of_class(first);
    memtable.push_back(memtable_of_class(first, end));
  }
  return memtable;
}

auto KeyPopulation::numbered_memtable() const -> std::vector<Numbered> {
  double inserts = 0;
  for (const KeyPart& each : parts_) inserts += each.inserts;
  const auto end = static_cast<double>(inserted_);
  const double begun = end - inserts;
  std::vector<Numbered> memtable;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto first = static_cast<double>(parts_[i].first);
    const double last =
        i + 1 < parts_.size() ? std::min(end, static_cast<double>(parts_[i + 1].first)) : end;
    if (first >= last) continue;
    const KeyPart& part = parts_[i];
    const PartCounts all = memtable_of(i);
    // On average half of the memtable's inserts came before an operation on the part.
    const double candidates = part.live + part.inserts / 2;
    const double share_of_older = candidates > 0 ? part.live / candidates : 0;
    const double of_older = all.tombstones * share_of_older;
    const PartCounts older{all.entries - all.oldest, 0, of_older};
    const PartCounts fresh{all.oldest, all.oldest, all.tombstones - of_older};
    for (const auto& [from, to, counts] : {std::tuple{first, std::min(last, begun), older},
                                           std::tuple{std::max(first, begun), last, fresh}}) {
      Numbered each{from, to, {fixed_of(counts.entries), fixed_of(counts.oldest), 0}};
      each.counts.tombstones = std::min(each.counts.entries, fixed_of(counts.tombstones));
      memtable.push_back(each);
    }
  }
  return memtable;
}

ClassList KeyPopulation::take_memtable() {
  ClassList taken;
  for (std::size_t first = 0, end = 0; first < parts_.size(); first = end) {
    end = end_of_class(first);
    taken.push_back(memtable_of_class(first, end));
    for (std::size_t i = first; i < end; ++i) {
      KeyPart& part = parts_[i];
      part.live = std::max(0.0, part.present());
      part.inserts = part.updates = part.deletes = 0;
    }
  }
  return taken;
}

std::optional<ClassMerges> KeyPopulation::age() {
  if (!do_classes_age_) return std::nullopt;
  std::optional<ClassMerges> merges;
  if (classes() > classes_max_) {
    merges = merges_of_old_classes(parts_);
    for (KeyPart& part : parts_) part.key_class = (*merges)[part.key_class];
    classes_max_ = std::max(kClassesMin, 2 * classes());
  }
  if (!phases_[phase_].prefers_newest) return merges;
  parts_ = cut_by_distance(parts_, inserted_);
  if (parts_.back().first < inserted_) parts_.push_back({inserted_, classes()});
  return merges;
}

}  // namespace lsmlab
