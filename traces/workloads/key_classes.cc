#include "traces/workloads/key_classes.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/check.h"
#include "traces/workloads/key_distribution.h"

namespace lsmlab {
namespace {

// A part of a class has a part of its weight; finer units keep that exact enough.
constexpr unsigned kUnitBits = 30;

}  // namespace

void validate_key_classes(const std::string& name, const std::vector<KeyClass>& classes,
                          std::vector<std::string>& faults) {
  if (classes.empty() || classes.size() > kKeyClassesMax) {
    faults.push_back(
        fmt::format("{}: {} classes; expected 1 to {}", name, classes.size(), kKeyClassesMax));
    return;
  }
  Uint128 keys = 0;
  Uint128 weights = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].keys == 0) faults.push_back(fmt::format("{}[{}]: no keys", name, i));
    keys += classes[i].keys;
    weights += classes[i].weight;
  }
  if (keys > kInsertsMax) faults.push_back(fmt::format("{}: more than 2^40 keys", name));
  if (weights == 0) faults.push_back(fmt::format("{}: no class has accesses", name));
  if (weights > 2 * kClassWeightSum) {
    faults.push_back(fmt::format("{}: the shares of accesses are above 1", name));
  }
}

std::vector<KeyClass> key_classes_of_shares(const std::vector<KeyClass>& shares,
                                            std::uint64_t keys) {
  Uint128 width_sum = 0;
  for (const KeyClass& share : shares) width_sum += share.keys;
  CHECK(keys >= 1 && width_sum > 0);
  std::vector<KeyClass> classes;
  Uint128 width = 0;
  std::uint64_t begin = 0;
  std::uint64_t weight = 0;  // of classes without a key so far
  for (const KeyClass& share : shares) {
    width += share.keys;
    weight += share.weight;
    const auto end = static_cast<std::uint64_t>((width * keys + width_sum / 2) / width_sum);
    if (end == begin) continue;
    classes.push_back({end - begin, weight});
    begin = end;
    weight = 0;
  }
  classes.back().weight += weight;
  return classes;
}

KeyClassSums::KeyClassSums(const std::vector<KeyClass>& classes) {
  CHECK(!classes.empty());
  Bound next;
  for (const KeyClass& each : classes) {
    next.keys = each.keys;
    next.weight = Uint128{each.weight} << kUnitBits;
    bounds_.push_back(next);
    next.first += next.keys;
    next.weight_before += next.weight;
  }
}

std::uint64_t KeyClassSums::draw(std::uint64_t live, SplitMix64& generator) const {
  const auto is_above = [](std::uint64_t rank, const Bound& bound) { return rank < bound.first; };
  const auto end = std::upper_bound(bounds_.begin(), bounds_.end(), live - 1, is_above);
  const Bound& last = *(end - 1);  // the class of the highest rank
  const std::uint64_t part = std::min(last.keys, live - last.first);
  const auto sum = static_cast<std::uint64_t>(last.weight_before + last.weight * part / last.keys);
  if (sum == 0) return generator.below(live);
  const std::uint64_t drawn = generator.below(sum);
  const auto is_heavier = [](std::uint64_t weight, const Bound& bound) {
    return weight < bound.weight_before + bound.weight;
  };
  const auto found = std::upper_bound(bounds_.begin(), end, drawn, is_heavier);
  CHECK(found != end);
  return found->first + generator.below(std::min(found->keys, live - found->first));
}

double KeyClassSums::sum(double rank) const {
  const auto is_above = [](double at, const Bound& bound) {
    return at < static_cast<double>(bound.first);
  };
  const auto end = std::upper_bound(bounds_.begin(), bounds_.end(), rank, is_above);
  if (end == bounds_.begin()) return 0;
  const Bound& own = *(end - 1);
  const double part = (rank - static_cast<double>(own.first)) / static_cast<double>(own.keys);
  return static_cast<double>(own.weight_before) +
         static_cast<double>(own.weight) * std::min(1.0, part);
}

double KeyClassSums::share(double first, double last, double live) const {
  const double all = sum(live);
  if (all <= 0) return (last - first) / live;
  return (sum(last) - sum(first)) / all;
}

std::vector<std::uint64_t> KeyClassSums::begins() const {
  std::vector<std::uint64_t> ranks;
  for (const Bound& bound : bounds_) ranks.push_back(bound.first);
  return ranks;
}

}  // namespace lsmlab
