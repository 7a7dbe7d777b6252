#include "traces/tools/db_bench_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/portable_math.h"
#include "models/base/units.h"

namespace lsmlab::tools {
namespace {

constexpr std::uint64_t kPartsMax = 16;

Result<SizeDistribution> sizes_of(const DbBenchValues& values) {
  switch (values.kind) {
    case ValueSizeKind::kFixed:
      return SizeDistribution::constant(values.fixed);
    case ValueSizeKind::kUniform:
      return SizeDistribution::uniform(values.min, values.max);
    case ValueSizeKind::kNormal:
      break;
  }
  return input_error("sizes of values with a normal distribution");
}

std::uint64_t rounded(double number) { return static_cast<std::uint64_t>(number + 0.5); }

// The i-th of `parts` parts of a whole; together they are exact.
std::uint64_t part_of(std::uint64_t whole, std::uint64_t i, std::uint64_t parts) {
  const auto upto = [&](std::uint64_t n) {
    return static_cast<std::uint64_t>(Uint128{whole} * n / parts);
  };
  return upto(i + 1) - upto(i);
}

// What all threads of a step do, as numbers.
struct StepCounts {
  std::uint64_t puts = 0;     // of random keys
  std::uint64_t updates = 0;  // a get and a put of the same random key
  std::uint64_t gets = 0;
  std::uint64_t seeks = 0;
};

class ModelBuilder {
 public:
  explicit ModelBuilder(const DbBenchPlan& plan) : plan_(plan) {}

  [[nodiscard]] Result<OperationWorkload> build() {
    const DbBenchStep& first =
        *std::find_if(plan_.steps.begin(), plan_.steps.end(),
                      [](const DbBenchStep& step) { return step.kind != StepKind::kAsk; });
    numbers_ = first.numbers;
    values_ = first.values;
    for (const DbBenchStep& step : plan_.steps) {
      BOOST_OUTCOME_TRYV(add(step));
    }
    workload_.name = "db_bench";
    workload_.key_bytes = SizeDistribution::constant(plan_.keys.key_bytes);
    workload_.key_numbers = numbers_;
    return std::move(workload_);
  }

 private:
  [[nodiscard]] Result<void> add(const DbBenchStep& step) {
    if (step.kind == StepKind::kAsk) return success();
    if (step.numbers != numbers_) return input_error("benchmarks of different --num");
    if (step.settings->read_exponent > 0) return input_error("--read_random_exp_range");
    if (step.settings->scan_distance > 0) return input_error("--max_scan_distance");
    switch (step.kind) {
      case StepKind::kPutInOrder:
        return add_inserts(step, InsertKeyKind::kSequential);
      case StepKind::kPutEachOnce:
        return add_inserts(step, InsertKeyKind::kUniform);
      case StepKind::kDeleteInOrder:
      case StepKind::kDeleteAtRandom:
        return input_error("deletes of keys that need not exist");
      case StepKind::kMixGraph:
        return input_error("mixgraph, whose draws decide both the key and what is done with it");
      case StepKind::kSeekInOrder:
        return input_error("seeks in the order of keys");
      case StepKind::kScanAll:
        return input_error(fmt::format("{}, which reads from the first key on", step.benchmark));
      default:
        return add_parts(step, counts_of(step));
    }
  }

  static StepCounts counts_of(const DbBenchStep& step) {
    const std::uint64_t units = step.units * step.threads;
    StepCounts counts;
    counts.puts = step.writer_puts;
    if (step.kind == StepKind::kPutAtRandom) counts.puts += units;
    if (step.kind == StepKind::kUpdate) counts.updates = units;
    if (step.kind == StepKind::kSeek) counts.seeks = units;
    if (step.kind == StepKind::kGet || step.kind == StepKind::kGetBatch) counts.gets = units;
    if (step.kind == StepKind::kReadWrite) {
      const std::uint64_t percent = step.settings->read_percent;
      counts.gets =
          step.threads * (step.units / 100 * percent + std::min(step.units % 100, percent));
      counts.puts = units - counts.gets;
    }
    return counts;
  }

  [[nodiscard]] Result<Phase> new_phase() {
    Phase phase;
    phase.value_bytes = BOOST_OUTCOME_TRYX(sizes_of(values_));
    phase.insert_keys.kind = inserts_;
    return phase;
  }

