#include "sim/flushes/tree_simulator.h"

#include <algorithm>

#include "models/accounting/series.h"
#include "models/base/check.h"
#include "models/execution/plan_execution.h"
#include "models/tree/tree.h"

namespace lsmlab {
namespace {

// No policy wants so many plans after one flush. A policy that never stops asking has a bug.
constexpr std::uint64_t kPlansPerFlushMax = 1'000'000;

class TreeSimulator {
 public:
  TreeSimulator(const Policy& policy, const PlanLogSink& log, std::uint64_t flushes)
      : policy_(policy),
        log_(log),
        samples_(sample_points(flushes)),
        snapshots_(flushes <= kSnapshotFlushesMax) {
    tree_.keep(policy.orderings());
  }

  void take_flush(std::uint64_t bytes) {
    run_.totals.bytes_flushed += bytes;
    run_.totals.user_bytes += bytes;
    tree_.begin_flush({Bytes(bytes), Entries(0), KeyRange{}});
    std::uint64_t plans = 0;
    while (const std::optional<Plan> plan = policy_.pick(tree_)) {
      execute(*plan);
      CHECK(++plans < kPlansPerFlushMax);
    }
    CHECK(!tree_.pending_flush());
    ++run_.totals.flushes;
    const std::size_t depth = tree_.run_count();
    run_.runs.sum += depth;
    run_.runs.max = std::max<std::uint64_t>(run_.runs.max, depth);
    if (run_.totals.flushes == samples_[next_sample_]) observe();
  }

  [[nodiscard]] FlushRun finish(bool complete) {
    run_.complete = complete;
    if (!complete && run_.totals.flushes > 0) run_.sample(tree_.run_count());
    for (const Level& level : tree_.levels()) {
      LevelSummary summary;
      for (const SortedRun& run : level.runs) {
        ++summary.runs;
        summary.files += run.files.size();
        summary.bytes += run.bytes().value();
      }
      run_.final_levels.push_back(summary);
    }
    while (!run_.final_levels.empty() && run_.final_levels.back().files == 0) {
      run_.final_levels.pop_back();
    }
    return std::move(run_);
  }

 private:
  void execute(const Plan& plan) {
    const Result<void> reserved = tree_.reserve(plan);
    CHECK(reserved.has_value());
    TreeEdit edit;
    edit.cursors = plan.cursors;
    edit.takes_memtable = takes_memtable(plan);
    PlanSums sums;
    if (const auto* move = std::get_if<MovePlan>(&plan.action)) {
      execute_move(*move, edit);
    } else if (const auto* merge = std::get_if<MergePlan>(&plan.action)) {
      sums.read_bytes = execute_merge(*merge, edit);
    } else if (const auto* drop = std::get_if<DropPlan>(&plan.action)) {
      run_.disk.observe(stored_bytes(), stored_bytes());
      for (const PlanInput& input : drop->inputs) {
        edit.removed.insert(edit.removed.end(), input.files.begin(), input.files.end());
      }
    } else {
      const auto* flush = std::get_if<FlushPlan>(&plan.action);
      CHECK(flush != nullptr);  // links are for policies that need keys
      const std::uint64_t number = tree_.flush_count() + 1;
      const Bytes bytes = tree_.pending_flush()->bytes;
      edit.added.push_back({flush->target, {make_file(bytes, {number, number})}});
    }
    run_.totals.count(tree_, plan, edit, &sums);
    if (log_) log_(make_plan_record(tree_, plan, edit, ++sequence_));
    const Result<void> applied = tree_.apply(edit);
    CHECK(applied.has_value());
  }

  void execute_move(const MovePlan& move, TreeEdit& edit) {
    TreeEdit::Moved moved{{}, move.target};
    for (const PlanInput& input : move.inputs) {
      moved.files.insert(moved.files.end(), input.files.begin(), input.files.end());
    }
    edit.moved.push_back(std::move(moved));
  }

  // Returns the bytes of the input files.
  std::uint64_t execute_merge(const MergePlan& merge, TreeEdit& edit) {
    edit.is_merge = true;
    Bytes input_bytes;
    FlushSpan span{tree_.flush_count() + 1, merge.takes_memtable ? tree_.flush_count() + 1 : 0};
    for (const PlanInput& input : merge.inputs) {
      for (const FileId id : input.files) {
        const std::optional<FileLocation> at = tree_.find_file(id);
        CHECK(at);
        const File& file = tree_.file_at(*at);
        input_bytes += file.bytes;
        span = {std::min(span.first, file.flushes.first), std::max(span.last, file.flushes.last)};
        edit.removed.push_back(id);
      }
    }
    const Bytes output_bytes =
        merge.takes_memtable ? input_bytes + tree_.pending_flush()->bytes : input_bytes;
    const std::uint64_t stored = stored_bytes();
    const auto flushed = static_cast<std::uint64_t>(run_.totals.bytes_flushed);
    if (stored == flushed) {
      run_.transient.observe_merge(input_bytes.value(), flushed);
    } else {
      run_.transient.observe(stored + input_bytes.value(), flushed);
    }
    run_.disk.observe(Uint128{stored} + input_bytes.value(), stored);
    run_.disk.merge_output_max_bytes =
        std::max(run_.disk.merge_output_max_bytes, output_bytes.value());
    edit.added.push_back({merge.target, {make_file(output_bytes, span)}});
    return input_bytes.value();
  }

  // Of all files: at this resolution, what was flushed and not dropped.
  [[nodiscard]] std::uint64_t stored_bytes() const {
    return static_cast<std::uint64_t>(run_.totals.bytes_flushed - run_.totals.bytes_dropped);
  }

  [[nodiscard]] File make_file(Bytes bytes, FlushSpan flushes) {
    File file;
    file.id = tree_.allocate_file_id();
    file.bytes = bytes;
    file.flushes = flushes;
    return file;
  }

  void observe() {
    ++next_sample_;
    run_.sample(tree_.run_count());
    if (!snapshots_) return;
    StackSnapshot snapshot;
    for (std::size_t l = tree_.levels().size(); l-- > 0;) {
      const std::vector<SortedRun>& runs = tree_.levels()[l].runs;
      for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        snapshot.bytes.push_back(run->bytes().value());
        snapshot.levels.push_back(static_cast<std::uint32_t>(l));
      }
    }
    run_.stacks.push_back(std::move(snapshot));
  }

  const Policy& policy_;
  const PlanLogSink& log_;
  const std::vector<std::uint64_t> samples_;
  const bool snapshots_;
  TreeState tree_;
  std::uint64_t sequence_ = 0;
  std::size_t next_sample_ = 0;
  FlushRun run_;
};

}  // namespace

Result<FlushRun> simulate_tree(const Policy& policy, const FlushWorkload& workload,
                               std::uint64_t seed, const PlanLogSink& log, RunControl& control) {
  CHECK(policy.needs() == PolicyNeeds::kSizes);
  TreeSimulator simulator(policy, log, workload.count());
  const auto take = [&](std::span<const std::uint64_t> sizes) {
    for (const std::uint64_t bytes : sizes) simulator.take_flush(bytes);
  };
  const bool complete = BOOST_OUTCOME_TRYX(feed_flushes(workload, seed, control, take));
  return simulator.finish(complete);
}

}  // namespace lsmlab
