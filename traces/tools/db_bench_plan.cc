#include "traces/tools/db_bench_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/scaled_count.h"
#include "models/base/units.h"
#include "traces/tools/db_bench_line_plan.h"

namespace lsmlab::tools {
namespace {

constexpr std::uint64_t kOperationsMax = std::uint64_t{1} << 48;
// The shuffled numbers of filluniquerandom are kept in memory, four bytes each.
constexpr std::uint64_t kShuffledMax = std::uint64_t{1} << 32;
constexpr std::uint64_t kLargeValueBytes = 100'000;  // of fill100K
constexpr std::uint64_t kRunsMax = 10'000;
constexpr std::uint64_t kLargeBatch = 1000;  // of fillbatch
constexpr std::string_view kFillSeekSeq = "fillseekseq";

class Planner {
 public:
  Planner(const MachineFigures& machine, const LineScale& scale, std::uint64_t column_families)
      : machine_(machine), scale_(scale) {
    plan_.column_families = column_families;
  }

  [[nodiscard]] Result<void> add(const DbBenchLine& line, std::size_t index) {
    const LinePlan checked_line = BOOST_OUTCOME_TRYX(check_line(line, index, scale_));
    BOOST_OUTCOME_TRYV(take_store(checked_line, index));
    if (index > 0) open_again(checked_line);
    next_thread_ = 1;
    for (const NamedBenchmark& named : checked_line.benchmarks) {
      BOOST_OUTCOME_TRYV(add(checked_line, named));
    }
    list_flags(line, checked_line.benchmarks);
    return success();
  }

  [[nodiscard]] Result<DbBenchPlan> finish() {
    const bool has_operations =
        std::any_of(plan_.steps.begin(), plan_.steps.end(),
                    [](const DbBenchStep& s) { return s.kind != StepKind::kAsk; });
    if (!has_operations) {
      return input_error("--benchmarks: nothing is left to do; no benchmark reads or writes");
    }
    Uint128 operations = 0;
    for (const DbBenchStep& step : plan_.steps) operations += step.operation_count();
    if (operations > kOperationsMax) {
      return input_error("the benchmarks have more than 2^48 operations together");
    }
    if (machine_.writer_puts && !has_used_writer_puts_) {
      return input_error(
          "writer_puts is given, and no benchmark has a writer that ends with its readers");
    }
    plan_.keys.leaves_gaps = std::any_of(plan_.steps.begin(), plan_.steps.end(),
                                         [](const DbBenchStep& s) { return s.asks_absent_keys; });
    plan_.write_batch = write_batch();
    for (const std::string_view note : notes_) plan_.notes.emplace_back(note);
    return std::move(plan_);
  }

 private:
  // db_bench deletes the store when a run begins, unless it must keep it.
  [[nodiscard]] Result<void> take_store(const LinePlan& line, std::size_t index) {
    if (index == 0) {
      plan_.keys = line.keys;
      if (!line.keeps_store) return success();
      return input_error(
          "--use_existing_db, --readonly: a run here begins with an empty store; give the line "
          "that "
          "filled the store first, then this one after a ';'");
    }
    if (!(plan_.keys == line.keys)) {
      return input_error("--key_size: runs on one store need one size of keys");
    }
    if (line.keeps_store || writers_.empty()) return success();
    return input_error(fmt::format(
        "run {} of db_bench deletes the store that '{}' filled; give it --use_existing_db=1, or "
        "leave out the runs before it",
        index + 1, writers_.back()));
  }

  // RocksDB replays the log into a memtable and flushes that, however small it is
  // (DBImpl::RecoverLogFiles). Without a log, it flushes when it closes (DBImpl::CloseHelper).
  void open_again(const LinePlan& line) {
    if (line.is_read_only || line.recovers_memtable) return;
    DbBenchStep step;
    step.benchmark = "reopen";
    step.kind = StepKind::kAsk;
    step.asks = PartEnd::kFlush;
    step.settings = line.settings;
    plan_.steps.push_back(std::move(step));
    add_note("a run that keeps the store flushes the memtable of the one before when it opens it");
  }

