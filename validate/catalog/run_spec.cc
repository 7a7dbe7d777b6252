#include "validate/catalog/run_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/foreign/foreign_replay.h"
#include "models/base/check.h"
#include "models/execution/forced_plans.h"
#include "models/execution/request_class.h"
#include "sim/ranges/simulate_ranges.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/compression_sample.h"
#include "validate/catalog/db_bench_workload.h"
#include "validate/catalog/key_format_parameter.h"
#include "validate/catalog/run_parts.h"

namespace lsmlab {
namespace {

bool is_foreign(RunSource source) {
  return source == RunSource::kRocksdb || source == RunSource::kLeveldb;
}

// What `make` returns for the SPEC, taken from `known` if it was made before.
template <class T, class Make>
Result<T> looked_up(std::map<std::string, T>& known, const Spec& spec, const Make& make) {
  // What a list varied counts too: labels show it.
  const std::string name = fmt::format("{} {}", spec_text(spec), fmt::join(spec.varied, ","));
  if (const auto found = known.find(name); found != known.end()) return found->second;
  Result<T> made = make(spec);
  if (made) known.emplace(name, made.value());
  return made;
}

Error flush_workload_error(const RunSpec& spec) {
  const std::string& name = spec.workload.name;
  if (spec.options.source != RunSource::kSimulator) {
    return input_error(
        fmt::format("workload '{}' consists of flush sizes, which only 'lsmlab simulate' can run; "
                    "a replay needs a workload of operations ('lsmlab workloads') or a trace file",
                    name));
  }
  return input_error(
      fmt::format("workload '{}' consists of flush sizes, which resolution 'key' cannot run; "
                  "'lsmlab workloads' lists workloads of operations",
                  name));
}

// Plans can be forced only if timing has no influence.
Result<void> check_forced_plans(const RunSpec& spec, const ConfiguredPolicy& policy) {
  if (!policy.has_forced_plans) return success();
  if (is_foreign(spec.options.source)) return forced_plans_error("another store (--engine)");
  if (spec.device) return forced_plans_error("a run with a clock (--device)");
  if (!spec.options.is_stepped) return forced_plans_error("a threaded run (--mode)");
  return success();
}

// The engine would need another time for the merges than the policy's system.
Result<void> check_merge_parts(const RunSpec& spec, const ConfiguredPolicy& policy) {
  const std::uint64_t parts = policy.policy->merge_parts_max();
  if (spec.options.source != RunSource::kEngine || spec.options.is_stepped || parts < 2) {
    return success();
  }
  return input_error(fmt::format(
      "max_subcompactions={}: lsmlab's engine merges with one thread, so a threaded run (--mode) "
      "would take other times; leave it out, or use --engine rocksdb or 'lsmlab simulate --device'",
      parts));
}

// If the workload has a fault, that is what is reported of a policy with times, so any rate will
// do.
PolicyWorkload policy_workload_of(
    const Result<std::variant<KeyWorkload, FlushWorkload>>& workload) {
  if (!workload) {
    PolicyWorkload any;
    any.name = "unknown";
    any.rate = OperationRate(1);
    any.writes = [] { return Result<OperationShare>(OperationShare{}); };
    return any;
  }
  return std::visit([](const auto& one) { return policy_workload(one); }, workload.value());
}

std::string shares_text(const CompressionRules& rules) {
  std::string text;
  for (const auto* list : {&rules.levels, &rules.bottommost}) {
    for (const LevelCodec& one : *list) {
      if (one.codec == Compression::kNone || one.stated_millionths) continue;
      const std::string shares = fmt::format(
          "{}: level 0 {:.4f}, merged {:.4f}, without sequence numbers {:.4f}, index {:.4f}, "
          "without values {:.4f} and {:.4f}",
          CompressionRules::text({LevelCodec{one.codec}}), one.shares.level0 / 1e6,
          one.shares.merged / 1e6, one.shares.without_sequences / 1e6, one.shares.index / 1e6,
          one.shares.bare_level0.value_or(one.shares.level0) / 1e6,
          one.shares.bare_merged.value_or(one.shares.merged) / 1e6);
      if (text.find(shares) == std::string::npos) text += (text.empty() ? "" : "; ") + shares;
    }
  }
  return text;
}

// An engine cannot write recorded keys, of which only sizes are known: it writes binary ones.
void replace_recorded_keys(KeyWorkload& workload) {
  if (workload.key_format.text != KeyText::kRecorded) return;
  workload.key_format = {};
  std::erase_if(workload.options,
                [](const auto& option) { return option.first == kKeyFormatParameter; });
}

// The store's keys and write batches are those of the workload.
Result<void> take_keys(const RunSpec& spec, const KeyWorkload& workload, StoreOptions& store) {
  const KeyFormat& keys = workload.key_format;
  store.keys = keys;
  store.write_batch = workload.write_batch;
  if (keys.text == KeyText::kBinary || keys.text == KeyText::kRecorded) return success();
  if (spec.options.source == RunSource::kEngine) {
    return input_error(fmt::format(
        "key_format={}: lsmlab's engine stores whole keys and replays binary ones; replay with "
        "--engine rocksdb or leveldb, or leave it out",
        keys.name()));
  }
  constexpr std::uint64_t kAllIds = std::numeric_limits<std::uint64_t>::max();
  if (workload.id_max.value_or(kAllIds) > keys.id_max()) {
    const char* expected =
        workload.id_max ? "more digits" : "decimal:20, hex:16 or user, which hold every id";
    return input_error(fmt::format(
        "key_format={} holds ids up to {}, but ids of workload '{}' reach {}; expected {}",
        keys.name(), keys.id_max(), workload.name, workload.id_max.value_or(kAllIds), expected));
  }
  return success();
}

// Only some executors can do without a log.
Result<void> check_log(const RunSpec& spec) {
  if (!spec.options.disable_wal) return success();
  if (spec.options.sync == SyncRule::kEveryBatch) {
    return input_error("--disable-wal: a log that is not written cannot be synced (--sync batch)");
  }
  if (spec.options.source == RunSource::kEngine || spec.options.source == RunSource::kLeveldb) {
    return input_error(
        fmt::format("--disable-wal: {} always writes its log; --engine rocksdb can "
                    "leave it out, and so can a simulation with --device",
                    spec.options.source == RunSource::kEngine ? "lsmlab's engine" : "LevelDB"));
  }
  return success();
}

// What a run leaves open, and a line of db_bench says.
Result<RunSpec> completed(RunSpec spec) {
  BOOST_OUTCOME_TRYV(check_log(spec));
  if (spec.policy.name == kDbBenchWorkload && spec.workload.name == kDbBenchWorkload) {
    BOOST_OUTCOME_TRYV(take_db_bench_run(spec));
    BOOST_OUTCOME_TRYV(check_log(spec));
  }
  if (spec.options.merge_threads == 0) spec.options.merge_threads = 1;
  if (spec.clients.name.empty()) spec.clients = {"closed", {}};
  return spec;
}

// What resolution flush cannot run.
Result<void> check_flush(const ResolvedRun& run) {
  if (run.spec.resolution != Resolution::kFlush) return success();
  const ConfiguredPolicy& policy = run.setup.policy;
  if (policy.policy->needs() == PolicyNeeds::kKeys) return needs_keys_error(policy);
  return success();
}

// Only some policies know how their system merges on command.
Result<void> check_compaction(const RunSetup& setup) {
  for (const PartMark& part : setup.parts) {
    const std::optional<ManualScope> scope = manual_scope_of(part.then);
    if (!scope || setup.policy.policy->compacts(*scope)) continue;
    const char* const others = flushes_first(*scope)
                                   ? "those of RocksDB, LevelDB and stack-based policies have one"
                                   : "those of RocksDB have one";
    return input_error(fmt::format(
        "workload '{}' merges on command ({}), and policy '{}' has no rule for that; {}",
        setup.workload, part_end_name(part.then), setup.policy.name, others));
  }
  return success();
}

// Parts of the user's own have clients only where all of the workload's have the same.
Result<void> take_clients_of_parts(const RunSpec& spec, const KeyWorkload& workload,
                                   std::vector<PartMark>& parts) {
  if (!spec.has_clients_of_parts) {
    for (PartMark& part : parts) part.clients = 0;
  }
  if (!spec.has_clients_of_parts || spec.measure_from.empty()) return success();
  std::uint64_t clients = 0;
  for (const PartMark& part : workload.parts) {
    if (clients == 0) clients = part.clients;
    if (part.clients == 0 || part.clients == clients) continue;
    return input_error(
        "--measure-from: the benchmarks of the line have different numbers of threads, and parts "
        "that begin elsewhere have none; give --clients closed:clients=N, or leave the option out, "
        "for each benchmark is shown apart");
  }
  for (PartMark& part : parts) part.clients = clients;
  return success();
}

Result<void> take_cells(ResolvedRun& run) {
  if (!run.spec.cells) return success();
  if (run.spec.resolution != Resolution::kRange) {
    const char* at = run.spec.resolution == Resolution::kFlush ? "flush" : "key";
    return input_error(fmt::format(
        "--cells: policy '{}' on workload '{}' runs at resolution '{}', which has no cells; "
        "--resolution range has them",
        run.spec.policy.name, run.spec.workload.name, at));
  }
  run.setup.options.range_cells = *run.spec.cells;
  return success();
}

Result<void> scale_workload(ResolvedRun& run) {
  auto* const operations = std::get_if<KeyWorkload>(&run.workload);
  if (operations == nullptr) {
    return input_error(
        "--scale: a workload of flush sizes states its sizes; give smaller ones (size=...)");
  }
  *operations =
      BOOST_OUTCOME_TRYX(scaled_workload(run.spec.workload, *operations, *run.spec.scale));
  return success();
}

// What resolution range cannot run.
Result<void> check_range(const ResolvedRun& run) {
  if (run.spec.resolution != Resolution::kRange) return success();
  if (run.setup.policy.has_forced_plans) return forced_plans_error("resolution 'range'");
  const auto* operations = std::get_if<KeyWorkload>(&run.workload);
  if (operations == nullptr) return check_range_policy(run.setup.policy);
  if (operations->model == nullptr) {
    return input_error(fmt::format("resolution 'range' does not know {}; use resolution 'key'",
                                   operations->beyond_ranges));
  }
  return check_ranges(run.setup.policy, *operations->model, run.spec.device.has_value());
}

// A replay has one client, which may keep to a rate in threaded mode. Of an experiment's closed
// clients, which are those of its simulations, it is one.
Result<void> take_replay_clients(ResolvedRun& run) {
  if (run.spec.options.is_stepped || run.spec.clients.name == "closed") return success();
  run.clients = BOOST_OUTCOME_TRYX(make_clients(run.spec.clients));
  if (run.clients.model.clients == 1) return success();
  return input_error(fmt::format("--clients: a replay has one client, not {}; remove clients={}",
                                 run.clients.model.clients, run.clients.model.clients));
}

// Requests of different classes are separated by clients of their own.
Result<void> check_separation(const ResolvedRun& run) {
  const std::optional<MergeScheduling> rules = run.setup.policy.policy->merge_scheduling();
  const ClientModel& clients = run.clients.model;
  const bool is_wanted = rules && rules->separates_requests && !clients.waits_for_last();
  if (!is_wanted || clients.clients >= kRequestClasses) return success();
  return input_error(fmt::format(
      "--clients: plus=true of the policy gives each of {} classes of requests clients of their "
      "own, so clients= must be at least {}; it is {}",
      kRequestClasses, kRequestClasses, clients.clients));
}

// A store compresses what it is given; no share can be asked of it.
Result<void> check_shares(const CompressionRules& rules) {
  for (const auto* list : {&rules.levels, &rules.bottommost}) {
    for (const LevelCodec& one : *list) {
      if (!one.stated_millionths) continue;
      return input_error(fmt::format(
          "compression={}: a replay compresses values for real, so it takes no share; give the "
          "codec alone and value_ratio, the random share of values (0.5)",
          CompressionRules::text({one})));
    }
  }
  return success();
}

Result<void> check_store(RunSource source, const ConfiguredPolicy& policy) {
  if (source != RunSource::kSimulator) {
    BOOST_OUTCOME_TRYV(check_shares(policy.store.compression));
  }
  if (is_foreign(source)) return engine::check_foreign(source, policy);
  if (source == RunSource::kSimulator || policy.store.layout == SstableLayout::kLsmlab) {
    return success();
  }
  return input_error("lsmlab's engine writes table_format=lsmlab only");
}

std::vector<std::string> input_files_of(const RunSpec& spec) {
  std::vector<std::string> files;
  for (const Spec* one : {&spec.policy, &spec.workload, &spec.clients}) {
    for (std::string& file : files_of_spec(*one)) files.push_back(std::move(file));
  }
  if (!spec.device) return files;
  for (std::string& file : files_of_spec(*spec.device)) files.push_back(std::move(file));
  return files;
}

}  // namespace

Bytes machine_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return Bytes(0);
  return Bytes(static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes));
}

