#include "models/policies/rocksdb/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "models/base/check.h"
#include "models/base/portable_math.h"
#include "models/base/rocksdb_arena.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// The ratio is a double in RocksDB; it truncates quotients and products to integers.
std::uint64_t divided(std::uint64_t bytes, std::uint64_t ratio) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) / static_cast<double>(ratio));
}

// MultiplyCheckOverflow: if the product does not fit, it returns the first factor.
std::uint64_t multiplied(std::uint64_t bytes, double factor) {
  if (bytes == 0) return 0;
  if (static_cast<double>(kUnlimited / bytes) < factor) return bytes;
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * factor);
}

RocksdbTargets static_targets(const RocksdbShape& shape) {
  const auto ratio = static_cast<double>(shape.size_ratio);
  RocksdbTargets targets{1, std::vector<std::uint64_t>(shape.levels, shape.level_base), ratio};
  for (std::uint32_t level = 2; level < shape.levels; ++level) {
    targets.max_bytes[level] = multiplied(targets.max_bytes[level - 1], ratio);
  }
  return targets;
}

struct DynamicBase {
  std::uint32_t level = 1;
  std::uint64_t bytes = 0;
  std::optional<std::uint32_t> unneeded_upto = {};
};

// The level that takes level 0's files, and its target size, if the last level's target is the size
// of the largest level.
DynamicBase dynamic_base(const RocksdbShape& shape, std::uint64_t base_max,
                         std::uint32_t first_filled, std::uint64_t largest) {
  const std::uint64_t base_min = divided(base_max, shape.size_ratio);
  std::uint64_t bytes = largest;
  std::optional<std::uint32_t> unneeded_upto;
  for (std::uint32_t level = shape.levels - 1; level > first_filled; --level) {
    bytes = divided(bytes, shape.size_ratio);
    const bool drains = shape.drains_unneeded() && !unneeded_upto;
    if (drains && bytes <= base_min) unneeded_upto = level - 1;
  }
  if (bytes <= base_min) return {first_filled, base_min + 1, unneeded_upto};
  std::uint32_t base = first_filled;
  while (base > 1 && bytes > base_max) {
    --base;
    bytes = divided(bytes, shape.size_ratio);
  }
  return {base, std::min(bytes, base_max)};
}

// 1 where there is no level to divide the ratio among.
double root_of(double ratio, std::uint32_t degree) {
  return degree == 0 ? 1.0 : portable_exp(portable_log(ratio) / degree);
}

RocksdbTargets dynamic_targets(const RocksdbShape& shape,
                               const std::vector<std::uint64_t>& level_bytes,
                               std::size_t level0_files) {
  std::uint32_t first_filled = 0;
  std::uint64_t largest = 0;
  for (std::uint32_t level = 1; level < shape.levels; ++level) {
    if (level_bytes[level] > 0 && first_filled == 0) first_filled = level;
    largest = std::max(largest, level_bytes[level]);
  }
  // RocksDB never compacts from levels above the base level.
  RocksdbTargets targets{shape.levels - 1, std::vector<std::uint64_t>(shape.levels, kUnlimited)};
  if (largest == 0) return targets;
  const std::uint64_t level0 = shape.adapts_to_level0() ? level_bytes[0] : 0;
  const std::uint64_t base_max = std::max(shape.level_base, level0);
  auto [base, bytes, unneeded_upto] = dynamic_base(shape, base_max, first_filled, largest);
  targets.base_level = base;
  targets.unneeded_upto = unneeded_upto;
  targets.multiplier = static_cast<double>(shape.size_ratio);
  const bool is_backlogged = level0 > shape.level_base || level0_files / 2 >= shape.l0_trigger;
  if (level0 > bytes && is_backlogged) {
    bytes = level0;
    targets.multiplier =
        root_of(static_cast<double>(largest) / static_cast<double>(bytes), shape.levels - base - 1);
  }
  for (std::uint32_t level = base; level < shape.levels; ++level) {
    if (level > base) bytes = multiplied(bytes, targets.multiplier);
    targets.max_bytes[level] = std::max(bytes, base_max);
  }
  return targets;
}

// 0 without entries.
double mean_entry_bytes(const TreeView& tree) {
  Uint128 bytes = 0;
  std::uint64_t entries = 0;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      const RunSums& sums = run.files.sums();
      bytes += Uint128{sums.key_bytes} + sums.value_bytes;
      entries += sums.entries;
    }
  }
  if (entries == 0) return 0;
  return static_cast<double>(bytes) / static_cast<double>(entries);
}

}  // namespace

