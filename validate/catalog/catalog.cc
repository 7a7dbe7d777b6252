#include "validate/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "models/execution/forced_plans.h"
#include "models/execution/write_stall.h"
#include "traces/files/recorded_keys.h"
#include "traces/files/trace_file.h"
#include "traces/io/text_file.h"
#include "traces/tools/db_bench_benchmarks.h"
#include "validate/catalog/db_bench_workload.h"
#include "validate/catalog/key_format_parameter.h"
#include "validate/catalog/operation_rate_parameter.h"
#include "validate/catalog/operation_workload_json.h"
#include "validate/catalog/tectonic_workload.h"
#include "validate/catalog/ycsb_workload.h"
#include "validate/results/json_text.h"
#include "validate/results/plan_log_reader.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTraceWorkload = "trace";
// Of a trace; workloads of flush sizes and clients that read a file have the same name for it.
constexpr const char* kPathParameter = "path";
constexpr const char* kProfileWorkload = "profile";
constexpr const char* kFileParameter = "file";  // of what is_read_workload() says
constexpr CountRange kScaleRange{1, 1'000'000'000};

// Workloads of operations that are read from a file of theirs.
bool is_read_workload(const std::string& name) {
  return name == kProfileWorkload || name == kDbBenchWorkload || name == kYcsbWorkload ||
         name == kTectonicWorkload;
}

bool is_trace_path(const Spec& spec) {
  if (spec.name == kTraceWorkload) return true;
  return !spec.name.ends_with(".json") && spec.name.find_first_of("/.") != std::string::npos;
}

// "a/b.json" as "b".
std::string file_stem(const std::string& path) {
  const std::size_t begin = path.find_last_of('/') + 1;  // 0 if there is no folder
  return path.substr(begin, path.rfind(".json") - begin);
}

// Adds the file's name to errors about a file's content.
Error with_origin(const Spec& spec, const Error& fault) {
  return is_config_path(spec.name) ? in_context(spec.name, fault) : fault;
}

template <class T>
Result<T> with_origin(const Spec& spec, Result<T> made) {
  if (made) return made;
  return with_origin(spec, made.error());
}

// Words of the literature for policies.
std::string policy_of_word(const std::string& word) {
  const std::pair<const char*, const char*> words[] = {{"leveling", "leveled"},
                                                       {"level", "leveled"},
                                                       {"levelled", "leveled"},
                                                       {"tiering", "tiered"},
                                                       {"size-tiered", "tiered"},
                                                       {"sized-tiered", "tiered"},
                                                       {"lazy-leveling", "dostoevsky-table1"}};
  for (const auto& [known, policy] : words) {
    if (word == known) return policy;
  }
  return {};
}

Error unknown_name(const std::string& what, const std::string& name, std::vector<std::string> names,
                   const std::vector<Preset>& presets) {
  for (const Preset& preset : presets) names.push_back(preset.name);
  return input_error(
      fmt::format("unknown {} '{}'{}", what, excerpt(name), suggestion(name, names)));
}

bool is_workload_family(const std::string& name) {
  const std::vector<WorkloadFamily> families = workload_families();
  return std::any_of(families.begin(), families.end(),
                     [&](const WorkloadFamily& family) { return family.name == name; });
}

// Names the workloads of both kinds.
Error unknown_workload(const std::string& name) {
  const auto benchmark = tools::named_benchmark(name);
  if (benchmark && benchmark.value().benchmark.use == tools::BenchmarkUse::kRuns) {
    return input_error(
        fmt::format("unknown workload '{0}', which is a benchmark of db_bench; write "
                    "'{1}:\"--benchmarks={0} --num=1000000\"'",
                    excerpt(name), kDbBenchWorkload));
  }
  std::vector<std::string> names;
  for (const WorkloadFamily& family : workload_families()) names.push_back(family.name);
  for (const OperationPreset& preset : operation_presets()) names.push_back(preset.name);
  names.emplace_back(kTraceWorkload);
  names.emplace_back(kProfileWorkload);
  names.emplace_back(kDbBenchWorkload);
  names.emplace_back(kYcsbWorkload);
  names.emplace_back(kTectonicWorkload);
  return unknown_name("workload", name, std::move(names), workload_presets());
}

// Errors of parameters name the preset that the user asked for, not only its family. The parameter
// for forced plans is also a valid parameter of every policy.
PolicyNaming naming_of(const Spec& spec, const std::string& family) {
  const bool is_preset = family != spec.name && !is_config_path(spec.name);
  return {is_preset ? fmt::format("policy '{}' ({})", spec.name, family) : "",
          {kForcedPlansParameter}};
}

// Names the policy after its preset; the run's parameters show what the preset means.
void name_by_preset(const Spec& spec, ConfiguredPolicy& policy) {
  policy.name = policy.label = is_config_path(spec.name) ? file_stem(spec.name) : spec.name;
  for (const auto& [name, value] : spec.parameters) {
    if (name != kForcedPlansParameter) policy.label += " " + name + "=" + value;
  }
}

// Removes the parameter for forced plans from the SPEC. Returns the plan log's path, if there is
// one.
std::optional<std::string> take_forced_plans_log(Spec& spec) {
  std::optional<std::string> path;
  for (const auto& [name, value] : spec.parameters) {
    if (name == kForcedPlansParameter) path = value;
  }
  std::erase_if(spec.parameters, [](const auto& p) { return p.first == kForcedPlansParameter; });
  return path;
}

}  // namespace

