#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <future>
#include <system_error>

#include "default_policy.h"
#include "interrupt.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "models/execution/plan_log.h"
#include "output.h"
#include "printed_results.h"
#include "progress.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/measured_format.h"
#include "validate/results/result_json.h"
#include "validate/runs/execute_run.h"
#include "verbs.h"

namespace lsmlab {
namespace {

// The value that a word stands for. Errors: the word is none of `choices`.
template <class Value>
Result<Value> choice_of(const std::string& option, const std::string& text,
                        const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names.push_back(name);
  }
  return input_error(
      fmt::format("--{}: unknown value '{}'{}", option, excerpt(text), suggestion(text, names)));
}

Result<void> read_sync(const std::string& text, RunOptions& options) {
  for (const SyncWords& words : kSyncWords) {
    if (words.rule == SyncRule::kEveryBytes || text != words.option) continue;
    options.sync = words.rule;
    return success();
  }
  const Result<std::uint64_t> bytes = parse_bytes(text);
  if (!bytes || bytes.value() == 0) {
    return input_error(fmt::format(
        "--sync: unknown value '{}'; expected never, batch or a number of bytes such as 1MiB",
        excerpt(text)));
  }
  options.sync = SyncRule::kEveryBytes;
  options.sync_bytes = Bytes(bytes.value());
  return success();
}

// Options of threaded mode.
Result<void> read_threads(const ReplayArguments& arguments, RunSpec& spec) {
  if (spec.options.is_stepped && arguments.merge_threads != kRunDefaults.merge_threads) {
    return input_error("--merge-threads: --mode stepped has no merge threads; add --mode threaded");
  }
  if (spec.options.is_stepped && !arguments.stalls.empty()) {
    return input_error(
        "--stalls: --mode stepped has no stalls, because a write waits for all merges; add --mode "
        "threaded");
  }
  if (spec.options.is_stepped && arguments.clients != ReplayArguments().clients) {
    return input_error(
        "--clients: --mode stepped has no time at which operations arrive; add --mode threaded");
  }
  spec.options.merge_threads = arguments.merge_threads;
  spec.clients = BOOST_OUTCOME_TRYX(parse_spec(arguments.clients));
  if (spec.clients.name == "closed" && !spec.clients.parameters.empty()) {
    return input_error("--clients: a replay has one closed client; remove the parameters");
  }
  spec.stalls = BOOST_OUTCOME_TRYX(parse_stall_changes(arguments.stalls));
  return success();
}

// Options of lsmlab's engine: how it writes its files.
Result<void> read_files(const ReplayArguments& arguments, RunSpec& spec) {
  BOOST_OUTCOME_TRYV(read_sync(arguments.sync, spec.options));
  spec.options.sync_files = arguments.sync_files || spec.options.sync != SyncRule::kNever;
  const Result<std::uint64_t> gathered = parse_bytes(arguments.wal_buffer);
  if (!gathered) return in_context("--wal-buffer", gathered.error());
  spec.options.wal_buffer = Bytes(gathered.value());
  spec.options.direct_io = arguments.direct_io;
  spec.options.verify = arguments.verify;
  return success();
}

// Runs on another thread, so that this one can show the progress.
Result<RunResult> run_watched(const std::function<Result<RunResult>(RunControl&)>& run,
                              std::uint64_t operations, bool quiet) {
  constexpr std::chrono::milliseconds kInterval{100};
  RunControl control;
  control.stop = &interrupt_flag();
  ProgressLine progress;
  std::future<Result<RunResult>> outcome;
  try {
    outcome = std::async(std::launch::async, [&] { return run(control); });
  } catch (const std::system_error&) {
    return run(control);  // without another thread: run on this one, without a progress line
  }
  while (outcome.wait_for(kInterval) != std::future_status::ready) {
    if (quiet) continue;
    progress.show(
        {0, 1, control.units_done.load(std::memory_order_relaxed), operations, "operations", {}});
  }
  return outcome.get();
}

// Other stores do not have the options of lsmlab's engine.
Result<void> check_foreign(const ReplayArguments& arguments) {
  const ReplayArguments defaults;
  const std::pair<bool, const char*> given[] = {
      {arguments.sync != defaults.sync, "--sync"},
      {arguments.sync_files, "--sync-files"},
      {arguments.wal_buffer != defaults.wal_buffer, "--wal-buffer"},
      {arguments.direct_io, "--direct-io"},
      {arguments.verify, "--verify"},
      {arguments.mode != "stepped" && arguments.mode != "threaded", "--mode"},
      {!arguments.stalls.empty(), "--stalls"},
      {arguments.clients != defaults.clients, "--clients"},
      {arguments.merge_threads != defaults.merge_threads, "--merge-threads"}};
  for (const auto& [is_given, option] : given) {
    if (is_given) {
      return input_error(fmt::format(
          "{}: not with --engine {}, which runs without log syncs and with one compaction "
          "thread; --mode is stepped (a flush waits until nothing is left to compact) "
          "or "
          "threaded",
          option, arguments.engine));
    }
  }
  return success();
}

Result<RunSpec> spec_of(const ReplayArguments& arguments) {
  RunSpec spec;
  spec.options.source =
      BOOST_OUTCOME_TRYX(choice_of<RunSource>("engine", arguments.engine,
                                              {{"lsmlab", RunSource::kEngine},
                                               {"rocksdb", RunSource::kRocksdb},
                                               {"leveldb", RunSource::kLeveldb}}));
  const bool is_ours = spec.options.source == RunSource::kEngine;
  spec.options.disable_wal = arguments.disable_wal;
  if (!is_ours) {
    BOOST_OUTCOME_TRYV(check_foreign(arguments));
  }
  const auto policy = BOOST_OUTCOME_TRYX(parse_spec(arguments.policy));
  spec.policy = with_table_format(policy, spec.options.source);
  // A SPEC that has it too is refused for giving it twice.
  if (!arguments.compression.empty()) {
    spec.policy.parameters.emplace_back("compression", arguments.compression);
  }
  spec.workload = BOOST_OUTCOME_TRYX(parse_spec(arguments.workload));
  spec.options.is_stepped = BOOST_OUTCOME_TRYX(
      choice_of<bool>("mode", arguments.mode, {{"stepped", true}, {"threaded", false}}));
  if (is_ours) {
    BOOST_OUTCOME_TRYV(read_files(arguments, spec));
    BOOST_OUTCOME_TRYV(read_threads(arguments, spec));
  }
  const Result<std::uint64_t> seed = parse_count(arguments.seed);
  if (!seed) return in_context("--seed", seed.error());
  spec.options.seed = seed.value();
  spec.options.final_flush = arguments.final_flush;
  spec.measure_from = arguments.measure_from;
  if (!arguments.scale.empty()) {
    spec.scale = BOOST_OUTCOME_TRYX(RunScale::parse(arguments.scale));
  }
  return spec;
}

Result<RunResult> replay(const ReplayArguments& arguments) {
  const RunSpec spec = BOOST_OUTCOME_TRYX(spec_of(arguments));
  ResolvedRun run = BOOST_OUTCOME_TRYX(resolve(spec));
  tell_policy_limits(spec);
  tell_workload_notes(spec.workload);
  std::optional<OutputFile> log;
  if (!arguments.log.empty()) {
    log.emplace(BOOST_OUTCOME_TRYX(OutputFile::open(arguments.log)));
    run.setup.log = [&log](const PlanRecord& record) {
      log->write(plan_record_line(record));
      log->write("\n");
    };
  }
  catch_interrupts();
  RunResult result = BOOST_OUTCOME_TRYX(run_watched(
      [&](RunControl& control) { return execute_run(run, arguments.directory, control); },
      run.units(), arguments.quiet));
  if (log) {
    BOOST_OUTCOME_TRYV(log->commit());
  }
  return result;
}

std::string verification_text(const VerificationFigures& figures) {
  if (figures.mismatches == 0) {
    return fmt::format("verified: all {} keys as written\n", grouped_text(figures.keys_checked));
  }
  return fmt::format("verified: {} mismatches among {} keys; the first: {}\n",
                     grouped_text(figures.mismatches), grouped_text(figures.keys_checked),
                     figures.first_mismatch.value_or(""));
}

// Two outputs must differ, and no output may be an input.
Result<void> check_outputs(const ReplayArguments& arguments) {
  if (!arguments.out.empty() && !arguments.log.empty() &&
      is_same_output(arguments.out, arguments.log)) {
    return input_error("--out and --log name the same output");
  }
  for (const std::string& text : {arguments.policy, arguments.workload}) {
    const Spec spec = BOOST_OUTCOME_TRYX(parse_spec(text));
    const std::vector<std::string> inputs = files_of_spec(spec);
    BOOST_OUTCOME_TRYV(check_not_overwritten("--out", arguments.out, inputs));
    BOOST_OUTCOME_TRYV(check_not_overwritten("--log", arguments.log, inputs));
  }
  return success();
}

Result<int> replay_and_write(const ReplayArguments& arguments) {
  BOOST_OUTCOME_TRYV(check_outputs(arguments));
  auto printer =
      BOOST_OUTCOME_TRYX(ResultPrinter::open(arguments.print, {arguments.out, arguments.log}));
  std::optional<OutputFile> out;
  if (!arguments.out.empty()) {
    auto file = BOOST_OUTCOME_TRYX(OutputFile::open(arguments.out));
    out.emplace(std::move(file));
  }
  const RunResult result = BOOST_OUTCOME_TRYX(replay(arguments));
  const FileSection& files = *result.files;
  if (out) {
    out->write(results_text({&result, 1}));
    BOOST_OUTCOME_TRYV(out->commit());
  }
  const std::string remark = files.verification ? verification_text(*files.verification) : "";
  BOOST_OUTCOME_TRYV(printer.print({&result, 1}, remark));
  if (files.written.agrees() == false) {
    std::fputs(
        "lsmlab: the engine's count of written bytes and the kernel's differ by more than 1 %; see "
        "\"written\" in the result\n",
        stderr);
  }
  if (!result.complete) {
    std::fputs("lsmlab: stopped early; the result is marked \"complete\": false\n", stderr);
    return interrupt_exit_code();
  }
  const bool is_right = !files.verification || files.verification->mismatches == 0;
  return is_right ? kExitDone : kExitFellShort;
}

}  // namespace

int run_replay(ReplayArguments arguments) {
  if (arguments.policy.empty()) {
    const Result<std::string> policy = default_policy({arguments.workload}, "replay");
    if (!policy) return report_error(policy.error());
    // The engine writes its own format.
    const bool is_ours = arguments.engine == "lsmlab";
    arguments.policy = policy.value() + (is_ours ? ":table_format=lsmlab" : "");
  }
  const Result<int> code = replay_and_write(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