std::optional<Bytes> memory_for_keys(const KeyWorkload& workload) {
  if (!workload.keys_max) return std::nullopt;
  // An entry takes 16 bytes; dead entries, merge outputs and the tree come on top.
  constexpr std::uint64_t kBytesAKey = 24;
  return Bytes(*workload.keys_max * kBytesAKey);
}

std::uint64_t ResolvedRun::units() const {
  if (const auto* flushes = std::get_if<FlushWorkload>(&workload)) return flushes->count();
  return std::get<KeyWorkload>(workload).operations;
}

Result<ConfiguredPolicy> RunResolver::policy_of(const Spec& spec, const Spec& named_workload,
                                                const PolicyWorkload& workload) {
  return looked_up(policies_[workload.identity(named_workload)], spec,
                   [&](const Spec& named) { return policy_of_spec(named, workload); });
}

Result<ConfiguredPolicy> RunResolver::scaled_policy_of(const RunSpec& spec, const Spec& named,
                                                       const PolicyWorkload& workload) {
  ConfiguredPolicy policy = BOOST_OUTCOME_TRYX(policy_of(named, spec.workload, workload));
  if (!spec.scale) return policy;
  auto scaled = policy_of(scaled_policy(named, policy, *spec.scale), spec.workload, workload);
  if (!scaled) return in_context("--scale", scaled.error());
  scaled.value().label = fmt::format("{} scale={}", policy.label, spec.scale->text());
  scaled.value().stated_times = policy.stated_times;
  show_stated_times(scaled.value());
  scaled.value().store_options_given = policy.store_options_given;
  scaled.value().file_options_given = policy.file_options_given;
  return scaled;
}