Result<void> force_plans_of_log(const std::string& path, ConfiguredPolicy& policy,
                                bool is_log_in_label) {
  const std::vector<PlanRecord> records = BOOST_OUTCOME_TRYX(read_plan_log(path));
  Result<std::shared_ptr<const Policy>> forced = force_plans(policy.policy, records);
  if (!forced) return in_context(path, forced.error());
  policy.policy = std::move(forced).value();
  policy.has_forced_plans = true;
  policy.label += is_log_in_label ? fmt::format(" (forced plans of {})", path) : " (forced plans)";
  policy.options.emplace_back(kForcedPlansParameter, path);
  return success();
}

Result<ConfiguredPolicy> policy_of_spec(const Spec& spec, const PolicyWorkload& workload) {
  if (spec.name == kDbBenchWorkload) {
    return input_error(
        "policy 'db_bench' takes the options of a workload db_bench:\"...\"; only simulate and "
        "replay know it, and workloads show prints it");
  }
  const Preset preset = BOOST_OUTCOME_TRYX(resolved_policy(spec));
  Spec resolved = preset.spec;
  std::vector<std::string> names;
  for (const PolicyFamily& family : policy_families()) names.push_back(family.name);
  if (std::find(names.begin(), names.end(), resolved.name) == names.end()) {
    const std::string meant = policy_of_word(resolved.name);
    return with_origin(
        spec, meant.empty()
                  ? unknown_name("policy", resolved.name, std::move(names), policy_presets())
                  : input_error(fmt::format("unknown policy '{}'; did you mean '{}'?",
                                            excerpt(resolved.name), meant)));
  }
  const std::optional<std::string> log = take_forced_plans_log(resolved);
  PolicyNaming naming = naming_of(spec, resolved.name);
  auto times = take_stated_times(resolved, workload);
  if (!times) {
    const Error fault = in_context(fmt::format("policy '{}'", spec.name), times.error());
    return with_origin(spec, fault);
  }
  naming.stated_times = std::move(times).value();
  auto made = make_policy(resolved, naming, workload.flush_bytes, workload.shares);
  if (made && !preset.stalls.empty()) {
    Result<StallRules> stalls = stall_rules_of(made.value(), preset.stalls);
    if (!stalls) return with_origin(spec, stalls.error());
    made.value().stalls = stalls.value();
  }
  if (made) show_stated_times(made.value());
  if (made && resolved.name != spec.name) name_by_preset(spec, made.value());
  if (made && log) {
    const bool is_varied = std::find(spec.varied.begin(), spec.varied.end(),
                                     kForcedPlansParameter) != spec.varied.end();
    BOOST_OUTCOME_TRYV(force_plans_of_log(*log, made.value(), is_varied));
  }
  return with_origin(spec, std::move(made));
}

Error forced_plans_error(const std::string& run) {
  return input_error(
      fmt::format("{} cannot follow forced plans; {} works for stepped runs of the simulator and "
                  "of lsmlab's engine only",
                  run, kForcedPlansParameter));
}

