#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "default_policy.h"
#include "interrupt.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/execution/plan_log.h"
#include "output.h"
#include "printed_results.h"
#include "progress.h"
#include "simulated_spec.h"
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
    }
  }
  return runs;
}

// REQUIRES: no run is refused any more, or the notes would be about runs that never come.
void tell_notes(const SimulateArguments& arguments, const std::vector<ResolvedRun>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunSpec& spec = runs[i].spec;
    if (arguments.resolution.empty()) tell_resolution(runs[i]);
    tell_policy_limits(spec);
    const bool is_last_of_workload =
        i + 1 == runs.size() || spec_text(runs[i + 1].spec.workload) != spec_text(spec.workload);
    if (is_last_of_workload) tell_workload_notes(spec.workload);
  }
}

Result<std::vector<RunResult>> simulate(const SimulateArguments& arguments,
                                        std::vector<ResolvedRun>& runs) {
  ProgressLine progress;
  const BatchOptions options = watched_batch(arguments.threads, arguments.quiet, progress);
  if (arguments.log.empty()) return run_simulations(runs, options);
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
  if (!arguments.clients.empty()) texts.push_back(arguments.clients);
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
  if (!arguments.log.empty() && runs.size() > 1) {
    return input_error(fmt::format(
        "--log: takes the plan log of one run, and the command has {} runs", runs.size()));
  }
  tell_notes(arguments, runs);
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

int run_simulate(SimulateArguments arguments) {
  if (arguments.policies.empty()) {
    const Result<std::string> policy = default_policy(arguments.workloads, "simulate");
    if (!policy) return report_error(policy.error());
    arguments.policies = {policy.value()};
  }
  const Result<int> code = simulate_and_write(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
