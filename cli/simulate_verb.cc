#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>

#include "interrupt.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/execution/plan_log.h"
#include "output.h"
#include "printed_results.h"
#include "progress.h"
#include "validate/catalog/catalog.h"
#include "validate/results/result_json.h"
#include "validate/runs/batch.h"
#include "verbs.h"

namespace lsmlab {
namespace {

Result<std::vector<Spec>> expand_specs(const std::vector<std::string>& texts) {
  std::vector<Spec> specs;
  for (const std::string& text : texts) {
    auto spec = BOOST_OUTCOME_TRYX(parse_spec(text));
    auto expanded = BOOST_OUTCOME_TRYX(expand_lists(spec));
    for (Spec& one : expanded) specs.push_back(std::move(one));
  }
  return specs;
}

Result<std::optional<Resolution>> resolution_of(const std::string& text) {
  if (text.empty()) return std::optional<Resolution>();
  if (text == "flush") return std::optional(Resolution::kFlush);
  if (text == "key") return std::optional(Resolution::kKey);
  if (text == "range") return std::optional(Resolution::kRange);
  return input_error(fmt::format(
      "--resolution: unknown resolution '{}'; expected flush, key or range", excerpt(text)));
}

Result<std::optional<std::uint64_t>> cells_of(const std::string& text) {
  if (text.empty()) return std::optional<std::uint64_t>();
  const Result<std::uint64_t> cells = parse_count(text);
  if (!cells) return in_context("--cells", cells.error());
  const auto [min, max] = kRangeCellsRange;
  if (std::has_single_bit(cells.value()) && cells.value() >= min && cells.value() <= max) {
    return std::optional(cells.value());
  }
  return input_error(
      fmt::format("--cells: {} is not a power of two from {} to {}", cells.value(), min, max));
}

Result<void> check_untimed(const SimulateArguments& arguments) {
  const SimulateArguments defaults;
  const std::pair<bool, const char*> given[] = {
      {arguments.clients != defaults.clients, "--clients"},
      {arguments.merge_threads != defaults.merge_threads, "--merge-threads"},
      {!arguments.stalls.empty(), "--stalls"},
      {arguments.sync != defaults.sync, "--sync"},
      {arguments.sync_files, "--sync-files"}};
  for (const auto& [is_given, option] : given) {
    if (!is_given) continue;
    return input_error(
        fmt::format("{}: needs --device; without --device a simulation has no time", option));
  }
  return success();
}

Result<void> read_clock(const SimulateArguments& arguments, RunSpec& spec) {
  if (arguments.device.empty()) return check_untimed(arguments);
  spec.options.is_stepped = false;
  spec.device = BOOST_OUTCOME_TRYX(parse_spec(arguments.device));
  spec.clients = BOOST_OUTCOME_TRYX(parse_spec(arguments.clients));
  spec.options.merge_threads = arguments.merge_threads;
  spec.stalls = BOOST_OUTCOME_TRYX(parse_stall_changes(arguments.stalls));
  const std::string_view never = sync_words(SyncRule::kNever).option;
  const std::string_view batch = sync_words(SyncRule::kEveryBatch).option;
  if (arguments.sync != never && arguments.sync != batch) {
    return input_error(fmt::format("--sync: unknown value '{}'; a simulation expects {} or {}",
                                   excerpt(arguments.sync), never, batch));
  }
  const bool is_synced = arguments.sync == batch;
  spec.options.sync = is_synced ? SyncRule::kEveryBatch : SyncRule::kNever;
  spec.options.sync_files = arguments.sync_files || is_synced;
  return success();
}

// The part of the description that all runs of the command share.
Result<RunSpec> common_spec(const SimulateArguments& arguments) {
  RunSpec spec;
  spec.resolution = BOOST_OUTCOME_TRYX(resolution_of(arguments.resolution));
  spec.cells = BOOST_OUTCOME_TRYX(cells_of(arguments.cells));
  const Result<std::uint64_t> seed = parse_count(arguments.seed);
  if (!seed) return in_context("--seed", seed.error());
  spec.options.seed = seed.value();
  spec.options.final_flush = arguments.final_flush;
  spec.measure_from = arguments.measure_from;
  BOOST_OUTCOME_TRYV(read_clock(arguments, spec));
  return spec;
}

// Says why a run is less exact than its user may expect.
void tell_resolution(const ResolvedRun& run) {
  if (run.spec.resolution != Resolution::kRange) return;
  const std::string reason =
      run.is_flush_run()
          ? "sizes of sorted runs do not suffice for the policy. The simulator assumes unique "
            "keys, uniform over the key space"
          : fmt::format("the keys would take about {} of memory",
                        bytes_text(memory_for_keys(std::get<KeyWorkload>(run.workload))
                                       .value_or(Bytes(0))
                                       .value()));
  fmt::print(stderr, "lsmlab: {} on {} runs at resolution range: {}\n", run.setup.policy.label,
             run.spec.workload.name, reason);
}

// Every policy on every workload.
Result<std::vector<ResolvedRun>> resolve_runs(const SimulateArguments& arguments) {
  RunSpec spec = BOOST_OUTCOME_TRYX(common_spec(arguments));
  const auto policies = BOOST_OUTCOME_TRYX(expand_specs(arguments.policies));
  const auto workloads = BOOST_OUTCOME_TRYX(expand_specs(arguments.workloads));
  RunResolver resolver;
  std::vector<ResolvedRun> runs;
  for (const Spec& workload : workloads) {
    for (const Spec& policy : policies) {
      spec.policy = policy;
      spec.workload = workload;
      runs.push_back(BOOST_OUTCOME_TRYX(resolver.resolve(spec)));
      if (!spec.resolution) tell_resolution(runs.back());
      tell_policy_limits(spec);
    }
  }
  return runs;
}

Result<std::vector<RunResult>> simulate(const SimulateArguments& arguments,
                                        std::vector<ResolvedRun>& runs) {
  BatchOptions options;
  options.threads = arguments.threads;
  options.stop = &interrupt_flag();
  ProgressLine progress;
  if (!arguments.quiet) {
    options.on_progress = [&](const BatchProgress& now) { progress.show(now); };
  }
  if (arguments.log.empty()) return run_simulations(runs, options);
  if (runs.size() > 1) {
    return input_error(fmt::format(
        "--log: takes the plan log of one run, and the command has {} runs", runs.size()));
  }
  auto log = BOOST_OUTCOME_TRYX(OutputFile::open(arguments.log));
  runs.front().setup.log = [&](const PlanRecord& record) {
    log.write(plan_record_line(record));
    log.write("\n");
  };
  auto results = BOOST_OUTCOME_TRYX(run_simulations(runs, options));
  BOOST_OUTCOME_TRYV(log.commit());
  return results;
}

// Two outputs must differ, and no output may be an input.
Result<void> check_outputs(const SimulateArguments& arguments) {
  if (!arguments.out.empty() && !arguments.log.empty() &&
      is_same_output(arguments.out, arguments.log)) {
    return input_error("--out and --log name the same output");
  }
  std::vector<std::string> texts = arguments.policies;
  texts.insert(texts.end(), arguments.workloads.begin(), arguments.workloads.end());
  texts.push_back(arguments.clients);
  if (!arguments.device.empty()) texts.push_back(arguments.device);
  const std::vector<Spec> specs = BOOST_OUTCOME_TRYX(expand_specs(texts));
  for (const Spec& spec : specs) {
    const std::vector<std::string> inputs = files_of_spec(spec);
    BOOST_OUTCOME_TRYV(check_not_overwritten("--out", arguments.out, inputs));
    BOOST_OUTCOME_TRYV(check_not_overwritten("--log", arguments.log, inputs));
    BOOST_OUTCOME_TRYV(check_not_overwritten("--csv", arguments.print.csv, inputs));
  }
  return success();
}

Result<int> simulate_and_write(const SimulateArguments& arguments) {
  BOOST_OUTCOME_TRYV(check_outputs(arguments));
  auto runs = BOOST_OUTCOME_TRYX(resolve_runs(arguments));
  auto printer =
      BOOST_OUTCOME_TRYX(ResultPrinter::open(arguments.print, {arguments.out, arguments.log}));
  const bool has_out = !arguments.out.empty();
  std::optional<OutputFile> out;
  if (has_out) {
    auto file = BOOST_OUTCOME_TRYX(OutputFile::open(arguments.out));
    out.emplace(std::move(file));
  }
  catch_interrupts();
  auto results = BOOST_OUTCOME_TRYX(simulate(arguments, runs));
  if (has_out) {
    out->write(results_text(results));
    BOOST_OUTCOME_TRYV(out->commit());
  }
  BOOST_OUTCOME_TRYV(printer.print(results, ""));
  const bool complete =
      std::all_of(results.begin(), results.end(), [](const RunResult& r) { return r.complete; });
  if (complete) return kExitDone;
  const auto unbegun = std::count_if(results.begin(), results.end(), [](const RunResult& r) {
    return !r.complete && r.totals.flushes == 0 && (!r.keys || r.keys->operations.sum() == 0);
  });
  fmt::print(
      stderr, "lsmlab: stopped early; the results are marked \"complete\": false{}\n",
      unbegun > 0 ? fmt::format("; {} of {} runs did not begin", unbegun, results.size()) : "");
  return interrupt_exit_code();
}

}  // namespace

int run_simulate(const SimulateArguments& arguments) {
  const Result<int> code = simulate_and_write(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