void declare_rocksdb_version(OptionTable& table, RocksdbVersion& version, const char* help) {
  table.choice<RocksdbVersion>("version", version,
                               {{"6.12", RocksdbVersion::k6_12},
                                {"7.4", RocksdbVersion::k7_4},
                                {"7.8", RocksdbVersion::k7_8},
                                {"8.4", RocksdbVersion::k8_4},
                                {"8.7", RocksdbVersion::k8_7},
                                {"8.11", RocksdbVersion::k8_11},
                                {"9.0", RocksdbVersion::k9_0},
                                {"9.2", RocksdbVersion::k9_2},
                                {"9.6", RocksdbVersion::k9_6},
                                {"9.8", RocksdbVersion::k9_8}},
                               help);
}

void settle_rocksdb_arena(const ResolvedOptions& options, StoreOptions& store) {
  if (store.arena_block || store.layout != SstableLayout::kRocksdb) return;
  const bool is_old = std::any_of(options.begin(), options.end(), [](const auto& option) {
    return option.first == "version" && option_value_text(option.second) == "6.12";
  });
  if (is_old) store.arena_block = old_arena_block(store.buffer);
}

RuleFidelity rocksdb_flush_fidelity() {
  return {"a flush takes all memtables that wait", Fidelity::kSimplified,
          "db/memtable_list.cc, RocksDB 7.8.3",
          "one flush at a time; RocksDB runs as many as a quarter of max_background_jobs"};
}

RuleFidelity rocksdb_arena_fidelity() {
  return {"when a memtable is full: blocks of its arena", Fidelity::kSimplified,
          "memory/arena.cc, db/memtable.cc, db/column_family.cc, RocksDB 7.8.3",
          "the system's allocator rounds no block up here (by 8 bytes there), and concurrent "
          "writers leave no parts of blocks unused. The limit of a block, 1 MiB, came with 6.22: "
          "here from version=7.4 on, which stands for 6.13 and newer, unless arena_block is given"};
}

void declare_disable_auto_compactions(OptionTable& table, bool& is_disabled) {
  table.flag("disable_auto_compactions", is_disabled,
             "RocksDB's option: flushes go on, and nothing merges but by command. Sorted runs and "
             "bytes that wait for merges stall no writer; full memtables do");
}

RocksdbCompensation::RocksdbCompensation(const TreeView& tree) {
  Uint128 file_bytes = 0;
  Uint128 raw_bytes = 0;
  Uint128 value_bytes = 0;
  Uint128 values = 0;
  for (const Level& level : tree.levels()) {
    const FileSums& sums = level.sums;
    file_bytes += sums.bytes;
    raw_bytes += Uint128{sums.key_bytes} + sums.value_bytes;
    value_bytes += sums.value_bytes;
    values += sums.entries - sums.tombstones;
  }
  if (values == 0 || raw_bytes == 0) return;
  mean_value_bytes_ = static_cast<std::uint64_t>(value_bytes / values * file_bytes / raw_bytes);
}

std::uint64_t RocksdbCompensation::bytes(const File& file) const {
  const std::uint64_t deletions = file.tombstones.value();
  const std::uint64_t entries = file.entries.value();
  if (deletions * 2 < entries) return file.bytes.value();
  return file.bytes.value() + (deletions * 2 - entries) * mean_value_bytes_ * 2;
}

std::uint64_t RocksdbCompensation::bytes(const FileSums& files) const {
  return files.bytes + files.surplus_tombstones * mean_value_bytes_ * 2;
}

std::uint64_t RocksdbCompensation::idle_bytes(const FileSums& files) const {
  const std::uint64_t surplus = files.surplus_tombstones - files.busy_surplus_tombstones;
  return files.bytes - files.busy_bytes + surplus * mean_value_bytes_ * 2;
}

RocksdbTargets rocksdb_targets(const RocksdbShape& shape,
                               const std::vector<std::uint64_t>& level_bytes,
                               std::size_t level0_files) {
  CHECK(shape.levels >= 2 && level_bytes.size() == shape.levels);
  return shape.dynamic_levels ? dynamic_targets(shape, level_bytes, level0_files)
                              : static_targets(shape);
}

bool any_busy(const FileList& files) {
  return std::any_of(files.begin(), files.end(), [](const File* file) { return file->busy; });
}

std::uint64_t sum_of_bytes(const FileList& files) {
  std::uint64_t sum = 0;
  for (const File* file : files) sum += file->bytes.value();
  return sum;
}

bool are_disjoint(FileList files) {
  std::sort(files.begin(), files.end(),
            [](const File* a, const File* b) { return a->keys.smallest < b->keys.smallest; });
  return std::adjacent_find(files.begin(), files.end(), [](const File* a, const File* b) {
           return a->keys.largest >= b->keys.smallest;
         }) == files.end();
}

FileList level0_files(const TreeView& tree) {
  FileList files;
  if (tree.levels().empty()) return files;
  for (const SortedRun& run : tree.levels().front().runs) {
    for (const File& file : run.files) files.push_back(&file);
  }
  return files;
}

