#include <fmt/format.h>

#include <algorithm>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "models/execution/forced_plans.h"
#include "models/execution/write_stall.h"
#include "output.h"
#include "traces/workloads/client_model.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/db_bench_workload.h"
#include "validate/catalog/operation_rate_parameter.h"
#include "validate/catalog/run_command.h"
#include "validate/catalog/tectonic_workload.h"
#include "validate/catalog/ycsb_workload.h"
#include "validate/results/json_text.h"
#include "verbs.h"

namespace lsmlab {
namespace {

constexpr std::size_t kTextWidth = 96;
constexpr const char* kTraceSummary = "the operations of a trace file (see lsmlab trace)";
constexpr const char* kProfileSummary =
    "a workload like a trace, also larger (see lsmlab trace info --profile)";

// Breaks `text` into indented lines of at most kTextWidth characters.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string lines;
  std::size_t column = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (column == 0 || column + 1 + word.size() > kTextWidth) {
      lines += (lines.empty() ? "" : "\n") + std::string(indent, ' ') + word;
      column = indent + word.size();
    } else {
      lines += " " + word;
      column += 1 + word.size();
    }
  }
  return lines + "\n";
}

// The default as it can be typed: 8MiB for 8388608 bytes.
std::string typed_default(const OptionInfo& option) {
  if (option.unit != "bytes") return option.default_text;
  const Result<std::uint64_t> bytes = parse_count(option.default_text);
  return bytes ? typed_bytes_text(bytes.value()) : option.default_text;
}

std::string options_text(const std::vector<OptionInfo>& options) {
  std::string text;
  for (const OptionInfo& option : options) {
    text += fmt::format("  {}={}  ({}{}{})\n", option.name, typed_default(option), option.range,
                        option.unit.empty() ? "" : " ", option.unit);
    text += wrapped(option.meaning, 6);
  }
  return text.empty() ? "  no parameters\n" : text;
}

// A system with its own defaults comes first: it is what most readers look for.
std::string presets_text(std::vector<Preset> presets) {
  std::stable_partition(presets.begin(), presets.end(), [](const Preset& preset) {
    return preset.name.find("-defaults") != std::string::npos;
  });
  std::string text;
  for (const Preset& preset : presets) {
    text += fmt::format("  {:<22} {}\n  {:<22} = {}\n", preset.name, preset.description, "",
                        spec_text(preset.spec));
  }
  return text;
}

const Preset* find_preset(const std::vector<Preset>& presets, const std::string& name) {
  const auto found = std::find_if(presets.begin(), presets.end(),
                                  [&](const Preset& preset) { return preset.name == name; });
  return found == presets.end() ? nullptr : &*found;
}

bool needs_keys(const Spec& spec) {
  const auto policy = make_policy(spec);
  return policy && policy.value().policy->needs() == PolicyNeeds::kKeys;
}

std::string resolutions_text(const Spec& spec, const std::string& sizes_suffice_with = "") {
  if (!needs_keys(spec)) return "any workload (resolution flush, key or range)";
  if (sizes_suffice_with.empty()) return "any workload (resolution key or range)";
  return fmt::format("any workload (resolution key or range; flush with {})", sizes_suffice_with);
}

std::vector<OptionInfo> store_options_of(const PolicyFamily& family) {
  StoreOptions options;
  options.pre_remove = family.pre_remove;
  options.memtable = family.memtable;
  return declared_by(options);
}

// Rules that --stalls refuses for the policy, even with their defaults, have no effect.
std::vector<OptionInfo> stall_options_of(const PolicyFamily& family) {
  StallRules rules = family.stalls;
  OptionTable table;
  rules.declare(table);
  std::vector<OptionInfo> options = table.describe();
  const auto policy = make_policy({family.name, {}});
  if (!policy) return options;
  std::erase_if(options, [&](const OptionInfo& option) {
    // Their default, no limit, is accepted everywhere.
    if (option.name.starts_with("pending_") && !family.estimates_pending_bytes) return true;
    return !stall_rules_of(policy.value(), {{option.name, option.default_text}});
  });
  return options;
}

std::string times_text(const PolicyFamily& family) {
  const bool has_any = std::any_of(family.options.begin(), family.options.end(), counts_operations);
  if (!has_any) return {};
  return wrapped(fmt::format("Those in operations or writes may be times (30d, 12h, 5min, 10s), if "
                             "the workload states {}.",
                             kOperationRateParameter),
                 2);
}

std::string fidelity_text(const PolicyFamily& family) {
  std::string text;
  for (const RuleFidelity& rule : family.fidelity) {
    text += fmt::format("  {:<12} {} [{}]\n", fidelity_name(rule.fidelity), rule.rule, rule.source);
    if (!rule.how.empty()) text += wrapped(rule.how, 15);
  }
  return text.empty() ? text : "\nrules of the system, and how near the policy is:\n" + text;
}

