#include "traces/tools/db_bench_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/base/shortened.h"
#include "models/base/units.h"

namespace lsmlab::tools {
namespace {

constexpr std::uint64_t kOperationsMax = std::uint64_t{1} << 48;
constexpr std::int64_t kKeyBytesMax = 65'534;  // readmissing asks for keys of one byte more
constexpr std::int64_t kNumbersMax = std::int64_t{1} << 56;
// The shuffled numbers of filluniquerandom are kept in memory, four bytes each.
constexpr std::uint64_t kShuffledMax = std::uint64_t{1} << 32;
constexpr std::uint64_t kLargeValueBytes = 100'000;  // of fill100K
constexpr std::uint64_t kLargeBatch = 1000;          // of fillbatch

std::string name_and_value(const DbBenchLine& line, std::string_view name) {
  return fmt::format("--{}={}", name, excerpt(line.text(name)));
}

Error flag_error(const DbBenchLine& line, std::string_view name, std::string_view expected) {
  const std::string value = line.text(name);
  return option_error({{std::string(name), value, std::string(expected), false, "",
                        fmt::format("{}: expected {}", name_and_value(line, name), expected)}});
}

Result<std::uint64_t> number_within(const DbBenchLine& line, std::string_view name,
                                    std::int64_t min, std::int64_t max) {
  const std::int64_t number = line.integer(name);
  if (number < min || number > max) {
    return flag_error(line, name, fmt::format("{} to {}", min, max));
  }
  return static_cast<std::uint64_t>(number);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::vector<std::string> elements_of(const std::string& list) {
  std::vector<std::string> elements;
  std::size_t at = 0;
  while (at <= list.size()) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (end > at) elements.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return elements;
}

// The flags of one line, checked.
struct LinePlan {
  std::shared_ptr<const DbBenchSettings> settings;
  DbBenchKeys keys;
  DbBenchValues values;
  std::uint64_t numbers = 0;
  std::uint64_t writes = 0;
  std::uint64_t reads = 0;
  std::uint64_t deletes = 0;
  std::uint64_t reads_or_writes = 0;
  std::uint64_t batch = 1;
  std::uint64_t threads = 1;
  bool keeps_store = false;  // --use_existing_db
  bool is_read_only = false;
  bool finishes_writes = false;
  std::vector<NamedBenchmark> benchmarks;
};

Result<DbBenchValues> values_of(const DbBenchLine& line) {
  constexpr std::int64_t kValueBytesMax = 2'147'483'647;
  DbBenchValues values;
  const std::string kind = lower(line.text("value_size_distribution_type"));
  if (kind == "fixed") {
    const std::uint64_t size =
        BOOST_OUTCOME_TRYX(number_within(line, "value_size", 0, kValueBytesMax));
    values.fixed = static_cast<std::uint32_t>(size);
    return values;
  }
  if (kind != "uniform" && kind != "normal") {
    return flag_error(line, "value_size_distribution_type", "fixed, uniform or normal");
  }
  values.kind = kind == "uniform" ? ValueSizeKind::kUniform : ValueSizeKind::kNormal;
  const std::uint64_t min =
      BOOST_OUTCOME_TRYX(number_within(line, "value_size_min", 0, kValueBytesMax));
  const std::uint64_t max = BOOST_OUTCOME_TRYX(
      number_within(line, "value_size_max", static_cast<std::int64_t>(min), kValueBytesMax));
  values.min = static_cast<std::uint32_t>(min);
  values.max = static_cast<std::uint32_t>(max);
  return values;
}

// A negative number stands for that of --num.
Result<std::uint64_t> count_of(const DbBenchLine& line, std::string_view name,
                               std::uint64_t numbers) {
  if (line.integer(name) < 0) return numbers;
  return number_within(line, name, 0, static_cast<std::int64_t>(kOperationsMax));
}

Result<void> take_counts(const DbBenchLine& line, LinePlan& plan) {
  plan.numbers = BOOST_OUTCOME_TRYX(number_within(line, "num", 1, kNumbersMax));
  plan.writes = BOOST_OUTCOME_TRYX(count_of(line, "writes", plan.numbers));
  plan.reads = BOOST_OUTCOME_TRYX(count_of(line, "reads", plan.numbers));
  plan.deletes = BOOST_OUTCOME_TRYX(count_of(line, "deletes", plan.numbers));
  const std::int64_t larger = std::max(line.integer("writes"), line.integer("reads"));
  plan.reads_or_writes = larger < 0 ? plan.numbers : static_cast<std::uint64_t>(larger);
  plan.batch = BOOST_OUTCOME_TRYX(number_within(line, "batch_size", 1, 1'000'000));
  plan.threads = BOOST_OUTCOME_TRYX(number_within(line, "threads", 1, 10'000));
  return success();
}

Result<void> take_settings(const DbBenchLine& line, std::size_t index, LinePlan& plan) {
  DbBenchSettings settings;
  settings.line = index;
  settings.seed = static_cast<std::uint64_t>(line.integer("seed"));
  settings.numbers = plan.numbers;
  settings.seek_nexts =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, line.integer("seek_nexts")));
  settings.scan_distance =
      BOOST_OUTCOME_TRYX(number_within(line, "max_scan_distance", 0, kNumbersMax));
  settings.read_exponent = line.real("read_random_exp_range");
  if (settings.read_exponent < 0 || settings.read_exponent > 700) {
    return flag_error(line, "read_random_exp_range", "0 to 700");
  }
  const std::uint64_t percent = BOOST_OUTCOME_TRYX(number_within(line, "readwritepercent", 0, 100));
  settings.read_percent = static_cast<std::uint32_t>(percent);
  plan.settings = std::make_shared<const DbBenchSettings>(settings);
  return success();
}

Result<void> take_benchmarks(const DbBenchLine& line, LinePlan& plan) {
  if (!line.is_given("benchmarks")) {
    return input_error(
        "--benchmarks is missing; without it db_bench runs more than forty, and lsmlab cannot run "
        "all of them");
  }
  for (const std::string& element : elements_of(line.text("benchmarks"))) {
    const NamedBenchmark named = BOOST_OUTCOME_TRYX(named_benchmark(element));
    if (named.benchmark.use == BenchmarkUse::kRefused) {
      return input_error(fmt::format("--benchmarks: lsmlab cannot run '{}': {}",
                                     named.benchmark.name, named.benchmark.why));
    }
    plan.benchmarks.push_back(named);
  }
  return success();
}

Result<void> refuse_flags(const DbBenchLine& line) {
  for (const auto& [name, value] : line.given()) {
    const DbBenchFlag& flag = *db_bench_flag(name);
    if (flag.use != FlagUse::kRefused || !line.differs(flag)) continue;
    return option_error(
        {{name, value, "its default", false, "",
          fmt::format("{}: lsmlab cannot follow it: {}", name_and_value(line, name), flag.what)}});
  }
  return success();
}

Result<LinePlan> checked(const DbBenchLine& line, std::size_t index) {
  LinePlan plan;
  BOOST_OUTCOME_TRYV(refuse_flags(line));
  BOOST_OUTCOME_TRYV(take_counts(line, plan));
  BOOST_OUTCOME_TRYV(take_settings(line, index, plan));
  const std::uint64_t key_bytes =
      BOOST_OUTCOME_TRYX(number_within(line, "key_size", 1, kKeyBytesMax));
  plan.keys.key_bytes = static_cast<std::uint16_t>(key_bytes);
  plan.values = BOOST_OUTCOME_TRYX(values_of(line));
  plan.is_read_only = line.flag("readonly");
  plan.keeps_store = line.flag("use_existing_db") || plan.is_read_only;
  plan.finishes_writes = line.flag("finish_after_writes");
  BOOST_OUTCOME_TRYV(take_benchmarks(line, plan));
  return plan;
}

class Planner {
 public:
  explicit Planner(std::optional<std::uint64_t> writer_puts) : writer_puts_(writer_puts) {}

  [[nodiscard]] Result<void> add(const DbBenchLine& line, std::size_t index) {
    const LinePlan checked_line = BOOST_OUTCOME_TRYX(checked(line, index));
    BOOST_OUTCOME_TRYV(take_store(checked_line, index));
    next_thread_ = 1;
    for (const NamedBenchmark& named : checked_line.benchmarks) {
      BOOST_OUTCOME_TRYV(add(checked_line, named));
    }
    list_flags(line);
    return success();
  }

  [[nodiscard]] Result<DbBenchPlan> finish() {
    if (plan_.steps.empty()) {
      return input_error("--benchmarks: nothing is left to do; no benchmark reads or writes");
    }
    Uint128 operations = 0;
    for (const DbBenchStep& step : plan_.steps) operations += step.operation_count();
    if (operations > kOperationsMax) {
      return input_error("the benchmarks have more than 2^48 operations together");
    }
    if (writer_puts_ && !has_used_writer_puts_) {
      return input_error(
          "writer_puts is given, and no benchmark has a writer that ends with its readers");
    }
    plan_.keys.leaves_gaps = std::any_of(plan_.steps.begin(), plan_.steps.end(),
                                         [](const DbBenchStep& s) { return s.asks_absent_keys; });
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
    for (std::uint64_t run = 0; run < named.runs; ++run) {
      step.first_thread = next_thread_;
      next_thread_ += step.threads + (step.has_writer ? 1 : 0);
      if (step.operation_count() > 0) plan_.steps.push_back(step);
    }
    return success();
  }

  static bool writes(const DbBenchStep& step) {
    return step.only_puts() || step.has_writer || step.kind == StepKind::kUpdate ||
           step.kind == StepKind::kReadWrite || step.kind == StepKind::kDeleteInOrder ||
           step.kind == StepKind::kDeleteAtRandom;
  }

  [[nodiscard]] Result<DbBenchStep> step_of(const LinePlan& line, const Benchmark& benchmark) {
    DbBenchStep step;
    step.benchmark = std::string(benchmark.name);
    step.kind = benchmark.kind;
    step.settings = line.settings;
    step.values = line.values;
    step.threads = benchmark.has_one_thread ? 1 : line.threads;
    step.numbers = benchmark.is_small ? line.numbers / 1000 : line.numbers;
    step.asks_absent_keys = benchmark.name == "readmissing";
    if (benchmark.name == "fill100K") step.values.fixed = kLargeValueBytes;
    const bool has_batches = step.only_puts() || step.kind == StepKind::kDeleteInOrder ||
                             step.kind == StepKind::kDeleteAtRandom ||
                             step.kind == StepKind::kGetBatch;
    if (has_batches) step.batch = benchmark.name == "fillbatch" ? kLargeBatch : line.batch;
    const std::uint64_t units = step.numbers == 0 ? 0 : units_of(line, benchmark, step);
    // A scan is one operation, of so many entries.
    step.units = step.kind == StepKind::kScanAll ? units : units / step.batch * step.batch;
    if (step.kind == StepKind::kPutEachOnce) {
      BOOST_OUTCOME_TRYV(check_shuffle(step));
    }
    if (benchmark.has_writer) {
      BOOST_OUTCOME_TRYV(take_writer(line, step));
    }
    add_notes(step);
    return step;
  }

  static std::uint64_t units_of(const LinePlan& line, const Benchmark& benchmark,
                                const DbBenchStep& step) {
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
    if (!writer_puts_) {
      return input_error(fmt::format(
          "--benchmarks: the writer of {} puts keys until the {} operations of its readers end, so "
          "their number depends on the machine; give writer_puts=N beside the line, or "
          "--finish_after_writes and --writes",
          step.benchmark,
          Uint128(step.units) * step.threads > kOperationsMax ? kOperationsMax
                                                              : step.units * step.threads));
    }
    has_used_writer_puts_ = true;
    step.writer_puts = *writer_puts_;
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
      add_note("a batch is written entry by entry; only the write-ahead log is larger by that");
    }
    if (step.settings->seed == 0) {
      add_note("--seed=0 is db_bench's clock; here it is the --seed of the run");
    }
    if (step.values.kind != ValueSizeKind::kFixed) {
      add_note("sizes of values are drawn with the seed of the run; db_bench draws them anew");
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

  void list_flags(const DbBenchLine& line) {
    for (const auto& [name, value] : line.given()) {
      const DbBenchFlag& flag = *db_bench_flag(name);
      if (flag.use == FlagUse::kOperations || flag.use == FlagUse::kRefused) continue;
      if (flag.use != FlagUse::kNoBytes && !line.differs(flag)) continue;
      std::vector<std::string>& listed = plan_.other_flags[flag.use];
      std::string text = fmt::format("{}={}", name, value);
      if (std::find(listed.begin(), listed.end(), text) == listed.end()) {
        listed.push_back(std::move(text));
      }
    }
  }

  std::optional<std::uint64_t> writer_puts_;
  bool has_used_writer_puts_ = false;
  DbBenchPlan plan_;
  std::vector<std::string> notes_;
  std::vector<std::string> writers_;  // the benchmarks so far that write
  std::uint64_t next_thread_ = 1;
};

}  // namespace

std::uint64_t DbBenchStep::operation_count() const {
  Uint128 each = units;
  if (kind == StepKind::kUpdate) each *= 2;
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
    const bool is_reading = step.kind == StepKind::kGet || step.kind == StepKind::kSeek;
    if (!step.only_puts() && step.kind != StepKind::kUpdate && step.kind != StepKind::kReadWrite &&
        !(is_reading && step.has_writer)) {
      continue;
    }
    puts += is_reading ? step.writer_puts : step.units * step.threads;
    const bool is_in_order = step.kind == StepKind::kPutInOrder;
    numbers = std::max(numbers, is_in_order ? step.units : step.numbers);
  }
  return static_cast<std::uint64_t>(std::min<Uint128>(puts, numbers));
}

Result<DbBenchPlan> plan_db_bench(const std::vector<DbBenchLine>& lines,
                                  std::optional<std::uint64_t> writer_puts) {
  Planner planner(writer_puts);
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
