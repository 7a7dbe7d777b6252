#include "validate/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "models/check.h"
#include "models/suggest.h"
#include "validate/embedded_configs.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

std::string parameter_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// `member` is "policy" or "workload". Errors name what is wrong inside the text, not where the text
// came from.
Result<Preset> parse_preset(const std::string& name, const std::string& text,
                            const std::string& member) {
  // The library reports malformed input by exceptions; they end here.
  try {
    const Json json = Json::parse(text);
    if (!json.is_object()) return input_error("expected a JSON object");
    Preset preset{name, "", {}};
    for (const auto& [key, value] : json.items()) {
      if (key == "description") {
        preset.description = value.get<std::string>();
      } else if (key == member) {
        preset.spec.name = value.get<std::string>();
      } else if (key == "parameters") {
        for (const auto& [parameter, given] : value.items()) {
          preset.spec.parameters.emplace_back(parameter, parameter_text(given));
        }
      } else {
        const std::vector<std::string> members{"description", member, "parameters"};
        return input_error(fmt::format("unknown member '{}'{}", key, suggestion(key, members)));
      }
    }
    if (preset.spec.name.empty()) return input_error(fmt::format("has no \"{}\"", member));
    return preset;
  } catch (const nlohmann::json::exception& fault) {
    return input_error(fault.what());
  }
}

std::vector<Preset> embedded_presets(const std::string& kind, const std::string& member) {
  std::vector<Preset> presets;
  for (const EmbeddedConfig& config : embedded_configs()) {
    if (config.kind != kind) continue;
    Result<Preset> preset = parse_preset(config.name, config.json, member);
    CHECK(preset.has_value());  // the tests read every preset
    presets.push_back(std::move(preset).value());
  }
  return presets;
}

Result<Preset> read_preset(const std::string& path, const std::string& member) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return input_error(fmt::format("{}: is a directory; expected a JSON file", path));
  }
  errno = 0;
  std::ifstream file(path);
  if (!file) return input_error(fmt::format("{}: {}", path, std::strerror(errno)));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Result<Preset> preset = parse_preset(path, text, member);
  if (!preset) return input_error(fmt::format("{}: {}", path, preset.error().message));
  return preset;
}

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".json");
}

// The family and parameters that a SPEC stands for; a name that is no preset is left to the
// registry.
Result<Spec> resolve(const Spec& spec, const std::vector<Preset>& presets,
                     const std::string& member) {
  Preset preset;
  if (is_path(spec.name)) {
    BOOST_OUTCOME_TRY(read, read_preset(spec.name, member));
    preset = read;
  } else {
    const auto found = std::find_if(presets.begin(), presets.end(),
                                    [&](const Preset& p) { return p.name == spec.name; });
    if (found == presets.end()) return spec;
    preset = *found;
  }
  Spec resolved = preset.spec;
  for (const auto& given : spec.parameters) {
    std::erase_if(resolved.parameters, [&](const auto& p) { return p.first == given.first; });
    resolved.parameters.push_back(given);
  }
  return resolved;
}

Error unknown_name(const std::string& what, const std::string& name, std::vector<std::string> names,
                   const std::vector<Preset>& presets) {
  for (const Preset& preset : presets) names.push_back(preset.name);
  return input_error(fmt::format("unknown {} '{}'{}", what, name, suggestion(name, names)));
}

}  // namespace

std::vector<Preset> policy_presets() { return embedded_presets("policies", "policy"); }
std::vector<Preset> workload_presets() { return embedded_presets("workloads", "workload"); }

Result<ConfiguredPolicy> policy_of_spec(const Spec& spec) {
  const std::vector<Preset> presets = policy_presets();
  BOOST_OUTCOME_TRY(resolved, resolve(spec, presets, "policy"));
  std::vector<std::string> names;
  for (const PolicyFamily& family : make_policy_families()) names.push_back(family.name);
  if (std::find(names.begin(), names.end(), resolved.name) == names.end()) {
    return unknown_name("policy", resolved.name, std::move(names), presets);
  }
  return make_policy(resolved);
}

Result<FlushWorkload> workload_of_spec(const Spec& spec) {
  const std::vector<Preset> presets = workload_presets();
  BOOST_OUTCOME_TRY(resolved, resolve(spec, presets, "workload"));
  std::vector<std::string> names;
  for (const WorkloadFamily& family : workload_families()) names.push_back(family.name);
  if (std::find(names.begin(), names.end(), resolved.name) == names.end()) {
    return unknown_name("workload", resolved.name, std::move(names), presets);
  }
  return FlushWorkload::make(resolved.parameters);
}

}  // namespace lsmlab
