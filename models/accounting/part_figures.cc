// The figures of the parts of a run.
#include <memory>
#include <utility>

#include "models/accounting/figures.h"
#include "models/accounting/part_levels.h"
#include "models/accounting/run_result.h"

namespace lsmlab {
namespace {

using enum Averaging;

Uint128 sstable_bytes(const PartFigures& part) {
  return part.flush_bytes_written + part.merge_bytes_written;
}

std::optional<double> share_of(const PartFigures& part, Uint128 bytes) {
  if (bytes == 0) return std::nullopt;
  return ratio_of(sstable_bytes(part), bytes);
}

std::vector<FigureRow<PartFigures>> sum_rows() {
  return {
      {{"operations", "operations", kMean, "Operations of the part."}, &PartFigures::operations},
      {{"puts", "operations", kMean, "Puts of the part."}, &PartFigures::puts},
      {{"deletes", "operations", kMean, "Deletes of the part."}, &PartFigures::deletes},
      {{"gets", "operations", kMean, "Point lookups of the part."}, &PartFigures::gets},
      {{"scans", "operations", kMean, "Scans of the part."}, &PartFigures::scans},
      {{"flushes", "flushes", kMean, "Memtables that were flushed in the part."},
       &PartFigures::flushes},
      {{"merges", "merges", kMean, "Merges that ended in the part."}, &PartFigures::merges},
      {{"moves", "moves", kMean, "Plans of the part that moved files and wrote nothing."},
       &PartFigures::moves},
      {{"user_bytes", "bytes", kMean, "Keys and values of the part's puts and deletes."},
       &PartFigures::user_bytes},
      {{"bytes_flushed", "bytes", kMean, "Sizes of the part's flushes as SSTables."},
       &PartFigures::bytes_flushed},
      {{"flush_bytes_written", "bytes", kMean,
        "Bytes written by flushes of the part that made an SSTable of their own."},
       &PartFigures::flush_bytes_written},
      {{"merge_bytes_read", "bytes", kMean, "Bytes that merges of the part read from SSTables."},
       &PartFigures::merge_bytes_read},
      {{"merge_bytes_written", "bytes", kMean, "Bytes that merges of the part wrote."},
       &PartFigures::merge_bytes_written},
      {{"blocks_read", "blocks", kMean,
        "Data blocks that the part's lookups and scans read from the device."},
       &PartFigures::blocks_read},
      {{"file_bytes", "bytes", kMean, "Bytes of all files at the part's end."},
       &PartFigures::file_bytes},
      {{"write", "bytes/byte", kMean,
        "SSTable bytes written in the part / its user bytes: the write amplification of the part. "
        "Merges of data that an earlier part wrote count, too. Null where it has no user bytes."},
       [](const PartFigures& part) { return share_of(part, part.user_bytes); }},
      {{"write_flushed", "bytes/byte", kMean,
        "SSTable bytes written in the part / bytes that it flushed: RocksDB's W-Amp. "
        "Null where it flushed nothing."},
       [](const PartFigures& part) { return share_of(part, part.bytes_flushed); }},
      {{"nanoseconds", "ns", kMean, "Duration of the part; null without a clock."},
       &PartFigures::nanoseconds},
  };
}

FigureGroup phases_group() {
  std::vector<FigureRow<PartFigures>> rows = sum_rows();
  rows.insert(rows.begin(),
              {{"name", "", kNone,
                "What the part is: a phase of the workload (`load`, `mix`, `read`), a "
                "benchmark of a db_bench line, or `before` and `measured`, which "
                "`--measure-from` divides."},
               &PartFigures::name});
  rows.push_back({{"clients", "clients", kNone,
                   "Clients that sent the part's operations in a timed simulation: each benchmark "
                   "of a db_bench line has its own. Null where the part has no operations."},
                  &PartFigures::clients});
  return figure_objects<PartFigures>(
      {"phases", GroupShape::kList,
       "Sums over the parts of the run, where it has several. The final flush and the merges after "
       "the last operation belong to none.",
       Comparing::kWhereBothHave, false, false, "phase"},
      rows, [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
        if (run.parts.empty()) return std::nullopt;
        return figure_instances(run.parts);
      });
}

// The figures of by_output_level, of a level of a part.
std::vector<Figure> part_traffic_figures() {
  std::vector<Figure> figures = output_traffic_figures();
  for (Figure& figure : figures) {
    figure.read = [read = figure.read](const void* of) {
      return read(&static_cast<const PartLevel*>(of)->traffic);
    };
  }
  return figures;
}

FigureGroup part_levels_group() {
  const std::vector<FigureRow<PartLevel>> places = {
      {{"phase", "place", kNone, "Place of the part in `phases`, from 0."}, &PartLevel::part},
      {{"name", "", kNone, "Name of the part."}, &PartLevel::name},
      {{"level", "place", kNone,
        "Level that the part's flushes, merges or moves brought data into."},
       &PartLevel::level}};
  const FigureRow<PartLevel> amplification = {
      {"w_amp", "bytes/byte", kMean,
       "RocksDB's W-Amp of the level in this part: `bytes_written` / `bytes_read_others`; in level "
       "0 `bytes_written` / bytes that the part flushed. Null where nothing came."},
      &PartLevel::write_amplification};
  FigureGroup group{"phase_levels", GroupShape::kList,
                    "`by_output_level` of each part of `phases`, by part and level. Levels into "
                    "which a part brought nothing are left out.",
                    Comparing::kWhereBothHave};
  group.figures.assign(places.begin(), places.end());
  for (Figure& figure : part_traffic_figures()) group.figures.push_back(std::move(figure));
  group.figures.push_back(amplification);
  group.instances = [](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
    if (run.parts.empty()) return std::nullopt;
    std::vector<FigureInstance> instances;
    for (PartLevel& level : part_levels_of(run)) {
      auto made = std::make_shared<const PartLevel>(std::move(level));
      instances.push_back({"", made.get(), made});
    }
    return instances;
  };
  return group;
}

FigureGroup last_operation_group() {
  return figure_object<PartFigures>(
      {"at_last_operation", GroupShape::kObject,
       "Sums when the last operation was done, before the final flush and the merges that were "
       "still due. A store that is asked for its statistics after a benchmark prints these.",
       Comparing::kWhereBothHave},
      sum_rows(), [](const RunResult& run) {
        return run.at_last_operation ? &run.at_last_operation->sums : nullptr;
      });
}

}  // namespace

std::vector<FigureGroup> part_figures() {
  return {phases_group(), part_levels_group(), last_operation_group()};
}

}  // namespace lsmlab