Result<FlushWorkload> workload_of_spec(const Spec& spec) {
  const Spec resolved = BOOST_OUTCOME_TRYX(resolved_workload(spec));
  for (const OperationPreset& preset : operation_presets()) {
    if (preset.name != resolved.name) continue;
    const Error fault = input_error(
        fmt::format("workload '{}' consists of operations, which resolution 'flush' cannot run",
                    resolved.name));
    return with_origin(spec, fault);
  }
  if (is_read_workload(spec.name)) {
    return input_error(fmt::format(
        "workload '{}' consists of operations, which resolution 'flush' cannot run", spec.name));
  }
  if (is_trace_path(spec)) {
    return input_error(fmt::format(
        "workload '{}' is a trace of operations, which resolution 'flush' cannot run", spec.name));
  }
  if (!is_workload_family(resolved.name)) {
    return with_origin(spec, unknown_workload(resolved.name));
  }
  return with_origin(spec, FlushWorkload::make(resolved.parameters));
}

namespace {

struct ProfileOptions {
  std::string file;
  std::uint64_t scale = 1;
  void declare(OptionTable& table) {
    table.text(kFileParameter, file,
               "a profile ('lsmlab trace info FILE --profile OUT.json') or another JSON file of a "
               "workload of operations");
    table.count("scale", scale, kScaleRange, "", "multiplies the numbers of keys and operations");
  }
};

Result<OperationWorkload> profile_workload(const Spec& spec) {
  const auto options =
      BOOST_OUTCOME_TRYX(options_with<ProfileOptions>(spec.parameters, "workload 'profile'"));
  if (options.file.empty()) return input_error("workload 'profile' needs file=FILE");
  const std::string text = BOOST_OUTCOME_TRYX(read_text_file(options.file, kConfigBytesMax));
  OperationWorkload workload =
      BOOST_OUTCOME_TRYX(parse_operation_workload(options.file, text, options.scale));
  workload.name = kProfileWorkload;
  workload.options.insert(workload.options.begin(),
                          {{kFileParameter, options.file}, {"scale", options.scale}});
  return workload;
}

}  // namespace

Result<OperationWorkload> operation_workload_of_spec(const Spec& spec) {
  if (spec.name == kProfileWorkload) return profile_workload(spec);
  if (spec.name == kYcsbWorkload) return ycsb_workload(spec);
  if (spec.name == kTectonicWorkload) return tectonic_workload(spec);
  if (!is_config_path(spec.name)) return make_operation_workload(spec);
  if (!spec.parameters.empty()) {
    return input_error(fmt::format("{}: a workload from a file takes no parameters", spec.name));
  }
  const std::string text = BOOST_OUTCOME_TRYX(read_text_file(spec.name, kConfigBytesMax));
  if (is_tectonic_text(text)) return tectonic_workload_of_text(spec.name, text);
  return parse_operation_workload(spec.name, text);
}

namespace {

Result<KeyWorkload> trace_workload(const Spec& spec) {
  const std::vector<std::string> names{kPathParameter};
  std::string path;
  if (spec.name != kTraceWorkload) {
    path = spec.name;
    if (!spec.parameters.empty()) {
      return input_error(fmt::format("{}: a trace file takes no parameters", spec.name));
    }
  }
  for (const auto& [name, value] : spec.parameters) {
    if (name != names.front()) {
      return in_context("workload 'trace'",
                        option_error({unknown_parameter(name, value, names, {}, option_owners())}));
    }
    path = value;
  }
  if (path.empty()) return input_error("workload 'trace' needs path=FILE");
  // Open the file now, so that a wrong name is reported before a long run.
  const auto opened = BOOST_OUTCOME_TRYX(TraceReader::open(path));
  const auto keys = recorded_keys_of(opened->provenance());
  if (!keys) return in_context(path, keys.error());
  KeyWorkload workload;
  workload.name = kTraceWorkload;
  workload.options = {{kPathParameter, path}};
  if (keys.value()) workload.key_format = KeyFormat::recorded(*keys.value());
  workload.beyond_ranges = "traces";
  workload.open = [path](std::uint64_t) -> Result<std::unique_ptr<OperationSource>> {
    std::unique_ptr<OperationSource> reader = BOOST_OUTCOME_TRYX(TraceReader::open(path));
    return reader;
  };
  return workload;
}

// All that a SPEC says but the text of keys.
Result<KeyWorkload> named_key_workload(const Spec& spec) {
  if (is_trace_path(spec)) return trace_workload(spec);
  if (spec.name == kDbBenchWorkload) return db_bench_workload(spec);
  auto made = BOOST_OUTCOME_TRYX(operation_workload_of_spec(spec));
  KeyWorkload workload;
  workload.name = made.name;
  workload.options = made.options;
  workload.rate = made.rate;
  workload.operations = made.operation_count();
  workload.model = std::make_shared<const OperationWorkload>(made);
  workload.keys_max = made.insert_count();
  workload.parts = made.parts();
  workload.open = [made](std::uint64_t seed) -> Result<std::unique_ptr<OperationSource>> {
    return made.open(seed);
  };
  return workload;
}

// The options of a workload of operations, without those that every such workload has.
std::optional<std::vector<OptionInfo>> own_options(const std::string& name) {
  for (OperationPreset& preset : operation_presets()) {
    if (preset.name == name) return std::move(preset.options);
  }
  if (name == kProfileWorkload) return declared_by(ProfileOptions());
  if (name == kDbBenchWorkload) return db_bench_options();
  if (name == kYcsbWorkload) return ycsb_options();
  if (name == kTectonicWorkload) return tectonic_options();
  if (name != kTraceWorkload) return std::nullopt;
  OptionTable table;
  std::string path;
  table.text(kPathParameter, path,
             "the trace file; FILE alone is enough if its name contains a slash or a dot");
  return table.describe();
}

}  // namespace

