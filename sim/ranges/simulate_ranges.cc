#include "sim/ranges/simulate_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "models/accounting/run_description.h"
#include "sim/ranges/key_population.h"
#include "sim/ranges/range_store.h"

namespace lsmlab {
namespace {

// Operations of each kind.
struct Batch {
  std::uint64_t inserts = 0;
  std::uint64_t updates = 0;
  std::uint64_t deletes = 0;
  [[nodiscard]] std::uint64_t puts() const { return inserts + updates; }
  [[nodiscard]] std::uint64_t operations() const { return puts() + deletes; }
};

// Of a phase whose actions mix evenly.
class EvenMix {
 public:
  explicit EvenMix(const Phase& phase)
      : total_{phase.actions[Action::kInsert], phase.actions[Action::kUpdate],
               phase.actions[Action::kDelete]} {}
  [[nodiscard]] const Batch& total() const { return total_; }
  [[nodiscard]] std::uint64_t left() const { return total_.operations() - done_; }
  /// The next `count` operations.
  [[nodiscard]] Batch take(std::uint64_t count) {
    const Batch before = first(done_);
    done_ += count;
    const Batch after = first(done_);
    return {after.inserts - before.inserts, after.updates - before.updates,
            after.deletes - before.deletes};
  }

 private:
  [[nodiscard]] Batch first(std::uint64_t count) const {
    const auto share = [&](std::uint64_t of) {
      return static_cast<std::uint64_t>(Uint128{of} * count / total_.operations());
    };
    const std::uint64_t inserts = count - share(total_.updates + total_.deletes);
    const std::uint64_t deletes = share(total_.deletes);
    return {inserts, count - inserts - deletes, deletes};
  }
  Batch total_;
  std::uint64_t done_ = 0;
};

// The first and the last of so many keys that lie at random over the whole key space.
KeyRange keys_at_random(std::uint64_t entries) {
  const std::uint64_t half = ~std::uint64_t{0} / std::max<std::uint64_t>(1, entries) / 2;
  return {half, ~std::uint64_t{0} - half};
}

class RangeRun {
 public:
  RangeRun(const RunSetup& setup, const OperationWorkload& workload, const RangeSizes& sizes,
           KeyPopulation population, RunControl& control)
      : workload_(workload),
        sizes_(sizes),
        buffer_(setup.policy.store.buffer.value()),
        control_(control),
        population_(std::move(population)),
        store_(setup.policy, sizes, setup.options.range_cells, setup.options.seed, setup.log),
        recorder_(store_, RunRecorder::SpaceCounts::kAtDoublings) {
    store_.stop_on(control.stop);
    if (workload.phases.front().insert_keys.kind == InsertKeyKind::kSequential) {
      store_.use_even_keys();
    }
  }

  /// Returns whether all operations were run.
  [[nodiscard]] Result<bool> run_phases() {
    for (std::size_t i = 0; i < workload_.phases.size(); ++i) {
      phase_ = &workload_.phases[i];
      population_.begin_phase(i);
      EvenMix mix(*phase_);
      while (mix.left() > 0) {
        if (control_.should_stop()) return false;
        BOOST_OUTCOME_TRYV(fill(mix));
      }
    }
    return !control_.should_stop();
  }

  [[nodiscard]] Result<void> flush() {
    if (memtable_.writes == 0) return success();
    memtable_.contents.classes = population_.take_memtable();
    memtable_.contents.keys = keys_of_memtable();
    memtable_.sequences = {next_sequence_, next_sequence_ + memtable_.writes - 1};
    next_sequence_ += memtable_.writes;
    store_.flush(std::exchange(memtable_, {}));
    charged_ = 0;
    return recorder_.observe();
  }

  [[nodiscard]] Result<RunResult> result() { return recorder_.result(); }

