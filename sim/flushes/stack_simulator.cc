#include "sim/flushes/stack_simulator.h"

#include <algorithm>

#include "models/accounting/series.h"

namespace lsmlab {
namespace {

class StackSimulator {
 public:
  StackSimulator(const StackPolicy& policy, std::uint64_t flushes)
      : policy_(policy),
        is_eager_(policy.flush_mode() == FlushMode::kEager),
        cascades_(policy.cascades()),
        samples_(sample_points(flushes)),
        snapshots_(flushes <= kSnapshotFlushesMax) {}

  void take(std::span<const std::uint64_t> sizes) {
    static_depths_.resize(sizes.size());
    if (policy_.static_depths(flushes_ + 1, static_depths_)) {
      take_static(sizes);
      return;
    }
    for (const std::uint64_t bytes : sizes) {
      push(bytes);
      follow_flush(bytes, ask());
      if (flushes_ == samples_[next_sample_]) observe();
    }
  }

  [[nodiscard]] FlushRun finish(bool complete) {
    store_totals();
    store_traffic();
    run_.complete = complete;
    if (!complete && flushes_ > 0) run_.sample(stack_.size());
    for (const StackTable& table : stack_) {
      if (run_.final_levels.size() <= table.level) run_.final_levels.resize(table.level + 1);
      LevelSummary& level = run_.final_levels[table.level];
      ++level.runs;
      ++level.files;
      level.bytes += table.bytes;
    }
    return std::move(run_);
  }

 private:
  void take_static(std::span<const std::uint64_t> sizes) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      push(sizes[i]);
      follow_flush(sizes[i], StackDecision::leave(static_depths_[i], stack_.size()));
      if (flushes_ == samples_[next_sample_]) observe();
    }
  }

  void push(std::uint64_t bytes) {
    ++flushes_;
    flushed_bytes_ += bytes;
    stack_.push_back({bytes, flushes_, 0});
  }

  // Executes the plans that follow the flush on top of the stack.
  void follow_flush(std::uint64_t bytes, StackDecision decision) {
    const bool takes_flush = decision.first + decision.count == stack_.size();
    const bool is_eager_merge = is_eager_ && takes_flush && decision.action == StackAction::kMerge;
    if (!is_eager_merge) {
      flush_bytes_written_ += bytes;
      ++flush_plans_;
    }
    if (decision.action != StackAction::kNone) {
      execute(decision, is_eager_merge ? bytes : 0);
      while (cascades_ && (decision = ask()).action != StackAction::kNone) execute(decision, 0);
    }
    run_.runs.sum += stack_.size();
    run_.runs.max = std::max<std::uint64_t>(run_.runs.max, stack_.size());
  }

  [[nodiscard]] StackDecision ask() const {
    return policy_.decide({stack_, flushed_bytes_, flushes_, true});
  }

  // `memtable_bytes`: bytes of the inputs that come from the memtable, not from an SSTable.
  void execute(const StackDecision& decision, std::uint64_t memtable_bytes) {
    if (decision.action == StackAction::kMove) {
      move(decision);
      return;
    }
    const auto first = stack_.begin() + decision.first;
    const auto last = first + decision.count;
    std::uint64_t output_bytes = 0;
    for (auto table = first; table != last; ++table) output_bytes += table->bytes;
    const std::uint64_t input_bytes = output_bytes - memtable_bytes;
    ++run_.totals.merges;
    merge_bytes_written_ += output_bytes;
    merge_bytes_read_ += input_bytes;
    if (decision.level > 0) count_levels(decision, output_bytes, memtable_bytes);
    run_.transient.observe_merge(input_bytes, flushed_bytes_);
    run_.disk.observe(Uint128{flushed_bytes_} + input_bytes, flushed_bytes_);
    run_.disk.merge_output_max_bytes = std::max(run_.disk.merge_output_max_bytes, output_bytes);
    *first = {output_bytes, (last - 1)->last_flush, decision.level};
    if (last == stack_.end()) {
      stack_.resize(decision.first + 1);
    } else {
      stack_.erase(first + 1, last);
    }
  }

  // Out of line, as count_levels() is, so that the compiler inlines execute().
  [[gnu::noinline]] void move(const StackDecision& decision) {
    StackTable& table = stack_[decision.first];
    run_.totals.level_traffic(table.level).bytes_moved += table.bytes;
    run_.totals.level_traffic(decision.level).bytes_in += table.bytes;
    run_.totals.output_traffic(decision.level).bytes_moved_in += table.bytes;
    moved_bytes_ += table.bytes;
    table.level = decision.level;
    ++run_.totals.moves;
  }

