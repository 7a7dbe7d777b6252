#include "models/policies/rocksdb/file_triggers.h"

#include <fmt/format.h>

namespace lsmlab {
namespace {

std::uint32_t deepest_level(const RocksdbLevels& levels) {
  std::uint32_t level = levels.level_count() - 1;
  while (level > 0 && levels.file_count(level) == 0) --level;
  return level;
}

}  // namespace

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
  const std::uint64_t limit = now - age;
  const FileList& level0 = levels.level0();
  for (std::size_t i = 0; i < level0.size() && !any_busy(level0); ++i) {
    if (level0[i]->created.value() < limit) return RocksdbFilePlace{0, i};
  }
  const auto is_due = [&](const RunSums& sums) { return sums.first_created.value < limit; };
  for (std::uint32_t level = 1; level < levels.level_count(); ++level) {
    const RunFiles* files = levels.run(level);
    if (files == nullptr) continue;
    std::size_t index = files->find_first(0, is_due);
    while (index < files->size() && (*files)[index].busy) {
      index = files->find_first(index + 1, is_due);
    }
    if (index < files->size()) return RocksdbFilePlace{level, index};
  }
  return std::nullopt;
}

}  // namespace lsmlab