 private:
  // Runs operations until the memtable is full or the phase ends.
  [[nodiscard]] Result<void> fill(EvenMix& mix) {
    const Batch& all = mix.total();
    const Uint128 bytes = Uint128{sizes_.put_bytes(all.puts())} + sizes_.delete_bytes(all.deletes);
    const Uint128 wanted = (Uint128{buffer_ - charged_} * all.operations() + bytes - 1) / bytes;
    const auto count = static_cast<std::uint64_t>(std::clamp<Uint128>(wanted, 1, mix.left()));
    const Batch batch = mix.take(count);
    const std::uint64_t operations_before = recorder_.operations();
    recorder_.count(OperationKind::kPut, batch.puts());
    recorder_.count(OperationKind::kDelete, batch.deletes);
    population_.insert(batch.inserts);
    population_.update(batch.updates);
    population_.remove(batch.deletes);
    store_.count_writes(batch.puts(), batch.deletes);
    if (batch.deletes > 0 && !memtable_.oldest_tombstone) {
      memtable_.oldest_tombstone = Instant(operations_before + 1);
    }
    memtable_.writes += batch.operations();
    charged_ += sizes_.put_bytes(batch.puts()) + sizes_.delete_bytes(batch.deletes);
    store_.advance_now(Instant(recorder_.operations()));
    control_.units_done.store(recorder_.operations(), std::memory_order_relaxed);
    return charged_ >= buffer_ ? flush() : success();
  }

  // In the middle of the keys where they are inserted at random; in their order otherwise.
  [[nodiscard]] KeyRange keys_of_memtable() {
    if (phase_->insert_keys.kind == InsertKeyKind::kSequential) {
      const KeyRange keys{begun_at_, begun_at_ + memtable_.writes - 1};
      begun_at_ += memtable_.writes;
      constexpr unsigned kKeyShift = kPhaseBits + 1;
      return {keys.smallest << kKeyShift, keys.largest << kKeyShift};
    }
    return keys_at_random(rounded(total_entries(memtable_.contents.classes)));
  }

