// Devices: presets of configs/devices/ and files of calibrations.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/base/check.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "traces/io/text_file.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/embedded_configs.h"
#include "validate/results/json_text.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

Result<DevicePreset> device_of_json(const std::string& name, const std::string& text) {
  const auto json = BOOST_OUTCOME_TRYX(parse_json(text, kConfigLimits));
  if (!json.is_object()) return input_error("expected a JSON object");
  DevicePreset preset;
  preset.name = name;
  for (const auto& [key, value] : json.items()) {
    if (key == "schema" || key == "measured") continue;  // for people who read a calibration
    if (key == "description") {
      if (!value.is_string()) return input_error("\"description\" is not a text");
      preset.description = value.get<std::string>();
    } else if (key == "parameters") {
      if (!value.is_object()) return input_error("\"parameters\" is not an object");
      for (const auto& [parameter, given] : value.items()) {
        const std::string words = BOOST_OUTCOME_TRYX(parameter_text(parameter, given));
        preset.parameters.emplace_back(parameter, words);
      }
    } else {
      const std::vector<std::string> members{"description", "parameters", "schema", "measured"};
      return input_error(
          fmt::format("unknown member '{}'{}", excerpt(key), suggestion(key, members)));
    }
  }
  return preset;
}

Result<DevicePreset> read_device(const std::string& path) {
  const std::string text = BOOST_OUTCOME_TRYX(read_text_file(path, kDataBytesMax));
  Result<DevicePreset> preset = device_of_json(path, text);
  if (!preset) return in_context(path, preset.error());
  return preset;
}

Result<DevicePreset> find_device(const std::string& name) {
  if (is_config_path(name)) return read_device(name);
  const std::vector<DevicePreset> presets = device_presets();
  std::vector<std::string> names;
  for (const DevicePreset& preset : presets) {
    if (preset.name == name) return preset;
    names.push_back(preset.name);
  }
  return input_error(fmt::format("unknown device '{}'{}", excerpt(name), suggestion(name, names)));
}

}  // namespace

std::vector<DevicePreset> device_presets() {
  std::vector<DevicePreset> presets;
  for (const EmbeddedConfig& config : embedded_configs()) {
    if (std::string_view(config.kind) != "devices") continue;
    Result<DevicePreset> preset = device_of_json(config.name, config.json);
    CHECK(preset.has_value());  // the tests read every preset
    presets.push_back(std::move(preset).value());
  }
  return presets;
}

Result<ConfiguredDevice> device_of_spec(const Spec& spec) {
  DevicePreset preset = BOOST_OUTCOME_TRYX(find_device(spec.name));
  for (const auto& parameter : spec.parameters) {
    std::erase_if(preset.parameters, [&](const auto& p) { return p.first == parameter.first; });
    preset.parameters.push_back(parameter);
  }
  ConfiguredDevice device = BOOST_OUTCOME_TRYX(make_device(spec.name, preset.parameters));
  for (const auto& [name, value] : spec.parameters) device.label += " " + name + "=" + value;
  return device;
}

}  // namespace lsmlab
