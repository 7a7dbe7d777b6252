#include "traces/stores/store_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "traces/stores/late_writes.h"
#include "traces/stores/pebble_figures.h"
#include "traces/stores/statistics_figures.h"

namespace lsmlab::stores {
namespace {

// A flush or merge, from a log or a MANIFEST.
struct Step {
  std::uint64_t micros = 0;  // 0: unknown
  std::uint64_t flushed_bytes = 0;
  std::uint64_t merged_bytes = 0;
};

LevelFigures& level_at(FamilyFigures& figures, std::size_t level) {
  if (level >= figures.levels.size()) figures.levels.resize(level + 1);
  return figures.levels[level];
}

void add_read(LevelFigures& level, std::uint64_t bytes) {
  level.read_bytes = level.read_bytes.value_or(0) + bytes;
}

void add_tables(LevelFigures& level, const std::vector<LoggedTable>& tables,
                const std::string& compression) {
  for (const LoggedTable& table : tables) {
    if (table.raw_key_bytes + table.raw_value_bytes == 0) continue;
    level.data_bytes += table.data_bytes;
    level.raw_bytes += table.raw_key_bytes + table.raw_value_bytes;
    if (!table.compression.empty()) level.compression = table.compression;
  }
  if (!compression.empty()) level.compression = compression;
}

void add_flush(FamilyFigures& figures, const LoggedFlush& flush, std::vector<Step>& steps) {
  FlushFigures& all = figures.flushes;
  if (!flush.is_finished) {
    ++figures.unfinished;
    ++all.unfinished;
    return;
  }
  const std::uint64_t bytes = flush.bytes();
  // A flush of entries that are all obsolete writes no file.
  if (bytes == 0) ++all.without_file;
  if (bytes == 0) return;
  ++all.flushes;
  all.bytes += bytes;
  all.sizes.push_back(bytes);
  all.memtable_entries += flush.memtable_entries;
  all.memtable_deletes += flush.memtable_deletes;
  if (flush.begin_moment > 0 && flush.end_moment > flush.begin_moment) {
    figures.flush_speed.micros += flush.end_moment - flush.begin_moment;
    for (const LoggedTable& table : flush.outputs) figures.flush_speed.entries += table.entries;
  }
  if (!flush.reason.empty()) ++all.reasons[flush.reason];
  const std::uint64_t deletes_before = all.deletes;
  const std::uint64_t entries_before = all.entries;
  for (const LoggedTable& table : flush.outputs) {
    constexpr std::uint64_t kSuffixBytes = 8;
    all.entries += table.entries;
    all.deletes += table.deletes;
    all.raw_key_bytes +=
        table.raw_key_bytes - std::min(table.raw_key_bytes, table.entries * kSuffixBytes);
    all.raw_value_bytes += table.raw_value_bytes;
  }
  const std::uint64_t deletes = all.deletes - deletes_before;
  if (deletes == 0 && flush.memtable_entries > 0) {
    // RocksDB 5 does not report the deletes in a file. Their share is that in the memtable.
    const double share =
        static_cast<double>(flush.memtable_deletes) / static_cast<double>(flush.memtable_entries);
    const auto entries = static_cast<double>(all.entries - entries_before);
    all.deletes += static_cast<std::uint64_t>(std::min(share, 1.0) * entries);
  }
  LevelFigures& level = level_at(figures, flush.level);
  level.written_bytes += bytes;
  add_tables(level, flush.outputs, flush.compression);
  steps.push_back({flush.micros, bytes, 0});
}

// None: a file's size is unknown.
std::optional<std::uint64_t> input_bytes(const CompactionInput& input, const StoreEvents& events) {
  if (input.bytes) return input.bytes;
  if (input.numbers.empty()) return std::nullopt;
  std::uint64_t bytes = 0;
  for (const std::uint64_t number : input.numbers) {
    const auto size = events.file_bytes(number);
    if (!size) return std::nullopt;
    bytes += *size;
  }
  return bytes;
}

void add_merge(FamilyFigures& figures, const LoggedCompaction& merge, const StoreEvents& events,
               std::vector<Step>& steps) {
  if (!merge.is_finished) {
    ++figures.unfinished;
    return;
  }
  ReasonFigures& reason = figures.reasons[merge.reason.empty() ? "unknown" : merge.reason];
  std::uint64_t read = 0;
  figures.reads_are_known = figures.reads_are_known && merge.inputs_are_known;
  for (const CompactionInput& input : merge.inputs) {
    if (const auto bytes = input_bytes(input, events)) {
      add_read(level_at(figures, input.level), *bytes);
      read += *bytes;
    } else {
      figures.reads_are_known = false;
    }
  }
  if (merge.input_bytes) read = *merge.input_bytes;
  ++reason.merges;
  reason.read_bytes += read;
  reason.written_bytes += merge.output_bytes;
  ++figures.merges;
  figures.merge_read_bytes += read;
  figures.merge_written_bytes += merge.output_bytes;
  figures.merge_input_entries += merge.input_entries;
  figures.merge_output_entries += merge.output_entries;
  if (merge.duration_micros > 0 && merge.input_entries > 0) {
    DividedSpeed& divided = figures.divided_speed;
    JobSpeed& speed = merge.threads > 1 ? divided.durations : figures.merge_speed;
    speed.micros += merge.duration_micros;
    speed.entries += merge.input_entries;
    if (merge.threads > 1) {
      ++divided.merges;
      divided.thread_entries += merge.input_entries * merge.threads;
    }
  }
  for (const auto& [tables, rows] : merge.rows_merged) figures.rows_merged[tables] += rows;
  LevelFigures& level = level_at(figures, merge.output_level);
  level.written_bytes += merge.output_bytes;
  add_tables(level, merge.outputs, merge.compression);
  steps.push_back({merge.micros, 0, merge.output_bytes});
}

std::vector<Step> add_logs(FamilyFigures& figures, const Store& store, const StoreEvents& events) {
  std::vector<Step> steps;
  for (const FamilyLog& log : events.of(figures.name).logs) {
    for (const LoggedFlush* flush : log.flushes) add_flush(figures, *flush, steps);
    for (const LoggedCompaction* merge : log.compactions) {
      add_merge(figures, *merge, events, steps);
    }
    for (const LoggedMove* move : log.moves) {
      figures.moves += move->files;
      figures.moved_bytes += move->bytes;
      level_at(figures, move->level).moved_bytes += move->bytes;
    }
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.micros < b.micros; });
  if (!steps.empty()) {
    figures.source = has_tables(store.system) ? HistorySource::kCompactions : HistorySource::kLog;
  }
  return steps;
}

// The edit's reason in terms of levels: "level 0 -> level 1".
std::string reason_of(const HistoryEdit& step) {
  std::uint32_t from = kStoreLevelsMax;
  for (const DeletedFile& file : step.edit.deleted) from = std::min(from, file.level);
  return fmt::format("level {} -> level {}", from, step.edit.added.front().level);
}

// When the newest file of the edit was made, in microseconds. 0: unknown. Only Pebble gives all
// files their times.
std::uint64_t micros_of(const HistoryEdit& step) {
  if (!step.edit.has_pebble_fields) return 0;
  std::uint64_t seconds = 0;
  for (const AddedFile& added : step.edit.added) {
    seconds = std::max(seconds, added.file.creation_seconds);
  }
  constexpr std::uint64_t kSecondsMax = std::uint64_t{1} << 40;  // so that microseconds fit
  return seconds < kSecondsMax ? seconds * 1'000'000 : 0;
}

void add_edit(FamilyFigures& figures, const HistoryEdit& step, std::vector<Step>& steps) {
  std::uint64_t written = 0;
  for (const AddedFile& added : step.edit.added) {
    if (!added.file.is_virtual) written += added.file.bytes;
  }
  if (step.kind == EditKind::kMove) {
    figures.moves += step.edit.added.size();
    figures.moved_bytes += written;
    for (const AddedFile& added : step.edit.added) {
      level_at(figures, added.level).moved_bytes += added.file.bytes;
    }
    return;
  }
  if (step.kind != EditKind::kFlush && step.kind != EditKind::kMerge) return;
  for (const AddedFile& added : step.edit.added) {
    if (!added.file.is_virtual) level_at(figures, added.level).written_bytes += added.file.bytes;
  }
  const std::uint64_t micros = micros_of(step);
  if (step.kind == EditKind::kFlush) {
    ++figures.flushes.flushes;
    figures.flushes.bytes += written;
    figures.flushes.sizes.push_back(written);
    steps.push_back({micros, written, 0});
    return;
  }
  ReasonFigures& reason = figures.reasons[reason_of(step)];
  for (std::size_t i = 0; i < step.edit.deleted.size(); ++i) {
    const std::uint64_t bytes = step.deleted_bytes[i];
    if (bytes == 0) figures.reads_are_known = false;
    add_read(level_at(figures, step.edit.deleted[i].level), bytes);
    reason.read_bytes += bytes;
    figures.merge_read_bytes += bytes;
  }
  ++reason.merges;
  ++figures.merges;
  reason.written_bytes += written;
  figures.merge_written_bytes += written;
  steps.push_back({micros, 0, written});
}

std::vector<Step> add_manifest_history(FamilyFigures& figures, const FamilyEvents& events) {
  std::vector<Step> steps;
  for (const HistoryEdit* step : events.edits) add_edit(figures, *step, steps);
  if (!steps.empty()) figures.source = HistorySource::kManifest;
  return steps;
}

// A log of LevelDB has no sizes of inputs. Its MANIFEST has them.
void take_reads(FamilyFigures& figures, FamilyFigures manifest) {
  figures.levels = std::move(manifest.levels);
  figures.reasons = std::move(manifest.reasons);
  figures.merge_read_bytes = manifest.merge_read_bytes;
  figures.reads_are_known = manifest.reads_are_known;
}

void fill_tenths(FamilyFigures& figures, const std::vector<Step>& steps) {
  if (steps.empty()) return;
  const std::uint64_t first = steps.front().micros;
  const std::uint64_t last = steps.back().micros;
  const std::uint64_t span = last > first ? last - first : 0;
  figures.tenths_are_of_time = span > 0 && first > 0;
  if (figures.source == HistorySource::kManifest && first > 0) {
    figures.history_seconds = static_cast<double>(span) / 1e6;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double share = figures.tenths_are_of_time
                             ? static_cast<double>(std::max(steps[i].micros, first) - first) /
                                   static_cast<double>(span)
                             : static_cast<double>(i) / static_cast<double>(steps.size());
    TenthFigures& tenth =
        figures.tenths[std::min<std::size_t>(9, static_cast<std::size_t>(share * 10))];
    tenth.flushed_bytes += steps[i].flushed_bytes;
    tenth.merged_bytes += steps[i].merged_bytes;
  }
}

// A LOG has no word of the files that the user ingested.
void fill_ingested(FamilyFigures& figures, const FamilyEvents& events) {
  for (const HistoryEdit* step : events.edits) {
    if (step->kind != EditKind::kIngest) continue;
    figures.ingested_files += step->edit.added.size();
    for (const AddedFile& added : step->edit.added) figures.ingested_bytes += added.file.bytes;
  }
}

void fill_tree(FamilyFigures& figures, const Store& store) {
  if (const FamilyTree* tree = store.tree(figures.name)) {
    figures.tree_source = store.manifest_source;
    for (std::size_t i = 0; i < tree->levels.size(); ++i) {
      LevelFigures& level = level_at(figures, i);
      level.files = tree->levels[i].size();
      level.bytes = 0;
      for (const auto& [number, file] : tree->levels[i]) *level.bytes += file.bytes;
    }
    if (store.system == StoreSystem::kPebble && !figures.levels.empty()) {
      figures.levels.resize(std::max(figures.levels.size(), kPebbleLevels));
      figures.levels[0].sublevels = tree->levels.empty() ? 0 : sublevels_of(tree->levels.front());
    }
    for (LevelFigures& level : figures.levels) level.bytes = level.bytes.value_or(0);
    return;
  }
  for (auto log = store.logs.rbegin(); log != store.logs.rend(); ++log) {
    const auto state = log->log.level_files.find(figures.name);
    if (state != log->log.level_files.end()) {
      figures.tree_source = log->name + ", number of files";
      for (std::size_t i = 0; i < state->second.size(); ++i) {
        if (state->second[i] > 0 || i < figures.levels.size()) {
          level_at(figures, i).files = state->second[i];
        }
      }
      return;
    }
    const auto table = log->log.statistics.find(figures.name);
    if (table == log->log.statistics.end()) continue;
    figures.tree_source = log->name + ", table of statistics";
    for (const StatisticsRow& row : table->second.rows) {
      const std::optional<std::size_t> depth = level_of_row(row);
      if (!depth) continue;
      LevelFigures& level = level_at(figures, *depth);
      level.files = row.files;
      level.busy_files = row.busy_files;
      level.bytes = row.bytes;
      const auto score = row.columns.find("Score");
      if (score != row.columns.end()) level.score = score->second;
    }
    return;
  }
}

void fill_from_counters(FamilyFigures& figures, const Store& store) {
  for (const NamedLog& named : store.logs) {
    const auto found = named.log.counters.find(figures.name);
    if (found == named.log.counters.end()) continue;
    const ByteCounters& counters = found->second;
    figures.source = HistorySource::kCounters;
    figures.moves_are_known = false;
    figures.flushes.is_counted = false;
    figures.flushes.bytes = counters.flushed.value_or(0);
    figures.merge_written_bytes = counters.merge_written.value_or(0);
    figures.merge_read_bytes = counters.merge_read.value_or(0);
    figures.reads_are_known = counters.merge_read.has_value();
    figures.lacks_merges = !counters.merge_written;
  }
}

// A list of the tree's files has nothing that happened.
bool is_from_list(const FamilyFigures& figures, const Store& store) {
  if (figures.source != HistorySource::kNone || figures.tree_source.empty()) return false;
  if (store.metrics) return false;
  if (store.manifest) return store.manifest->is_list;
  const bool has_lines = std::any_of(store.logs.begin(), store.logs.end(), [](const NamedLog& one) {
    return one.log.lines > 0 || !one.log.statistics.empty();
  });
  return !has_lines;
}

void fill_stalls(FamilyFigures& figures, const StoreEvents& events) {
  figures.seconds = events.seconds();
  figures.writing_seconds = events.writing_seconds();
  for (const FamilyLog& log : events.of(figures.name).logs) {
    for (const LoggedStall* stall : log.stalls) {
      ++figures.stalls[fmt::format("{}: {}", stall->is_stop ? "stop" : "slowdown",
                                   name_of(stall->cause))];
    }
  }
}

}  // namespace

