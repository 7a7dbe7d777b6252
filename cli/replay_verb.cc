#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <future>
#include <system_error>

#include "engine/files/posix_file_system.h"
#include "engine/foreign/foreign_replay.h"
#include "engine/replay/engine_replay.h"
#include "interrupt.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "models/execution/plan_log.h"
#include "output.h"
#include "progress.h"
#include "validate/catalog/catalog.h"
#include "validate/results/result_json.h"
#include "validate/results/summary_table.h"
#include "verbs.h"

namespace lsmlab {
namespace {

// The value of an option that is one of some words. Errors: it is none, with the nearest that is.
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

Result<void> read_sync(const std::string& text, engine::StoreSetup& setup) {
  if (text == "never" || text == "batch") {
    setup.sync = text == "never" ? engine::SyncRule::kNever : engine::SyncRule::kEveryBatch;
    return success();
  }
  const Result<std::uint64_t> bytes = parse_bytes(text);
  if (!bytes || bytes.value() == 0) {
    return input_error(fmt::format(
        "--sync: '{}' is none of never, batch, or a number of bytes such as 1MiB", text));
  }
  setup.sync = engine::SyncRule::kEveryBytes;
  setup.sync_bytes = Bytes(bytes.value());
  return success();
}

Result<engine::StoreSetup> make_setup(const ReplayArguments& arguments) {
  engine::StoreSetup setup;
  const auto spec = BOOST_OUTCOME_TRYX(parse_spec(arguments.policy));
  setup.policy = BOOST_OUTCOME_TRYX(policy_of_spec(spec));
  setup.mode = BOOST_OUTCOME_TRYX(choice_of<engine::StoreMode>(
      "mode", arguments.mode,
      {{"stepped", engine::StoreMode::kStepped}, {"threaded", engine::StoreMode::kThreaded}}));
  setup.compression =
      BOOST_OUTCOME_TRYX(choice_of<engine::Compression>("compression", arguments.compression,
                                                        {{"none", engine::Compression::kNone},
                                                         {"zstd", engine::Compression::kZstd},
                                                         {"lz4", engine::Compression::kLz4}}));
  BOOST_OUTCOME_TRYV(read_sync(arguments.sync, setup));
  const Result<std::uint64_t> gathered = parse_bytes(arguments.wal_buffer);
  if (!gathered) return input_error(fmt::format("--wal-buffer: {}", gathered.error().message));
  // Each batch is written at once where each is synced.
  if (setup.sync != engine::SyncRule::kEveryBatch) setup.wal_buffer = Bytes(gathered.value());
  if (setup.policy.has_forced_plans && setup.mode == engine::StoreMode::kThreaded) {
    return forced_plans_error("--mode: a threaded run");
  }
  if (setup.mode == engine::StoreMode::kStepped && arguments.merge_threads != 1) {
    return input_error("--merge-threads: stepped mode has none; add --mode threaded");
  }
  setup.merge_threads = arguments.merge_threads;
  if (setup.mode == engine::StoreMode::kStepped && !arguments.stalls.empty()) {
    return input_error("--stalls: in stepped mode a write waits for all; add --mode threaded");
  }
  const Parameters stalls = BOOST_OUTCOME_TRYX(parse_stall_changes(arguments.stalls));
  setup.stalls = BOOST_OUTCOME_TRYX(stall_rules_of(setup.policy, stalls));
  setup.sync_files = arguments.sync_files || setup.sync != engine::SyncRule::kNever;
  setup.direct_io = arguments.direct_io;
  return setup;
}

// Runs on a thread of its own, so that this one can show how far it is.
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
    return run(control);  // no thread is to be had: on this one, without a progress line
  }
  while (outcome.wait_for(kInterval) != std::future_status::ready) {
    if (quiet) continue;
    progress.show(
        {0, 1, control.units_done.load(std::memory_order_relaxed), operations, "operations", {}});
  }
  return outcome.get();
}

// What a replay runs on: a workload with its seed, and where its plan log goes.
struct ReplayJob {
  KeyWorkload workload;
  engine::ReplayOptions options;
  std::unique_ptr<OperationSource> source;
  std::optional<OutputFile> log;

  [[nodiscard]] PlanLogSink sink() {
    if (!log) return {};
    return [this](const PlanRecord& record) {
      log->write(plan_record_line(record));
      log->write("\n");
    };
  }
};

Result<void> prepare(const ReplayArguments& arguments, ReplayJob& job) {
  const auto spec = BOOST_OUTCOME_TRYX(parse_spec(arguments.workload));
  const bool is_flush = BOOST_OUTCOME_TRYX(is_flush_workload(spec));
  if (is_flush) {
    return input_error(fmt::format(
        "workload '{}' is one of flush sizes, which only 'lsmlab simulate' can run; a replay takes "
        "operations ('lsmlab workloads') or a trace file",
        spec.name));
  }
  job.workload = BOOST_OUTCOME_TRYX(key_workload_of_spec(spec));
  const Result<std::uint64_t> seed = parse_count(arguments.seed);
  if (!seed) return input_error(fmt::format("--seed: {}", seed.error().message));
  job.options.seed = seed.value();
  job.options.workload = job.workload.name;
  job.options.workload_options = job.workload.options;
  job.options.final_flush = arguments.final_flush;
  job.options.verify = arguments.verify;
  if (!arguments.log.empty()) {
    auto file = BOOST_OUTCOME_TRYX(OutputFile::open(arguments.log));
    job.log.emplace(std::move(file));
  }
  job.source = BOOST_OUTCOME_TRYX(job.workload.open(job.options.seed));
  return success();
}

