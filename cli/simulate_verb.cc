#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "interrupt.h"
#include "models/base/quantity_text.h"
#include "models/execution/plan_log.h"
#include "output.h"
#include "progress.h"
#include "validate/catalog/catalog.h"
#include "validate/results/result_json.h"
#include "validate/results/summary_table.h"
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

// The resolution that a run of this policy on this workload has, unless the user's wish forbids it.
Result<SimulationJob> make_job(const std::string& resolution, const ConfiguredPolicy& policy,
                               const Spec& policy_spec, const Spec& workload_spec) {
  const bool is_flush = BOOST_OUTCOME_TRYX(is_flush_workload(workload_spec));
  if (resolution == "key" && is_flush) {
    return input_error(
        fmt::format("workload '{}' is one of flush sizes, which resolution 'key' "
                    "cannot run; 'lsmlab workloads' lists those of operations",
                    workload_spec.name));
  }
  if (resolution == "key" || (resolution.empty() && !is_flush)) {
    auto workload = BOOST_OUTCOME_TRYX(key_workload_of_spec(workload_spec));
    return SimulationJob{policy_spec, std::move(workload)};
  }
  if (policy.policy->needs() == PolicyNeeds::kKeys) return needs_keys_error(policy.name);
  auto workload = BOOST_OUTCOME_TRYX(workload_of_spec(workload_spec));
  return SimulationJob{policy_spec, std::move(workload)};
}

Result<std::vector<SimulationJob>> make_jobs(const SimulateArguments& arguments) {
  const std::string& resolution = arguments.resolution;
  if (!resolution.empty() && resolution != "flush" && resolution != "key") {
    return input_error(
        fmt::format("--resolution: unknown resolution '{}'; expected flush or key", resolution));
  }
  auto policy_specs = BOOST_OUTCOME_TRYX(expand_specs(arguments.policies));
  auto workload_specs = BOOST_OUTCOME_TRYX(expand_specs(arguments.workloads));
  std::vector<SimulationJob> jobs;
  for (const Spec& workload_spec : workload_specs) {
    for (const Spec& policy_spec : policy_specs) {
      auto policy = BOOST_OUTCOME_TRYX(policy_of_spec(policy_spec));
      auto job = BOOST_OUTCOME_TRYX(make_job(resolution, policy, policy_spec, workload_spec));
      jobs.push_back(std::move(job));
    }
  }
  return jobs;
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
    return input_error(fmt::format("{}: without --device a run has no clock", option));
  }
  return success();
}

Result<std::optional<TimedRunOptions>> timed_options(const SimulateArguments& arguments,
                                                     const std::vector<SimulationJob>& jobs) {
  if (arguments.device.empty()) {
    BOOST_OUTCOME_TRYV(check_untimed(arguments));
    return std::nullopt;
  }
  for (const SimulationJob& job : jobs) {
    const auto policy = BOOST_OUTCOME_TRYX(policy_of_spec(job.policy));
    if (policy.has_forced_plans) return forced_plans_error("--device: a run with a clock");
    if (std::holds_alternative<KeyWorkload>(job.workload)) continue;
    return input_error(
        "--device: a run with a clock needs a workload of operations ('lsmlab workloads' lists "
        "them)");
  }
  TimedRunOptions timed;
  const Spec device = BOOST_OUTCOME_TRYX(parse_spec(arguments.device));
  timed.device = BOOST_OUTCOME_TRYX(device_of_spec(device));
  const Spec clients = BOOST_OUTCOME_TRYX(parse_spec(arguments.clients));
  timed.clients = BOOST_OUTCOME_TRYX(make_clients(clients));
  timed.merge_threads = arguments.merge_threads;
  timed.stalls = BOOST_OUTCOME_TRYX(parse_stall_changes(arguments.stalls));
  if (arguments.sync != "never" && arguments.sync != "batch") {
    return input_error(fmt::format("--sync: '{}'; in a simulation never or batch", arguments.sync));
  }
  timed.sync_writes = arguments.sync == "batch";
  timed.sync_files = arguments.sync_files || timed.sync_writes;
  return timed;
}

Result<std::vector<RunResult>> simulate(const SimulateArguments& arguments,
                                        const std::vector<SimulationJob>& jobs) {
  BatchOptions options;
  options.threads = arguments.threads;
  const Result<std::uint64_t> seed = parse_count(arguments.seed);
  if (!seed) return input_error(fmt::format("--seed: {}", seed.error().message));
  options.simulate.seed = seed.value();
  options.final_flush = arguments.final_flush;
  options.timed = BOOST_OUTCOME_TRYX(timed_options(arguments, jobs));
  options.stop = &interrupt_flag();
  ProgressLine progress;
  if (!arguments.quiet) {
    options.on_progress = [&](const BatchProgress& now) { progress.show(now); };
  }
  if (arguments.log.empty()) return run_simulations(jobs, options);
  if (jobs.size() > 1) {
    return input_error(
        fmt::format("--log holds the plans of one run; {} are asked for", jobs.size()));
  }
  auto log = BOOST_OUTCOME_TRYX(OutputFile::open(arguments.log));
  options.simulate.log = [&](const PlanRecord& record) {
    log.write(plan_record_line(record));
    log.write("\n");
  };
  auto results = BOOST_OUTCOME_TRYX(run_simulations(jobs, options));
  BOOST_OUTCOME_TRYV(log.commit());
  return results;
}

// What is written is neither the same nor read.
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
  }
  return success();
}

Result<int> simulate_and_write(const SimulateArguments& arguments) {
  BOOST_OUTCOME_TRYV(check_outputs(arguments));
  auto jobs = BOOST_OUTCOME_TRYX(make_jobs(arguments));
  const bool has_out = !arguments.out.empty();
  std::optional<OutputFile> out;
  if (has_out) {
    auto file = BOOST_OUTCOME_TRYX(OutputFile::open(arguments.out));
    out.emplace(std::move(file));
  }
  catch_interrupts();
  auto results = BOOST_OUTCOME_TRYX(simulate(arguments, jobs));
  if (has_out) {
    out->write(results_text(results));
    BOOST_OUTCOME_TRYV(out->commit());
  }
  if (!has_out || !out->is_standard_output()) {
    std::vector<nlohmann::ordered_json> rows;
    for (const RunResult& result : results) rows.push_back(result_to_json(result));
    BOOST_OUTCOME_TRYV(print_text(summary_text(rows)));
  }
  const bool complete =
      std::all_of(results.begin(), results.end(), [](const RunResult& r) { return r.complete; });
  if (complete) return kExitDone;
  std::fputs("lsmlab: stopped early; the results are marked \"complete\": false\n", stderr);
  return interrupt_exit_code();
}

}  // namespace

int run_simulate(const SimulateArguments& arguments) {
  const Result<int> code = simulate_and_write(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
