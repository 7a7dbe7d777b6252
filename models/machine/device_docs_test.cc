// The parameter tables of docs/time.md and docs/calibration.md are generated from the declarations
// of DeviceModel's parts. To regenerate them:
//
//   LSMLAB_UPDATE_DOCS=1 build/quick/models_tests "The documentation's tables*"
#include <fmt/format.h>

#include <string>

#include "models/machine/device_model.h"
#include "testing/generated_docs.h"

namespace lsmlab::device_docs_test {
namespace {

std::string parameter_table() {
  DeviceModel model;
  OptionTable table;
  model.declare(table);
  std::string text = "| parameter | default | range | unit | meaning |\n|---|---|---|---|---|\n";
  for (const OptionInfo& option : table.describe()) {
    text +=
        fmt::format("| `{}` | {} | {} | {} | {} |\n", option.name, table_cell(option.default_text),
                    table_cell(option.range), table_cell(option.unit), table_cell(option.meaning));
  }
  return text;
}

std::string names_of(const CalibrationRow& row) {
  std::string text;
  for (const std::string& name : row.parameters) {
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
  }
  return text;
}

bool is_of_processor(const CalibrationRow& row) {
  return row.parameters.front().starts_with("cpu_");
}

std::string calibration_table(bool of_processor) {
  std::string text = "| parameter | from |\n|---|---|\n";
  for (const CalibrationRow& row : DeviceModel::calibration()) {
    if (row.from.empty() || is_of_processor(row) != of_processor) continue;
    text += fmt::format("| {} | {} |\n", names_of(row), table_cell(row.from));
  }
  return text;
}

// The parameters that calibrate does not derive, a line for each part.
std::string kept_parameters() {
  std::string text;
  for (const CalibrationRow& row : DeviceModel::calibration()) {
    if (row.from.empty()) text += fmt::format("- {}\n", names_of(row));
  }
  return text;
}

void compare(const std::string& page, const std::string& name, const std::string& table) {
  require_generated(page, name, "models/machine/device_docs_test.cc", table);
}

TEST_CASE("The documentation's tables of a device's parameters are those of the code") {
  compare("time.md", "parameters", parameter_table());
  compare("calibration.md", "disk", calibration_table(false));
  compare("calibration.md", "processor", calibration_table(true));
  compare("calibration.md", "left as they are", kept_parameters());
}

}  // namespace
}  // namespace lsmlab::device_docs_test