  // Counts a merge into a deeper level than 0. The newest file lies in the lowest-numbered level,
  // because older files lie deeper.
  [[gnu::noinline]] void count_levels(const StackDecision& decision, std::uint64_t output_bytes,
                                      std::uint64_t memtable_bytes) {
    const std::size_t files = decision.count - (memtable_bytes > 0 ? 1 : 0);
    const std::span<const StackTable> inputs(&stack_[decision.first], files);
    const std::uint32_t own_level = files == 0 ? decision.level : inputs.back().level;
    std::uint64_t next_bytes = 0;
    std::uint64_t target_bytes = 0;  // read from the level that the merge writes to
    for (const StackTable& file : inputs) {
      if (file.level == decision.level) target_bytes += file.bytes;
      if (file.level != own_level) next_bytes += file.bytes;
    }
    LevelTraffic* const levels = levels_up_to(std::max(own_level, decision.level));
    levels[decision.level].bytes_in += output_bytes;
    LevelTraffic& own = levels[own_level];
    own.bytes_written += output_bytes;
    own.bytes_read += output_bytes - memtable_bytes - next_bytes;
    own.bytes_read_next += next_bytes;
    run_.totals.output_traffic(decision.level) +=
        {1, output_bytes - memtable_bytes - target_bytes, target_bytes, output_bytes, 0, 0, 0};
  }

  LevelTraffic* levels_up_to(std::size_t level) {
    if (level >= run_.totals.by_level.size()) [[unlikely]]
      run_.totals.by_level.resize(level + 1);
    return run_.totals.by_level.data();
  }

  // Completes bytes by level and by reason. Flushes, and merges into level 0, concern no other
  // level. So nothing counts them one by one: level 0 gets the part of the totals that was not
  // counted yet.
  void store_traffic() {
    Totals& totals = run_.totals;
    if (flushes_ == 0) return;
    if (flush_plans_ > 0) {
      totals.by_reason[PlanReason::kMemtableFull] += {flush_plans_, 0, flush_bytes_written_, 0};
    }
    if (const std::uint64_t plans = totals.merges + totals.moves; plans > 0) {
      totals.by_reason[policy_.reason()] +=
          {plans, merge_bytes_read_, merge_bytes_written_, moved_bytes_};
    }
    LevelTraffic counted;
    for (const LevelTraffic& level : totals.by_level) counted += level;
    LevelTraffic& first = totals.level_traffic(0);
    first.bytes_in += flush_bytes_written_ + merge_bytes_written_ + moved_bytes_ - counted.bytes_in;
    first.bytes_read += merge_bytes_read_ - counted.bytes_read - counted.bytes_read_next;
    first.bytes_written += merge_bytes_written_ - counted.bytes_written;
    store_outputs();
  }

  void store_outputs() {
    Totals& totals = run_.totals;
    OutputTraffic counted;
    for (const OutputTraffic& level : totals.by_output_level) counted += level;
    OutputTraffic& first = totals.output_traffic(0);
    first.jobs += flush_plans_ + totals.merges - counted.jobs;
    first.bytes_read_own += merge_bytes_read_ - counted.bytes_read_own - counted.bytes_read_others;
    first.bytes_written += flush_bytes_written_ + merge_bytes_written_ - counted.bytes_written;
  }

  void store_totals() {
    run_.totals.flushes = flushes_;
    run_.totals.user_bytes = flushed_bytes_;
    run_.totals.bytes_flushed = flushed_bytes_;
    run_.totals.flush_bytes_written = flush_bytes_written_;
    run_.totals.merge_bytes_written = merge_bytes_written_;
    run_.totals.merge_bytes_read = merge_bytes_read_;
  }

  void observe() {
    ++next_sample_;
    store_totals();
    run_.sample(stack_.size());
    if (!snapshots_) return;
    StackSnapshot snapshot;
    for (const StackTable& table : stack_) {
      snapshot.bytes.push_back(table.bytes);
      snapshot.levels.push_back(table.level);
    }
    run_.stacks.push_back(std::move(snapshot));
  }

  const StackPolicy& policy_;
  const bool is_eager_;
  const bool cascades_;
  const std::vector<std::uint64_t> samples_;
  const bool snapshots_;
  std::vector<StackTable> stack_;
  std::vector<std::uint16_t> static_depths_;
  std::uint64_t flushes_ = 0;
  std::uint64_t flushed_bytes_ = 0;
  std::size_t next_sample_ = 0;
  std::uint64_t flush_bytes_written_ = 0;  // at most flushed_bytes_, so 64 bits suffice
  Uint128 merge_bytes_written_ = 0;
  Uint128 merge_bytes_read_ = 0;
  std::uint64_t flush_plans_ = 0;  // flushes that made an SSTable of their own
  Uint128 moved_bytes_ = 0;
  FlushRun run_;
};

}  // namespace

Result<FlushRun> simulate_stack(const StackPolicy& policy, const FlushWorkload& workload,
                                std::uint64_t seed, RunControl& control) {
  StackSimulator simulator(policy, workload.count());
  const auto take = [&](std::span<const std::uint64_t> sizes) { simulator.take(sizes); };
  const bool complete = BOOST_OUTCOME_TRYX(feed_flushes(workload, seed, control, take));
  return simulator.finish(complete);
}

}  // namespace lsmlab