std::string_view name_of(HistorySource source) {
  switch (source) {
    case HistorySource::kLog:
      return "LOG";
    case HistorySource::kManifest:
      return "MANIFEST";
    case HistorySource::kMetrics:
      return "metrics";
    case HistorySource::kStatistics:
      return "table of statistics";
    case HistorySource::kCompactions:
      return "compaction history";
    case HistorySource::kCounters:
      return "counters";
    case HistorySource::kNone:
      break;
  }
  return "nothing";
}

std::optional<std::uint64_t> JobSpeed::entry_ns() const {
  if (entries == 0 || micros == 0) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<double>(micros) * 1000 /
                                    static_cast<double>(entries));
}

std::optional<double> FamilyFigures::write_amplification() const {
  if (flushes.bytes == 0 || lacks_merges) return std::nullopt;
  return static_cast<double>(flushes.bytes + merge_written_bytes) /
         static_cast<double>(flushes.bytes);
}

std::optional<double> FamilyFigures::writes_per_second() const {
  const double time = writing_seconds > 0 ? writing_seconds : seconds;
  if (flushes.entries == 0 || time <= 0) return std::nullopt;
  return static_cast<double>(std::max(flushes.memtable_entries, flushes.entries)) / time;
}

FamilyFigures figures_of(const Store& store, const std::string& family) {
  return figures_of(store, StoreEvents(store), family);
}