  [[nodiscard]] Result<void> add(const LinePlan& line, const NamedBenchmark& named) {
    const Benchmark& benchmark = named.benchmark;
    if (benchmark.use == BenchmarkUse::kIdle) {
      add_note(fmt::format("{} has no operations: {}", benchmark.name, benchmark.why));
      if (benchmark.has_threads) next_thread_ += line.threads * named.runs;
      return success();
    }
    if (benchmark.is_fresh && line.keeps_store) {
      add_note(fmt::format("db_bench skips {} where it keeps the store (--use_existing_db)",
                           benchmark.name));
      return success();
    }
    if (benchmark.is_fresh && !writers_.empty()) {
      return input_error(fmt::format(
          "--benchmarks: {} deletes the store that '{}' filled; a run here has one store, so leave "
          "out what comes before {}",
          benchmark.name, writers_.back(), benchmark.name));
    }
    DbBenchStep step = BOOST_OUTCOME_TRYX(step_of(line, benchmark));
    if (writes(step)) {
      if (line.is_read_only) {
        return input_error(fmt::format("--readonly: {} writes to the store", benchmark.name));
      }
      writers_.emplace_back(benchmark.name);
    }
    if (plan_.steps.size() + named.runs > kRunsMax) {
      return input_error(fmt::format("--benchmarks: more than {} runs of benchmarks", kRunsMax));
    }
    for (std::uint64_t run = 0; run < named.runs; ++run) {
      step.first_thread = next_thread_;
      if (benchmark.has_threads) next_thread_ += step.threads + (step.has_writer ? 1 : 0);
      if (step.operation_count() > 0 || step.kind == StepKind::kAsk) plan_.steps.push_back(step);
      if (benchmark.name == kFillSeekSeq && step.units > 0) plan_.steps.push_back(seeks_of(step));
    }
    return success();
  }

  // After the puts, fillseekseq seeks each key, moves on to seek_nexts others, and seeks the last
  // one again.
  static DbBenchStep seeks_of(DbBenchStep step) {
    const std::uint64_t keys_each = step.settings->seek_nexts + 1;
    step.kind = StepKind::kSeekInOrder;
    step.units = step.units / keys_each + (step.units % keys_each == 0 ? 0 : 1);
    step.batch = 1;
    return step;
  }

  static bool writes(const DbBenchStep& step) {
    return step.only_puts() || step.has_writer || step.has_free_puts() || step.only_deletes();
  }

  // Only these write more than one operation at a time (DoWrite, DoDelete).
  static std::uint64_t batch_of(const DbBenchStep& step) {
    return step.only_puts() || step.only_deletes() ? step.batch : 1;
  }

  [[nodiscard]] std::optional<std::uint64_t> write_batch() const {
    std::optional<std::uint64_t> batch;
    for (const DbBenchStep& step : plan_.steps) {
      if (!writes(step)) continue;
      if (batch && *batch != batch_of(step)) return std::nullopt;
      batch = batch_of(step);
    }
    return batch.value_or(1);
  }

  [[nodiscard]] Result<DbBenchStep> step_of(const LinePlan& line, const Benchmark& benchmark) {
    DbBenchStep step;
    step.benchmark = std::string(benchmark.name);
    step.kind = benchmark.kind;
    step.asks = benchmark.asks;
    step.settings = line.settings;
    step.values = line.values;
    step.threads = benchmark.has_one_thread ? 1 : line.threads;
    step.numbers = benchmark.is_small ? line.numbers / 1000 : line.numbers;
    step.asks_absent_keys = benchmark.name == "readmissing";
    if (benchmark.name == "fill100K") step.values.fixed = kLargeValueBytes;
    const bool has_batches =
        step.only_puts() || step.only_deletes() || step.kind == StepKind::kGetBatch;
    if (has_batches) step.batch = benchmark.name == "fillbatch" ? kLargeBatch : line.batch;
    const std::uint64_t units = step.numbers == 0 || step.kind == StepKind::kAsk
                                    ? 0
                                    : BOOST_OUTCOME_TRYX(units_of(line, benchmark, step));
    // A scan is one operation, of so many entries.
    step.units = step.kind == StepKind::kScanAll ? units : units / step.batch * step.batch;
    if (step.kind == StepKind::kPutEachOnce) {
      BOOST_OUTCOME_TRYV(check_shuffle(step));
    }
    if (benchmark.has_writer) {
      BOOST_OUTCOME_TRYV(take_writer(line, step));
    }
    if (step.kind == StepKind::kMixGraph &&
        !MixGraphDraws::can_draw(line.settings->mix, step.numbers)) {
      return input_error(
          "--keyrange_num, --keyrange_dist_a to _d: no range of keys has a key and a probability");
    }
    add_notes(step);
    return step;
  }

  [[nodiscard]] Result<std::uint64_t> units_of(const LinePlan& line, const Benchmark& benchmark,
                                               const DbBenchStep& step) {
    if (line.duration_seconds > 0 && ends_by_time(benchmark)) {
      return units_in_time(line, benchmark, step);
    }
    switch (benchmark.length) {
      case StepLength::kWrites:
        return line.writes == 0 ? step.numbers : line.writes;
      case StepLength::kReads:
        return line.reads;
      case StepLength::kReadsPerMille:
        return line.reads / 1000;
      case StepLength::kNumbers:
        return line.numbers;
      case StepLength::kDeletes:
        return line.deletes;
      case StepLength::kReadsOrWrites:
        break;
    }
    return line.reads_or_writes;
  }