Result<RunResolver::Workload> RunResolver::workload_of(const RunSpec& spec) {
  const bool is_flush =
      BOOST_OUTCOME_TRYX(looked_up(are_flushes_, spec.workload, is_flush_workload));
  const bool is_simulated = spec.options.source == RunSource::kSimulator;
  const bool needs_keys = spec.resolution == Resolution::kKey || !is_simulated;
  if (is_flush && needs_keys) return flush_workload_error(spec);
  if (!is_flush && spec.resolution != Resolution::kFlush) {
    return Workload(
        BOOST_OUTCOME_TRYX(looked_up(key_workloads_, spec.workload, key_workload_of_spec)));
  }
  return Workload(BOOST_OUTCOME_TRYX(looked_up(flush_workloads_, spec.workload, workload_of_spec)));
}

Resolution RunResolver::resolution_for(const ResolvedRun& run) const {
  if (run.is_flush_run()) {
    const ConfiguredPolicy& policy = run.setup.policy;
    const bool has_sizes_only =
        policy.policy->needs() == PolicyNeeds::kSizes && policy.file_options_given.empty();
    return has_sizes_only ? Resolution::kFlush : Resolution::kRange;
  }
  // Range knows no forced plans and no traces.
  const auto& workload = std::get<KeyWorkload>(run.workload);
  const bool has_range =
      workload.model != nullptr && !run.setup.policy.has_forced_plans &&
      check_ranges(run.setup.policy, *workload.model, run.spec.device.has_value()).has_value();
  const std::optional<Bytes> needed = memory_for_keys(workload);
  const bool fits = !needed || needed->value() <= memory_.value() / 3;
  return fits || !has_range ? Resolution::kKey : Resolution::kRange;
}

