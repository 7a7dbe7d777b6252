#include "validate/catalog/db_bench_workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "models/base/quantity_text.h"
#include "models/base/spec_parameters.h"
#include "traces/io/text_file.h"
#include "traces/tools/db_bench_model.h"
#include "traces/tools/db_bench_plan.h"
#include "traces/tools/db_bench_policy.h"
#include "traces/tools/db_bench_source.h"
#include "validate/catalog/key_format_parameter.h"
#include "validate/catalog/operation_rate_parameter.h"
#include "validate/catalog/run_command.h"
#include "validate/catalog/run_spec.h"
#include "validate/results/json_text.h"

namespace lsmlab {
namespace {

using tools::DbBenchPlan;
using tools::DbBenchStep;
using tools::FlagUse;

struct DbBenchOptions {
  std::string line;
  std::string file;
  tools::MachineFigures machine;
  void declare(OptionTable& table) {
    table.text(
        kLineParameter, line,
        "the command line of db_bench, in quotes; several runs on one store are separated by "
        "';'");
    table.text("file", file, "a file with such lines, in place of the line");
    table.optional_count("writer_puts", machine.writer_puts, {0, std::uint64_t{1} << 40}, "puts",
                         "puts of the writer of readwhilewriting and seekrandomwhilewriting; in "
                         "db_bench their number depends on the machine");
    table.parsed(
        kOperationRateParameter, machine.operations_per_second, "above 0, up to 2^40",
        [](const std::string& text) -> Result<std::optional<OperationRate>> {
          return std::optional(BOOST_OUTCOME_TRYX(OperationRate::parse(text)));
        },
        [](const std::optional<OperationRate>& rate) { return rate ? rate->text() : ""; },
        "of all threads, as db_bench prints it: for benchmarks that --duration ends, and for "
        "parameters of the policy that are times (ttl=30d); not needed for puts at "
        "--benchmark_write_rate_limit");
  }
};

struct MadePlan {
  DbBenchOptions options;
  std::shared_ptr<const DbBenchPlan> plan;
  std::vector<stores::PolicySpec> policies;  // of each run
  Parameters stalls;                   // of the first run; empty: RocksDB's rules do not apply
  tools::DbBenchRun run;               // of the first line
  std::vector<std::string> of_first;   // what is the first line's, though a later one differs
  bool only_puts = false;              // the operations
  std::optional<Decimal> value_ratio;  // of the first run
};

// The rate that is given beside the line, or that of a line which only puts and has a limiter; of
// one column family.
std::optional<OperationRate> rate_of(const MadePlan& made) {
  if (made.options.machine.operations_per_second) {
    return made.options.machine.operations_per_second->of_part(made.plan->column_families);
  }
  const std::uint64_t rate = made.only_puts ? made.run.puts_per_second : 0;
  return rate > 0 ? std::optional(OperationRate(std::min(rate, OperationRate::kMax)))
                  : std::nullopt;
}

// What a run with a clock has from its first line, though the line of its run `number` differs.
std::vector<std::string> kept_of_first(const tools::DbBenchRun& first,
                                       const tools::DbBenchRun& later, std::size_t number) {
  std::vector<std::string> kept;
  const auto keep = [&](const char* flag, std::uint64_t had, std::uint64_t wanted) {
    if (had == wanted) return;
    kept.push_back(
        fmt::format("with a clock, run {} has --{} of run 1: {}, where its own line says {}",
                    number, flag, had, wanted));
  };
  keep("max_background_jobs (merge threads)", first.merge_threads, later.merge_threads);
  keep("benchmark_write_rate_limit (puts/s)", first.puts_per_second, later.puts_per_second);
  keep("rate_limiter_bytes_per_sec", first.background_write_bytes_per_second,
       later.background_write_bytes_per_second);
  keep("disable_wal", first.disable_wal ? 1 : 0, later.disable_wal ? 1 : 0);
  return kept;
}

std::string place_of(const DbBenchOptions& options) {
  return options.file.empty() ? "workload 'db_bench'" : options.file;
}

Result<MadePlan> plan_of_spec(const Spec& spec, const tools::LineScale& scale = {}) {
  MadePlan made;
  Spec own = spec;  // without what every workload has
  BOOST_OUTCOME_TRYV(take_key_format(own));
  made.options =
      BOOST_OUTCOME_TRYX(options_with<DbBenchOptions>(own.parameters, "workload 'db_bench'"));
  const DbBenchOptions& options = made.options;
  if (options.line.empty() == options.file.empty()) {
    return input_error(
        "workload 'db_bench' needs one of db_bench:\"--benchmarks=... --num=...\" and "
        "db_bench:file=FILE");
  }
  std::string text = options.line;
  if (!options.file.empty()) {
    text = BOOST_OUTCOME_TRYX(read_text_file(options.file, kConfigBytesMax));
  }
  const auto lines = tools::parse_db_bench_lines(text);
  if (!lines) return in_context(place_of(options), lines.error());
  Result<DbBenchPlan> plan = tools::plan_db_bench(lines.value(), options.machine, scale);
  if (!plan) return in_context(place_of(options), plan.error());
  made.plan = std::make_shared<const DbBenchPlan>(std::move(plan).value());
  const double ratio = std::clamp(lines.value().front().real("compression_ratio"), 0.01, 1.0);
  made.value_ratio = Decimal::parse(fmt::format("{:.6f}", ratio));
  made.run = tools::db_bench_run(lines.value().front());
  const std::vector<DbBenchStep>& steps = made.plan->steps;
  made.only_puts = std::all_of(steps.begin(), steps.end(), [](const DbBenchStep& step) {
    return step.kind == tools::StepKind::kAsk || step.only_puts();
  });
  const bool has_free_puts = std::any_of(
      steps.begin(), steps.end(), [](const DbBenchStep& step) { return step.has_free_puts(); });
  for (std::size_t i = 1; i < lines.value().size(); ++i) {
    const tools::DbBenchRun later = tools::db_bench_run(lines.value()[i]);
    for (std::string& kept : kept_of_first(made.run, later, i + 1)) {
      made.of_first.push_back(std::move(kept));
    }
  }
  if (has_free_puts) made.run.puts_per_second = 0;
  if (made.run.puts_per_second > 0) {
    made.run.puts_per_second =
        std::max<std::uint64_t>(1, made.run.puts_per_second / made.plan->column_families);
  }
  for (const tools::DbBenchLine& line : lines.value()) {
    Result<stores::PolicySpec> policy = tools::db_bench_policy(line, rate_of(made).has_value());
    if (!policy) return in_context(place_of(options), policy.error());
    made.policies.push_back(std::move(policy).value());
  }
  const std::string& first = made.policies.front().spec;
  if (first.starts_with("rocksdb-")) {
    const bool is_leveled = first.starts_with("rocksdb-leveled");
    made.stalls = tools::db_bench_stalls(lines.value().front(), is_leveled);
  }
  return made;
}

std::string values_text(const DbBenchStep& step) {
  switch (step.values.kind) {
    case tools::ValueSizeKind::kFixed:
      return std::to_string(step.values.fixed);
    case tools::ValueSizeKind::kUniform:
      return fmt::format("uniform({}..{})", step.values.min, step.values.max);
    case tools::ValueSizeKind::kNormal:
      break;
  }
  return fmt::format("normal({}..{})", step.values.min, step.values.max);
}

bool has_puts(const DbBenchStep& step) {
  // mixgraph has sizes of its own.
  return step.only_puts() || step.has_writer || step.kind == tools::StepKind::kUpdate ||
         step.kind == tools::StepKind::kReadWrite;
}

const std::pair<FlagUse, const char*> kFlagLists[] = {
    {FlagUse::kPolicy, "flags_of_the_policy"},
    {FlagUse::kStalls, "flags_of_stalls"},
    {FlagUse::kRun, "flags_of_the_run"},
    {FlagUse::kUnmodelled, "flags_not_modelled"},
    {FlagUse::kUnmodelledTime, "flags_not_modelled_with_a_clock"},
    {FlagUse::kNoBytes, "flags_without_effect_on_bytes"}};

ResolvedOptions options_of(const MadePlan& made) {
  const DbBenchPlan& plan = *made.plan;
  ResolvedOptions options;
  if (made.options.file.empty()) {
    options.emplace_back(kLineParameter, made.options.line);
  } else {
    options.emplace_back("file", made.options.file);
  }
  const tools::MachineFigures& machine = made.options.machine;
  if (machine.writer_puts) options.emplace_back("writer_puts", *machine.writer_puts);
  if (machine.operations_per_second) {
    options.emplace_back(kOperationRateParameter, machine.operations_per_second->text());
  }
  options.emplace_back("key_bytes", std::uint64_t{plan.keys.key_bytes});
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const DbBenchStep& step = plan.steps[i];
    const std::string prefix = fmt::format("phases[{}].", i);
    options.emplace_back(prefix + "benchmark", step.benchmark);
    options.emplace_back(prefix + "operations", step.operation_count());
    options.emplace_back(prefix + "keys", step.numbers);
    if (step.threads > 1) options.emplace_back(prefix + "threads", step.threads);
    if (has_puts(step)) options.emplace_back(prefix + "value_bytes", values_text(step));
  }
  const stores::PolicySpec& policy = made.policies.front();
  if (!policy.spec.empty()) options.emplace_back("policy", policy.spec);
  if (!policy.unmodelled.empty()) {
    options.emplace_back("policy_not_modelled",
                         fmt::format("{}", fmt::join(policy.unmodelled, " ")));
  }
  for (const auto& [use, name] : kFlagLists) {
    const auto found = plan.other_flags.find(use);
    if (found == plan.other_flags.end()) continue;
    options.emplace_back(name, fmt::format("{}", fmt::join(found->second, " ")));
  }
  if (!plan.unused_flags.empty()) {
    options.emplace_back("flags_of_other_benchmarks",
                         fmt::format("{}", fmt::join(plan.unused_flags, " ")));
  }
  return options;
}

std::string step_text(const DbBenchStep& step) {
  if (step.kind == tools::StepKind::kAsk) {
    constexpr std::array<const char*, kPartEnds.size()> kMeanings{
        "",
        "the memtable is flushed",
        "waits until no merge is due",
        "the memtable is flushed, and everything is merged",
        "the memtable is flushed, and everything is merged into the deepest level",
        "level 0 is merged into the next level that has data",
        "the first level below level 0 is merged into the next one that has data"};
    return fmt::format("  {:<24} {}\n", step.benchmark,
                       kMeanings[static_cast<std::size_t>(step.asks)]);
  }
  const std::string threads =
      step.threads > 1 ? fmt::format(", {} threads", step.threads) : std::string();
  const std::string writer = step.has_writer ? fmt::format(", of them {} puts of the writer",
                                                           grouped_text(step.writer_puts))
                                             : std::string();
  const std::string values =
      has_puts(step) ? fmt::format(", values of {} bytes", values_text(step)) : std::string();
  return fmt::format("  {:<24} {} operations{}, keys of {} numbers{}{}\n", step.benchmark,
                     grouped_text(step.operation_count()), writer, grouped_text(step.numbers),
                     values, threads);
}

constexpr std::uint64_t kClientsMax = 1000;
constexpr const char* kLimiterParameter = "background_write_bandwidth";

Spec clients_of(const MadePlan& made) {
  const tools::DbBenchRun& run = made.run;
  Parameters parameters{{"clients", std::to_string(run.clients)}};
  if (run.puts_per_second == 0) return {"closed", std::move(parameters)};
  parameters.emplace_back("rate", std::to_string(run.puts_per_second));
  parameters.emplace_back("refill_ms", "100");  // NewGenericRateLimiter's default
  if (!made.only_puts) parameters.emplace_back("of", "puts");
  return {"paced", std::move(parameters)};
}

std::string list_text(const char* title, const std::vector<std::string>& lines) {
  std::string text = lines.empty() ? "" : fmt::format("\n{}\n", title);
  for (const std::string& line : lines) text += fmt::format("  {}\n", line);
  return text;
}

const char* flags_title(FlagUse use) {
  switch (use) {
    case FlagUse::kPolicy:
      return "options of RocksDB, which -p db_bench takes:";
    case FlagUse::kStalls:
      return "options of RocksDB that decide when writers wait, which -p db_bench takes:";
    case FlagUse::kRun:
      return "options of the run, which the verb gives:";
    case FlagUse::kUnmodelled:
      return "not modelled, though they may change bytes or reads:";
    case FlagUse::kUnmodelledTime:
      return "not modelled in a run with a clock, though they slow writers or merges:";
    default:
      return "ignored, without effect on the bytes:";
  }
}

// The base under the given parameters.
Parameters overlaid(Parameters base, const Parameters& given) {
  for (const auto& parameter : given) {
    std::erase_if(base, [&](const auto& p) { return p.first == parameter.first; });
    base.push_back(parameter);
  }
  return base;
}

// Before 7.8, RocksDB cut files by their size only.
Parameters of_version(Parameters line, const Parameters& given) {
  const std::string* const version = stated_value(given, "version");
  const bool is_old = version != nullptr && (*version == "6.12" || *version == "7.4");
  for (auto& [name, value] : line) {
    if (is_old && name == "dynamic_file_size") value = "false";
  }
  return line;
}

std::string run_text(const MadePlan& made) {
  const tools::DbBenchRun& run = made.run;
  std::string text =
      fmt::format("  --merge-threads {} and --clients {}, but each benchmark has its own threads\n",
                  run.merge_threads, spec_text(clients_of(made)));
  if (run.background_write_bytes_per_second > 0) {
    text += fmt::format("  and the device's {}={}\n", kLimiterParameter,
                        run.background_write_bytes_per_second);
  }
  return text;
}

// What keeps the policy from being RocksDB's, in sentences.
std::vector<std::string> policy_limits(const stores::PolicySpec& policy) {
  std::vector<std::string> limits;
  for (const stores::PolicyGuess& guess : policy.guesses) {
    limits.push_back(fmt::format("{}: {}", guess.parameter, guess.why));
  }
  for (const std::string& option : policy.unmodelled) {
    limits.push_back(fmt::format("{} is not modelled", option));
  }
  return limits;
}

}  // namespace