Result<KeyWorkload> key_workload_of_spec(const Spec& spec) {
  Spec named = spec;
  const auto format = BOOST_OUTCOME_TRYX(take_key_format(named));
  // That of a db_bench line also says how long its benchmarks are.
  std::optional<OperationRate> rate;
  if (named.name != kDbBenchWorkload) rate = BOOST_OUTCOME_TRYX(take_operation_rate(named));
  KeyWorkload workload = BOOST_OUTCOME_TRYX(named_key_workload(named));
  if (rate) workload.rate = rate;
  if (workload.rate && named.name != kDbBenchWorkload) {
    workload.options.emplace_back(kOperationRateParameter, workload.rate->text());
  }
  if (!format && workload.key_format.text == KeyText::kRecorded) {
    workload.options.emplace_back(kKeyFormatParameter, workload.key_format.name());
  }
  if (!format) return workload;
  const char padding = workload.key_format.padding;
  workload.key_format = *format;
  workload.key_format.padding = padding;
  workload.options.emplace_back(kKeyFormatParameter, format->name());
  return workload;
}

std::optional<std::vector<OptionInfo>> workload_options(const std::string& name) {
  for (WorkloadFamily& family : workload_families()) {
    if (family.name == name) return std::move(family.options);
  }
  std::optional<std::vector<OptionInfo>> options = own_options(name);
  if (options) options->push_back(key_format_option());
  if (options && name != kDbBenchWorkload) options->push_back(operation_rate_option());
  return options;
}

Result<bool> is_flush_workload(const Spec& spec) {
  if (is_trace_path(spec) || is_read_workload(spec.name)) return false;
  if (is_config_path(spec.name)) {
    const std::string text = BOOST_OUTCOME_TRYX(read_text_file(spec.name, kConfigBytesMax));
    const Result<Json> json = parse_json(text, kConfigLimits);
    if (!json) return in_context(spec.name, json.error());
    return !json.value().is_object() ||
           !(json.value().contains("phases") || json.value().contains("sections"));
  }
  for (const OperationPreset& preset : operation_presets()) {
    if (preset.name == spec.name) return false;
  }
  const std::vector<Preset> presets = workload_presets();
  const bool is_known = std::any_of(presets.begin(), presets.end(),
                                    [&](const Preset& preset) { return preset.name == spec.name; });
  if (!is_known && !is_workload_family(spec.name)) return unknown_workload(spec.name);
  return true;
}

std::vector<std::string> files_of_spec(const Spec& spec) {
  std::vector<std::string> files;
  const auto add = [&](const Spec& named) {
    if (named.name.find_first_of("/.") != std::string::npos) files.push_back(named.name);
    for (const auto& [name, value] : named.parameters) {
      const bool names_file = is_read_workload(named.name) && name == kFileParameter;
      if (names_file || name == kPathParameter || name == kForcedPlansParameter)
        files.push_back(value);
      if (named.name == kYcsbWorkload && name == kLineParameter) {
        for (std::string& file : files_of_ycsb_line(value)) files.push_back(std::move(file));
      }
    }
  };
  add(spec);
  if (!spec.name.ends_with(".json")) return files;
  // It may be either.
  const Result<Preset> policy = resolved_policy({spec.name, {}});
  if (policy) add(policy.value().spec);
  const Result<Spec> workload = resolved_workload({spec.name, {}});
  if (workload) add(workload.value());
  return files;
}

}  // namespace lsmlab
