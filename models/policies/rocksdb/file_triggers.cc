#include "models/policies/rocksdb/file_triggers.h"

#include <fmt/format.h>

#include <algorithm>

namespace lsmlab {
namespace {

// The first idle file of a level from 1 on for whose sums `is_due` is true.
template <class IsDue>
std::optional<RocksdbFilePlace> first_idle(const RocksdbLevels& levels, std::uint32_t level,
                                           const IsDue& is_due) {
  const RunFiles* files = levels.run(level);
  if (files == nullptr) return std::nullopt;
  std::size_t index = files->find_first(0, is_due);
  while (index < files->size() && (*files)[index].busy) {
    index = files->find_first(index + 1, is_due);
  }
  if (index == files->size()) return std::nullopt;
  return RocksdbFilePlace{level, index};
}

// The same of level 0, from the newest file on.
template <class IsDue>
std::optional<RocksdbFilePlace> first_idle_in_level0(const RocksdbLevels& levels,
                                                     const IsDue& is_due) {
  const FileList& files = levels.level0();
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i]->busy && is_due(RunSums::of(*files[i]))) return RocksdbFilePlace{0, i};
  }
  return std::nullopt;
}

// What tells that a file has an ancestor of more than `ttl` ago.
auto expired(const RocksdbLevels& levels, std::uint64_t ttl) {
  const std::uint64_t now = levels.tree().now().value();
  return [limit = now - std::min(now, ttl)](const RunSums& sums) {
    return sums.first_ancestor.value < limit;
  };
}

}  // namespace

std::uint32_t deepest_level(const RocksdbLevels& levels) {
  std::uint32_t level = levels.level_count() - 1;
  while (level > 0 && levels.file_count(level) == 0) --level;
  return level;
}

