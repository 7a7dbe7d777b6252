#include "validate/stores/what_if.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/check.h"
#include "models/base/shortened.h"
#include "models/base/spec_parameters.h"
#include "models/execution/write_stall.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/db_bench_workload.h"
#include "validate/stores/store_runs.h"

namespace lsmlab {
namespace {

void take_stalls(const Parameters& given, Parameters& stalls) {
  if (begin_with_system(given)) stalls.clear();
  // The store's own rate goes where a time for each write is given.
  if (stated_value(given, "slowdown_ns_per_write") != nullptr) {
    std::erase_if(stalls, [](const auto& one) { return one.first == "slowdown_bytes_per_second"; });
  }
  for (const auto& [name, value] : given) state(stalls, name, value);
}

// Makes the runs of a case.
class RunMaker {
 public:
  /// `asked_stalls`, `asks_threads`: what the question says of them.
  RunMaker(const StoreCase& asked, Spec today, RunSpec spec, Parameters asked_stalls,
           bool asks_threads)
      : asked_(asked),
        today_(std::move(today)),
        spec_(std::move(spec)),
        asked_stalls_(std::move(asked_stalls)),
        asks_threads_(asks_threads) {}

  [[nodiscard]] Result<ResolvedRun> from(const std::shared_ptr<const StartingTree>& start,
                                         bool is_history, const ChangedPolicy& policy) {
    RunSpec spec = BOOST_OUTCOME_TRYX(spec_of(policy));
    // The records are loaded first, and the tree comes to rest.
    const auto at_rest = [&, spec] { return resolve(spec); };
    if (start == nullptr) return at_rest();
    spec.workload = BOOST_OUTCOME_TRYX(parse_spec(asked_.workload_after(*start, is_history)));
    spec.measure_from.clear();
    spec.options.final_flush = spec_.options.is_stepped;
    ResolvedRun run = BOOST_OUTCOME_TRYX(resolve(spec));
    if (!begin_with(start, today_.name, run)) return at_rest();
    return run;
  }

  [[nodiscard]] const Spec& today() const { return today_; }

 private:
  // Questions about large stores are asked at resolution range, where it can run: exact keys would
  // take minutes to hours for each change.
  [[nodiscard]] Result<ResolvedRun> resolve(RunSpec spec) {
    constexpr std::uint64_t kExactOperationsMax = 20'000'000;
    ResolvedRun run = BOOST_OUTCOME_TRYX(resolver_.resolve(spec));
    const auto* workload = std::get_if<KeyWorkload>(&run.workload);
    if (workload == nullptr || run.spec.resolution != Resolution::kKey ||
        workload->operations <= kExactOperationsMax) {
      return run;
    }
    spec.resolution = Resolution::kRange;
    auto coarse = resolver_.resolve(spec);
    if (coarse) return coarse;
    return run;
  }

  [[nodiscard]] Result<RunSpec> spec_of(const ChangedPolicy& policy) const {
    RunSpec spec = spec_;
    spec.policy = policy.policy;
    if (!spec.device) {
      if (policy.needs_clock.empty()) return spec;
      return input_error(
          fmt::format("{} has an effect only with a clock; add --device, as in "
                      "--device nvme",
                      policy.needs_clock));
    }
    // The store's options for stalls are those of its system.
    if (policy.policy.name != today_.name) spec.stalls = asked_stalls_;
    take_stalls(policy.stalls, spec.stalls);
    if (policy.merge_threads && !asks_threads_) spec.options.merge_threads = *policy.merge_threads;
    return spec;
  }

