// The figures of amplification and of the lower bound.
#include "models/accounting/figures.h"
#include "models/accounting/run_result.h"

namespace lsmlab {
namespace {

using enum Averaging;

Amplification amplification(const RunResult& run) {
  return amplification_of(run.totals, run.runs, run.transient, run.live_bytes_ratio);
}

Uint128 sstable_bytes(const RunResult& run) {
  return run.totals.flush_bytes_written + run.totals.merge_bytes_written;
}

const RunResult* itself(const RunResult& run) { return &run; }

FigureGroup disk_group() {
  return figure_object<DiskPeaks>(
      {"disk", GroupShape::kObject, "Room that the store's files need.", Comparing::kWhereBothHave},
      {
          {{"peak_file_bytes", "bytes", kMean,
            "Largest total of files on disk in the whole run, inputs and outputs of running merges "
            "included. On a simulated clock outputs count as they are written; on the engine with "
            "threads they count when their merge is done."},
           &DiskPeaks::file_bytes},
          {{"peak_space", "bytes/byte", kMean,
            "`peak_file_bytes` / keys and values of all keys that were live at that moment, those "
            "in the memtable included (at resolution `range`: without it); null where none was. Of "
            "more than 65,536 keys the live bytes are estimated from a sample. At resolution "
            "`flush` all flushed bytes are live."},
           &DiskPeaks::space},
          {{"merge_output_max_bytes", "bytes", kMean,
            "Bytes that the largest merge wrote: so much must be free on disk while it runs."},
           &DiskPeaks::merge_output_max_bytes},
      },
      [](const RunResult& run) { return &run.disk; });
}

FigureGroup floor_group() {
  return figure_object<RunResult>(
      {"floor", GroupShape::kObject,
       "The least that any eager stable schedule of at most `k` SSTables can write; null without "
       "flushes, and at resolution `key`.",
       Comparing::kAlways, false, true},
      {
          {{"k", "SSTables", kMean,
            "SSTables that the schedule may keep: the policy's bound, or else the most that the "
            "run "
            "kept."},
           [](const RunResult& run) { return run.floor->k; }},
          {{"k_is_policy_bound", "", kNone, "Whether `k` is the policy's bound."},
           [](const RunResult& run) { return run.floor->is_policy_bound; }},
          {{"method", "", kNone, "How the lower bound was computed, or why there is none."},
           [](const RunResult& run) { return run.floor->method; }},
          {{"write_flushed", "bytes/byte", kMean,
            "Least `write_flushed` of any eager stable schedule that never keeps more than `k` "
            "SSTables."},
           [](const RunResult& run) -> std::optional<double> {
             if (!run.floor->bytes_written) return std::nullopt;
             return ratio_of(*run.floor->bytes_written, run.totals.bytes_flushed);
           }},
          {{"ratio", "bytes/byte", kMean,
            "`amplification.write_flushed` of the run / `write_flushed` of the lower bound."},
           [](const RunResult& run) -> std::optional<double> {
             if (!run.floor->bytes_written) return std::nullopt;
             return ratio_of(sstable_bytes(run), *run.floor->bytes_written);
           }},
          {{"bytes_written", "bytes", kMean, "Bytes that such a schedule writes."},
           [](const RunResult& run) { return run.floor->bytes_written; }},
          {{"worst_case_bound", "bytes/byte", kMean,
            "k n^(1/k) / c_k, where c_k = (k+1) / (k!)^(1/k): the limit of the least worst-case "
            "write "
            "amplification for many flushes n; null where the policy has no bound."},
           [](const RunResult& run) { return run.floor->worst_case_bound; }},
      },
      [](const RunResult& run) { return run.floor ? &run : nullptr; });
}

// Null in a run that was stopped before it began: 0 would be a figure.
template <class T>
std::optional<T> of_started(const RunResult& run, T figure) {
  const bool is_unstarted = !run.complete && run.totals.flushes == 0 && run.totals.user_bytes == 0;
  return is_unstarted ? std::nullopt : std::optional<T>(figure);
}

}  // namespace

std::vector<FigureGroup> amplification_figures() {
  return {
      figure_object<RunResult>(
          {"amplification", GroupShape::kObject,
           "Write, read and space amplification; null in a run that was stopped before it began.",
           Comparing::kAlways, true},
          {
              {{"write", "bytes/byte", kMean,
                "SSTable bytes written (flushes and merges) / user bytes (keys and values "
                "accepted; at resolution `flush` the flush sizes)."},
               [](const RunResult& run) { return of_started(run, amplification(run).write); }},
              {{"write_flushed", "bytes/byte", kMean,
                "SSTable bytes written / bytes flushed, as in the merge-policies paper. A flush "
                "counts with its size as an SSTable, even if an eager merge takes it."},
               [](const RunResult& run) {
                 return of_started(run, amplification(run).write_flushed);
               }},
              {{"write_total", "bytes/byte", kMean,
                "SSTable, WAL and manifest bytes written / user bytes."},
               [](const RunResult& run) {
                 return of_started(run, amplification(run).write_total);
               }},
              {{"read_mean", "runs", kMean,
                "Sorted runs that a point lookup may have to visit, mean over flushes."},
               [](const RunResult& run) { return of_started(run, amplification(run).read_mean); }},
              {{"read_max", "runs", kMean,
                "Sorted runs that a point lookup may have to visit, largest after any flush."},
               [](const RunResult& run) { return of_started(run, amplification(run).read_max); }},
              {{"space", "bytes/byte", kMean,
                "Bytes of live files / bytes of live entries, at the end. 1 while keys are unique; "
                "null if no entry is live."},
               [](const RunResult& run) { return amplification(run).space; }},
              {{"space_transient", "bytes/byte", kMean,
                "Largest total of files on disk, inputs and outputs of a running merge included, / "
                "bytes flushed by then."},
               [](const RunResult& run) {
                 return of_started(run, amplification(run).space_transient);
               }},
          },
          itself),
      figure_object<ReadFigures>(
          {"amplification", GroupShape::kObject, "One more figure for runs with reads.",
           Comparing::kAlways},
          {{{"read_blocks", "blocks/lookup", kMean,
             "Data blocks read from the device by point lookups / point lookups."},
            read_blocks_of}},
          [](const RunResult& run) {
            return run.keys && run.keys->reads ? &*run.keys->reads : nullptr;
          }),
      disk_group(), floor_group()};
}

}  // namespace lsmlab
