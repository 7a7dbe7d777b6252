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

constexpr std::string_view kPolicyChange = "policy=";

// The policy with a change, which may be a list.
Result<std::vector<Spec>> changed(const Spec& today, const std::string& change) {
  if (change.starts_with(kPolicyChange)) {
    return expand_lists(BOOST_OUTCOME_TRYX(parse_spec(change.substr(kPolicyChange.size()))));
  }
  const Result<Spec> given = parse_spec("change:" + change);
  if (!given || given.value().parameters.empty()) {
    return input_error(fmt::format(
        "'{}': expected OPTION=VALUE, as in size_ratio=6, or policy=SPEC", excerpt(change)));
  }
  Spec spec = today;
  for (const auto& [name, value] : given.value().parameters) state(spec.parameters, name, value);
  return expand_lists(spec);
}

std::string change_text(const std::string& change, const Spec& spec) {
  if (spec.varied.empty()) return change;
  std::string text;
  for (const std::string& name : spec.varied) {
    const auto found = std::find_if(spec.parameters.begin(), spec.parameters.end(),
                                    [&](const auto& one) { return one.first == name; });
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, found->second);
  }
  return text;
}

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
  RunMaker(const StoreCase& asked, Spec today, RunSpec spec, Parameters asked_stalls)
      : asked_(asked),
        today_(std::move(today)),
        spec_(std::move(spec)),
        asked_stalls_(std::move(asked_stalls)) {}

  // The records are loaded first, and the tree comes to rest.
  [[nodiscard]] Result<ResolvedRun> at_rest(const Spec& policy) {
    RunSpec spec = spec_;
    spec.policy = policy;
    // The store's options for stalls are those of its system.
    if (policy.name != today_.name) spec.stalls = asked_stalls_;
    return resolver_.resolve(spec);
  }

  [[nodiscard]] Result<ResolvedRun> from(const std::shared_ptr<const StartingTree>& start,
                                         bool is_history, const Spec& policy) {
    if (start == nullptr) return at_rest(policy);
    RunSpec spec = spec_;
    spec.policy = policy;
    spec.workload = BOOST_OUTCOME_TRYX(parse_spec(asked_.workload_after(*start, is_history)));
    spec.measure_from.clear();
    spec.options.final_flush = spec_.options.is_stepped;
    ResolvedRun run = BOOST_OUTCOME_TRYX(resolver_.resolve(spec));
    if (!can_take(run, today_, *start)) return at_rest(policy);
    run.setup.start = start;
    run.setup.parts.clear();
    return run;
  }

  [[nodiscard]] const Spec& today() const { return today_; }

 private:
  const StoreCase& asked_;
  const Spec today_;
  const RunSpec spec_;
  const Parameters asked_stalls_;
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
  if (!order.is_load_then_random() || !workload.is_whole_history || keys >= workload.writes ||
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
  return asked;
}

Result<StoreCase> store_case(const stores::Store& store, const std::string& family,
                             const std::string& workload) {
  StoreCase asked = BOOST_OUTCOME_TRYX(store_policy(store, family));
  Result<stores::StoreWorkload> found = stores::store_workload(asked.reported);
  if (!workload.empty()) {
    asked.workload.spec = workload;
    asked.policy = stores::policy_spec(
        store, asked.reported,
        states_rate(workload) ? "" : "the workload of -w lacks operations_per_second");
    BOOST_OUTCOME_TRYV(check_counts_times(asked.policy, workload));
    if (found) asked.workload.writes_per_second = found.value().writes_per_second;
    return asked;
  }
  if (!found) return found.error();
  asked.workload = std::move(found).value();
  take_key_order(store, asked);
  if (asked.workload.is_whole_history) return asked;
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
  const std::uint64_t writes =
      is_history ? workload.writes : std::max(workload.writes, 2 * start.records);
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

Result<Spec> changed_policy(const StoreCase& asked, const std::vector<std::string>& changes) {
  Spec spec = BOOST_OUTCOME_TRYX(parse_spec(asked.policy.spec));
  for (const std::string& change : changes) {
    const auto specs = changed(spec, change);
    if (!specs) return in_context("--set", specs.error());
    if (specs.value().size() != 1) {
      return input_error(fmt::format(
          "--set {}: is a list; expected one value where decisions are checked", excerpt(change)));
    }
    spec = specs.value().front();
  }
  return spec;
}

Result<WhatIfRuns> runs_of(const StoreCase& asked, const WhatIfQuestion& question) {
  RunMaker maker(asked, BOOST_OUTCOME_TRYX(parse_spec(asked.policy.spec)),
                 BOOST_OUTCOME_TRYX(run_of_case(asked, question)),
                 BOOST_OUTCOME_TRYX(parse_stall_changes(question.stalls)));
  const Spec& today = maker.today();
  WhatIfRuns runs;
  const auto add = [&](const std::string& change, const Spec& policy) -> Result<void> {
    auto run = maker.from(asked.starts.now, false, policy);
    if (!run) {
      return change.empty() ? Result<void>(run.error())
                            : in_context(fmt::format("--set {}", change), run.error());
    }
    const bool loads = asked.starts.now != nullptr && run.value().setup.start == nullptr;
    runs.variants.push_back({loads ? change + " (loaded anew)" : change, std::move(run).value()});
    return success();
  };
  BOOST_OUTCOME_TRYV(add("", today));
  if (uses_logged_clock(asked, question)) {
    WhatIfQuestion counted = question;
    counted.device = kNoClock;
    counted.stalls.clear();
    counted.merge_threads.reset();
    RunMaker maker_of_counts(asked, today, BOOST_OUTCOME_TRYX(run_of_case(asked, counted)), {});
    const auto& start = asked.starts.now != nullptr ? asked.starts.at_history : nullptr;
    runs.counted_history = {"", BOOST_OUTCOME_TRYX(maker_of_counts.from(start, true, today))};
  }
  if (asked.starts.now != nullptr) {
    runs.history = {"", BOOST_OUTCOME_TRYX(maker.from(asked.starts.at_history, true, today))};
  }
  for (const std::string& change : question.changes) {
    const auto specs = changed(today, change);
    if (!specs) return in_context("--set", specs.error());
    for (const Spec& spec : specs.value()) {
      BOOST_OUTCOME_TRYV(add(change_text(change, spec), spec));
    }
  }
  if (!question.combines || question.changes.size() < 2) return runs;
  Spec all = today;
  for (const std::string& change : question.changes) {
    const auto specs = BOOST_OUTCOME_TRYX(changed(all, change));
    if (specs.size() > 1 || change.starts_with(kPolicyChange)) return runs;
    all = specs.front();
  }
  BOOST_OUTCOME_TRYV(add("all together", all));
  return runs;
}

WhatIfFigures figures_of_run(const std::string& change, const RunResult& result) {
  WhatIfFigures figures;
  figures.change = change;
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
