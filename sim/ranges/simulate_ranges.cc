#include "sim/ranges/simulate_ranges.h"
#include "sim/ranges/size_moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "models/accounting/run_description.h"
#include "models/base/random.h"
#include "sim/ranges/action_batches.h"
#include "sim/ranges/key_population.h"
#include "sim/ranges/memtable_fill.h"
#include "sim/ranges/memtable_keys.h"
#include "sim/ranges/range_store.h"
#include "sim/ranges/sampled_reads.h"

namespace lsmlab {
namespace {

bool has_reads_in(const Phase& phase) { return reads_of(phase).sum() > 0; }

ReadCounts half_of(const ReadCounts& counts) {
  return {counts.present / 2, counts.absent / 2, counts.scans / 2, counts.modified / 2};
}

ReadCounts less(const ReadCounts& counts, const ReadCounts& taken) {
  return {counts.present - taken.present, counts.absent - taken.absent, counts.scans - taken.scans,
          counts.modified - taken.modified};
}

class RangeRun {
 public:
  RangeRun(const RunSetup& setup, const OperationWorkload& workload, const RangeSizes& sizes,
           KeyPopulation population, RunControl& control)
      : workload_(workload),
        sizes_(sizes),
        buffer_(setup.policy.store.buffer.value()),
        replaces_entries_(setup.policy.store.replaces_entries()),
        control_(control),
        population_(std::move(population)),
        seed_(setup.options.seed),
        keys_(workload, setup.options.seed, setup.options.range_cells),
        store_(setup.policy, sizes, setup.options.range_cells, setup.options.seed, setup.log),
        recorder_(store_.files(), RunRecorder::SpaceCounts::kAtDoublings) {
    store_.stop_on(control.stop);
    recorder_.set_parts(setup.parts);
    if (keys_.are_even()) store_.files().use_even_keys();
    if (keys_.placed() != nullptr) {
      store_.files().use_placed_keys(*keys_.placed());
    } else if (population_.do_classes_age()) {
      store_.files().use_aging_classes();
    }
    const bool has_reads = std::any_of(workload.phases.begin(), workload.phases.end(),
                                       [](const Phase& phase) { return has_reads_in(phase); });
    if (has_reads) store_.files().open_reader();
    if (setup.start == nullptr) return;
    population_.begin_phase(0);
    population_.insert(setup.start->records);
    store_.files().place(*setup.start, population_.take_memtable());
    next_sequence_ = store_.files().next_sequence();
    first_phase_ = 1;
  }

  /// Returns whether all operations were run.
  [[nodiscard]] Result<bool> run_phases() {
    for (std::size_t i = first_phase_; i < workload_.phases.size(); ++i) {
      phase_ = &workload_.phases[i];
      population_.begin_phase(i);
      EvenMix mix(*phase_, derive_seed(seed_, i));
      begin_reads(mix);
      fill_.begin(memtable_.traffic.writes, charged_);
      while (mix.left() > 0) {
        if (control_.should_stop()) return false;
        BOOST_OUTCOME_TRYV(fill(mix));
      }
      if (has_reads_in(*phase_)) reads_.end_phase(store_);
    }
    return !control_.should_stop();
  }

  [[nodiscard]] Result<void> flush() {
    if (memtable_.traffic.writes == 0) return success();
    keys_.take(memtable_.traffic.writes, population_, memtable_.contents);
    memtable_.sequences = {next_sequence_, next_sequence_ + memtable_.traffic.writes - 1};
    next_sequence_ += memtable_.traffic.writes;
    store_.flush(memtable_);
    memtable_ = {};
    const std::optional<ClassMerges> merges = population_.age();
    // Where keys are placed, files know no classes.
    if (merges && keys_.placed() == nullptr) {
      store_.files().merge_classes(*merges);
    }
    charged_ = since_flush_ = 0;
    fill_.begin(0, 0);
    reads_.note_change();
    return recorder_.observe();
  }

