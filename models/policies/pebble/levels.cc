#include "models/policies/pebble/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "models/base/portable_math.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint32_t kLast = kPebbleLevels - 1;
constexpr std::uint64_t kNoTarget = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kInternalKeyBytes = 8;  // the trailer, which raw key sizes count

// As Go's uint64(float64(bytes) / float64(ratio)).
std::uint64_t divided(std::uint64_t bytes, std::uint64_t ratio) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) / static_cast<double>(ratio));
}

}  // namespace

PebbleTombstones PebbleTombstones::of(const File& file) {
  return {file.bytes.value(), file.entries.value(), file.tombstones.value(), file.key_bytes.value(),
          file.value_bytes.value()};
}

PebbleTombstones PebbleTombstones::of(const RunSums& sums) {
  return {sums.bytes, sums.entries, sums.tombstones, sums.key_bytes, sums.value_bytes};
}

std::uint64_t PebbleTombstones::freed_bytes(double mean_value_bytes) const {
  if (tombstones == 0) return 0;
  const std::uint64_t raw = key_bytes + kInternalKeyBytes * entries + value_bytes;
  const double compression = std::min(1.0, static_cast<double>(bytes) / static_cast<double>(raw));
  const double count = static_cast<double>(tombstones);
  const double own_keys = static_cast<double>(key_bytes) / static_cast<double>(entries) * count;
  return static_cast<std::uint64_t>((2 * own_keys + count * mean_value_bytes) * compression);
}

std::uint64_t PebbleTombstones::freed_bytes() const {
  if (tombstones == 0) return 0;
  const std::uint64_t with_value = are_few() ? entries : entries - tombstones;
  return freed_bytes(
      with_value == 0 ? 0.0 : static_cast<double>(value_bytes) / static_cast<double>(with_value));
}

PebbleLevels::PebbleLevels(const TreeView& tree, const PebbleShape& shape)
    : tree_(tree), shape_(shape) {
  for (std::uint32_t level = 1; level < kPebbleLevels; ++level) {
    runs_[level] = newest_run(tree, level);
  }
  set_targets();
}

std::uint64_t PebbleLevels::bytes(std::uint32_t level) const {
  return runs_[level] != nullptr ? runs_[level]->bytes().value() : 0;
}

void PebbleLevels::set_targets() {
  targets_.fill(kNoTarget);
  std::uint64_t below = 0;
  std::uint64_t deepest = 0;
  std::optional<std::uint32_t> first;
  for (std::uint32_t level = 1; level < kPebbleLevels; ++level) {
    if (bytes(level) == 0) continue;
    if (!first) first = level;
    below += bytes(level);
    deepest = bytes(level);
  }
  if (!first) return;
  const std::uint64_t all = below + level_bytes(tree_, 0).value();
  const bool is_by_all = shape_.version != PebbleVersion::k2020_05;
  const std::uint64_t last_bytes = is_by_all ? all - all / shape_.size_ratio : deepest;
  std::uint64_t size = last_bytes;
  for (std::uint32_t level = kLast; level > *first; --level)
    size = divided(size, shape_.size_ratio);
  base_level_ = *first;
  for (; base_level_ > 1 && size > shape_.level_base; --base_level_) {
    size = divided(size, shape_.size_ratio);
  }
  double factor = 1;
  if (base_level_ < kLast) {
    const double quotient =
        static_cast<double>(last_bytes) / static_cast<double>(shape_.level_base);
    // No data at all but a few bytes: 0 has no logarithm.
    factor = quotient > 0
                 ? portable_exp(portable_log(quotient) / static_cast<double>(kLast - base_level_))
                 : 0;
  }
  double target = static_cast<double>(shape_.level_base);
  for (std::uint32_t level = base_level_; level < kPebbleLevels; ++level) {
    if (level > base_level_) target *= factor;
    const double whole = std::floor(target + 0.5);
    targets_[level] = whole < static_cast<double>(kNoTarget)
                          ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(whole))
                          : kNoTarget;
  }
}

