#include "models/policies/cassandra/leveled.h"

#include <algorithm>
#include <utility>

#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kCapacityMax = std::uint64_t{1} << 62;
constexpr std::uint64_t kRoundsMax = 255;
constexpr std::uint32_t kBitsOfRounds = 8;

void add_files(LcsMerge& merge, std::uint32_t level, const SortedRun& run, const FileSpan& files) {
  if (files.empty()) return;
  merge.inputs.push_back(input_of(level, run, files));
  merge.keys = merge.files == 0 ? range_of(files) : hull_of(merge.keys, range_of(files));
  merge.files += files.size();
}

void add_overlapping(const TreeView& tree, std::uint32_t level, LcsMerge& merge) {
  const SortedRun* run = newest_run(tree, level);
  if (run != nullptr) add_files(merge, level, *run, overlapping_files(*run, merge.keys));
}

// The write at whose age gc_grace the file has enough tombstones that may go. REQUIRES: all of them
// are enough.
std::uint64_t enough_at(const DroppableTombstones& rule, EnoughTombstones is_enough,
                        const File& file) {
  std::uint64_t few = 0;
  std::uint64_t enough = file.deletion_times->tombstones();
  while (few < enough) {
    const std::uint64_t middle = few + (enough - few) / 2;
    if (is_enough(rule, file.entries.value(), middle)) {
      enough = middle;
    } else {
      few = middle + 1;
    }
  }
  return std::min(file.deletion_times->reached_at(enough), file.sequences.last);
}

bool has_file_within(const TreeView& tree, std::uint32_t level, const KeyRange& keys) {
  const SortedRun* run = newest_run(tree, level);
  return run != nullptr && !overlapping_files(*run, keys).empty();
}

}  // namespace

void LcsOptions::declare(OptionTable& table) {
  table.bytes("sstable_size", sstable_size, {1, std::uint64_t{1} << 50},
              "an SSTable of a level from 1 on ends when it is this large; more: fewer SSTables, "
              "but larger merges");
  SizeTierOptions::declare(table);
  droppable.declare(table);
}

std::vector<std::string> LcsOptions::validate() const {
  std::vector<std::string> faults = SizeTierOptions::validate();
  for (std::string& fault : droppable.validate()) faults.push_back(std::move(fault));
  return faults;
}

std::uint64_t LcsOptions::capacity(std::uint32_t level) const {
  Uint128 bytes = sstable_size.value();
  for (std::uint32_t i = 0; i < level && bytes < kCapacityMax; ++i) bytes *= fanout_size;
  return static_cast<std::uint64_t>(std::min(bytes, Uint128{kCapacityMax}));
}

OutputCut LcsOptions::cut() const {
  OutputCut cut;
  cut.file_bytes = sstable_size;
  cut.measure = CutMeasure::kStoredBlocks;
  return cut;
}

bool has_high_score(std::uint64_t bytes, std::uint64_t capacity) {
  return Uint128{bytes} * 1000 > Uint128{capacity} * 1001;
}

LevelRounds::LevelRounds(const TreeView& tree) {
  if (!tree.levels().empty()) packed_ = tree.levels()[0].cursor.value_or(0);
}

std::uint64_t LevelRounds::at(std::uint32_t level) const {
  return packed_ >> ((level - 1) * kBitsOfRounds) & kRoundsMax;
}

void LevelRounds::set(std::uint32_t level, std::uint64_t rounds) {
  const std::uint32_t shift = (level - 1) * kBitsOfRounds;
  packed_ = (packed_ & ~(kRoundsMax << shift)) | (rounds << shift);
}

void LevelRounds::count(std::uint32_t target) {
  for (std::uint32_t level = 1; level < LcsOptions::kLevels; ++level) {
    set(level, level == target ? 0 : std::min(at(level) + 1, kRoundsMax));
  }
}

LcsMerge merge_down(const TreeView& tree, std::uint32_t level, const File& file) {
  const SortedRun& run = *newest_run(tree, level);
  LcsMerge merge;
  merge.inputs.push_back({level, run.id, {file.id}});
  merge.keys = file.keys;
  merge.files = 1;
  merge.target = level + 1;
  add_overlapping(tree, level + 1, merge);
  return merge;
}

LcsMerge merge_into_level1(const TreeView& tree, const std::vector<Sstable>& upper) {
  LcsMerge merge;
  merge.target = 1;
  for (auto one = upper.rbegin(); one != upper.rend(); ++one) {
    add_files(merge, 0, *one->run, FileSpan(one->run->files));
  }
  add_overlapping(tree, 1, merge);
  return merge;
}

std::size_t next_by_last_key(const TreeView& tree, std::uint32_t level) {
  const std::optional<std::uint64_t>& last_key = tree.levels()[level].cursor;
  if (!last_key) return 0;
  const RunFiles& files = newest_run(tree, level)->files;
  const std::size_t next = files.first_above(*last_key);
  return next < files.size() ? next : 0;
}