  [[nodiscard]] Result<void> end_operations() {
    BOOST_OUTCOME_TRYV(end_parts());
    recorder_.end_operations();
    return success();
  }
  [[nodiscard]] Result<RunResult> result() { return recorder_.result(); }

 private:
  // Between two flushes reads see the memtable first after such a part of its writes, and then
  // whenever it has grown by half.
  static constexpr std::uint64_t kFirstPartOfMemtable = 64;
  // So many actions end a memtable in one step.
  static constexpr std::uint64_t kLastActions = 16;
  // So many parts of a phase that only reads.
  static constexpr std::uint64_t kPartsOfReads = 4096;

  // The actions after which a memtable with so many bytes is full; all if they write nothing.
  [[nodiscard]] std::uint64_t actions_to_fill(const EvenMix& mix, std::uint64_t charged) const {
    const ActionBatch& all = mix.total();
    const Uint128 bytes = Uint128{sizes_.put_bytes(all.puts())} + sizes_.delete_bytes(all.deletes);
    if (bytes == 0) return all.actions();
    Uint128 wanted = (Uint128{buffer_ - charged} * all.actions() + bytes - 1) / bytes;
    // Where deletes are drawn, a memtable would grow beyond its size by half of their deviation.
    if (mix.draws_deletes() && wanted > kLastActions) wanted -= wanted / 8;
    return static_cast<std::uint64_t>(std::clamp<Uint128>(wanted, 1, all.actions()));
  }

  void begin_reads(const EvenMix& mix) {
    first_part_ = mix.total().actions();
    if (!has_reads_in(*phase_)) return;
    const std::uint64_t in_memtable = actions_to_fill(mix, 0);
    const bool has_writes = mix.total().writes() > 0;
    const std::uint64_t parts = has_writes ? kFirstPartOfMemtable : kPartsOfReads;
    first_part_ = std::max<std::uint64_t>(1, in_memtable / parts);
    store_.reader().begin_phase();
    const ReadCounts all = mix.total().reads;
    reads_.begin_phase(
        *phase_, keys_.are_in_order(), seed_,
        static_cast<std::uint64_t>(Uint128{all.sum()} * in_memtable / mix.total().actions()));
  }

  [[nodiscard]] Result<void> end_parts() {
    while (recorder_.is_at_part_end()) {
      const PartEnd asked = recorder_.asked_at_part_end();
      const std::optional<ManualScope> scope = manual_scope_of(asked);
      if (asked == PartEnd::kFlush || (scope && flushes_first(*scope))) {
        BOOST_OUTCOME_TRYV(flush());
      }
      if (scope) {
        store_.compact(*scope);
        reads_.note_change();
      }
      // kSettle: no plan is ever due between operations
      recorder_.end_part();
    }
    return success();
  }

  [[nodiscard]] std::uint64_t charge_of(const ActionBatch& batch) const {
    return sizes_.put_bytes(batch.puts()) + sizes_.delete_bytes(batch.deletes);
  }

  // The actions after which a memtable that replaces entries may be full.
  [[nodiscard]] std::uint64_t actions_to_look(const EvenMix& mix) const {
    const ActionBatch& all = mix.total();
    if (all.writes() == 0) return all.actions();
    const std::uint64_t writes = fill_.writes_to(buffer_) - memtable_.traffic.writes;
    const Uint128 actions = Uint128{writes} * all.actions() / all.writes();
    return static_cast<std::uint64_t>(std::clamp<Uint128>(actions, 1, all.actions()));
  }

  // The actions that fill the memtable, at most so many.
  [[nodiscard]] ActionBatch take(EvenMix& mix, std::uint64_t actions_max) const {
    if (replaces_entries_) {
      return mix.take(std::min({actions_to_look(mix), mix.left(), actions_max}));
    }
    ActionBatch batch;
    do {
      batch.add(mix.take(std::min({actions_to_fill(mix, charged_ + charge_of(batch)), mix.left(),
                                   actions_max - batch.actions()})));
    } while (mix.draws_deletes() && mix.left() > 0 && batch.actions() < actions_max &&
             charged_ + charge_of(batch) < buffer_);
    return batch;
  }