Result<RunResult> replay_ours(const ReplayArguments& arguments, ReplayJob& job) {
  engine::StoreSetup setup = BOOST_OUTCOME_TRYX(make_setup(arguments));
  BOOST_OUTCOME_TRYV(prepare(arguments, job));
  setup.log = job.sink();
  engine::PosixFileSystem files;
  setup.files = &files;
  catch_interrupts();
  return run_watched(
      [&](RunControl& control) {
        return engine::replay(arguments.directory, setup, *job.source, job.options, control);
      },
      job.workload.operations, arguments.quiet);
}

// Options that say how our engine works have no meaning for another store.
Result<void> check_foreign(const ReplayArguments& arguments) {
  const ReplayArguments defaults;
  const std::pair<bool, const char*> given[] = {
      {arguments.sync != defaults.sync, "--sync"},
      {arguments.sync_files, "--sync-files"},
      {arguments.wal_buffer != defaults.wal_buffer, "--wal-buffer"},
      {arguments.compression != defaults.compression, "--compression"},
      {arguments.direct_io, "--direct-io"},
      {arguments.verify, "--verify"},
      {arguments.mode != "stepped" && arguments.mode != "threaded", "--mode"},
      {!arguments.stalls.empty(), "--stalls"},
      {arguments.merge_threads != 1, "--merge-threads"}};
  for (const auto& [is_given, option] : given) {
    if (is_given) {
      return input_error(fmt::format(
          "{}: not with --engine {}, which syncs no log and compresses nothing, in mode "
          "stepped (a flush waits until nothing is left to compact) or threaded, with one thread "
          "that compacts",
          option, arguments.engine));
    }
  }
  return success();
}

Result<RunResult> replay_foreign(const ReplayArguments& arguments, engine::ForeignKind kind,
                                 ReplayJob& job) {
  BOOST_OUTCOME_TRYV(check_foreign(arguments));
  auto spec = BOOST_OUTCOME_TRYX(parse_spec(arguments.policy));
  // So that the result says what the store's files are like, and a simulation of it is alike.
  const bool is_given =
      std::any_of(spec.parameters.begin(), spec.parameters.end(),
                  [](const auto& parameter) { return parameter.first == "table_format"; });
  if (!is_given) spec.parameters.emplace_back("table_format", arguments.engine);
  engine::ForeignSetup setup;
  setup.directory = arguments.directory;
  setup.policy = BOOST_OUTCOME_TRYX(policy_of_spec(spec));
  if (setup.policy.has_forced_plans) return forced_plans_error("--engine: another store");
  setup.is_paced = arguments.mode == "stepped";
  BOOST_OUTCOME_TRYV(prepare(arguments, job));
  catch_interrupts();
  return run_watched(
      [&](RunControl& control) {
        return engine::replay_foreign(kind, setup, job.sink(), *job.source, job.options, control);
      },
      job.workload.operations, arguments.quiet);
}

Result<RunResult> replay(const ReplayArguments& arguments) {
  const auto kind = BOOST_OUTCOME_TRYX(
      choice_of<std::optional<engine::ForeignKind>>("engine", arguments.engine,
                                                    {{"lsmlab", std::nullopt},
                                                     {"rocksdb", engine::ForeignKind::kRocksdb},
                                                     {"leveldb", engine::ForeignKind::kLeveldb}}));
  ReplayJob job;
  RunResult result = BOOST_OUTCOME_TRYX(kind ? replay_foreign(arguments, *kind, job)
                                             : replay_ours(arguments, job));
  if (job.log) {
    BOOST_OUTCOME_TRYV(job.log->commit());
  }
  return result;
}

std::string verification_text(const VerificationFigures& figures) {
  if (figures.mismatches == 0) {
    return fmt::format("read back: all {} keys as written\n", grouped_text(figures.keys_checked));
  }
  return fmt::format("read back: {} mismatches among {} keys; the first: {}\n",
                     grouped_text(figures.mismatches), grouped_text(figures.keys_checked),
                     figures.first_mismatch.value_or(""));
}

// What is written is neither the same nor read.
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
  if (!out || !out->is_standard_output()) {
    const nlohmann::ordered_json row = result_to_json(result);
    std::string text = summary_text({&row, 1});
    if (files.verification) text += verification_text(*files.verification);
    BOOST_OUTCOME_TRYV(print_text(text));
  }
  if (files.written.agrees() == false) {
    std::fputs(
        "lsmlab: the bytes counted and the kernel's count differ by more than 1 %; see "
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

int run_replay(const ReplayArguments& arguments) {
  const Result<int> code = replay_and_write(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