void add_starved(const TreeView& tree, std::uint32_t level, LcsMerge& merge) {
  const SortedRun* run = newest_run(tree, level);
  if (run == nullptr) return;
  for (const File& file : overlapping_files(*run, merge.keys)) {
    if (file.busy || file.keys.smallest < merge.keys.smallest ||
        file.keys.largest > merge.keys.largest) {
      continue;
    }
    for (std::uint32_t between = merge.target + 1; between < level; ++between) {
      if (has_file_within(tree, between, file.keys)) return;
    }
    merge.inputs.push_back({level, run->id, {file.id}});
    ++merge.files;
    return;
  }
}

bool close_in_age(const TreeView& tree, std::vector<Sstable>& sstables) {
  const std::vector<Sstable> all = sstables_of(tree, 0);
  const auto is_taken = [&](const Sstable& one) {
    return std::any_of(sstables.begin(), sstables.end(),
                       [&](const Sstable& taken) { return taken.run == one.run; });
  };
  const auto holds_older = [&](const Sstable& one) {
    const KeyRange keys = range_of(FileSpan(one.run->files));
    return std::any_of(sstables.begin(), sstables.end(), [&](const Sstable& taken) {
      return one.run->flushes.first < taken.run->flushes.last &&
             range_of(FileSpan(taken.run->files)).overlaps(keys);
    });
  };
  for (bool grows = true; grows;) {
    grows = false;
    for (const Sstable& one : all) {
      if (is_taken(one) || !holds_older(one)) continue;
      if (one.run->busy()) return false;
      sstables.push_back(one);
      grows = true;
    }
  }
  std::vector<Sstable> ordered;
  std::copy_if(all.begin(), all.end(), std::back_inserter(ordered), is_taken);
  sstables = std::move(ordered);
  return true;
}

Plan plan_of(const TreeView& tree, const LcsOptions& options, PlanReason reason, LcsMerge merge,
             std::uint32_t level, const std::optional<LevelRounds>& rounds) {
  Plan plan{reason, MergePlan{}, {}};
  MergePlan& action = std::get<MergePlan>(plan.action);
  action.inputs = std::move(merge.inputs);
  if (merge.target > 0) {
    action.target = leveled_target(tree, merge.target);
    action.cut = options.cut();
  }
  if (level > 0) plan.cursors.push_back({level, merge.keys.largest});
  if (rounds) plan.cursors.push_back(rounds->update());
  return plan;
}

std::vector<FileOrdering> tombstone_ordering(const DroppableTombstones& rule,
                                             EnoughTombstones is_enough) {
  if (!rule.threshold) return {};
  FileOrdering ordering;
  const auto enough = [rule, is_enough](const File& file) {
    return file.entries > Entries(0) &&
           is_enough(rule, file.entries.value(), file.tombstones.value());
  };
  if (rule.grace.writes == 0) {
    ordering.name = "largest share of tombstones";
    ordering.ranks = [enough](const File& file) -> std::optional<FileRanks> {
      if (!enough(file)) return std::nullopt;
      const std::uint64_t entries = file.entries.value();
      return FileRanks{FileRank{entries - file.tombstones.value(), entries}};
    };
    return {ordering};
  }
  ordering.name = "soonest with enough old tombstones";
  ordering.ranks = [rule, is_enough, enough](const File& file) -> std::optional<FileRanks> {
    if (!enough(file)) return std::nullopt;
    if (file.deletion_times == nullptr) return FileRanks{FileRank{file.sequences.last}};
    return FileRanks{FileRank{enough_at(rule, is_enough, file)}};
  };
  return {ordering};
}

std::vector<FileLocation> droppable_files(const TreeView& tree, std::uint32_t level,
                                          const DroppableTombstones& rule,
                                          EnoughTombstones is_enough) {
  struct Candidate {
    FileLocation at;
    FileRank rest;  // the share of its other entries
  };
  std::vector<Candidate> candidates;
  const FileOrder& order = tree.order(0, level);
  for (std::size_t i = 0; i < std::min(order.size(), kDroppableLookedAt); ++i) {
    const FileLocation at = tree.location_of(level, order[i]);
    const File& file = tree.file_at(at);
    const std::uint64_t entries = file.entries.value();
    const std::uint64_t ripe = rule.grace.ripe(tree, file);
    if (!is_enough(rule, entries, ripe)) break;
    candidates.push_back({at, {entries - ripe, entries}});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rest < b.rest; });
  std::vector<FileLocation> files;
  for (const Candidate& candidate : candidates) files.push_back(candidate.at);
  return files;
}

LcsMerge merge_alone(const TreeView& tree, const FileLocation& at) {
  const auto level = static_cast<std::uint32_t>(at.level);
  const SortedRun& run = tree.levels()[at.level].runs[at.run];
  const File& file = run.files[at.file];
  LcsMerge merge;
  merge.inputs.push_back({level, run.id, {file.id}});
  merge.keys = file.keys;
  merge.files = 1;
  merge.target = level;
  return merge;
}

}  // namespace lsmlab
