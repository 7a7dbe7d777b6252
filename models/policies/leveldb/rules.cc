#include "models/policies/leveldb/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/check.h"
#include "models/policies/leveldb/flush_versions.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct Score {
  std::uint32_t level = 0;
  Uint128 held = 0;
  Uint128 limit = 1;  // stays below 2^63, so that products fit
};

bool overlaps_level0(const TreeView& tree, const KeyRange& keys) {
  if (tree.levels().empty()) return false;
  const std::vector<SortedRun>& runs = tree.levels()[0].runs;
  return std::any_of(runs.begin(), runs.end(),
                     [&](const SortedRun& run) { return !overlapping_files(run, keys).empty(); });
}

// A running merge may write anywhere between the smallest and the largest key of its inputs and
// their slices. Its inputs are in its target level and in the level above.
bool meets_running_merge(const TreeView& tree, std::uint32_t target, const KeyRange& keys) {
  std::optional<KeyRange> written;
  const auto add = [&](const KeyRange& range) {
    written = written ? hull_of(*written, range) : range;
  };
  for (std::uint32_t level = target - 1; level <= target && level < tree.levels().size(); ++level) {
    for (const SortedRun& run : tree.levels()[level].runs) {
      run.files.visit_busy([&](const File& file) {
        add(file.keys);
        for (const Slice& slice : file.slices) add(slice.keys);
      });
    }
  }
  return written && written->overlaps(keys);
}

}  // namespace

void LeveldbOptions::declare(OptionTable& table) {
  LevelOptions::declare(table);
  table.count("levels", levels, {2, 64}, "levels",
              "number of levels, including level 0; the last level may grow without limit");
  table.optional_count(
      "flush_level_max", flush_level_max, {0, 63}, "level",
      "deepest level that a flush may go to if it overlaps nothing on the way; default: 2; more: "
      "fewer merges of rising keys, but more obsolete data if the same keys come again");
  declare_flush_versions(table, flush_keeps_overwritten);
}

std::vector<std::string> LeveldbOptions::validate() const {
  if (!flush_level_max || *flush_level_max < levels) return {};
  return {fmt::format("flush_level_max={} must be below levels={}", *flush_level_max, levels)};
}

void LeveldbOptions::resolve(const StoreOptions& store) {
  LevelOptions::resolve(store);
  if (!flush_level_max) flush_level_max = std::min<std::uint64_t>(2, levels - 1);
}

StallRules leveldb_stalls() {
  StallRules rules;
  rules.full_memtables_max = 1;
  rules.level0_slowdown_runs = 8;
  rules.level0_stop_runs = 12;
  rules.stops_only_when_full = true;
  rules.slowdown_ns_per_write = 1'000'000;
  return rules;
}

Plan leveldb_flush(const TreeView& tree, const LeveldbOptions& options) {
  CHECK(tree.pending_flush());
  const KeyRange keys = tree.pending_flush()->keys;
  std::uint32_t level = 0;
  if (!overlaps_level0(tree, keys)) {
    while (level < *options.flush_level_max && can_arrive(tree, level + 1, keys) &&
           !meets_running_merge(tree, level + 1, keys) &&
           overlapped_bytes(tree, level + 2, keys) <= options.grandparent_bytes_max()) {
      ++level;
    }
  }
  const OutputTarget target = level == 0 ? OutputTarget{} : leveled_target(tree, level);
  return {PlanReason::kMemtableFull, FlushPlan{target}, {}};
}

bool has_busy_file(const TreeView& tree) {
  return std::any_of(tree.levels().begin(), tree.levels().end(), [](const Level& level) {
    return std::any_of(level.runs.begin(), level.runs.end(),
                       [](const SortedRun& run) { return run.busy(); });
  });
}

std::vector<std::uint32_t> saturated_levels(const TreeView& tree, const LeveldbOptions& options) {
  std::vector<Score> scores;
  for (std::uint32_t level = 0; level + 1 < options.levels && level < tree.levels().size();
       ++level) {
    Score score{level, 0, 1};
    if (level == 0) {
      score.limit = options.l0_trigger;
      for (const SortedRun& run : tree.levels()[0].runs) score.held += run.files.size();
    } else {
      score.limit = options.capacity(level).value();
      score.held = level_bytes(tree, level).value();
    }
    if (score.held >= score.limit) scores.push_back(score);
  }
  std::stable_sort(scores.begin(), scores.end(), [](const Score& a, const Score& b) {
    return a.held * b.limit > b.held * a.limit;
  });
  std::vector<std::uint32_t> levels;
  for (const Score& score : scores) levels.push_back(score.level);
  return levels;
}

const File& next_by_cursor(const TreeView& tree, std::uint32_t level) {
  const std::optional<std::uint64_t>& cursor = tree.levels()[level].cursor;
  if (level == 0) {
    std::vector<const File*> files;
    for (const SortedRun& run : tree.levels()[0].runs) {
      for (const File& file : run.files) files.push_back(&file);
    }
    CHECK(!files.empty());
    std::stable_sort(files.begin(), files.end(), [](const File* a, const File* b) {
      return a->keys.smallest < b->keys.smallest;
    });
    const auto next = std::find_if(files.begin(), files.end(), [&](const File* file) {
      return !cursor || file->keys.largest > *cursor;
    });
    return next == files.end() ? *files.front() : **next;
  }
  const SortedRun* run = newest_run(tree, level);
  CHECK(run != nullptr);
  const std::size_t next = first_beyond_cursor(*run, cursor);
  return next == run->files.size() ? run->files.front() : run->files[next];
}

std::size_t first_beyond_cursor(const SortedRun& run, const std::optional<std::uint64_t>& cursor) {
  if (!cursor) return 0;
  if (*cursor == KeyRange().largest) return run.files.size();
  return run.files.first_ending_from(*cursor + 1);
}

bool can_arrive(const TreeView& tree, std::uint32_t level, const KeyRange& keys) {
  const SortedRun* run = newest_run(tree, level);
  if (run == nullptr) return true;
  if (!overlapping_files(*run, keys).empty()) return false;
  const std::size_t right = run->files.first_above(keys.largest);
  // What arrives takes the keys up to its own largest from the file to its right; the run's new
  // last file takes those beyond the old one's largest.
  if (right < run->files.size()) {
    const std::vector<Slice>& slices = run->files[right].slices;
    return std::all_of(slices.begin(), slices.end(),
                       [&](const Slice& slice) { return slice.keys.smallest > keys.largest; });
  }
  const File& last = run->files.back();
  return std::all_of(last.slices.begin(), last.slices.end(),
                     [&](const Slice& slice) { return slice.keys.largest <= last.keys.largest; });
}

Bytes overlapped_bytes(const TreeView& tree, std::uint32_t level, const KeyRange& keys) {
  const SortedRun* run = newest_run(tree, level);
  return run == nullptr ? Bytes() : sum_of_bytes(overlapping_files(*run, keys));
}

OutputCut leveldb_cut(const LeveldbOptions& options) {
  OutputCut cut;
  cut.file_bytes = options.file_size;
  cut.measure = CutMeasure::kStoredBlocks;
  cut.grandparents = GrandparentRule::kOverlapLimit;
  cut.grandparent_bytes_max = options.grandparent_bytes_max();
  return cut;
}

}  // namespace lsmlab
