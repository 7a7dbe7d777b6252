#include "models/machine/device_model.h"

#include <fmt/format.h>

#include <type_traits>

namespace lsmlab {

void DeviceModel::declare(OptionTable& table) {
  for_each_part(*this, [&](auto& part) { part.declare(table); });
}

std::vector<std::string> DeviceModel::validate() const {
  std::vector<std::string> faults;
  for_each_part(*this, [&](const auto& part) {
    if constexpr (requires { part.validate(*this, faults); }) part.validate(*this, faults);
  });
  return faults;
}

std::vector<CalibrationRow> DeviceModel::calibration() {
  std::vector<CalibrationRow> rows;
  const DeviceModel model;
  for_each_part(model, [&](const auto& part) {
    const std::vector<CalibrationRow> own = std::remove_cvref_t<decltype(part)>::calibration();
    rows.insert(rows.end(), own.begin(), own.end());
  });
  return rows;
}

Result<ConfiguredDevice> make_device(const std::string& name, const Parameters& parameters) {
  ConfiguredDevice device;
  device.name = name;
  OptionTable table;
  device.model.declare(table);
  std::optional<Error> fault;
  const Result<void> assigned = table.assign(parameters);
  if (!assigned) fault = assigned.error();
  for (const std::string& invalid : device.model.validate()) {
    fault = fault ? with_more(*fault, input_error(invalid)) : input_error(invalid);
  }
  if (fault) return in_context(fmt::format("device {}", name), *fault);
  device.options = table.values();
  device.label = name;
  return device;
}

}  // namespace lsmlab