std::string policy_text(const PolicyFamily& family) {
  return fmt::format(
      "{}: {}\nsource: {}\nneeds: {}\n{}\nparameters (with their defaults):\n{}{}"
      "\nparameters of the store, for workloads of operations:\n{}\nstall rules, for runs with a "
      "clock (--stalls changes them):\n{}"
      "\nparameter of every policy:\n  {}=FILE\n{}",
      family.name, family.summary, family.source,
      resolutions_text({family.name, {}}, family.sizes_suffice_with), fidelity_text(family),
      options_text(family.options), times_text(family), options_text(store_options_of(family)),
      options_text(stall_options_of(family)), kForcedPlansParameter,
      wrapped(
          "execute the plans of this plan log (from --log) instead of the policy's own; not with "
          "--device or --mode threaded",
          6));
}

std::string preset_text(const Preset& preset, const std::string& verb,
                        const std::string& needs = "") {
  return fmt::format(
      "{}: {}\nis short for: {}\n{}\n'lsmlab {} show {}' prints all its parameters.\n", preset.name,
      preset.description, spec_text(preset.spec), needs, verb, preset.spec.name);
}

// The other presets that are the same policy with the same parameters.
std::string equal_presets_text(const Preset& preset, const std::vector<Preset>& presets) {
  const auto own = policy_of_spec(preset.spec);
  std::string names;
  for (const Preset& other : presets) {
    if (other.name == preset.name || other.spec.name != preset.spec.name) continue;
    const auto policy = policy_of_spec(other.spec);
    if (!own || !policy || policy.value().options != own.value().options) continue;
    if (policy.value().store_options != own.value().store_options) continue;
    if (other.stalls != preset.stalls) continue;
    names += (names.empty() ? "" : ", ") + other.name;
  }
  return names.empty() ? names : fmt::format("equals: {}\n", names);
}

std::string policy_preset_text(const Preset& preset, const std::vector<Preset>& presets) {
  const std::string stalls =
      preset.stalls.empty()
          ? ""
          : wrapped("with a clock: --stalls " + lsmlab::parameters_text(preset.stalls), 0);
  return preset_text(preset, "policies",
                     fmt::format("needs: {}\n{}{}", resolutions_text(preset.spec), stalls,
                                 equal_presets_text(preset, presets)));
}

std::string keys_mark(const PolicyFamily& family) {
  if (!needs_keys({family.name, {}})) return "";
  return family.sizes_suffice_with.empty() ? " [needs keys]" : " [needs keys, with some options]";
}

std::string policy_list() {
  std::string text = "policies ('lsmlab policies show NAME' prints the parameters):\n";
  for (const PolicyFamily& family : policy_families()) {
    text += fmt::format("  {:<22} {}{}\n", family.name, family.summary, keys_mark(family));
  }
  return text + "\npresets:\n" + presets_text(policy_presets());
}

std::string workload_list() {
  std::string text = "workloads of flushes ('lsmlab workloads show NAME' prints the parameters):\n";
  for (const WorkloadFamily& family : workload_families()) {
    text += fmt::format("  {:<22} {}\n", family.name, family.summary);
  }
  text += "\npresets:\n" + presets_text(workload_presets());
  text += "\nworkloads of operations ('lsmlab trace generate' writes one to a file):\n";
  for (const OperationPreset& preset : operation_presets()) {
    text += fmt::format("  {:<30} {}\n", preset.name, preset.summary);
  }
  text += fmt::format("  {:<30} {}\n", "trace:path=FILE", kTraceSummary);
  text += fmt::format("  {:<30} {}\n", "profile:file=FILE", kProfileSummary);
  text += fmt::format("  {:<30} {}\n", "ycsb:\"...\"", kYcsbSummary);
  text += fmt::format("  {:<30} {}\n", "tectonic:file=FILE", kTectonicSummary);
  return text + fmt::format("  {:<30} {}\n", "db_bench:\"--benchmarks=...\"", kDbBenchSummary);
}

Result<std::string> describe_policy(const std::string& name) {
  std::vector<std::string> names;
  for (const PolicyFamily& family : policy_families()) {
    if (family.name == name) return policy_text(family);
    names.push_back(family.name);
  }
  const std::vector<Preset>& presets = policy_presets();
  if (const Preset* preset = find_preset(presets, name))
    return policy_preset_text(*preset, presets);
  for (const Preset& preset : presets) names.push_back(preset.name);
  return input_error(fmt::format("unknown policy '{}'{}", excerpt(name), suggestion(name, names)));
}

