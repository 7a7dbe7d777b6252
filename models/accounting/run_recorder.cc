#include "models/accounting/run_recorder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "models/accounting/tree_figures.h"
#include "models/base/check.h"

namespace lsmlab {

Result<void> RunRecorder::observe_flushes() {
  // One that began has no file yet where it takes time.
  const std::uint64_t flushes = ledger_.totals().flushes - (store_.tree().pending_flush() ? 1 : 0);
  const std::uint64_t runs = sorted_runs(store_.tree());
  bool is_wanted = false;
  // Counting space reads the whole store. Counts at doublings keep that at a fixed share of the
  // run.
  bool counts_space = false;
  while (flushes_ < flushes) {
    ++flushes_;
    runs_.sum += runs;
    runs_.max = std::max(runs_.max, runs);
    is_wanted = samples_.wants(flushes_) || is_wanted;
    counts_space =
        counts_space || (space_ == SpaceCounts::kAtDoublings && std::has_single_bit(flushes_));
  }
  if (!is_wanted) return success();
  series_.push_back(BOOST_OUTCOME_TRYX(point(counts_space)));
  samples_.thin(series_);
  return success();
}

void RunRecorder::set_parts(std::vector<PartMark> parts) {
  CHECK(operations_ == 0);
  marks_ = std::move(parts);
  part_end_ = marks_.empty() ? kNoEnd : marks_.front().end_operations;
}

PartFigures RunRecorder::sums() const {
  const Totals& totals = ledger_.totals();
  PartFigures sums;
  sums.operations = operations_;
  sums.puts = counts_.puts;
  sums.deletes = counts_.deletes;
  sums.gets = counts_.gets;
  sums.scans = counts_.scans;
  sums.flushes = totals.flushes;
  sums.merges = totals.merges;
  sums.moves = totals.moves;
  sums.user_bytes = totals.user_bytes;
  sums.bytes_flushed = totals.bytes_flushed;
  sums.flush_bytes_written = totals.flush_bytes_written;
  sums.merge_bytes_read = totals.merge_bytes_read;
  sums.merge_bytes_written = totals.merge_bytes_written;
  sums.blocks_read = store_.reads().blocks().blocks_read;
  sums.file_bytes = ledger_.file_bytes();
  sums.by_output_level = totals.by_output_level;
  // A flush that runs has written nothing yet.
  if (const auto& running = store_.tree().pending_flush()) {
    --sums.flushes;
    sums.bytes_flushed -= running->bytes.value();
  }
  if (now_ns_) sums.nanoseconds = now_ns_();
  return sums;
}

void RunRecorder::end_part() {
  const PartFigures sums_now = sums();
  PartFigures part = sums_now.since(at_part_begin_);
  std::uint64_t own_clients = 0;
  if (parts_.size() < marks_.size()) {
    part.name = marks_[parts_.size()].name;
    own_clients = marks_[parts_.size()].clients;
  }
  if (part.operations > 0 && clients_) part.clients = own_clients > 0 ? own_clients : *clients_;
  parts_.push_back(std::move(part));
  at_part_begin_ = sums_now;
  const std::size_t next = parts_.size();
  part_end_ = next < marks_.size() ? marks_[next].end_operations : kNoEnd;
}

void RunRecorder::end_parts_that_ask_nothing() {
  while (is_at_part_end() && asked_at_part_end() == PartEnd::kNothing) end_part();
}

void RunRecorder::end_operations(std::vector<JobTimes> job_times) {
  at_last_operation_ = LastOperation{sums(), ledger_.totals().by_level,
                                     level_summaries(store_.tree()), std::move(job_times)};
  while (is_at_part_end()) end_part();
  if (!marks_.empty() && operations_ > at_part_begin_.operations) end_part();
}

Result<RunResult> RunRecorder::result() {
  RunResult result;
  if (!at_last_operation_) end_operations();
  if (parts_.size() > 1) result.parts = std::move(parts_);
  result.at_last_operation = std::move(at_last_operation_);
  result.disk = ledger_.disk();
  if (flushes_ > 0) {
    // Merges may have ended since the last flush began.
    if (!series_.empty() && series_.back().flushes == flushes_) series_.pop_back();
    series_.push_back(BOOST_OUTCOME_TRYX(point(false)));
  }
  result.totals = ledger_.totals();
  result.runs = runs_;
  result.transient = ledger_.transient();
  KeySection& keys = result.keys.emplace();
  keys.final = BOOST_OUTCOME_TRYX(key_figures(true));
  result.live_bytes_ratio = keys.final.space;
  if (ledger_.file_bytes() == 0) result.live_bytes_ratio = 1;
  if (!series_.empty()) series_.back().keys = keys.final;
  result.final_levels = level_summaries(store_.tree());
  keys.operations = counts_;
  if (counts_.gets + counts_.scans > 0) keys.reads = store_.reads();
  keys.deletes = ledger_.deletes().figures(keys.final.tombstones);
  if (keys.deletes) add_kept_ranges(*keys.deletes);
  keys.merge_sizes = keys.final.merge_sizes;
  keys.frozen = frozen_summary(store_.tree());
  result.series = std::move(series_);
  return result;
}

void RunRecorder::add_kept_ranges(DeleteFigures& deletes) const {
  const std::uint64_t ranges = kept_ranges(store_.tree());
  const KeptRangeTests& tests = ledger_.range_tests();
  if (ranges == 0 && tests.tests == 0) return;
  deletes.kept_ranges = {tests.tests, tests.dropped, ranges * kKeptRangeBytes.value()};
}

Result<SeriesPoint> RunRecorder::point(bool counts_space) {
  Totals totals = ledger_.totals();
  // A flush that runs has written nothing yet.
  if (const auto& running = store_.tree().pending_flush()) {
    totals.bytes_flushed -= running->bytes.value();
  }
  SeriesPoint point = series_point(totals, runs_, ledger_.transient(), sorted_runs(store_.tree()));
  point.keys = BOOST_OUTCOME_TRYX(key_figures(counts_space));
  return point;
}

Result<KeyRunFigures> RunRecorder::key_figures(bool counts_space) {
  const Totals& totals = ledger_.totals();
  KeyRunFigures figures;
  figures.operations = operations_;
  figures.user_bytes = totals.user_bytes;
  figures.write =
      ratio_of(totals.flush_bytes_written + totals.merge_bytes_written, totals.user_bytes);
  figures.moves = totals.moves;
  figures.links = totals.links;
  figures.merge_bytes_read = totals.merge_bytes_read;
  figures.merge_bytes_written = totals.merge_bytes_written;
  figures.file_bytes = ledger_.file_bytes();
  const TombstoneSummary in_files = tombstones(store_.tree());
  figures.tombstones = in_files.count;
  if (in_files.oldest) {
    figures.oldest_tombstone_age = (store_.tree().now() - *in_files.oldest).value();
  }
  figures.entries_dropped = totals.entries_dropped;
  figures.tombstones_dropped = totals.tombstones_dropped;
  figures.merge_sizes = merge_sizes();
  figures.gets = counts_.gets;
  figures.scans = counts_.scans;
  figures.blocks_read = store_.reads().blocks().blocks_read;
  if (!counts_space) return figures;
  const std::uint64_t live_bytes = BOOST_OUTCOME_TRYX(store_.live_bytes());
  if (live_bytes > 0) figures.space = ratio_of(figures.file_bytes, live_bytes);
  return figures;
}

MergeSizes RunRecorder::merge_sizes() {
  const std::vector<std::uint64_t>& all = ledger_.merge_bytes();
  const auto known = static_cast<std::ptrdiff_t>(sorted_merges_.size());
  sorted_merges_.insert(sorted_merges_.end(), all.begin() + known, all.end());
  std::sort(sorted_merges_.begin() + known, sorted_merges_.end());
  std::inplace_merge(sorted_merges_.begin(), sorted_merges_.begin() + known, sorted_merges_.end());
  return merge_sizes_of(sorted_merges_);
}

void describe_policy(const ConfiguredPolicy& policy, RunResult& result) {
  result.policy = policy.name;
  result.policy_family = policy.family;
  result.policy_label = policy.label;
  result.policy_options = policy.options;
  result.policy_options.insert(result.policy_options.end(), policy.store_options.begin(),
                               policy.store_options.end());
}

}  // namespace lsmlab