std::vector<OptionInfo> db_bench_options() { return declared_by(DbBenchOptions()); }

Result<KeyWorkload> db_bench_workload(const Spec& spec, const tools::LineScale& scale) {
  const MadePlan made = BOOST_OUTCOME_TRYX(plan_of_spec(spec, scale));
  KeyWorkload workload;
  workload.name = kDbBenchWorkload;
  workload.options = options_of(made);
  workload.operations = made.plan->operation_count();
  workload.keys_max = made.plan->keys_max();
  std::uint64_t operations = 0;
  for (const DbBenchStep& step : made.plan->steps) {
    operations += step.operation_count();
    const bool has_threads = step.kind != tools::StepKind::kAsk;
    const std::uint64_t threads = std::min(step.threads + (step.has_writer ? 1 : 0), kClientsMax);
    const std::uint64_t clients = has_threads ? threads : 0;
    workload.parts.push_back({step.benchmark, operations, step.asks, clients});
  }
  workload.write_batch = made.plan->write_batch.value_or(1);
  workload.rate = rate_of(made);
  workload.value_ratio = made.value_ratio;
  workload.cuts_values_from_text = true;
  workload.key_format.padding = '0';  // db_bench's GenerateKeyFromInt
  std::uint64_t numbers = 1;
  for (const DbBenchStep& step : made.plan->steps) numbers = std::max(numbers, step.numbers);
  // Absent keys have odd ids.
  workload.id_max = made.plan->keys.id(numbers - 1) | 1;
  Result<OperationWorkload> model = tools::model_of(*made.plan);
  if (model) {
    workload.model = std::make_shared<const OperationWorkload>(std::move(model).value());
  } else {
    workload.beyond_ranges = model.error().message;
  }
  workload.open = [plan =
                       made.plan](std::uint64_t seed) -> Result<std::unique_ptr<OperationSource>> {
    return std::unique_ptr<OperationSource>(std::make_unique<tools::DbBenchSource>(plan, seed));
  };
  return workload;
}

