#include "models/machine/device_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "testing/catch.h"

namespace lsmlab::device_model_test {
namespace {

TEST_CASE("a device names every fault of its parameters") {
  const auto made = make_device("x", {{"read_bandwith", "1GB"}, {"parallelism", "0"}});
  REQUIRE(!made);
  REQUIRE(made.error().message.find("read_bandwidth") != std::string::npos);
  REQUIRE(made.error().message.find("parallelism") != std::string::npos);
  const auto mixed = make_device("x", {{"mixed_bandwidth_50", "5"}});
  REQUIRE(!mixed);
  const DeviceModel usual;
  const auto [slower, faster] =
      std::minmax({usual.channel.read_bandwidth.value(), usual.channel.write_bandwidth.value()});
  REQUIRE(mixed.error().message.find("mixed_bandwidth_50=5 is out of proportion to ") !=
          std::string::npos);
  REQUIRE(mixed.error().message.ends_with(
      fmt::format("; expected {}..{}, or 0", slower / 64, 4 * faster)));
  const auto flash = make_device("x", {{"flash_trims", "false"}});
  REQUIRE(!flash);
  REQUIRE(flash.error().message.find("flash_capacity") != std::string::npos);
  REQUIRE(make_device("x", {{"flash_trims", "false"}, {"flash_capacity", "1GiB"}}).has_value());
  REQUIRE(make_device("x", {{"flash_trims", "true"}}).has_value());
  const auto pauses = make_device("x", {{"pause_share", "0.1"}});
  REQUIRE(!pauses);
  REQUIRE(pauses.error().message.find("pause_ns=0 and pause_share=0.1 need each other") !=
          std::string::npos);
  REQUIRE(make_device("x", {{"read_bandwidth", "2GB"}}).has_value());
  const auto quota = make_device("x", {{"cpu_quota_idle", "0.1"}});
  REQUIRE(!quota);
  REQUIRE(quota.error().message.find("no effect without cpu_quota") != std::string::npos);
  const auto least = make_device("x", {{"cpu_quota", "0.001"}});
  REQUIRE(!least);
  REQUIRE(least.error().message.find("cpu_quota=0.001 is below 0.01") != std::string::npos);
}

TEST_CASE("calibrations average a device's rates as rates, and its times and shares as they are") {
  DeviceModel model;
  OptionTable table;
  model.declare(table);
  for (const OptionInfo& option : table.describe()) {
    INFO(option.name);
    const bool is_rate = option.name.find("bandwidth") != std::string::npos ||
                         option.name.find("per_second") != std::string::npos;
    REQUIRE(option.averaging == (is_rate ? Averaging::kRate : Averaging::kMean));
    REQUIRE(option.unit.ends_with("/s") == is_rate);
  }
}

TEST_CASE("every parameter of a device stands in one row of what a calibration solves") {
  DeviceModel model;
  OptionTable table;
  model.declare(table);
  std::map<std::string, int> rows;
  for (const CalibrationRow& row : DeviceModel::calibration()) {
    for (const std::string& parameter : row.parameters) ++rows[parameter];
  }
  for (const OptionInfo& option : table.describe()) {
    INFO(option.name);
    REQUIRE(rows[option.name] == 1);
  }
  REQUIRE(rows.size() == table.describe().size());
}

}  // namespace
}  // namespace lsmlab::device_model_test