Result<CodecShares> RunResolver::sampled_shares(const RunSpec& spec, const KeyWorkload& workload,
                                                const StoreOptions& store) {
  const std::vector<Compression> unknown = store.compression.without_share();
  if (unknown.empty()) return CodecShares();
  std::vector<int> codecs;
  for (const Compression codec : unknown) codecs.push_back(static_cast<int>(codec));
  const std::string asked =
      fmt::format("{} seed={} layout={} buffer={} block={} ratio={} codecs={}",
                  spec_text(spec.workload), spec.options.seed, static_cast<int>(store.layout),
                  store.buffer.value(), store.block_size.value(),
                  store.value_ratio ? store.value_ratio->text() : "", fmt::join(codecs, ","));
  auto known = shares_.find(asked);
  if (known == shares_.end()) {
    auto found =
        BOOST_OUTCOME_TRYX(sample_compression(workload, spec.options.seed, store, unknown));
    known = shares_.emplace(asked, std::move(found)).first;
  }
  return known->second;
}

Result<void> RunResolver::set_compression(const RunSpec& spec, const Spec& named,
                                          PolicyWorkload known, const KeyWorkload& workload,
                                          ConfiguredPolicy& policy) {
  StoreOptions& store = policy.store;
  if (!store.compression.compresses()) return success();
  if (!store.value_ratio) store.value_ratio = workload.value_ratio;
  known.shares = BOOST_OUTCOME_TRYX(sampled_shares(spec, workload, store));
  store.compression.set_shares(known.shares);
  OptionTable table;
  store.declare(table);
  policy.store_options = table.values();
  if (known.shares.empty()) return success();
  policy.store_options.emplace_back("compression_shares", shares_text(store.compression));
  // The sample needs the options of the store, and some options of policies follow from the shares.
  ConfiguredPolicy informed = BOOST_OUTCOME_TRYX(scaled_policy_of(spec, named, known));
  policy.policy = std::move(informed.policy);
  policy.options = std::move(informed.options);
  return success();
}