  const OperationWorkload& workload_;
  const RangeSizes sizes_;
  const std::uint64_t buffer_;
  RunControl& control_;
  const Phase* phase_ = nullptr;
  KeyPopulation population_;
  RangeStore store_;
  RunRecorder recorder_;
  RangeMemtable memtable_;
  std::uint64_t charged_ = 0;
  std::uint64_t next_sequence_ = 1;
  std::uint64_t begun_at_ = 0;
};

Error unknown_here(const std::string& what) {
  return input_error(
      fmt::format("resolution 'range' does not know {}; use resolution 'key'", what));
}

MeanBytes mean_of(const SizeDistribution& sizes) {
  switch (sizes.kind) {
    case SizeKind::kUniform:
      return {(*sizes.min + *sizes.max) << (MeanBytes::kBits - 1)};
    case SizeKind::kDiscrete: {
      Uint128 sum = 0;
      Uint128 weights = 0;
      for (const WeightedSize& one : sizes.sizes) {
        sum += Uint128{one.size} * one.weight;
        weights += one.weight;
      }
      return {static_cast<std::uint64_t>((sum << MeanBytes::kBits) / weights)};
    }
    case SizeKind::kConstant:
    case SizeKind::kLognormal:  // `size` is its mean
      break;
  }
  return MeanBytes::whole(*sizes.size);
}

Result<RangeSizes> sizes_of(const OperationWorkload& workload) {
  const Phase& first = workload.phases.front();
  for (const Phase& phase : workload.phases) {
    if (phase.value_bytes.text() != first.value_bytes.text()) {
      return unknown_here("phases whose values differ in size");
    }
  }
  return RangeSizes(mean_of(workload.key_bytes), mean_of(first.value_bytes));
}

Result<void> check_phases(const OperationWorkload& workload) {
  for (const Phase& phase : workload.phases) {
    for (const Action action :
         {Action::kGetPresent, Action::kGetAbsent, Action::kScan, Action::kReadModifyWrite}) {
      if (phase.actions[action] > 0) return unknown_here("lookups and scans");
    }
    const bool has_others = phase.actions[Action::kUpdate] + phase.actions[Action::kDelete] > 0;
    const InsertKeyKind kind = phase.insert_keys.kind;
    if (kind == InsertKeyKind::kNearSorted) return unknown_here("near-sorted inserts");
    if (kind == InsertKeyKind::kSequential && (has_others || workload.phases.size() > 1)) {
      return unknown_here("sequential inserts together with other operations");
    }
  }
  return success();
}

// The sum of a store's entries of one byte must fit a FixedCount.
constexpr std::uint64_t kFlushedBytesAtRangeMax = std::uint64_t{1} << (63 - kCountBits);

RunResult described(RunResult result, const RunSetup& setup,
                    std::chrono::steady_clock::time_point begin, bool complete) {
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  describe_run(setup, result);
  result.resolution = "range";
  result.cells = setup.options.range_cells;
  result.mode = "stepped";
  result.complete = complete;
  return result;
}

}  // namespace

Result<void> check_ranges(const RunSetup& setup, const OperationWorkload& workload) {
  if (setup.policy.store.layout != SstableLayout::kLsmlab) {
    return unknown_here("table_format=rocksdb or leveldb");
  }
  BOOST_OUTCOME_TRYV(check_phases(workload));
  BOOST_OUTCOME_TRYV(sizes_of(workload));
  BOOST_OUTCOME_TRYV(KeyPopulation::make(workload));
  return success();
}

Result<RunResult> simulate_ranges(const RunSetup& setup, const OperationWorkload& workload,
                                  RunControl& control) {
  BOOST_OUTCOME_TRYV(check_ranges(setup, workload));
  const RangeSizes sizes = BOOST_OUTCOME_TRYX(sizes_of(workload));
  auto population = BOOST_OUTCOME_TRYX(KeyPopulation::make(workload));
  const auto begin = std::chrono::steady_clock::now();
  RangeRun run(setup, workload, sizes, std::move(population), control);
  const auto complete = run.run_phases();
  if (!complete) return complete.error();
  if (complete.value() && setup.options.final_flush) {
    BOOST_OUTCOME_TRYV(run.flush());
  }
  return described(BOOST_OUTCOME_TRYX(run.result()), setup, begin, complete.value());
}

Result<RunResult> simulate_ranges(const RunSetup& setup, const FlushWorkload& workload,
                                  RunControl& control) {
  if (!setup.policy.store_options_given.empty()) {
    return store_option_error(setup.policy);
  }
  const auto begin = std::chrono::steady_clock::now();
  RangeStore store(setup.policy, RangeSizes::of_bytes(), setup.options.range_cells,
                   setup.options.seed, setup.log);
  RunRecorder recorder(store, RunRecorder::SpaceCounts::kAtDoublings);
  store.stop_on(control.stop);
  const std::unique_ptr<FlushSizeSource> source = workload.open(setup.options.seed);
  Uint128 flushed_bytes = 0;
  std::uint64_t done = 0;
  for (; done < workload.count() && !control.should_stop(); ++done) {
    std::uint64_t bytes = 0;
    source->fill(std::span(&bytes, 1));
    RangeMemtable memtable;
    memtable.contents.keys = keys_at_random(bytes);
    memtable.contents.classes.push_back({fixed_count(bytes), fixed_count(bytes), 0});
    memtable.writes = bytes;
    const auto written = static_cast<std::uint64_t>(flushed_bytes);
    memtable.sequences = {written + 1, written + bytes};
    flushed_bytes += bytes;
    if (flushed_bytes > kFlushedBytesAtRangeMax) {
      return input_error(
          fmt::format("the first {} flushes add up to more than {} bytes; resolution 'range' "
                      "cannot count more",
                      done + 1, kFlushedBytesAtRangeMax));
    }
    store.count_writes(bytes, 0);
    store.advance_now(Instant(written + bytes));
    store.flush(std::move(memtable));
    BOOST_OUTCOME_TRYV(recorder.observe());
    control.units_done.store(done + 1, std::memory_order_relaxed);
  }
  const bool complete = done == workload.count() && !control.should_stop();
  RunResult result = described(BOOST_OUTCOME_TRYX(recorder.result()), setup, begin, complete);
  result.workload = "flushes";
  result.workload_options = workload.options();
  return result;
}

}  // namespace lsmlab