  // Runs operations until the memtable is full or the phase ends; with reads, a part of them.
  [[nodiscard]] Result<void> fill(EvenMix& mix) {
    BOOST_OUTCOME_TRYV(end_parts());
    const std::uint64_t grown_by_half = mix.total().writes() > 0 ? since_flush_ / 2 : 0;
    // An action has one operation, or two.
    const std::uint64_t in_part = std::max<std::uint64_t>(1, recorder_.operations_to_part_end());
    const ActionBatch batch = take(mix, std::min(std::max(first_part_, grown_by_half), in_part));
    since_flush_ += batch.actions();
    // Half of the reads see the memtable without the batch, half with it.
    const ReadCounts first = half_of(batch.reads);
    read(first);
    write(batch);
    read(less(batch.reads, first));
    control_.units_done.store(recorder_.operations(), std::memory_order_relaxed);
    return charged_ >= buffer_ ? flush() : success();
  }

  void read(const ReadCounts& counts) {
    if (counts.sum() == 0) return;
    recorder_.count(OperationKind::kGet, counts.lookups());
    recorder_.count(OperationKind::kScan, counts.scans);
    memtable_.traffic.lookups += counts.sum();
    memtable_.traffic.scans += counts.scans;
    store_.advance_now(Instant(recorder_.operations()));
    reads_.read(counts, population_, keys_.open(memtable_.traffic.writes, population_), store_);
  }

  void write(const ActionBatch& batch) {
    if (batch.writes() == 0) return;
    const std::uint64_t operations_before = recorder_.operations();
    recorder_.count(OperationKind::kPut, batch.puts());
    recorder_.count(OperationKind::kDelete, batch.deletes);
    population_.write(batch.inserts, batch.updates, batch.deletes);
    reads_.note_change();
    store_.files().count_writes(batch.puts(), batch.deletes);
    if (!memtable_.first_write) memtable_.first_write = Instant(operations_before + 1);
    if (batch.deletes > 0 && !memtable_.oldest_tombstone) {
      memtable_.oldest_tombstone = Instant(operations_before + 1);
    }
    memtable_.traffic.writes += batch.writes();
    memtable_.traffic.deletes += batch.deletes;
    charged_ += charge_of(batch);
    if (replaces_entries_) {
      charged_ = bytes_in_place(sizes_, population_);
      fill_.look(memtable_.traffic.writes, charged_);
    }
    store_.advance_now(Instant(recorder_.operations()));
  }