  // Of each thread, until the time is over.
  [[nodiscard]] Result<std::uint64_t> units_in_time(const LinePlan& line,
                                                    const Benchmark& benchmark,
                                                    const DbBenchStep& step) {
    std::optional<OperationRate> rate = machine_.operations_per_second;
    if (benchmark.length == StepLength::kWrites && line.puts_per_second > 0) {
      rate = OperationRate(line.puts_per_second);
      add_note("--duration: puts come at --benchmark_write_rate_limit, as if the store kept up");
    } else if (!rate) {
      return input_error(fmt::format(
          "--duration={}: how many operations {} does in that time depends on the machine; give "
          "operations_per_second=N beside the line, as db_bench prints it, or leave it out and "
          "give --num, --reads or --writes",
          line.duration_seconds, step.benchmark));
    }
    const Uint128 all = Uint128{rate->numerator()} * line.duration_seconds /
                        (Uint128{rate->denominator()} * step.threads);
    return scale_.of(static_cast<std::uint64_t>(std::min<Uint128>(all, kOperationsMax)));
  }

  static Result<void> check_shuffle(const DbBenchStep& step) {
    if (step.numbers > kShuffledMax) {
      return input_error(fmt::format(
          "--num={}: filluniquerandom keeps all keys in memory, here and in db_bench; lsmlab takes "
          "at most 2^32",
          step.numbers));
    }
    if (step.units > step.numbers) {
      return input_error(
          fmt::format("--writes={}: filluniquerandom has only the {} keys of --num, each once",
                      step.units, step.numbers));
    }
    return success();
  }

  [[nodiscard]] Result<void> take_writer(const LinePlan& line, DbBenchStep& step) {
    step.has_writer = true;
    if (line.finishes_writes) {
      step.writer_puts = line.writes;
      return success();
    }
    if (!machine_.writer_puts && line.duration_seconds > 0 && line.puts_per_second > 0) {
      step.writer_puts = scale_.of(static_cast<std::uint64_t>(std::min<Uint128>(
          Uint128{line.puts_per_second} * line.duration_seconds, kOperationsMax)));
      return success();
    }
    if (!machine_.writer_puts) {
      return input_error(fmt::format(
          "--benchmarks: the writer of {} puts keys until the {} operations of its readers end, so "
          "their number depends on the machine; give writer_puts=N beside the line, or "
          "--finish_after_writes and --writes",
          step.benchmark,
          Uint128(step.units) * step.threads > kOperationsMax ? kOperationsMax
                                                              : step.units * step.threads));
    }
    has_used_writer_puts_ = true;
    step.writer_puts = scale_.of(*machine_.writer_puts);
    return success();
  }

  void add_notes(const DbBenchStep& step) {
    if (step.threads > 1) {
      add_note("the threads of a benchmark take turns; in db_bench their order depends on timing");
    }
    if (step.has_writer) {
      add_note("the writer's puts are spread evenly among the reads");
    }
    if (step.asks_absent_keys) {
      add_note(
          "readmissing asks for keys between those that exist: to leave room, all key numbers are "
          "doubled, and a key and the one before may share a bit less");
    }
    if (step.batch > 1 && step.kind != StepKind::kGetBatch) {
      add_note(
          "a batch is written entry by entry: the write-ahead log is larger by that, and a full "
          "memtable is flushed within a batch, while RocksDB's takes the whole batch");
    }
    if (step.settings->seed == 0) {
      add_note("--seed=0 is db_bench's clock; here it is the --seed of the run");
    }
    if (step.values.kind != ValueSizeKind::kFixed) {
      add_note("sizes of values are drawn with the seed of the run; db_bench draws them anew");
    }
    if (step.kind == StepKind::kMixGraph && step.settings->mix.key_a != 0) {
      add_note(
          "mixgraph: a key or size differs from db_bench's where the last bit of a power decides; "
          "some numbers of keys are negative, as in db_bench, and count as 64 bits");
    }
    if (step.settings->read_exponent > 0) {
      add_note(
          "read_random_exp_range: some keys differ from db_bench's, which computes them with 80 "
          "bits");
    }
    if (step.benchmark == "fillsync") {
      add_note("fillsync syncs every put: with --device or a threaded replay give --sync");
    }
  }
  void add_note(std::string note) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) {
      notes_.push_back(std::move(note));
    }
  }