  const StoreCase& asked_;
  const Spec today_;
  const RunSpec spec_;
  const Parameters asked_stalls_;
  const bool asks_threads_;
  RunResolver resolver_;
};

std::vector<double> per_flushed(const std::vector<OutputTraffic>& levels, Uint128 flushed) {
  std::vector<double> shares;
  for (const OutputTraffic& level : levels)
    shares.push_back(ratio_of(level.bytes_written, flushed));
  return shares;
}

// The part that is measured, or the whole run.
PartFigures measured_sums(const RunResult& result, bool ends_at_rest) {
  if (!result.parts.empty() && result.parts.back().name == "measured") return result.parts.back();
  // A LOG knows nothing of merges that still run at its end.
  if (result.time && result.at_last_operation && !ends_at_rest) {
    return result.at_last_operation->sums;
  }
  PartFigures sums;
  sums.user_bytes = result.totals.user_bytes;
  sums.bytes_flushed = result.totals.bytes_flushed;
  sums.flush_bytes_written = result.totals.flush_bytes_written;
  sums.merge_bytes_written = result.totals.merge_bytes_written;
  sums.by_output_level = result.totals.by_output_level;
  return sums;
}

}  // namespace

bool uses_logged_clock(const StoreCase& asked, const WhatIfQuestion& question) {
  return (question.device.empty() || question.device == kLoggedClock) && asked.clock &&
         (asked.workload.writes_per_second || asked.clock->write_ns);
}

bool has_waiting_writers(const StoreCase& asked, bool has_logged_clock) {
  const bool knows_writes = has_logged_clock && asked.clock && asked.clock->write_ns;
  return !asked.workload.writes_per_second || (knows_writes && !asked.workload.rate_is_stated);
}

Result<RunSpec> run_of_case(const StoreCase& asked, const WhatIfQuestion& question) {
  RunSpec spec;
  spec.workload = BOOST_OUTCOME_TRYX(parse_spec(asked.workload.spec));
  spec.options.seed = question.seed;
  spec.options.disable_wal = BOOST_OUTCOME_TRYX(leaves_out_log(spec.workload));
  // The history's writes are those of flushed memtables, so the last one is flushed, too.
  spec.options.final_flush = asked.workload.measure_from.empty();
  spec.measure_from = asked.workload.measure_from;
  const bool has_logged_clock = uses_logged_clock(asked, question);
  if (question.device == kLoggedClock && !has_logged_clock) {
    return input_error(
        fmt::format("--device {}: no file tells how long flushes and merges took", kLoggedClock));
  }
  if (question.device == kNoClock || (question.device.empty() && !has_logged_clock)) {
    if (question.stalls.empty() && !question.merge_threads) return spec;
    return input_error(fmt::format(
        "{}: needs --device{}; without a clock nobody waits, and merges run one by one",
        question.stalls.empty() ? "--merge-threads" : "--stalls",
        question.device == kNoClock ? ", other than none"
                                    : ", as no file tells how long flushes and merges took"));
  }
  // With a clock merges may be behind when a history ends, as in the store.
  spec.options.final_flush = asked.ends_at_rest && asked.workload.measure_from.empty();
  spec.options.is_stepped = false;
  spec.options.merge_threads = question.merge_threads.value_or(asked.rules.merge_threads);
  spec.device =
      BOOST_OUTCOME_TRYX(parse_spec(has_logged_clock ? asked.clock->device : question.device));
  spec.stalls = asked.rules.stalls;
  take_stalls(BOOST_OUTCOME_TRYX(parse_stall_changes(question.stalls)), spec.stalls);
  if (!has_waiting_writers(asked, has_logged_clock)) {
    const auto rate = static_cast<std::uint64_t>(std::max(1.0, *asked.workload.writes_per_second));
    spec.clients = {"constant", {{"rate", std::to_string(rate)}}};
  }
  return spec;
}

Result<Spec> changed_policy(const StoreCase& asked, const std::vector<std::string>& changes) {
  TodaysOptions today = BOOST_OUTCOME_TRYX(asked.todays_options());
  for (const std::string& change : changes) {
    const auto policies = changed_policies(today, change);
    if (!policies) return in_context("--set", policies.error());
    if (policies.value().size() != 1) {
      return input_error(fmt::format(
          "--set {}: is a list; expected one value where decisions are checked", excerpt(change)));
    }
    today.policy = policies.value().front().policy;
  }
  return today.policy;
}

Result<WhatIfRuns> runs_of(const StoreCase& asked, const WhatIfQuestion& question) {
  const TodaysOptions today = BOOST_OUTCOME_TRYX(asked.todays_options());
  RunMaker maker(asked, today.policy, BOOST_OUTCOME_TRYX(run_of_case(asked, question)),
                 BOOST_OUTCOME_TRYX(parse_stall_changes(question.stalls)),
                 question.merge_threads.has_value());
  const ChangedPolicy unchanged{"", today.policy, {}, {}, {}};
  WhatIfRuns runs;
  runs.history_ends_at_rest = asked.ends_at_rest;
  const auto add = [&](const ChangedPolicy& policy) -> Result<void> {
    auto run = maker.from(asked.starts.now, false, policy);
    if (!run) {
      return policy.text.empty() ? Result<void>(run.error())
                                 : in_context(fmt::format("--set {}", policy.text), run.error());
    }
    const bool loads = asked.starts.now != nullptr && run.value().setup.start == nullptr;
    runs.variants.push_back({policy.text, std::move(run).value(), loads});
    return success();
  };
  BOOST_OUTCOME_TRYV(add(unchanged));
  if (uses_logged_clock(asked, question)) {
    WhatIfQuestion counted = question;
    counted.device = kNoClock;
    counted.stalls.clear();
    counted.merge_threads.reset();
    RunMaker maker_of_counts(asked, today.policy, BOOST_OUTCOME_TRYX(run_of_case(asked, counted)),
                             {}, false);
    const auto& start = asked.starts.now != nullptr ? asked.starts.at_history : nullptr;
    runs.counted_history = {"", BOOST_OUTCOME_TRYX(maker_of_counts.from(start, true, unchanged))};
  }
  if (asked.starts.now != nullptr) {
    runs.history = {"", BOOST_OUTCOME_TRYX(maker.from(asked.starts.at_history, true, unchanged))};
  }
  for (const std::string& change : question.changes) {
    const auto policies = changed_policies(today, change);
    if (!policies) return in_context("--set", policies.error());
    for (const ChangedPolicy& policy : policies.value()) {
      BOOST_OUTCOME_TRYV(add(policy));
    }
  }
  if (question.combines && question.changes.size() > 1) {
    const Result<void> added = [&]() -> Result<void> {
      auto all = BOOST_OUTCOME_TRYX(policy_of_all(today, question.changes));
      if (!all) return success();
      all->text = kAllTogether;
      return add(*all);
    }();
    // Each change is right alone, so that its line stays.
    if (!added) runs.lack_of_all = added.error().message;
  }
  const bool loads = std::any_of(runs.variants.begin(), runs.variants.end(),
                                 [](const WhatIfVariant& one) { return one.is_loaded_anew; });
  if (loads) {
    runs.variants.insert(runs.variants.begin() + 1,
                         {"", BOOST_OUTCOME_TRYX(maker.from(nullptr, false, unchanged)), true});
  }
  return runs;
}

WhatIfFigures figures_of_run(const std::string& change, const RunResult& result,
                             bool ends_at_rest) {
  WhatIfFigures figures;
  figures.change = change;
  figures.resolution = result.resolution;
  figures.complete = result.complete;
  const PartFigures sums = measured_sums(result, ends_at_rest);
  const Uint128 written = sums.flush_bytes_written + sums.merge_bytes_written;
  figures.flushes = result.totals.flushes;
  figures.write = ratio_of(written, sums.user_bytes);
  figures.write_flushed = ratio_of(written, sums.bytes_flushed);
  figures.written_by_level = per_flushed(sums.by_output_level, sums.bytes_flushed);
  figures.read_max = result.runs.max;
  figures.read_mean = ratio_of(result.runs.sum, result.totals.flushes);
  figures.space = result.disk.space();
  figures.peak_file_bytes = result.disk.file_bytes;
  figures.merge_output_max_bytes = result.disk.merge_output_max_bytes;
  if (result.time) {
    figures.operations_per_second = result.time->operations_per_second;
    if (result.time->latency.puts) figures.put_p99_ns = result.time->latency.puts->p99_ns;
    double stalled_ns = 0;
    if (result.time->stalls) {
      for (const StallFigures& stall : *result.time->stalls) {
        stalled_ns += static_cast<double>(stall.nanoseconds);
      }
    }
    figures.stalled_seconds = stalled_ns / 1e9;
  }
  if (result.machine && result.machine->flash) figures.flash_years = result.machine->flash->years;
  return figures;
}

const WhatIfFigures& WhatIfAnswer::baseline_of(const WhatIfFigures& variant) const {
  const auto found = std::find_if(variants.begin(), variants.end(), [&](const WhatIfFigures& one) {
    return one.change.empty() && one.is_loaded_anew == variant.is_loaded_anew;
  });
  CHECK(found != variants.end());
  return *found;
}

bool WhatIfAnswer::complete() const {
  return history.complete && (!counted_history || counted_history->complete) &&
         std::all_of(variants.begin(), variants.end(),
                     [](const WhatIfFigures& one) { return one.complete; });
}

Result<WhatIfAnswer> simulate_history(const WhatIfRuns& asked, const BatchOptions& options) {
  const WhatIfVariant& today = asked.variants.front();
  std::vector<ResolvedRun> runs{asked.history ? asked.history->run : today.run};
  if (asked.counted_history) runs.push_back(asked.counted_history->run);
  const auto results = BOOST_OUTCOME_TRYX(run_simulations(runs, options));
  WhatIfAnswer answer;
  answer.lack_of_all = asked.lack_of_all;
  answer.history = figures_of_run("", results.front(), asked.history_ends_at_rest);
  if (asked.counted_history) answer.counted_history = figures_of_run("", results.back());
  if (!asked.history) answer.variants.push_back(figures_of_run(today.change, results.front()));
  return answer;
}

Result<void> simulate_variants(const WhatIfRuns& asked, const BatchOptions& options,
                               WhatIfAnswer& answer) {
  const std::size_t known = answer.variants.size();
  std::vector<ResolvedRun> runs;
  for (std::size_t i = known; i < asked.variants.size(); ++i) runs.push_back(asked.variants[i].run);
  if (runs.empty()) return success();
  const auto results = BOOST_OUTCOME_TRYX(run_simulations(runs, options));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const WhatIfVariant& variant = asked.variants[known + i];
    answer.variants.push_back(figures_of_run(variant.change, results[i]));
    answer.variants.back().is_loaded_anew = variant.is_loaded_anew;
  }
  return success();
}

Result<WhatIfAnswer> simulate_runs(const WhatIfRuns& asked, const BatchOptions& options) {
  WhatIfAnswer answer = BOOST_OUTCOME_TRYX(simulate_history(asked, options));
  BOOST_OUTCOME_TRYV(simulate_variants(asked, options, answer));
  return answer;
}

std::vector<double> reported_by_level(const stores::FamilyFigures& reported) {
  std::vector<double> shares;
  if (reported.flushes.bytes == 0) return shares;
  for (const stores::LevelFigures& level : reported.levels) {
    shares.push_back(static_cast<double>(level.written_bytes) /
                     static_cast<double>(reported.flushes.bytes));
  }
  return shares;
}

}  // namespace lsmlab