Result<ResolvedRun> RunResolver::resolve(const RunSpec& given) {
  const RunSpec spec = BOOST_OUTCOME_TRYX(completed(given));
  const bool is_simulated = spec.options.source == RunSource::kSimulator;
  CHECK(is_simulated || !spec.device);
  // The workload comes first, because the sizes of its flushes give the policy defaults. Of two
  // faults, that of the policy is reported.
  Result<Workload> workload = workload_of(spec);
  // In a braced list, a return would leak the earlier elements (GCC 12).
  const bool is_of_workload = spec.policy.name == kDbBenchWorkload;
  const Spec named = is_of_workload
                         ? BOOST_OUTCOME_TRYX(db_bench_policy_of(spec.policy, spec.workload))
                         : spec.policy;
  const PolicyWorkload known = policy_workload_of(workload);
  auto policy = BOOST_OUTCOME_TRYX(scaled_policy_of(spec, named, known));
  ResolvedRun run{spec, {std::move(policy)}, {}};
  RunSetup& setup = run.setup;
  setup.options = spec.options;
  setup.policy.store.writes_log = !spec.options.disable_wal;
  run.workload = BOOST_OUTCOME_TRYX(std::move(workload));
  if (spec.scale) {
    BOOST_OUTCOME_TRYV(scale_workload(run));
  }
  BOOST_OUTCOME_TRYV(check_flush(run));
  if (auto* operations = std::get_if<KeyWorkload>(&run.workload)) {
    if (!is_simulated) replace_recorded_keys(*operations);
    setup.workload = operations->name;
    setup.workload_options = operations->options;
    BOOST_OUTCOME_TRYV(take_keys(spec, *operations, setup.policy.store));
    BOOST_OUTCOME_TRYV(set_compression(spec, named, known, *operations, setup.policy));
    setup.parts = BOOST_OUTCOME_TRYX(run_parts(*operations, spec.measure_from));
    BOOST_OUTCOME_TRYV(take_clients_of_parts(spec, *operations, setup.parts));
    BOOST_OUTCOME_TRYV(check_compaction(setup));
  } else if (!spec.measure_from.empty()) {
    return input_error(
        "--measure-from: needs a workload of operations ('lsmlab workloads' lists them)");
  } else if (spec.device) {
    return input_error(
        "--device: a run with a clock needs a workload of operations ('lsmlab workloads' lists "
        "them)");
  }
  BOOST_OUTCOME_TRYV(check_forced_plans(spec, setup.policy));
  BOOST_OUTCOME_TRYV(check_merge_parts(spec, setup.policy));
  BOOST_OUTCOME_TRYV(check_store(spec.options.source, setup.policy));
  const bool takes_stalls = is_of_workload && !spec.options.is_stepped;
  const Parameters stalls = takes_stalls
                                ? BOOST_OUTCOME_TRYX(db_bench_stalls_of(spec.stalls, spec.workload))
                                : spec.stalls;
  setup.stalls = BOOST_OUTCOME_TRYX(stall_rules_of(setup.policy, stalls));
  if (spec.scale) scale_stalls(setup.stalls, *spec.scale);
  run.input_files = input_files_of(spec);
  if (!is_simulated) {
    BOOST_OUTCOME_TRYV(take_replay_clients(run));
    return run;
  }
  if (!run.spec.resolution) run.spec.resolution = resolution_for(run);
  BOOST_OUTCOME_TRYV(take_cells(run));
  BOOST_OUTCOME_TRYV(check_range(run));
  run.clients = BOOST_OUTCOME_TRYX(looked_up(clients_, spec.clients, make_clients));
  if (spec.device) {
    run.device = BOOST_OUTCOME_TRYX(looked_up(devices_, *spec.device, device_of_spec));
    BOOST_OUTCOME_TRYV(check_separation(run));
  }
  return run;
}

Result<ResolvedRun> resolve(const RunSpec& spec) { return RunResolver().resolve(spec); }

Result<ResolvedRun> with_forced_plans(ResolvedRun run, const std::string& log) {
  CHECK(run.setup.options.is_stepped);
  BOOST_OUTCOME_TRYV(force_plans_of_log(log, run.setup.policy));
  run.spec.policy.parameters.emplace_back(kForcedPlansParameter, log);
  run.input_files.push_back(log);
  return run;
}

}  // namespace lsmlab