FamilyFigures figures_of(const Store& store, const StoreEvents& events, const std::string& family) {
  const FamilyEvents& own = events.of(family);
  FamilyFigures figures;
  figures.name = family;
  FamilyFigures logged;  // moves and jobs without an end, where there is nothing else
  std::vector<Step> steps = add_logs(figures, store, events);
  if (steps.empty() || !figures.reads_are_known) {
    FamilyFigures others;
    others.name = family;
    std::vector<Step> edits = add_manifest_history(others, own);
    if (steps.empty()) {
      logged = std::exchange(figures, std::move(others));
      steps = std::move(edits);
    } else if (store.system == StoreSystem::kLeveldb && others.merges == figures.merges) {
      take_reads(figures, std::move(others));
    }
  }
  fill_tenths(figures, steps);
  if (figures.source == HistorySource::kLog) figures.late = late_figures(own);
  if (figures.source == HistorySource::kNone) {
    for (const NamedLog& named : store.logs) {
      const auto table = named.log.statistics.find(family);
      if (table == named.log.statistics.end()) continue;
      figures.newest_version = table->second.newest_version;
      figures.oldest_version = table->second.oldest_version;
      figures.db_bench = named.log.db_bench;
      fill_from_statistics(
          figures, table->second,
          {named.log.written_keys.value_or(0), named.log.written_keys_are_cut,
           named.log.ingested_gigabytes.value_or(0), named.log.statistics.size() > 1});
    }
  }
  if (figures.source == HistorySource::kNone && !figures.lacks_level0 && !logged.name.empty()) {
    const std::uint64_t unsized_jobs = figures.unsized_jobs;
    const bool has_sizes_only = figures.has_sizes_only;
    figures = std::move(logged);
    figures.unsized_jobs = unsized_jobs;
    figures.has_sizes_only = has_sizes_only;
    if (figures.moves > 0) figures.source = HistorySource::kLog;
  }
  if (figures.source == HistorySource::kNone) fill_from_counters(figures, store);
  if (store.metrics && !store.manifest) {
    fill_from_metrics(figures, store);
  } else {
    fill_tree(figures, store);
  }
  if (!has_sums_only(figures.source)) fill_ingested(figures, own);
  figures.has_files_only = is_from_list(figures, store);
  fill_scores(figures, store);
  fill_stalls(figures, events);
  if (has_tables(store.system)) figures.levels.clear();  // a history does not name them
  if (figures.source == HistorySource::kLog || figures.source == HistorySource::kCompactions) {
    figures.history_seconds = figures.seconds;
  }
  return figures;
}

}  // namespace lsmlab::stores