Result<std::string> db_bench_text(const Spec& spec) {
  const MadePlan made = BOOST_OUTCOME_TRYX(plan_of_spec(spec));
  const DbBenchPlan& plan = *made.plan;
  std::string text = fmt::format("db_bench 7.8.3, keys of {} bytes:\n", plan.keys.key_bytes);
  for (const DbBenchStep& step : plan.steps) text += step_text(step);
  const stores::PolicySpec& policy = made.policies.front();
  text += fmt::format("\n-p db_bench is {}\n",
                      policy.spec.empty() ? "refused: lsmlab has no such policy" : policy.spec);
  if (!made.stalls.empty()) {
    text += fmt::format("with a clock its --stalls are {}\n", parameters_text(made.stalls));
    text += run_text(made);
  }
  text += list_text("later runs have this of the first one:", made.of_first);
  text += list_text("where that differs from db_bench's RocksDB:", policy_limits(policy));
  text += list_text("differences from db_bench:", plan.notes);
  for (const auto& [use, name] : kFlagLists) {
    const auto found = plan.other_flags.find(use);
    if (found == plan.other_flags.end()) continue;
    text += list_text(flags_title(use), found->second);
  }
  text += list_text("of other benchmarks than those of the line:", plan.unused_flags);
  return text;
}

