#include "sim/simulate_keys.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <vector>

#include "sim/key_store.h"
#include "sim/series.h"

namespace lsmlab {
namespace {

class KeyRun {
 public:
  KeyRun(const ConfiguredPolicy& policy, const KeyRunOptions& options,
         const std::atomic<bool>* stop)
      : options_(options), store_(policy, options.log, options.observer) {
    store_.stop_on(stop);
  }

  [[nodiscard]] Result<void> take(const Operation& operation) {
    store_.advance_now(Instant(++operations_));
    count(operation.kind);
    const bool is_delete = operation.kind == OperationKind::kDelete;
    if (is_delete || operation.kind == OperationKind::kPut) {
      const std::uint32_t value_bytes = is_delete ? 0 : operation.value_bytes;
      BOOST_OUTCOME_TRYV(store_.write(operation.key, operation.key_bytes, value_bytes, is_delete));
    }
    if (operation.kind == OperationKind::kGet) static_cast<void>(store_.get(operation.key));
    if (operation.kind == OperationKind::kScan) {
      store_.scan({operation.key, operation.scan_last_key, operation.scan_entries_max}, {});
    }
    if (store_.totals().flushes != flushes_) observe_flush();
    return success();
  }

  void end_workload() {
    store_.flush();
    if (store_.totals().flushes != flushes_) observe_flush();
  }

  [[nodiscard]] RunResult result() {
    RunResult result;
    if (flushes_ > 0 && (series_.empty() || series_.back().flushes != flushes_)) {
      series_.push_back(point(false));
    }
    result.totals = store_.totals();
    result.runs = runs_;
    result.transient = store_.transient();
    result.final_keys = key_figures(true);
    result.live_bytes_ratio = result.final_keys->space;
    if (store_.file_bytes() == 0) result.live_bytes_ratio = 1;
    if (!series_.empty()) series_.back().keys = result.final_keys;
    result.final_levels = store_.level_summaries();
    result.operations = counts_;
    if (counts_.gets + counts_.scans > 0) result.reads = store_.reads();
    result.merge_sizes = result.final_keys->merge_sizes;
    result.frozen = store_.frozen_summary();
    result.series = std::move(series_);
    return result;
  }

  [[nodiscard]] std::uint64_t operations() const { return operations_; }

 private:
  void count(OperationKind kind) {
    switch (kind) {
      case OperationKind::kPut:
        ++counts_.puts;
        break;
      case OperationKind::kDelete:
        ++counts_.deletes;
        break;
      case OperationKind::kGet:
        ++counts_.gets;
        break;
      case OperationKind::kScan:
        ++counts_.scans;
        break;
    }
  }

  void observe_flush() {
    flushes_ = store_.totals().flushes;
    const std::uint64_t sorted_runs = store_.sorted_runs();
    runs_.sum += sorted_runs;
    runs_.max = std::max(runs_.max, sorted_runs);
    if (!samples_.wants(flushes_)) return;
    // Space is counted by reading everything, which doublings keep at a fixed share of the run.
    series_.push_back(point(std::has_single_bit(flushes_)));
    samples_.thin(series_);
  }

  [[nodiscard]] SeriesPoint point(bool counts_space) {
    SeriesPoint point =
        series_point(store_.totals(), runs_, store_.transient(), store_.sorted_runs());
    point.keys = key_figures(counts_space);
    return point;
  }

  [[nodiscard]] KeyRunFigures key_figures(bool counts_space) {
    const Totals& totals = store_.totals();
    KeyRunFigures figures;
    figures.operations = operations_;
    figures.user_bytes = totals.user_bytes;
    figures.write =
        ratio_of(totals.flush_bytes_written + totals.merge_bytes_written, totals.user_bytes);
    figures.moves = totals.moves;
    figures.links = totals.links;
    figures.merge_bytes_read = totals.merge_bytes_read;
    figures.merge_bytes_written = totals.merge_bytes_written;
    figures.file_bytes = store_.file_bytes();
    const TombstoneSummary tombstones = store_.tombstones();
    figures.tombstones = tombstones.count;
    if (tombstones.oldest) figures.oldest_tombstone_age = operations_ - tombstones.oldest->value();
    figures.entries_dropped = totals.entries_dropped;
    figures.tombstones_dropped = totals.tombstones_dropped;
    figures.merge_sizes = merge_sizes();
    figures.gets = counts_.gets;
    figures.scans = counts_.scans;
    figures.blocks_read = store_.reads().blocks().blocks_read;
    if (!counts_space) return figures;
    const std::uint64_t live_bytes = store_.live_bytes();
    if (live_bytes > 0) figures.space = ratio_of(figures.file_bytes, live_bytes);
    return figures;
  }

  [[nodiscard]] MergeSizes merge_sizes() {
    const std::vector<std::uint64_t>& all = store_.merge_bytes();
    const auto known = static_cast<std::ptrdiff_t>(sorted_merges_.size());
    sorted_merges_.insert(sorted_merges_.end(), all.begin() + known, all.end());
    std::sort(sorted_merges_.begin() + known, sorted_merges_.end());
    std::inplace_merge(sorted_merges_.begin(), sorted_merges_.begin() + known,
                       sorted_merges_.end());
    return merge_sizes_of(sorted_merges_);
  }

  const KeyRunOptions& options_;
  KeyStore store_;
  OperationCounts counts_;
  std::uint64_t operations_ = 0;
  std::uint64_t flushes_ = 0;
  SortedRunCounts runs_;
  std::vector<std::uint64_t> sorted_merges_;  // bytes of the merges that merge_sizes() has seen
  OpenEndedSamples samples_;
  Series series_;
};

}  // namespace

Result<RunResult> simulate_keys(const ConfiguredPolicy& policy, OperationSource& source,
                                const KeyRunOptions& options, RunControl& control) {
  constexpr std::size_t kBatchOperations = 4096;
  const auto begin = std::chrono::steady_clock::now();
  KeyRun run(policy, options, control.stop);
  std::vector<Operation> batch(kBatchOperations);
  bool complete = false;
  while (!control.should_stop()) {
    const std::size_t count = BOOST_OUTCOME_TRYX(source.fill(batch));
    if (count == 0) {
      complete = true;
      break;
    }
    for (const Operation& operation : std::span(batch).first(count)) {
      if (control.should_stop()) break;  // one operation may be a long scan or a great many merges
      BOOST_OUTCOME_TRYV(run.take(operation));
    }
    control.units_done.store(run.operations(), std::memory_order_relaxed);
  }
  if (complete && options.final_flush) run.end_workload();
  complete = complete && !control.should_stop();
  RunResult result = run.result();
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.source = "simulator";
  result.policy = policy.name;
  result.policy_family = policy.family;
  result.policy_label = policy.label;
  result.policy_options = policy.options;
  result.policy_options.insert(result.policy_options.end(), policy.store_options.begin(),
                               policy.store_options.end());
  result.workload = options.workload;
  result.workload_options = options.workload_options;
  result.mode = "stepped";
  result.resolution = "key";
  result.seed = options.seed;
  result.complete = complete;
  return result;
}

}  // namespace lsmlab