FileSpan PebbleLevels::overlapping(std::uint32_t level, const KeyRange& keys) const {
  if (level >= kPebbleLevels || runs_[level] == nullptr) return {};
  return overlapping_files(*runs_[level], keys);
}

std::uint64_t PebbleLevels::file_bytes(std::uint32_t level) const {
  constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 56;
  std::uint64_t bytes = shape_.file_size.value();
  for (std::uint32_t above = base_level_; level > 0 && above <= level; ++above) {
    bytes = std::min(bytes * shape_.file_size_multiplier, kBytesMax);
  }
  return bytes;
}

// Busy files of a level that no busy file of the level above overlaps: they are inputs of a merge
// into the level below (calculateSizeAdjust; a tree does not show which merge has a file).
std::uint64_t PebbleLevels::leaving_bytes(std::uint32_t level) const {
  if (runs_[level] == nullptr || runs_[level]->files.sums().busy_files == 0) return 0;
  std::uint64_t leaving = 0;
  runs_[level]->files.visit_busy([&](const File& file) {
    bool is_met = false;
    const auto meet = [&](const SortedRun& above) {
      for (const File& other : overlapping_files(above, file.keys)) is_met = is_met || other.busy;
    };
    if (level > base_level_ && runs_[level - 1] != nullptr) meet(*runs_[level - 1]);
    if (level <= base_level_) {
      for (const SortedRun& run : tree_.levels().front().runs) meet(run);
    }
    if (!is_met) leaving += file.bytes.value();
  });
  return leaving;
}

double PebbleLevels::mean_value_bytes(std::uint32_t level) const {
  std::uint64_t entries = 0;
  std::uint64_t value_bytes = 0;
  for (; level < kPebbleLevels; ++level) {
    if (runs_[level] == nullptr) continue;
    entries += runs_[level]->files.sums().entries;
    value_bytes += runs_[level]->files.sums().value_bytes;
  }
  return entries == 0 ? 0 : static_cast<double>(value_bytes) / static_cast<double>(entries);
}

PebbleLevels::Fills PebbleLevels::fills(const PebbleSublevels& level0) const {
  Fills fills;
  const double depth =
      static_cast<double>(2 * level0.idle_depth()) / static_cast<double>(shape_.l0_threshold);
  const double files =
      static_cast<double>(level0.idle_files()) / static_cast<double>(shape_.l0_file_threshold);
  fills[0].plain = fills[0].compensated = std::max(depth, files);
  std::uint64_t arriving = level0.leaving_bytes();
  for (std::uint32_t level = base_level_; level < kPebbleLevels; ++level) {
    const std::uint64_t leaving = level < kLast ? leaving_bytes(level) : 0;
    const std::uint64_t size = bytes(level) + arriving - leaving;
    std::uint64_t freed = 0;
    if (runs_[level] != nullptr) {
      const PebbleTombstones all = PebbleTombstones::of(runs_[level]->files.sums());
      freed = all.are_few() ? all.freed_bytes() : all.freed_bytes(mean_value_bytes(level));
    }
    const double target = static_cast<double>(targets_[level]);
    fills[level].plain = static_cast<double>(size) / target;
    fills[level].compensated = static_cast<double>(size + freed) / target;
    arriving = leaving;
  }
  return fills;
}

// calculateLevelScores.
std::vector<PebbleLevels::Candidate> PebbleLevels::candidates(const PebbleSublevels& level0) const {
  const Fills all = fills(level0);
  std::vector<Candidate> candidates;
  for (std::uint32_t level = 0; level < kLast; ++level) {
    if (level > 0 && level < base_level_) continue;
    if (all[level].compensated < 1) continue;
    const std::uint32_t output = level == 0 ? base_level_ : level + 1;
    if (shape_.version == PebbleVersion::k2020_05) {
      candidates.push_back({level, output, all[level].compensated});
      continue;
    }
    const double next = std::max(0.01, all[output].plain);
    if (all[level].compensated / next < 1) continue;
    const bool is_divided = shape_.version == PebbleVersion::k2_1 || all[level].plain >= 1;
    candidates.push_back({level, output, is_divided ? all[level].plain / next : all[level].plain});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  return candidates;
}

}  // namespace lsmlab