  void list_flags(const DbBenchLine& line, const std::vector<NamedBenchmark>& benchmarks) {
    for (const auto& given : line.given()) {
      const std::string& name = given.first;
      const std::string& value = given.second;
      const DbBenchFlag& flag = *db_bench_flag(name);
      const bool is_used =
          flag.use != FlagUse::kOperations ||
          std::any_of(benchmarks.begin(), benchmarks.end(), [&](const NamedBenchmark& named) {
            return uses_flag(named.benchmark, name);
          });
      if (!is_used) plan_.unused_flags.push_back(fmt::format("{}={}", name, value));
      if (flag.use == FlagUse::kOperations || flag.use == FlagUse::kRefused) continue;
      if (flag.use != FlagUse::kNoBytes && !line.differs(flag)) continue;
      std::vector<std::string>& listed = plan_.other_flags[flag.use];
      std::string text = fmt::format("{}={}", name, value);
      if (std::find(listed.begin(), listed.end(), text) == listed.end()) {
        listed.push_back(std::move(text));
      }
    }
  }

  const MachineFigures machine_;
  const LineScale scale_;
  bool has_used_writer_puts_ = false;
  DbBenchPlan plan_;
  std::vector<std::string> notes_;
  std::vector<std::string> writers_;  // the benchmarks so far that write
  std::uint64_t next_thread_ = 1;
};

}  // namespace

std::uint64_t LineScale::of(std::uint64_t count) const {
  constexpr Uint128 kMost = std::uint64_t{1} << 63;
  const auto scaled =
      static_cast<std::uint64_t>(std::min(kMost, scaled_count(count, numerator, denominator)));
  return parts == 1 ? scaled : static_cast<std::uint64_t>(scaled_count(scaled, 1, parts));
}

std::uint64_t DbBenchStep::operation_count() const {
  Uint128 each = units;
  if (kind == StepKind::kUpdate || kind == StepKind::kSeekInOrder) each *= 2;
  if (kind == StepKind::kScanAll) each = std::min<Uint128>(1, each);
  const Uint128 all = each * threads + (has_writer ? writer_puts : 0);
  return static_cast<std::uint64_t>(std::min<Uint128>(all, ~std::uint64_t{0}));
}

std::uint64_t DbBenchPlan::operation_count() const {
  std::uint64_t count = 0;
  for (const DbBenchStep& step : steps) count += step.operation_count();
  return count;
}

std::uint64_t DbBenchPlan::keys_max() const {
  Uint128 puts = 0;
  std::uint64_t numbers = 0;
  for (const DbBenchStep& step : steps) {
    std::uint64_t most = step.numbers;
    Uint128 own = Uint128{step.units} * step.threads;
    if (step.kind == StepKind::kPutInOrder) most = step.units;
    if (step.kind == StepKind::kMixGraph) most *= 2;  // negative ones too
    const bool puts_keys = step.only_puts() || step.kind == StepKind::kUpdate ||
                           step.kind == StepKind::kReadWrite || step.kind == StepKind::kMixGraph;
    if (!puts_keys) own = step.writer_puts;
    puts += own;
    if (own > 0) numbers = std::max(numbers, most);
  }
  return static_cast<std::uint64_t>(std::min<Uint128>(puts, numbers));
}

namespace {

// Errors: the lines do not agree.
Result<std::uint64_t> column_families_of(const std::vector<DbBenchLine>& lines) {
  constexpr std::int64_t kFamiliesMax = 10'000;
  const std::int64_t families = lines.front().integer("num_column_families");
  for (const DbBenchLine& line : lines) {
    const std::int64_t own = line.integer("num_column_families");
    if (own == families && own <= kFamiliesMax) continue;
    return input_error(fmt::format("{}: expected at most {}, and one number for all runs",
                                   flag_text(line, "num_column_families"), kFamiliesMax));
  }
  // db_bench takes smaller ones as 1.
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, families));
}

}  // namespace

Result<DbBenchPlan> plan_db_bench(const std::vector<DbBenchLine>& lines,
                                  const MachineFigures& machine, const LineScale& scale) {
  const std::uint64_t families = BOOST_OUTCOME_TRYX(column_families_of(lines));
  Planner planner(machine, {scale.numerator, scale.denominator, families}, families);
  for (std::size_t index = 0; index < lines.size(); ++index) {
    Result<void> added = planner.add(lines[index], index);
    if (!added && lines.size() > 1) {
      return in_context(fmt::format("run {} of db_bench", index + 1), added.error());
    }
    if (!added) return added.error();
  }
  return planner.finish();
}

}  // namespace lsmlab::tools