  // Every key once.
  [[nodiscard]] Result<void> add_inserts(const DbBenchStep& step, InsertKeyKind kind) {
    if (!workload_.phases.empty() || step.threads > 1) {
      return input_error(fmt::format("{} of keys that exist", step.benchmark));
    }
    inserts_ = kind;
    values_ = step.values;
    Phase phase = BOOST_OUTCOME_TRYX(new_phase());
    phase.actions[Action::kInsert] = step.units;
    keys_ = static_cast<double>(step.units);
    workload_.phases.push_back(std::move(phase));
    return success();
  }

  // Of so many draws of random keys, the number that are new.
  [[nodiscard]] std::uint64_t take_new_keys(std::uint64_t draws) {
    const double all = static_cast<double>(numbers_);
    const double missing = all - keys_;
    const double drawn =
        numbers_ == 1 ? 1 : -portable_expm1(static_cast<double>(draws) * portable_log1p(-1 / all));
    const std::uint64_t before = rounded(keys_);
    keys_ = std::min(all, keys_ + missing * (draws == 0 ? 0 : drawn));
    return std::min(draws, rounded(keys_) - before);
  }

  [[nodiscard]] Result<void> add_parts(const DbBenchStep& step, const StepCounts& counts) {
    const std::uint64_t draws = counts.puts + counts.updates;
    if (draws > 0 && workload_.phases.empty()) values_ = step.values;
    const bool has_own_values = counts.puts + counts.updates > 0 && !is_same_size(step.values);
    if (has_own_values) return input_error("phases whose values differ in size");
    const auto steps = static_cast<std::uint64_t>(plan_.steps.size());
    std::uint64_t parts = std::max<std::uint64_t>(1, std::min(kPartsMax, 120 / steps));
    if (draws == 0 || rounded(keys_) == numbers_) parts = 1;
    for (std::uint64_t i = 0; i < parts; ++i) {
      const StepCounts part{part_of(counts.puts, i, parts), part_of(counts.updates, i, parts),
                            part_of(counts.gets, i, parts), part_of(counts.seeks, i, parts)};
      BOOST_OUTCOME_TRYV(add_part(step, part));
    }
    return success();
  }

  [[nodiscard]] Result<void> add_part(const DbBenchStep& step, const StepCounts& part) {
    Phase phase = BOOST_OUTCOME_TRYX(new_phase());
    const double share = keys_ / static_cast<double>(numbers_);
    const std::uint64_t present =
        step.asks_absent_keys ? 0 : rounded(share * static_cast<double>(part.gets));
    if (inserts_ == InsertKeyKind::kSequential && share < 1 && !step.asks_absent_keys) {
      return input_error("random keys of --num after a fillseq of fewer keys");
    }
    const std::uint64_t drawn = part.puts + part.updates;
    const std::uint64_t added = take_new_keys(drawn);
    const auto updated =
        drawn == 0 ? 0 : static_cast<std::uint64_t>(Uint128{added} * part.updates / drawn);
    phase.actions[Action::kInsert] = added;
    phase.actions[Action::kUpdate] = part.puts - (added - updated);
    phase.actions[Action::kReadModifyWrite] = part.updates - updated;
    phase.actions[Action::kGetPresent] = present;
    phase.actions[Action::kGetAbsent] = part.gets - present + updated;
    if (part.seeks > 0) {
      phase.actions[Action::kScan] = part.seeks;
      phase.scan_entries = SizeDistribution::constant(step.settings->seek_nexts + 1);
    }
    if (part.puts + part.updates + part.gets + part.seeks > 0) {
      workload_.phases.push_back(std::move(phase));
    }
    return success();
  }

  [[nodiscard]] bool is_same_size(const DbBenchValues& values) const {
    return values.kind == values_.kind && values.fixed == values_.fixed &&
           values.min == values_.min && values.max == values_.max;
  }

  const DbBenchPlan& plan_;
  OperationWorkload workload_;
  DbBenchValues values_;
  InsertKeyKind inserts_ = InsertKeyKind::kUniform;
  std::uint64_t numbers_ = 0;
  double keys_ = 0;  // expected number of different keys so far
};

}  // namespace

Result<OperationWorkload> model_of(const DbBenchPlan& plan) {
  OperationWorkload workload = BOOST_OUTCOME_TRYX(ModelBuilder(plan).build());
  const std::vector<std::string> faults = workload.validate();
  if (!faults.empty()) return input_error(fmt::format("such operations ({})", faults.front()));
  return workload;
}

}  // namespace lsmlab::tools