Result<Spec> db_bench_policy_of(const Spec& policy, const Spec& workload) {
  if (workload.name != kDbBenchWorkload) {
    return input_error(fmt::format(
        "policy 'db_bench' is that of a workload db_bench:\"...\"; workload '{}' has none",
        workload.name));
  }
  const MadePlan made = BOOST_OUTCOME_TRYX(plan_of_spec(workload));
  const stores::PolicySpec& first = made.policies.front();
  for (const stores::PolicySpec& other : made.policies) {
    if (other.spec == first.spec) continue;
    return input_error(
        "policy 'db_bench': the runs of the workload have different options of RocksDB; give one "
        "policy SPEC");
  }
  if (first.spec.empty()) {
    return input_error(fmt::format("policy 'db_bench': lsmlab has no policy for {}",
                                   fmt::join(first.unmodelled, ", ")));
  }
  Spec spec = BOOST_OUTCOME_TRYX(parse_spec(first.spec));
  spec.parameters =
      overlaid(of_version(std::move(spec.parameters), policy.parameters), policy.parameters);
  spec.varied = policy.varied;
  return spec;
}

Result<std::vector<std::string>> db_bench_policy_limits(const RunSpec& spec) {
  const MadePlan made = BOOST_OUTCOME_TRYX(plan_of_spec(spec.workload));
  std::vector<std::string> limits = policy_limits(made.policies.front());
  if (!made.plan->write_batch) {
    limits.emplace_back(
        "its benchmarks write batches of different sizes; a memtable here may be full within one");
  }
  if (made.plan->column_families > 1) {
    limits.push_back(fmt::format(
        "--num_column_families={0}: the run is one of them, with its part of the keys and "
        "operations; the store writes {0} times as much{1}",
        made.plan->column_families,
        spec.options.is_stepped
            ? ""
            : ", and the others do not load the machine here, but for its part of the merge "
              "threads"));
  }
  if (made.run.disable_wal && spec.options.source == RunSource::kEngine) {
    limits.emplace_back("--disable_wal=true: lsmlab's engine always writes its log");
  }
  if (!spec.options.is_stepped) {
    limits.insert(limits.end(), made.of_first.begin(), made.of_first.end());
  }
  for (const FlagUse use : {FlagUse::kUnmodelled, FlagUse::kUnmodelledTime}) {
    const auto flags = made.plan->other_flags.find(use);
    if (flags == made.plan->other_flags.end()) continue;
    if (use == FlagUse::kUnmodelledTime && spec.options.is_stepped) continue;
    for (const std::string& flag : flags->second) {
      limits.push_back(fmt::format("--{} is not modelled", flag));
    }
  }
  return limits;
}