std::optional<RocksdbFilePlace> next_expired(const RocksdbLevels& levels, std::uint64_t ttl) {
  const auto is_due = expired(levels, ttl);
  const std::uint32_t deepest = deepest_level(levels);
  if (deepest > 0 && !any_busy(levels.level0())) {
    if (const auto place = first_idle_in_level0(levels, is_due)) return place;
  }
  for (std::uint32_t level = 1; level < deepest; ++level) {
    if (const auto place = first_idle(levels, level, is_due)) return place;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> first_expired_level(const RocksdbLevels& levels, std::uint64_t ttl) {
  const auto is_due = expired(levels, ttl);
  if (first_idle_in_level0(levels, is_due)) return 0;
  for (std::uint32_t level = 1; level + 1 < levels.level_count(); ++level) {
    if (first_idle(levels, level, is_due)) return level;
  }
  return std::nullopt;
}

RocksdbTtlBoost::RocksdbTtlBoost(const RocksdbLevels& levels, std::uint32_t level,
                                 std::optional<std::uint64_t> ttl)
    : now_(levels.tree().now().value()) {
  const std::uint32_t deepest = deepest_level(levels);
  if (!ttl || level == 0 || level >= deepest) return;
  const std::uint64_t begin = *ttl / 2;
  const std::uint64_t all_levels = *ttl / 32 * 31;
  // Below a ttl of 32 RocksDB's difference wraps around: no file comes to such an age.
  if (all_levels < begin) return;
  constexpr std::uint64_t kSteps = 16;
  const std::uint64_t range = (all_levels - begin) >> (deepest - level);
  begin_age_ = begin + range;
  step_ = std::max<std::uint64_t>(range / kSteps, 1);
  if (now_ >= begin_age_ + step_) last_boosted_ = now_ - begin_age_ - step_;
}

std::uint64_t RocksdbTtlBoost::of(const File& file) const {
  if (!last_boosted_ || file.oldest_ancestor.value() > *last_boosted_) return 1;
  return (now_ - file.oldest_ancestor.value() - begin_age_) / step_ + 1;
}

void RocksdbFileTriggers::declare(OptionTable& table) {
  table.optional_count("mark_window", mark_window, {1, std::uint64_t{1} << 32}, "entries",
                       "RocksDB's CompactOnDeletionCollector: a file is marked if this many "
                       "consecutive entries, rounded up to a multiple of 128, have mark_deletes "
                       "deletes; RocksDB merges marked files into the next level when no level is "
                       "too large; a smaller window marks denser groups of deletes; default: no "
                       "window");
  table.optional_count("mark_deletes", mark_deletes, {1, std::uint64_t{1} << 32}, "entries",
                       "deletes in mark_window entries that mark a file; fewer: tombstones and the "
                       "data that they delete go sooner, for more merges");
  table.optional_decimal("mark_ratio", mark_ratio, "0", "1",
                         "marks a file if this share of its entries is deletes (RocksDB's "
                         "deletion_ratio), with or without mark_window; lower: tombstones go "
                         "sooner, for more merges; default: no such share");
  table.optional_count("ttl", ttl, {1, std::uint64_t{1} << 62}, "operations",
                       "RocksDB's ttl, which counts seconds: a file that may hold data first "
                       "written more than this many operations ago is merged into the next level "
                       "when no level is too large, until it is in the deepest; with "
                       "min-overlapping-ratio files that come near this age are merged sooner; "
                       "lower: overwritten and deleted data goes sooner, for more merges; default: "
                       "none");
  table.optional_count("periodic_age", periodic_age, {1, std::uint64_t{1} << 62}, "operations",
                       "RocksDB's periodic compaction: a file that was written more than this many "
                       "operations ago is written again in its level when nothing else is to be "
                       "merged, which drops tombstones that nothing older needs; lower: tombstones "
                       "go sooner, but all data is written that much more often; default: none");
}

std::vector<std::string> RocksdbFileTriggers::validate() const {
  std::vector<std::string> faults;
  if (mark_window.has_value() != mark_deletes.has_value()) {
    faults.push_back(mark_window ? "mark_window needs mark_deletes, the deletes that mark a file"
                                 : "mark_deletes needs mark_window, the entries that it counts in");
  }
  if (mark_window && mark_deletes) {
    const std::uint64_t entries = DeletionMark::Window{*mark_window, *mark_deletes}.entries_max();
    if (*mark_deletes > entries) {
      faults.push_back(
          fmt::format("mark_deletes={} is more than the {} entries of the window: no "
                      "file would be marked",
                      *mark_deletes, entries));
    }
  }
  if (mark_ratio && mark_ratio->numerator() == 0) {
    faults.push_back("mark_ratio=0 is out of range; leave the option out to mark no file by it");
  }
  return faults;
}

std::optional<DeletionMark> RocksdbFileTriggers::mark() const {
  if (!mark_window && !mark_ratio) return std::nullopt;
  DeletionMark mark;
  if (mark_window) mark.window = DeletionMark::Window{*mark_window, *mark_deletes};
  mark.ratio = mark_ratio;
  return mark;
}

std::vector<FileOrdering> RocksdbFileTriggers::orderings() const {
  if (!mark()) return {};
  return {{"marked files", [](const File& file) {
             return file.marked ? std::optional(FileRanks{}) : std::nullopt;
           }}};
}

std::optional<RocksdbFilePlace> next_marked(const RocksdbLevels& levels, std::size_t ordering) {
  const FileList& level0 = levels.level0();
  for (std::size_t i = 0; i < level0.size() && !any_busy(level0); ++i) {
    if (level0[i]->marked) return RocksdbFilePlace{0, i};
  }
  const std::uint32_t deepest = deepest_level(levels);
  for (std::uint32_t level = 1; level < deepest; ++level) {
    if (levels.run(level) == nullptr) continue;
    for (const OrderedFile& ordered : levels.tree().order(ordering, level)) {
      const std::size_t index = levels.run(level)->first_from(ordered.smallest_key);
      if (!levels.file(level, index).busy) return RocksdbFilePlace{level, index};
    }
  }
  return std::nullopt;
}

std::optional<RocksdbFilePlace> next_periodic(const RocksdbLevels& levels, std::uint64_t age) {
  const std::uint64_t now = levels.tree().now().value();
  if (now <= age) return std::nullopt;
  const auto is_due = [limit = now - age](const RunSums& sums) {
    return sums.first_created.value < limit;
  };
  if (!any_busy(levels.level0())) {
    if (const auto place = first_idle_in_level0(levels, is_due)) return place;
  }
  for (std::uint32_t level = 1; level < levels.level_count(); ++level) {
    if (const auto place = first_idle(levels, level, is_due)) return place;
  }
  return std::nullopt;
}

}  // namespace lsmlab
