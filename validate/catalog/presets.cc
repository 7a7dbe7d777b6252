#include "validate/catalog/presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/base/check.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "traces/io/text_file.h"
#include "validate/catalog/embedded_configs.h"
#include "validate/results/json_text.h"

namespace lsmlab {
namespace {

using PresetJson = nlohmann::ordered_json;

constexpr const char* kPolicyMember = "policy";
constexpr const char* kWorkloadMember = "workload";

Result<std::string> text_member(const std::string& name, const PresetJson& value) {
  if (value.is_string()) return value.get<std::string>();
  return input_error(fmt::format("\"{}\" is not a text", name));
}

Result<Parameters> parameters_member(const std::string& name, const PresetJson& value) {
  if (!value.is_object()) return input_error(fmt::format("\"{}\" is not an object", name));
  Parameters parameters;
  for (const auto& [parameter, given] : value.items()) {
    auto text = BOOST_OUTCOME_TRYX(parameter_text(parameter, given));
    parameters.emplace_back(parameter, text);
  }
  return parameters;
}

// `member` is "policy" or "workload".
Result<Preset> preset_of_json(const std::string& name, const PresetJson& json,
                              const std::string& member) {
  if (!json.is_object()) return input_error("expected a JSON object");
  const bool has_stalls = member == kPolicyMember;
  Preset preset{name, "", {}, {}};
  for (const auto& [key, value] : json.items()) {
    if (key == "description") {
      preset.description = BOOST_OUTCOME_TRYX(text_member(key, value));
    } else if (key == member) {
      preset.spec.name = BOOST_OUTCOME_TRYX(text_member(key, value));
    } else if (key == "parameters") {
      preset.spec.parameters = BOOST_OUTCOME_TRYX(parameters_member(key, value));
    } else if (key == "stalls" && has_stalls) {
      preset.stalls = BOOST_OUTCOME_TRYX(parameters_member(key, value));
    } else {
      std::vector<std::string> members{"description", member, "parameters"};
      if (has_stalls) members.emplace_back("stalls");
      return input_error(
          fmt::format("unknown member '{}'{}", excerpt(key), suggestion(key, members)));
    }
  }
  if (preset.spec.name.empty()) return input_error(fmt::format("has no \"{}\"", member));
  return preset;
}

Result<Preset> parse_preset(const std::string& name, const std::string& text,
                            const std::string& member) {
  const auto json = BOOST_OUTCOME_TRYX(parse_json(text, kConfigLimits));
  return preset_of_json(name, json, member);
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
  const auto text = BOOST_OUTCOME_TRYX(read_text_file(path, kConfigBytesMax));
  Result<Preset> preset = parse_preset(path, text, member);
  if (!preset) return in_context(path, preset.error());
  return preset;
}

void overlay(Parameters& base, const Parameters& given) {
  for (const auto& parameter : given) {
    std::erase_if(base, [&](const auto& p) { return p.first == parameter.first; });
    base.push_back(parameter);
  }
}

// The base with what `over` states.
Preset overlaid(Preset base, const Preset& over) {
  overlay(base.spec.parameters, over.spec.parameters);
  overlay(base.stalls, over.stalls);
  return base;
}

Result<Preset> resolve_preset(const Spec& spec, const std::vector<Preset>& presets,
                              const std::string& member) {
  Preset resolved{spec.name, "", spec, {}};
  if (is_config_path(spec.name)) {
    resolved = overlaid(BOOST_OUTCOME_TRYX(read_preset(spec.name, member)), resolved);
  }
  const auto found = std::find_if(presets.begin(), presets.end(), [&](const Preset& preset) {
    return preset.name == resolved.spec.name;
  });
  return found == presets.end() ? resolved : overlaid(*found, resolved);
}

}  // namespace

const std::vector<Preset>& policy_presets() {
  static const std::vector<Preset> presets = embedded_presets("policies", kPolicyMember);
  return presets;
}

const std::vector<Preset>& workload_presets() {
  static const std::vector<Preset> presets = embedded_presets("workloads", kWorkloadMember);
  return presets;
}

Result<Preset> resolved_policy(const Spec& spec) {
  return resolve_preset(spec, policy_presets(), kPolicyMember);
}

Result<Spec> resolved_workload(const Spec& spec) {
  return BOOST_OUTCOME_TRYX(resolve_preset(spec, workload_presets(), kWorkloadMember)).spec;
}

}  // namespace lsmlab
