// The figures of runs at resolution `key`: operations, reads, and sizes of merges.
#include "models/accounting/figures.h"
#include "models/accounting/run_result.h"

namespace lsmlab {
namespace {

using enum Averaging;

const ReadFigures* reads_of(const RunResult& run) {
  return run.keys && run.keys->reads ? &*run.keys->reads : nullptr;
}

const DeleteFigures* deletes_of(const RunResult& run) {
  return run.keys && run.keys->deletes ? &*run.keys->deletes : nullptr;
}

template <class Of>
void add_block_rows(std::vector<FigureRow<Of>>& rows, const char* fetched) {
  rows.push_back({{"blocks_fetched", "blocks", kMean, fetched},
                  [](const Of& of) { return of.blocks.blocks_fetched; }});
  rows.push_back(
      {{"blocks_read", "blocks", kMean, "Those of `blocks_fetched` that came from the device."},
       [](const Of& of) { return of.blocks.blocks_read; }});
  rows.push_back({{"bytes_read", "bytes", kMean, "Stored size of the blocks in `blocks_read`."},
                  [](const Of& of) { return of.blocks.bytes_read; }});
  rows.push_back({{"blocks_fetched_mean", "blocks/operation", kMean, "`blocks_fetched` / `count`."},
                  [](const Of& of) { return ratio_of(of.blocks.blocks_fetched, of.count); }});
  rows.push_back({{"blocks_read_mean", "blocks/operation", kMean, "`blocks_read` / `count`."},
                  [](const Of& of) { return ratio_of(of.blocks.blocks_read, of.count); }});
}

std::vector<FigureRow<LookupFigures>> lookup_rows() {
  std::vector<FigureRow<LookupFigures>> rows{
      {{"count", "lookups", kMean, "Point lookups of this kind in the whole run."},
       &LookupFigures::count},
      {{"memtable_hits", "lookups", kMean,
        "Lookups that ended at a version in the memtable, tombstones included."},
       &LookupFigures::memtable_hits},
      {{"runs_touched", "runs", kMean,
        "Sorted runs, among those that lookups reached, with a file whose key range contains the "
        "key; a slice (LDC) counts as a run of its own."},
       &LookupFigures::runs_touched},
      {{"runs_touched_mean", "runs/operation", kMean, "`runs_touched` / `count`."},
       [](const LookupFigures& gets) { return ratio_of(gets.runs_touched, gets.count); }},
      {{"filter_checks", "filters", kMean,
        "Filters asked: `runs_touched` minus the files without a filter."},
       &LookupFigures::filter_checks},
      {{"false_positives", "filters", kMean,
        "Filters that said yes for a key that their file does not have."},
       &LookupFigures::false_positives}};
  add_block_rows(rows,
                 "Data blocks fetched from the block cache or the device: one for each filter that "
                 "said yes, and one for each file without a filter.");
  return rows;
}

std::vector<FigureRow<ScanFigures>> scan_rows() {
  std::vector<FigureRow<ScanFigures>> rows{
      {{"count", "scans", kMean, "Range scans in the whole run."}, &ScanFigures::count},
      {{"entries", "entries", kMean, "Live entries that the scans returned."},
       &ScanFigures::entries},
      {{"runs_touched", "runs", kMean,
        "Sorted runs that scans fetched a block from; a slice counts as a run of its own."},
       &ScanFigures::runs_touched},
      {{"runs_touched_mean", "runs/operation", kMean, "`runs_touched` / `count`."},
       [](const ScanFigures& scans) { return ratio_of(scans.runs_touched, scans.count); }}};
  add_block_rows(rows, "Data blocks that scans fetched from the block cache or the device.");
  return rows;
}

FigureGroup lookups(const char* path, const char* definition, LookupFigures ReadFigures::*section) {
  const auto of = [section](const RunResult& run) {
    const ReadFigures* reads = reads_of(run);
    return reads == nullptr ? nullptr : &(reads->*section);
  };
  return figure_object<LookupFigures>({path, GroupShape::kObject, definition, Comparing::kAlways},
                                      lookup_rows(), of);
}

FigureGroup operations_group() {
  return figure_object<OperationCounts>(
      {"operations", GroupShape::kObject,
       "Operations that clients did in the whole run, at resolution `key`."},
      {{{"puts", "puts", kMean, "Writes of a key and its value."}, &OperationCounts::puts},
       {{"deletes", "deletes", kMean, "Writes of a tombstone for a key."},
        &OperationCounts::deletes},
       {{"gets", "gets", kMean, "Point lookups, of existing and of absent keys."},
        &OperationCounts::gets},
       {{"scans", "scans", kMean, "Scans over a range of keys."}, &OperationCounts::scans}},
      [](const RunResult& run) { return run.keys ? &run.keys->operations : nullptr; });
}

FigureGroup merge_sizes_group() {
  return figure_object<MergeSizes>(
      {"merge_sizes", GroupShape::kObject,
       "Bytes read and written by one merge, at resolution `key`; percentiles by nearest rank.",
       Comparing::kAlways},
      {{{"p50_bytes", "bytes", kMean, "Bytes that half of the merges do not exceed: the median."},
        &MergeSizes::p50_bytes},
       {{"p90_bytes", "bytes", kMean, "Bytes that 90 % of the merges do not exceed."},
        &MergeSizes::p90_bytes},
       {{"p99_bytes", "bytes", kMean, "Bytes that 99 % of the merges do not exceed."},
        &MergeSizes::p99_bytes},
       {{"max_bytes", "bytes", kMean, "Bytes of the largest merge."}, &MergeSizes::max_bytes},
       {{"mean_bytes", "bytes", kMean, "Bytes of all merges / number of merges."},
        &MergeSizes::mean_bytes}},
      [](const RunResult& run) { return run.keys ? &run.keys->merge_sizes : nullptr; });
}

// A time of no delete is not 0.
template <class T>
std::optional<T> of_gone(const DeleteFigures& deletes, T time) {
  return deletes.gone > 0 ? std::optional<T>(time) : std::nullopt;
}

std::vector<FigureRow<DeleteFigures>> delete_rows() {
  return {
      {{"flushed", "entries", kMean, "Tombstones in flushed memtables."}, &DeleteFigures::flushed},
      {{"gone", "entries", kMean, "Tombstones that merges or drops of whole files removed."},
       &DeleteFigures::gone},
      {{"superseded", "entries", kMean,
        "Tombstones that a newer version of their key replaced before they were dropped."},
       &DeleteFigures::superseded},
      {{"present", "entries", kMean,
        "Deletes whose tombstone is in a file at the end. Where files stay beside what was merged "
        "from them (LDC, LSbM) their tombstones count, up to the number of deletes that are not "
        "gone."},
       &DeleteFigures::present},
      {{"present_share", "entries/entry", kMean, "`present` / `flushed`."},
       [](const DeleteFigures& deletes) { return ratio_of(deletes.present, deletes.flushed); }},
      {{"gone_after_mean", "operations", kMean,
        "From a delete until it is gone, over those in `gone`. Null, as the next three, where none "
        "is."},
       [](const DeleteFigures& deletes) { return of_gone(deletes, deletes.gone_after.mean); }},
      {{"gone_after_p50", "operations", kMean,
        "The same: half of the deletes were gone sooner. Percentiles are by nearest rank and less "
        "than 1.6 % too large."},
       [](const DeleteFigures& deletes) { return of_gone(deletes, deletes.gone_after.p50); }},
      {{"gone_after_p99", "operations", kMean, "The same: 99 % were gone sooner."},
       [](const DeleteFigures& deletes) { return of_gone(deletes, deletes.gone_after.p99); }},
      {{"gone_after_max", "operations", kMean,
        "The longest of these times. At resolution `range`, where deletes have fractions, less "
        "than "
        "half a delete took longer."},
       [](const DeleteFigures& deletes) { return of_gone(deletes, deletes.gone_after.max); }}};
}

FigureGroup delete_times_group() {
  return figure_object<DeleteTimes>(
      {"deletes.time", GroupShape::kObject,
       "With a clock: the times of `deletes` in nanoseconds, simulated or by the clock of the "
       "engine's machine.",
       Comparing::kWhereBothHave},
      {{{"gone_after_mean_ns", "ns", kMean, "From a delete until it is gone."}, &DeleteTimes::mean},
       {{"gone_after_p50_ns", "ns", kMedian, "The same: half of the deletes were gone sooner."},
        &DeleteTimes::p50},
       {{"gone_after_p99_ns", "ns", kMedian, "The same: 99 % were gone sooner."},
        &DeleteTimes::p99},
       {{"gone_after_max_ns", "ns", kMean, "The longest of these times."}, &DeleteTimes::max}},
      [](const RunResult& run) {
        const DeleteFigures* deletes = deletes_of(run);
        const bool has_times = deletes != nullptr && deletes->gone > 0 && deletes->gone_after_ns;
        return has_times ? &*deletes->gone_after_ns : nullptr;
      });
}

FigureGroup kept_ranges_group() {
  return figure_object<KeptRangeFigures>(
      {"deletes.kept_ranges", GroupShape::kObject,
       "With `pre_remove=blocks`: ranges of data blocks that are kept in memory, so that a merge "
       "sees early that a tombstone hides nothing.",
       Comparing::kAlways},
      {{{"tests", "entries", kMean,
         "Tombstones in merges that lay in the key range of a file with older data, and whose keys "
         "were sought in its kept ranges."},
        &KeptRangeFigures::tests},
       {{"dropped", "entries", kMean,
         "Those of `tests` that no kept range held: they were dropped, where the key ranges of "
         "files alone would have kept them."},
        &KeptRangeFigures::dropped},
       {{"memory_bytes", "bytes", kMean, "Memory of the kept ranges at the end, 16 bytes each."},
        &KeptRangeFigures::memory_bytes}},
      [](const RunResult& run) {
        const DeleteFigures* deletes = deletes_of(run);
        return deletes != nullptr && deletes->kept_ranges ? &*deletes->kept_ranges : nullptr;
      });
}

FigureGroup deletes_group() {
  return figure_object<DeleteFigures>(
      {"deletes", GroupShape::kObject,
       "What became of deletes, where there are any. A delete is physically gone when a merge "
       "drops "
       "its tombstone, because nothing older of the key exists: the delete persistence latency of "
       "Lethe. Times count operations of the clients. At resolution `range` they are expected "
       "values, and `superseded` may show some deletes that are only rounding.",
       Comparing::kWhereBothHave},
      delete_rows(), deletes_of);
}

}  // namespace

std::vector<FigureGroup> read_figures() {
  const auto hit_ratio = [](const ReadFigures& reads) {
    const BlockReads blocks = reads.blocks();
    return ratio_of(blocks.blocks_fetched - blocks.blocks_read, blocks.blocks_fetched);
  };
  return {
      operations_group(),
      lookups("reads.gets_found", "Point lookups of keys that exist.", &ReadFigures::gets_found),
      lookups("reads.gets_absent", "Point lookups of keys that were never written, or are deleted.",
              &ReadFigures::gets_absent),
      figure_object<ScanFigures>(
          {"reads.scans", GroupShape::kObject, "Range scans.", Comparing::kAlways}, scan_rows(),
          [](const RunResult& run) {
            const ReadFigures* reads = reads_of(run);
            return reads == nullptr ? nullptr : &reads->scans;
          }),
      figure_object<ReadFigures>(
          {"reads", GroupShape::kObject, "Lookups and scans together.", Comparing::kAlways},
          {{{"cache_hit_ratio", "blocks/block", kMean,
             "1 - `blocks_read` / `blocks_fetched`; 0 if no block was fetched."},
            hit_ratio}},
          reads_of),
      merge_sizes_group(),
      deletes_group(),
      delete_times_group(),
      kept_ranges_group()};
}

}  // namespace lsmlab