  const OperationWorkload& workload_;
  const RangeSizes sizes_;
  const std::uint64_t buffer_;
  const bool replaces_entries_;
  RunControl& control_;
  const Phase* phase_ = nullptr;
  std::size_t first_phase_ = 0;  // to run
  KeyPopulation population_;
  const std::uint64_t seed_;
  MemtableKeys keys_;
  RangeStore store_;
  RunRecorder recorder_;
  RangeMemtable memtable_;
  std::uint64_t charged_ = 0;
  InPlaceFill fill_{sizes_};  // if the memtable replaces entries
  std::uint64_t next_sequence_ = 1;
  SampledReads reads_;
  std::uint64_t first_part_ = 0;   // actions of a batch, after a flush
  std::uint64_t since_flush_ = 0;  // actions
};

Error unknown_here(const std::string& what) {
  return input_error(
      fmt::format("resolution 'range' does not know {}; use resolution 'key'", what));
}

Result<void> check_phases(const OperationWorkload& workload) {
  bool is_near_sorted = false;
  bool is_sequential = false;
  bool is_at_random = false;
  bool is_uniform = true;
  for (const Phase& phase : workload.phases) {
    if (phase.actions[Action::kInsert] == 0) continue;
    const InsertKeyKind kind = phase.insert_keys.kind;
    is_near_sorted = is_near_sorted || kind == InsertKeyKind::kNearSorted;
    is_sequential = is_sequential || kind == InsertKeyKind::kSequential;
    is_at_random =
        is_at_random || (kind != InsertKeyKind::kNearSorted && kind != InsertKeyKind::kSequential);
    is_uniform = is_uniform && kind != InsertKeyKind::kNormal && kind != InsertKeyKind::kPrefixZipf;
  }
  if (is_near_sorted && has_more_writes(workload)) {
    return unknown_here("near-sorted inserts together with other writes");
  }
  if (is_sequential && is_at_random) {
    return unknown_here("phases of which some insert in order and others at random");
  }
  for (const Phase& phase : workload.phases) {
    if (phase.scan_selectivity && !is_uniform) {
      return unknown_here("scan_selectivity where inserted keys are not uniform");
    }
  }
  return success();
}

Result<void> check_sizes(const OperationWorkload& workload) {
  const Phase& first = workload.phases.front();
  for (const Phase& phase : workload.phases) {
    if (phase.value_bytes.text() != first.value_bytes.text()) {
      return unknown_here("phases whose values differ in size");
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

// From ids to the dense numbers that they stand for. Positions in order are those numbers; others
// are spread over the whole domain.
double gap_scale_of(const OperationWorkload& workload) {
  const bool is_in_order =
      std::any_of(workload.phases.begin(), workload.phases.end(), [](const Phase& phase) {
        return phase.actions[Action::kInsert] > 0 &&
               phase.insert_keys.kind == InsertKeyKind::kSequential;
      });
  if (is_in_order) return 1.0 / static_cast<double>(std::uint64_t{1} << (kPhaseBits + 1));
  return static_cast<double>(*workload.key_numbers) * 0x1p-64;
}

}  // namespace

RangeSizes range_sizes_of(const StoreOptions& store, const OperationWorkload& workload) {
  const Phase& first = workload.phases.front();
  RangeSizes sizes(mean_of(workload.key_bytes), mean_of(first.value_bytes));
  sizes.scatter({variance_of(workload.key_bytes), variance_of(first.value_bytes)});
  if (store.layout != SstableLayout::kLsmlab || store.write_batch > 1) {
    sizes.charge(memtable_charges(store, workload.key_bytes, first.value_bytes));
  }
  if (store.layout != SstableLayout::kLsmlab) {
    if (follow_each_other(workload)) sizes.use_even_keys();
    if (workload.key_numbers) sizes.scale_gaps(gap_scale_of(workload));
  }
  return sizes;
}

Result<void> check_range_policy(const ConfiguredPolicy& policy) {
  if (policy.store.keeps_ranges()) {
    return input_error(
        "pre_remove=blocks needs single keys: choose --resolution key, or pre_remove=files");
  }
  if (policy.policy->deletion_mark()) {
    return input_error(
        "mark_window and mark_ratio count the deletes among single keys: choose --resolution key, "
        "or leave them out");
  }
  return success();
}

Result<void> check_ranges(const ConfiguredPolicy& policy, const OperationWorkload& workload,
                          bool has_clock) {
  BOOST_OUTCOME_TRYV(check_range_policy(policy));
  BOOST_OUTCOME_TRYV(check_phases(workload));
  BOOST_OUTCOME_TRYV(check_sizes(workload));
  const bool has_reads = std::any_of(workload.phases.begin(), workload.phases.end(), has_reads_in);
  if (policy.foreign == ForeignCompaction::kRocksdbFifo && has_reads) {
    return unknown_here("which reads meet dropped data");
  }
  if (policy.policy->keeps_copies() && has_reads) {
    return unknown_here("which blocks of compaction_buffer=on are cached when the workload reads");
  }
  const std::uint64_t id_bytes = policy.store.keys.id_bytes();
  const bool stores_ids = policy.store.layout != SstableLayout::kLsmlab;
  if (stores_ids && mean_of(workload.key_bytes).of(1) < id_bytes) {
    return input_error(
        fmt::format("keys of {} bytes: with table_format=rocksdb or leveldb a key needs at least "
                    "{} for its id",
                    workload.key_bytes.text(), id_bytes));
  }
  const auto population = BOOST_OUTCOME_TRYX(KeyPopulation::make(workload));
  // Running plans know classes by their numbers, which change when classes age.
  if (has_clock && population.do_classes_age()) return unknown_here("latest access with a clock");
  return success();
}

Result<void> check_setup(const RunSetup& setup, const OperationWorkload& workload, bool has_clock) {
  BOOST_OUTCOME_TRYV(check_ranges(setup.policy, workload, has_clock));
  if (setup.start == nullptr) return success();
  const bool are_uniform =
      std::all_of(workload.phases.begin(), workload.phases.end(), [](const Phase& phase) {
        return phase.actions[Action::kInsert] == 0 ||
               phase.insert_keys.kind == InsertKeyKind::kUniform;
      });
  const auto population = BOOST_OUTCOME_TRYX(KeyPopulation::make(workload));
  if (!are_uniform || population.do_classes_age()) {
    return unknown_here("a starting tree unless keys are inserted uniformly");
  }
  return success();
}

Result<RunResult> simulate_ranges(const RunSetup& setup, const OperationWorkload& workload,
                                  RunControl& control) {
  BOOST_OUTCOME_TRYV(check_setup(setup, workload, false));
  const RangeSizes sizes = range_sizes_of(setup.policy.store, workload);
  auto population = BOOST_OUTCOME_TRYX(KeyPopulation::make(workload));
  const auto begin = std::chrono::steady_clock::now();
  RangeRun run(setup, workload, sizes, std::move(population), control);
  const auto complete = run.run_phases();
  if (!complete) return complete.error();
  BOOST_OUTCOME_TRYV(run.end_operations());
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
  BOOST_OUTCOME_TRYV(check_range_policy(setup.policy));
  const auto begin = std::chrono::steady_clock::now();
  ConfiguredPolicy unlogged = setup.policy;  // entries of one byte are no writes
  unlogged.store.writes_log = false;
  RangeStore store(unlogged, RangeSizes::of_bytes(), setup.options.range_cells, setup.options.seed,
                   setup.log);
  RunRecorder recorder(store.files(), RunRecorder::SpaceCounts::kAtDoublings);
  store.stop_on(control.stop);
  const std::unique_ptr<FlushSizeSource> source = workload.open(setup.options.seed);
  Uint128 flushed_bytes = 0;
  std::uint64_t done = 0;
  for (; done < workload.count() && !control.should_stop(); ++done) {
    std::uint64_t bytes = 0;
    source->fill(std::span(&bytes, 1));
    RangeMemtable memtable;
    memtable.contents.keys = keys_at_random(bytes, derive_seed(setup.options.seed, done));
    memtable.contents.classes.push_back({fixed_count(bytes), fixed_count(bytes), 0});
    memtable.traffic.writes = bytes;
    const auto written = static_cast<std::uint64_t>(flushed_bytes);
    memtable.sequences = {written + 1, written + bytes};
    flushed_bytes += bytes;
    if (flushed_bytes > kFlushedBytesAtRangeMax) {
      return input_error(
          fmt::format("the first {} flushes add up to more than {} bytes; resolution 'range' "
                      "cannot count more",
                      done + 1, kFlushedBytesAtRangeMax));
    }
    store.files().count_writes(bytes, 0);
    store.advance_now(Instant(written + bytes));
    store.flush(memtable);
    BOOST_OUTCOME_TRYV(recorder.observe());
    control.units_done.store(done + 1, std::memory_order_relaxed);
  }
  const bool complete = done == workload.count() && !control.should_stop();
  RunResult result = described(BOOST_OUTCOME_TRYX(recorder.result()), setup, begin, complete);
  if (setup.policy.store.writes_log) result.totals.wal_bytes_written = result.totals.user_bytes;
  result.workload = "flushes";
  result.workload_options = workload.options();
  return result;
}

}  // namespace lsmlab