Result<std::string> describe_workload(const std::string& name) {
  std::vector<std::string> names;
  for (const WorkloadFamily& family : workload_families()) {
    if (family.name == name) {
      return fmt::format("{}: {}\n\nparameters (with their defaults):\n{}", family.name,
                         family.summary, options_text(family.options));
    }
    names.push_back(family.name);
  }
  for (const OperationPreset& preset : operation_presets()) {
    if (preset.name == name) {
      return fmt::format("{}: {}\n\nparameters (with their defaults):\n{}", preset.name,
                         preset.summary, options_text(workload_options(name).value()));
    }
    names.push_back(preset.name);
  }
  const Result<Spec> line = parse_spec(name);
  const bool is_pasted = line && line.value().name == kDbBenchWorkload && name != kDbBenchWorkload;
  if (is_pasted || name.starts_with(std::string(kDbBenchWorkload) + ':')) {
    return line ? db_bench_text(line.value()) : line.error();
  }
  if (name == kDbBenchWorkload) {
    return fmt::format(
        "db_bench: {}\n\nparameters:\n{}\n'lsmlab workloads show 'db_bench:\"...\"'' prints what "
        "lsmlab makes of a line.\n",
        kDbBenchSummary, options_text(workload_options(name).value()));
  }
  if (name == kYcsbWorkload) {
    return fmt::format("ycsb: {}\n\nparameters:\n{}", kYcsbSummary,
                       options_text(workload_options(name).value()));
  }
  if (name == kTectonicWorkload) {
    return fmt::format("tectonic: {}\n\nparameters:\n{}", kTectonicSummary,
                       options_text(workload_options(name).value()));
  }
  if (name == "profile") {
    return fmt::format("profile: {}\n\nparameters (with their defaults):\n{}", kProfileSummary,
                       options_text(workload_options(name).value()));
  }
  if (name == "trace") {
    return fmt::format("trace: {}\n\nparameters:\n{}", kTraceSummary,
                       options_text(workload_options(name).value()));
  }
  const std::vector<Preset> presets = workload_presets();
  if (const Preset* preset = find_preset(presets, name)) return preset_text(*preset, "workloads");
  for (const Preset& preset : presets) names.push_back(preset.name);
  for (const char* of_files :
       {kDbBenchWorkload, kYcsbWorkload, kTectonicWorkload, "profile", "trace"}) {
    names.emplace_back(of_files);
  }
  const std::string before_colon = name.substr(0, name.find(':'));
  if (before_colon != name && std::ranges::find(names, before_colon) != names.end()) {
    return input_error(
        fmt::format("workloads show takes parameters of db_bench only; for '{}' give the name '{}'",
                    excerpt(name), before_colon));
  }
  return input_error(
      fmt::format("unknown workload '{}'{}", excerpt(name), suggestion(name, names)));
}

std::string device_list() {
  std::string text = "devices ('lsmlab devices show NAME' prints the parameters):\n";
  for (const DevicePreset& preset : device_presets()) {
    text += fmt::format("  {:<22} {}\n", preset.name, preset.description);
  }
  text +=
      "\n'lsmlab calibrate' measures the disk and processor of this machine, and writes a file for "
      "--device.\n\nkinds of clients (--clients):\n";
  for (const ClientFamily& family : client_families()) {
    text += fmt::format("  {:<22} {}\n", family.name, family.summary);
  }
  return text;
}

Result<std::string> describe_device(const std::string& name) {
  std::vector<std::string> names;
  std::string description;
  bool is_preset = false;
  for (const DevicePreset& preset : device_presets()) {
    names.push_back(preset.name);
    if (preset.name != name) continue;
    description = preset.description;
    is_preset = true;
  }
  for (const ClientFamily& family : client_families()) {
    if (family.name == name) {
      return fmt::format("{}: {}\n\nparameters (with their defaults):\n{}", name, family.summary,
                         options_text(family.options));
    }
    names.push_back(family.name);
  }
  if (!is_preset && !is_config_path(name)) {
    return input_error(fmt::format("unknown device or kind of clients '{}'{}", excerpt(name),
                                   suggestion(name, names)));
  }
  const ConfiguredDevice device = BOOST_OUTCOME_TRYX(device_of_spec({name, {}}));
  DeviceModel model = device.model;
  OptionTable table;
  model.declare(table);
  return fmt::format("{}: {}\n\nparameters:\n{}", name, description,
                     options_text(table.describe()));
}

int print(const Result<std::string>& text) {
  if (!text) return report_error(text.error());
  const Result<void> written = print_text(text.value());
  return written ? kExitDone : report_error(written.error());
}

}  // namespace

int run_policies(const std::string& name) {
  return print(name.empty() ? Result<std::string>(policy_list()) : describe_policy(name));
}

int run_devices(const std::string& name) {
  return print(name.empty() ? Result<std::string>(device_list()) : describe_device(name));
}

int run_workloads(const std::string& name) {
  return print(name.empty() ? Result<std::string>(workload_list()) : describe_workload(name));
}

}  // namespace lsmlab