Result<Parameters> db_bench_stalls_of(const Parameters& stalls, const Spec& workload) {
  const MadePlan made = BOOST_OUTCOME_TRYX(plan_of_spec(workload));
  return overlaid(made.stalls, stalls);
}

Result<bool> leaves_out_log(const Spec& workload) {
  if (workload.name != kDbBenchWorkload) return false;
  return BOOST_OUTCOME_TRYX(plan_of_spec(workload)).run.disable_wal;
}

Result<void> take_db_bench_run(RunSpec& spec) {
  const MadePlan made = BOOST_OUTCOME_TRYX(plan_of_spec(spec.workload));
  const tools::DbBenchRun& line = made.run;
  // lsmlab's engine and LevelDB always write one.
  const bool can_leave_log =
      spec.options.source == RunSource::kSimulator || spec.options.source == RunSource::kRocksdb;
  if (can_leave_log && line.disable_wal) spec.options.disable_wal = true;
  if (spec.options.is_stepped) return success();
  if (spec.options.merge_threads == 0) {
    spec.options.merge_threads = std::max<std::uint64_t>(
        1, line.merge_threads / std::max<std::uint64_t>(1, made.plan->column_families));
  }
  if (spec.clients.name.empty()) {
    spec.clients = clients_of(made);
    spec.has_clients_of_parts = true;
  }
  if (!spec.device || line.background_write_bytes_per_second == 0) return success();
  Parameters& device = spec.device->parameters;
  if (stated_value(device, kLimiterParameter) != nullptr) return success();
  device.emplace_back(kLimiterParameter, std::to_string(line.background_write_bytes_per_second));
  return success();
}

}  // namespace lsmlab