KeyRange hull_of(const FileList& files) {
  CHECK(!files.empty());
  KeyRange keys = files.front()->keys;
  for (const File* file : files) keys = hull_of(keys, file->keys);
  return keys;
}

RocksdbLevels::RocksdbLevels(const TreeView& tree, const RocksdbShape& shape)
    : tree_(tree),
      shape_(shape),
      compensation_(tree),
      runs_(shape.levels, nullptr),
      level_bytes_(shape.levels, 0) {
  const std::size_t levels = std::min<std::size_t>(tree.levels().size(), shape.levels);
  for (std::size_t level = 0; level < levels; ++level) {
    for (const SortedRun& run : tree.levels()[level].runs) {
      level_bytes_[level] += run.bytes().value();
      if (level > 0) {  // a leveled level is one run
        runs_[level] = &run.files;
        break;
      }
      for (const File& file : run.files) level0_.push_back(&file);
    }
  }
  targets_ = rocksdb_targets(shape_, level_bytes_, level0_.size());
  if (shape_.deletes && tree.tuning()) {
    shape_.deletes->base = static_cast<double>(tree.tuning()->del_ratio_base_millionths) / 1e6;
  }
  const bool is_waiting = shape_.deletes && tree.now() < shape_.deletes->from;
  if (is_waiting || (shape_.deletes && shape_.deletes->base == 0)) shape_.deletes.reset();
  if (shape_.deletes) mean_entry_bytes_ = mean_entry_bytes(tree);
}

std::size_t RocksdbLevels::file_count(std::uint32_t level) const {
  if (level == 0) return level0_.size();
  return runs_[level] != nullptr ? runs_[level]->size() : 0;
}

std::optional<std::uint64_t> RocksdbLevels::cursor(std::uint32_t level) const {
  return level < tree_.levels().size() ? tree_.levels()[level].cursor : std::nullopt;
}

FileList RocksdbLevels::overlapping(std::uint32_t level, const KeyRange& keys) const {
  if (level == 0) return overlapping_level0(keys);
  const SortedRun* run = newest_run(tree_, level);
  FileList found;
  if (run == nullptr || level >= shape_.levels) return found;
  for (const File& file : overlapping_files(*run, keys)) found.push_back(&file);
  return found;
}

FileList RocksdbLevels::overlapping_level0(KeyRange keys) const {
  FileList found;
  for (bool grows = true; grows;) {
    const std::size_t before = found.size();
    found.clear();
    for (const File* file : level0_) {
      if (!file->keys.overlaps(keys)) continue;
      found.push_back(file);
      keys = hull_of(keys, file->keys);
    }
    grows = found.size() > before;
  }
  return found;
}

bool RocksdbLevels::level0_disjoint() const { return are_disjoint(level0_); }

// Of the bytes of level 0.
double RocksdbLevels::level0_target() const {
  const auto base = static_cast<double>(shape_.level_base);
  const bool follows_base = shape_.version == RocksdbVersion::k7_4 && shape_.dynamic_levels;
  if (!follows_base || targets_.multiplier == 0) return base;
  const double of_base = static_cast<double>(max_bytes(base_level())) / targets_.multiplier;
  return std::max(base, std::floor(of_base));
}

double RocksdbLevels::level0_score() const {
  std::uint64_t idle_files = 0;
  std::uint64_t idle_bytes = 0;
  for (const File* file : level0_) {
    if (file->busy) continue;
    ++idle_files;
    idle_bytes += compensated_bytes(*file);
  }
  double score = static_cast<double>(idle_files) / static_cast<double>(shape_.l0_trigger);
  if (!shape_.dynamic_levels || shape_.adapts_to_level0()) {
    return std::max(score, static_cast<double>(idle_bytes) / level0_target());
  }
  if (idle_bytes >= shape_.level_base) score = std::max(score, 1.01);
  const std::uint64_t base_max = max_bytes(base_level());
  if (idle_bytes > base_max) {
    const std::uint64_t base_bytes = compensation_.bytes(sums(base_level()));
    score = std::max(score, static_cast<double>(idle_bytes) /
                                static_cast<double>(std::max(base_bytes, base_max)));
  }
  return score > 1.0 ? score * 10.0 : score;
}

// Levels are counted from the one that level 0 goes to, which is level 1 unless levels are dynamic.
double RocksdbLevels::delete_score(std::uint32_t level) const {
  const RunSums files = sums(level);
  const std::uint64_t tombstones = files.tombstones - files.busy_tombstones;
  if (tombstones == 0) return 0;
  double rate = static_cast<double>(tombstones) * mean_entry_bytes_ /
                static_cast<double>(shape_.deletes->memtable_bytes);
  for (std::uint32_t above = base_level(); above < level; ++above) {
    rate *= static_cast<double>(shape_.size_ratio);
  }
  return rate / shape_.deletes->base;
}

