// The figures of the tree, at the end of a run and during it.
#include "models/accounting/figures.h"
#include "models/accounting/run_result.h"

namespace lsmlab {
namespace {

using enum Averaging;

const KeyRunFigures* final_keys(const RunResult& run) {
  return run.keys ? &run.keys->final : nullptr;
}

std::vector<FigureRow<LevelSummary>> content_rows() {
  return {{{"files", "files", kMean, "Number of SSTables."}, &LevelSummary::files},
          {{"bytes", "bytes", kMean, "Bytes of these SSTables."}, &LevelSummary::bytes},
          {{"entries", "entries", kMean, "Entries in these SSTables, tombstones included."},
           &LevelSummary::entries},
          {{"tombstones", "entries", kMean, "Tombstones in these SSTables."},
           &LevelSummary::tombstones}};
}

std::vector<FigureRow<LevelSummary>> level_content_rows() {
  std::vector<FigureRow<LevelSummary>> rows = content_rows();
  rows.insert(rows.begin(),
              {{"runs", "runs", kMean, "Sorted runs that the level holds."}, &LevelSummary::runs});
  return rows;
}

FigureGroup last_levels_group() {
  std::vector<FigureRow<LevelSummary>> rows = level_content_rows();
  rows.push_back({{"merging_files", "files", kMean,
                   "SSTables that a running merge takes. RocksDB prints them after the slash."},
                  &LevelSummary::merging_files});
  return figure_objects<LevelSummary>(
      {"at_last_operation.levels", GroupShape::kList,
       "Each level or tier when the last operation was done.", Comparing::kWhereBothHave, false,
       false, "level"},
      rows, [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        if (!run.at_last_operation) return std::nullopt;
        return figure_instances(run.at_last_operation->levels);
      });
}

FigureGroup levels_group() {
  return figure_objects<LevelSummary>(
      {"final.levels", GroupShape::kList, "Each level or tier at the end.", Comparing::kAlways,
       false, false, "level"},
      level_content_rows(), [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        return figure_instances(run.final_levels);
      });
}

FigureGroup series_group() {
  return figure_objects<SeriesPoint>(
      {"series", GroupShape::kColumns,
       "Samples during a run, at both resolutions. Sums begin at the start of the run.",
       Comparing::kNo, true},
      {{{"flushes", "flushes", kNone, "Flushes so far."}, &SeriesPoint::flushes},
       {{"bytes_flushed", "bytes", kNone,
         "`totals.bytes_flushed`, without a flush that still runs."},
        &SeriesPoint::bytes_flushed},
       {{"write_flushed", "bytes/byte", kNone, "`amplification.write_flushed`."},
        &SeriesPoint::write_flushed},
       {{"sorted_runs", "runs", kNone, "Sorted runs in the tree after the last of these flushes."},
        &SeriesPoint::sorted_runs},
       {{"read_mean", "runs", kNone, "`amplification.read_mean`."}, &SeriesPoint::read_mean},
       {{"space_transient", "bytes/byte", kNone, "`amplification.space_transient`."},
        &SeriesPoint::space_transient},
       {{"merges", "merges", kNone, "Merges so far."}, &SeriesPoint::merges}},
      [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        return figure_instances(run.series);
      });
}

std::vector<FigureRow<KeyRunFigures>> key_rows() {
  using Point = KeyRunFigures;
  return {
      {{"operations", "operations", kNone, "Operations that clients have done so far."},
       &Point::operations},
      {{"user_bytes", "bytes", kNone, "`totals.user_bytes`."}, &Point::user_bytes},
      {{"write", "bytes/byte", kNone, "`amplification.write`."}, &Point::write},
      {{"moves", "moves", kNone,
        "Moves so far: plans that moved files to another level and wrote nothing."},
       &Point::moves},
      {{"links", "links", kNone,
        "Links so far: plans that froze a file and linked its slices (LDC)."},
       &Point::links},
      {{"merge_bytes_read", "bytes", kNone, "`totals.merge_bytes_read`."},
       &Point::merge_bytes_read},
      {{"merge_bytes_written", "bytes", kNone, "`totals.merge_bytes_written`."},
       &Point::merge_bytes_written},
      {{"file_bytes", "bytes", kNone, "Bytes of files, frozen ones included."}, &Point::file_bytes},
      {{"tombstones", "entries", kNone, "Tombstones in files at this sample."}, &Point::tombstones},
      {{"entries_dropped", "entries", kNone, "`totals.entries_dropped`."}, &Point::entries_dropped},
      {{"tombstones_dropped", "entries", kNone, "`totals.tombstones_dropped`."},
       &Point::tombstones_dropped},
      {{"merge_p50_bytes", "bytes", kNone, "`merge_sizes.p50_bytes` of the merges so far."},
       [](const Point& point) { return point.merge_sizes.p50_bytes; }},
      {{"merge_p90_bytes", "bytes", kNone, "`merge_sizes.p90_bytes` of the merges so far."},
       [](const Point& point) { return point.merge_sizes.p90_bytes; }},
      {{"merge_p99_bytes", "bytes", kNone, "`merge_sizes.p99_bytes` of the merges so far."},
       [](const Point& point) { return point.merge_sizes.p99_bytes; }},
      {{"merge_max_bytes", "bytes", kNone, "`merge_sizes.max_bytes` of the merges so far."},
       [](const Point& point) { return point.merge_sizes.max_bytes; }},
      {{"oldest_tombstone_age", "operations", kNone,
        "Operations since the oldest tombstone in files was written; null without tombstones."},
       &Point::oldest_tombstone_age},
      {{"space", "bytes/byte", kNone,
        "`amplification.space`, counted after flushes 1, 2, 4, 8, ... and at the end; null at the "
        "other samples."},
       &Point::space},
      {{"gets", "gets", kNone, "Point lookups so far."}, &Point::gets},
      {{"scans", "scans", kNone, "Scans so far."}, &Point::scans},
      {{"blocks_read", "blocks", kNone,
        "Data blocks that gets and scans have read from the device so far."},
       &Point::blocks_read}};
}

FigureGroup key_series_group() {
  return figure_objects<KeyRunFigures>(
      {"series", GroupShape::kColumns, "More columns at resolution `key`."}, key_rows(),
      [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        std::vector<FigureInstance> instances;
        for (const SeriesPoint& point : run.series) {
          if (point.keys) instances.push_back({"", &*point.keys});
        }
        if (instances.empty()) return std::nullopt;
        return instances;
      });
}

constexpr const char* kProgramSpeed = "program's speed";

double per_second(std::uint64_t count, const RunResult& run) {
  return run.wall_seconds > 0 ? static_cast<double>(count) / run.wall_seconds : 0;
}

}  // namespace

std::vector<FigureGroup> tree_figures() {
  return {
      last_levels_group(), levels_group(),
      figure_object<KeyRunFigures>(
          {"final", GroupShape::kObject, "All files at the end, at resolution `key`.",
           Comparing::kAlways},
          {{{"file_bytes", "bytes", kMean, "Bytes of files at the end, frozen ones included."},
            &KeyRunFigures::file_bytes}},
          final_keys),
      figure_object<LevelSummary>(
          {"final.frozen", GroupShape::kObject,
           "Files at resolution `key` that others hold parts of: LDC's frozen ones, those of "
           "virtual "
           "merges, of Tarantool's ranges and of SifrDB's trees. A file counts whole, even if "
           "merges have taken "
           "some of its slices.",
           Comparing::kAlways},
          content_rows(),
          [](const RunResult& run) { return run.keys ? &run.keys->frozen : nullptr; }),
      figure_object<KeyRunFigures>(
          {"final", GroupShape::kObject, "All tombstones at the end, at resolution `key`.",
           Comparing::kAlways},
          {{{"tombstones", "entries", kMean, "Tombstones in files at the end."},
            &KeyRunFigures::tombstones},
           {{"oldest_tombstone_age", "operations", kMean,
             "Operations since the oldest tombstone was written. A merge's outputs inherit that "
             "time from its inputs. Null without tombstones."},
            &KeyRunFigures::oldest_tombstone_age}},
          final_keys)};
}

std::vector<FigureGroup> series_figures() { return {series_group(), key_series_group()}; }

std::vector<FigureGroup> run_figures() {
  return {figure_object<RunResult>(
              {"run", GroupShape::kObject, "The process that made the result."},
              {{{"wall_seconds", "s", kMean, "Wall time that the program took for the run."},
                &RunResult::wall_seconds},
               {{"flushes_per_second", "flushes/s", kRate,
                 "Flushes / `wall_seconds`: how fast the program simulated or replayed them, not "
                 "what a store would do.",
                 false, kProgramSpeed},
                [](const RunResult& run) { return per_second(run.totals.flushes, run); }}},
              [](const RunResult& run) { return &run; }),
          figure_object<RunResult>(
              {"run", GroupShape::kObject, "One more figure at resolution `key`."},
              {{{"operations_per_second", "operations/s", kRate,
                 "Operations / `wall_seconds`: how fast the program simulated or replayed them. "
                 "`throughput` has the rate of the clients.",
                 false, kProgramSpeed},
                [](const RunResult& run) { return per_second(run.keys->operations.sum(), run); }}},
              [](const RunResult& run) { return run.keys ? &run : nullptr; })};
}

}  // namespace lsmlab
