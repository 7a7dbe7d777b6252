#include "validate/stores/what_if.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/spec_parameters.h"
#include "models/execution/write_stall.h"
#include "validate/catalog/catalog.h"
#include "validate/stores/key_order.h"

namespace lsmlab {
namespace {

std::uint64_t levels_max(const ConfiguredPolicy& policy) {
  for (const auto& [name, value] : policy.options) {
    const auto* const levels = std::get_if<std::uint64_t>(&value);
    if (name == "levels" && levels != nullptr) return *levels;
  }
  return stores::kStoreLevelsMax;
}

// Whether the policy can go on from a tree that today's policy made.
bool can_take(const ResolvedRun& run, const Spec& today, const StartingTree& start) {
  if (run.spec.policy.name != today.name) return false;
  const std::uint64_t levels = levels_max(run.setup.policy);
  return std::all_of(start.runs.begin(), start.runs.end(),
                     [&](const StartingRun& one) { return one.level < levels; });
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
    if (!can_take(run, today_, *start)) return at_rest();
    run.setup.start = start;
    run.setup.parts.clear();
    return run;
  }

  [[nodiscard]] const Spec& today() const { return today_; }

 private:
  // Questions about large stores are asked at resolution range, where it can run: exact keys would
  // take minutes to hours for each change.
  [[nodiscard]] Result<ResolvedRun> resolve(RunSpec spec) {
    constexpr std::uint64_t kExactOperationsMax = 50'000'000;
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
    if (policy.policy.name != today_.name) spec.stalls.clear();
    for (const Parameters* stalls : {&policy.stalls, &asked_stalls_}) {
      for (const auto& [name, value] : *stalls) state(spec.stalls, name, value);
    }
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
PartFigures measured_sums(const RunResult& result) {
  if (!result.parts.empty() && result.parts.back().name == "measured") return result.parts.back();
  // A LOG knows nothing of merges that still run at its end.
  if (result.time && result.at_last_operation) return result.at_last_operation->sums;
  PartFigures sums;
  sums.user_bytes = result.totals.user_bytes;
  sums.bytes_flushed = result.totals.bytes_flushed;
  sums.flush_bytes_written = result.totals.flush_bytes_written;
  sums.merge_bytes_written = result.totals.merge_bytes_written;
  sums.by_output_level = result.totals.by_output_level;
  return sums;
}

// A load in order, and then writes that overwrite its keys at random: as many of them come twice
// into one memtable as uniform draws of so many keys would leave.
bool take_ordered_load(const KeyOrder& order, StoreCase& asked) {
  constexpr double kDoubledMin = 400;  // known to 5 % then
  constexpr double kNear = 0.1;
  stores::StoreWorkload& workload = asked.workload;
  const stores::FlushFigures& flushes = asked.reported.flushes;
  const std::uint64_t keys = order.loading_writes;
  if (!order.is_load_then_random() || workload.begins_at_rest() || keys >= workload.writes ||
      workload.delete_fraction > 0) {
    return false;
  }
  const double doubled = static_cast<double>(flushes.memtable_entries) -
                         static_cast<double>(std::min(flushes.entries, flushes.memtable_entries));
  if (doubled < kDoubledMin) return false;
  const auto later = static_cast<double>(workload.writes - keys);
  const double memtable = later / static_cast<double>(order.flushes - order.loaded);
  const double drawn = memtable * later / (2 * doubled);
  if (std::abs(drawn / static_cast<double>(keys) - 1) > kNear) return false;
  workload.spec = stores::ordered_load_spec(workload, flushes, keys, workload.writes - keys);
  workload.update_fraction = 0;
  std::erase_if(workload.guesses, [](const stores::PolicyGuess& one) {
    return one.parameter == "number of keys" || one.parameter == "update_fraction" ||
           one.parameter == stores::kKeysGuess;
  });
  workload.guesses.push_back(
      {std::string(stores::kKeysGuess),
       fmt::format("the first {} of {} flushes hold only keys above all earlier ones: {} keys came "
                   "in order. Later writes overwrite them, uniformly: as many came twice into one "
                   "memtable as that would leave",
                   order.loaded, order.flushes, grouped_text(keys))});
  return true;
}

// What the key ranges of flushes tell of the order of keys.
void take_key_order(const stores::Store& store, StoreCase& asked) {
  if (!store.manifest) return;
  KeyOrder order;
  for (const auto& [id, family] : store.manifest->families) {
    if (family.name == asked.reported.name) order = key_order_of(*store.manifest, id);
  }
  stores::StoreWorkload& workload = asked.workload;
  const auto guess = std::find_if(
      workload.guesses.begin(), workload.guesses.end(),
      [](const stores::PolicyGuess& one) { return one.parameter == stores::kKeysGuess; });
  if (guess == workload.guesses.end()) return;
  if (take_ordered_load(order, asked)) return;
  if (!order.is_partly_sequential()) return;
  const std::string seen = fmt::format("{} of {} flushes hold only keys above all earlier ones",
                                       order.rising, order.flushes);
  if (!order.is_sequential()) {
    guess->why = "uniform, but " + seen +
                 ": keys came in order for a time, and such files move without being written "
                 "again; the store then writes less than this, so state the workload with -w";
    return;
  }
  guess->why = "in rising order: " + seen;
  workload.inserts_rise = true;
  workload.spec = stores::load_spec(workload, asked.reported.flushes, workload.records,
                                    workload.simulated_writes());
}

// Whether the user's workload says how many operations a second it stands for. A fault of it is
// reported when it is resolved.
bool states_rate(const std::string& workload) {
  const auto spec = parse_spec(workload);
  const auto made = spec ? key_workload_of_spec(spec.value()) : spec.error();
  return made && made.value().rate;
}

// Today's policy may have times, and then no change of it can do without a rate. Another fault of
// the user's workload is reported when it is resolved.
Result<void> check_counts_times(const stores::PolicySpec& policy, const std::string& workload) {
  constexpr const char* kRate = "operations_per_second=1000";
  const auto spec = parse_spec(workload);
  const auto of_flushes = spec ? is_flush_workload(spec.value()) : spec.error();
  if (!policy.states_times || !of_flushes) return success();
  std::vector<std::string> times;
  for (const auto& [name, text] : BOOST_OUTCOME_TRYX(parse_spec(policy.spec)).parameters) {
    if (is_stated_time(text)) times.push_back(fmt::format("{}={}", name, text));
  }
  const std::string stated = fmt::format("the store's policy has {}", fmt::join(times, ", "));
  if (of_flushes.value()) {
    return input_error(fmt::format(
        "{}, and a workload of flush sizes has no operations to count times by; give a workload of "
        "operations, as -w 'load:entries=1M,{}' with your rate",
        stated, kRate));
  }
  const auto made = key_workload_of_spec(spec.value());
  if (!made || made.value().rate) return success();
  return input_error(
      fmt::format("{}, and the workload does not say how many operations a second it stands for; "
                  "write -w '{}{}{}' with your rate",
                  stated, workload, spec.value().parameters.empty() ? ":" : ",", kRate));
}

}  // namespace

PolicyWorkload StoreCase::policy_workload() const {
  PolicyWorkload taken;
  if (!reported.writes_per_second()) return taken;
  taken.name = "of the LOG";
  taken.rate = stores::stated_rate(*reported.writes_per_second());
  taken.writes = [] { return Result<OperationShare>(OperationShare{}); };
  return taken;
}

Result<StoreCase> store_policy(const stores::Store& store, const std::string& family) {
  const std::vector<std::string> families = store.families();
  const bool is_known = std::find(families.begin(), families.end(), family) != families.end();
  if (family.empty() && families.size() > 1) {
    return input_error(fmt::format("the store has {} column families; choose one with --family: {}",
                                   families.size(), fmt::join(families, ", ")));
  }
  if (families.empty() || (!family.empty() && !is_known)) {
    return input_error(fmt::format("the store has no column family '{}'; it has: {}",
                                   excerpt(family), fmt::join(families, ", ")));
  }
  StoreCase asked;
  asked.reported = stores::figures_of(store, family.empty() ? families.front() : family);
  asked.policy = stores::policy_spec(store, asked.reported);
  if (asked.policy.spec.empty()) {
    return input_error(fmt::format("lsmlab has no policy for this store: {}",
                                   fmt::join(asked.policy.unmodelled, ", ")));
  }
  asked.clock = logged_clock(store, asked.reported, asked.policy.spec);
  if (store.system != stores::StoreSystem::kRocksdb) return asked;
  asked.options.emplace();
  asked.options->system = store.system;
  asked.options->version = store.version;
  asked.options->options = store.options;
  if (!asked.reported.writes_per_second()) asked.rate_lack = stores::kNoRate;
  return asked;
}

Result<StoreCase> store_case(const stores::Store& store, const std::string& family,
                             const std::string& workload) {
  StoreCase asked = BOOST_OUTCOME_TRYX(store_policy(store, family));
  Result<stores::StoreWorkload> found = stores::store_workload(asked.reported);
  if (!workload.empty()) {
    asked.workload.spec = workload;
    asked.rate_lack = states_rate(workload) ? "" : "the workload of -w lacks operations_per_second";
    asked.policy = stores::policy_spec(store, asked.reported, asked.rate_lack);
    BOOST_OUTCOME_TRYV(check_counts_times(asked.policy, workload));
    if (found) asked.workload.writes_per_second = found.value().writes_per_second;
    return asked;
  }
  if (!found) return found.error();
  asked.workload = std::move(found).value();
  take_key_order(store, asked);
  if (!asked.workload.begins_at_rest()) return asked;
  auto starts = starts_of(store, asked.reported, asked.workload);
  if (starts) {
    asked.starts = std::move(starts).value();
    if (asked.starts.at_history != nullptr) {
      std::erase_if(asked.workload.guesses, [](const stores::PolicyGuess& guess) {
        return guess.parameter == stores::kRecordsGuess;
      });
      asked.workload.guesses.push_back(
          {std::string(stores::kRecordsGuess),
           "the entries of the tree without those that are estimated to be obsolete; which of them "
           "a file above the oldest run holds is drawn at random"});
    }
  } else {
    asked.workload.guesses.push_back(
        {"tree", "loaded anew, because that of the store is not known: " + starts.error().message});
  }
  return asked;
}

std::string StoreCase::workload_after(const StartingTree& start, bool is_history) const {
  const std::uint64_t all =
      is_history ? workload.writes : std::max(workload.writes, 2 * start.records);
  const std::uint64_t writes = workload.steady_writes.value_or(all);
  return stores::load_spec(workload, reported.flushes, start.records, writes);
}

bool uses_logged_clock(const StoreCase& asked, const WhatIfQuestion& question) {
  return question.device.empty() && asked.clock &&
         (asked.workload.writes_per_second || asked.clock->write_ns);
}

Result<RunSpec> run_of_case(const StoreCase& asked, const WhatIfQuestion& question) {
  RunSpec spec;
  spec.workload = BOOST_OUTCOME_TRYX(parse_spec(asked.workload.spec));
  spec.options.seed = question.seed;
  // The history's writes are those of flushed memtables, so the last one is flushed, too.
  spec.options.final_flush = asked.workload.measure_from.empty();
  spec.measure_from = asked.workload.measure_from;
  const bool has_logged_clock = uses_logged_clock(asked, question);
  if (question.device == kNoClock || (question.device.empty() && !has_logged_clock)) {
    if (question.stalls.empty() && !question.merge_threads) return spec;
    return input_error(fmt::format(
        "{}: needs --device{}; without a clock nobody waits, and merges run one by one",
        question.stalls.empty() ? "--merge-threads" : "--stalls",
        question.device == kNoClock ? ", other than none"
                                    : ", as no file tells how long flushes and merges took"));
  }
  // With a clock merges may be behind when a history ends, as in the store.
  spec.options.final_flush = false;
  spec.options.is_stepped = false;
  spec.options.merge_threads =
      question.merge_threads.value_or(has_logged_clock ? asked.clock->merge_threads : 1);
  spec.device =
      BOOST_OUTCOME_TRYX(parse_spec(has_logged_clock ? asked.clock->device : question.device));
  if (has_logged_clock) spec.stalls = asked.clock->stalls;
  for (const auto& [name, value] : BOOST_OUTCOME_TRYX(parse_stall_changes(question.stalls))) {
    state(spec.stalls, name, value);
  }
  if (asked.workload.writes_per_second) {
    const auto rate = static_cast<std::uint64_t>(std::max(1.0, *asked.workload.writes_per_second));
    spec.clients = {"constant", {{"rate", std::to_string(rate)}}};
  }
  return spec;
}

Result<TodaysOptions> StoreCase::todays_options() const {
  TodaysOptions today;
  today.policy = BOOST_OUTCOME_TRYX(parse_spec(policy.spec));
  today.store = options;
  today.reported = &reported;
  today.rate_lack = rate_lack;
  return today;
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
  const auto add = [&](const ChangedPolicy& policy) -> Result<void> {
    auto run = maker.from(asked.starts.now, false, policy);
    if (!run) {
      return policy.text.empty() ? Result<void>(run.error())
                                 : in_context(fmt::format("--set {}", policy.text), run.error());
    }
    const bool loads = asked.starts.now != nullptr && run.value().setup.start == nullptr;
    runs.variants.push_back(
        {loads ? policy.text + " (loaded anew)" : policy.text, std::move(run).value()});
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
  if (!question.combines || question.changes.size() < 2) return runs;
  std::optional<ChangedPolicy> all = BOOST_OUTCOME_TRYX(policy_of_all(today, question.changes));
  if (!all) return runs;
  all->text = "all together";
  BOOST_OUTCOME_TRYV(add(*all));
  return runs;
}

WhatIfFigures figures_of_run(const std::string& change, const RunResult& result) {
  WhatIfFigures figures;
  figures.change = change;
  figures.resolution = result.resolution;
  figures.complete = result.complete;
  const PartFigures sums = measured_sums(result);
  const Uint128 written = sums.flush_bytes_written + sums.merge_bytes_written;
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

bool WhatIfAnswer::complete() const {
  return history.complete && (!counted_history || counted_history->complete) &&
         std::all_of(variants.begin(), variants.end(),
                     [](const WhatIfFigures& one) { return one.complete; });
}

Result<WhatIfAnswer> simulate_runs(const WhatIfRuns& asked, const BatchOptions& options) {
  std::vector<ResolvedRun> runs;
  for (const WhatIfVariant& variant : asked.variants) runs.push_back(variant.run);
  if (asked.history) runs.push_back(asked.history->run);
  if (asked.counted_history) runs.push_back(asked.counted_history->run);
  const auto results = BOOST_OUTCOME_TRYX(run_simulations(runs, options));
  WhatIfAnswer answer;
  for (std::size_t i = 0; i < asked.variants.size(); ++i) {
    answer.variants.push_back(figures_of_run(asked.variants[i].change, results[i]));
  }
  std::size_t next = asked.variants.size();
  answer.history = asked.history ? figures_of_run("", results[next++]) : answer.variants.front();
  if (asked.counted_history) answer.counted_history = figures_of_run("", results[next]);
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