double RocksdbLevels::level_score(std::uint32_t level, double falling_bytes) const {
  constexpr double kScale = 10.0;
  const std::uint64_t idle_bytes = compensation_.idle_bytes(sums(level));
  const std::uint64_t limit = max_bytes(level);
  const double bytes = static_cast<double>(idle_bytes);
  const double limit_bytes = static_cast<double>(limit);
  const bool is_plain = !shape_.dynamic_levels || shape_.adapts_to_level0() || idle_bytes < limit;
  const double score =
      is_plain ? bytes / limit_bytes : bytes / (limit_bytes + falling_bytes) * kScale;
  if (idle_bytes == 0 || !is_unneeded(level)) return score;
  // Below a level 0 that is due, and the shallowest one first.
  return std::max(score, kScale * (1.001 + 0.001 * (*targets_.unneeded_upto - level)));
}

std::vector<LevelScore> RocksdbLevels::scores() const {
  std::vector<LevelScore> scores{{level0_score(), 0}};
  // What is on its way down: level 0, and of the levels passed the excess, or all where they drain.
  double falling_bytes = static_cast<double>(level_bytes_[0]);
  for (std::uint32_t level = 1; level + 1 < shape_.levels; ++level) {
    const std::uint64_t limit = max_bytes(level);
    double score = level_score(level, falling_bytes);
    if (shape_.deletes) {
      const double of_deletes = delete_score(level);
      score = shape_.deletes->keeps_size_trigger ? std::max(score, of_deletes) : of_deletes;
    }
    scores.push_back({score, level});
    const std::uint64_t total = level_bytes_[level];
    if (is_unneeded(level)) {
      falling_bytes += static_cast<double>(total);
    } else if (total > limit) {
      falling_bytes += static_cast<double>(total - limit);
    }
  }
  // This is RocksDB's own exchange sort. It is not stable: equal scores may change places.
  for (std::size_t i = 0; i + 1 < scores.size(); ++i) {
    for (std::size_t j = i + 1; j < scores.size(); ++j) {
      if (scores[i].score < scores[j].score) std::swap(scores[i], scores[j]);
    }
  }
  return scores;
}

std::uint64_t RocksdbLevels::pending_bytes() const {
  std::uint64_t pending = 0;
  std::uint64_t falling = 0;  // from the level above
  const std::uint64_t level0 = level_bytes_[0];
  const bool is_level0_due = level0_.size() >= shape_.l0_trigger || level0 >= shape_.level_base;
  if (is_level0_due) pending = falling = level0;
  for (std::uint32_t level = base_level(); level + 1 < shape_.levels; ++level) {
    std::uint64_t bytes = level_bytes_[level];
    if (level == base_level() && is_level0_due) pending += bytes;
    if (shape_.deletes && !shape_.deletes->keeps_size_trigger) break;
    bytes += std::exchange(falling, 0);
    if (bytes <= max_bytes(level)) continue;
    falling = bytes - max_bytes(level);
    const std::uint64_t next = level_bytes_[level + 1];
    if (next == 0) continue;
    const double fan_out = static_cast<double>(next) / static_cast<double>(bytes);
    pending += static_cast<std::uint64_t>(static_cast<double>(falling) * (fan_out + 1));
  }
  return pending;
}

// RocksDB also counts files of upper levels that overlap nothing below.
std::uint64_t RocksdbLevels::behind_bytes() const {
  constexpr std::uint64_t kDivisor = 8;
  if (shape_.version < RocksdbVersion::k8_11) return 0;
  std::uint32_t deepest = shape_.levels - 1;
  while (deepest > 0 && level_bytes_[deepest] == 0) --deepest;
  std::uint64_t bytes = level_bytes_[deepest];
  if (deepest == 0) bytes = level0_.empty() ? 0 : level0_.back()->bytes.value();
  if (bytes == 0) return 0;
  const bool has_minimum = shape_.version >= RocksdbVersion::k9_8;
  return std::max(bytes / kDivisor, has_minimum ? 2 * shape_.level_base : 1);
}

std::vector<PlanInput> RocksdbLevels::inputs_of(std::uint32_t level, const FileList& files) const {
  std::vector<PlanInput> inputs;
  if (level > 0) {
    PlanInput& input = inputs.emplace_back(PlanInput{level, newest_run(tree_, level)->id, {}});
    for (const File* file : files) input.files.push_back(file->id);
    return inputs;
  }
  for (const SortedRun& run : tree_.levels()[level].runs) {
    PlanInput input{level, run.id, {}};
    for (const File& file : run.files) {
      if (std::find(files.begin(), files.end(), &file) != files.end()) {
        input.files.push_back(file.id);
      }
    }
    if (!input.files.empty()) inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace lsmlab
