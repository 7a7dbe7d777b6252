#include "validate/results/figure_mean.h"

#include <array>
#include <nlohmann/json.hpp>

#include "models/accounting/figures.h"
#include "testing/catch.h"
#include "validate/catalog/device_file.h"

namespace lsmlab::figure_mean_test {
namespace {

using Json = nlohmann::ordered_json;

TEST_CASE("the mean of rates is that of the times they stand for") {
  FigureMean figures(Averaging::kMean);
  FigureMean rates(Averaging::kRate);
  for (FigureMean* mean : {&figures, &rates}) {
    for (const double figure : {100.0, 300.0, 300.0, 300.0}) mean->add(figure);
  }
  REQUIRE(figures.value() == 250);
  REQUIRE(rates.value() == 200);  // 4 units of work take 1/100 + 3/300 seconds
  rates.add(0);
  REQUIRE(rates.value() == 0);
}

TEST_CASE("of percentiles the median run counts, not the one that met a jump") {
  FigureMean percentiles(Averaging::kMedian);
  percentiles.add(70);
  REQUIRE(percentiles.value() == 70);
  for (const double figure : {1'200.0, 40.0}) percentiles.add(figure);
  REQUIRE(percentiles.value() == 70);
  percentiles.add(50);
  REQUIRE(percentiles.value() == 60);
}

TEST_CASE("a figure's descriptor says how runs are averaged") {
  const auto averaging = [](const char* path) {
    const Figure* figure = find_figure(path).figure;
    REQUIRE(figure != nullptr);
    return figure->averaging;
  };
  REQUIRE(averaging("throughput.operations_per_second") == Averaging::kRate);
  REQUIRE(averaging("latency.put.p99.9_ns") == Averaging::kMedian);
  REQUIRE(averaging("latency.put.p50_ns") == Averaging::kMedian);
  REQUIRE(averaging("latency.put.max_ns") == Averaging::kMean);
  REQUIRE(averaging("final.levels[2].bytes") == Averaging::kMean);
  REQUIRE(find_figure("latency.put").figure == nullptr);
  REQUIRE(find_figure("totals.bandwidth").figure == nullptr);
  REQUIRE(is_place("final.levels[12].level"));
  REQUIRE_FALSE(is_place("policy.level"));
}

Json device(const Json& parameters) {
  return {{"description", "a disk"}, {"parameters", parameters}, {"measured", {{{"what", "x"}}}}};
}

TEST_CASE("numbers of calibrations are their means, what not all have is the first's") {
  const std::array<Json, 3> devices{
      device(
          {{"put_ns", 10}, {"read_bandwidth", 100}, {"slowdown", 0.5}, {"own", 7}, {"limit", 0}}),
      device({{"put_ns", 20}, {"read_bandwidth", 400}, {"slowdown", 0.25}, {"limit", 0}}),
      device({{"put_ns", 50}, {"read_bandwidth", 100}, {"slowdown", 0}, {"own", 9}, {"limit", 0}})};
  const Json two = Json::parse(mean_device_text({devices.data(), 2}));
  REQUIRE(
      two["parameters"] ==
      Json{{"put_ns", 15}, {"read_bandwidth", 160}, {"slowdown", 0.375}, {"own", 7}, {"limit", 0}});
  const Json three = Json::parse(mean_device_text(devices));
  REQUIRE(
      three["parameters"] ==
      Json{{"put_ns", 27}, {"read_bandwidth", 133}, {"slowdown", 0.25}, {"own", 7}, {"limit", 0}});
  REQUIRE(three["measured"].size() == 3);
  REQUIRE(three["description"] == "mean of 3 calibrations: a disk");
}

TEST_CASE("a measured device has every number that the code declares") {
  const auto fault = [](const Json& parameters) {
    return shape_fault(device(parameters), measured_device_shape().rows());
  };
  REQUIRE_FALSE(fault({{"read_bandwidth", 100}, {"cpu_quota", 0.5}, {"reads_ahead", true}}));
  REQUIRE(fault({{"read_bandwidth", "1GB"}}).has_value());
  REQUIRE(fault({{"sharing_slowdown", "much"}}).has_value());
}

TEST_CASE("pauses are as long in the mean as they were, however many devices had none") {
  const std::array<Json, 3> devices{device({{"pause_ns", 0}, {"pause_share", 0.0}}),
                                    device({{"pause_ns", 10'000'000}, {"pause_share", 0.02}}),
                                    device({{"pause_ns", 40'000'000}, {"pause_share", 0.04}})};
  // Two pauses a second of 10 ms, and one of 40 ms.
  const Json mean = Json::parse(mean_device_text(devices));
  REQUIRE(mean["parameters"] == Json{{"pause_ns", 20'000'000}, {"pause_share", 0.02}});
  const Json one = Json::parse(mean_device_text({devices.data(), 2}));
  REQUIRE(one["parameters"] == Json{{"pause_ns", 10'000'000}, {"pause_share", 0.01}});
  // A share that is rounded to 0 means no pauses.
  const std::array<Json, 3> rare{devices[0], devices[0],
                                 device({{"pause_ns", 5'000'000}, {"pause_share", 0.001}})};
  const Json none = Json::parse(mean_device_text(rare));
  REQUIRE(none["parameters"] == Json{{"pause_ns", 0}, {"pause_share", 0.0}});
}

TEST_CASE("a limit of processor time is the mean of those that met one, where most did") {
  const Json free = device({{"cpu_quota", 0.0},
                            {"cpu_quota_period_ns", 100'000'000},
                            {"cpu_quota_device", 0.0},
                            {"pause_ns", 5'000'000},
                            {"pause_share", 0.5}});
  const auto limited = [&](double quota_device) {
    Json json = free;
    json["parameters"]["cpu_quota"] = 2.0;
    json["parameters"]["cpu_quota_period_ns"] = 99'000'000;
    json["parameters"]["cpu_quota_device"] = quota_device;
    return json;
  };
  const std::array<Json, 3> most{free, limited(0.75), limited(1.25)};
  const Json parameters = Json::parse(mean_device_text(most))["parameters"];
  REQUIRE(parameters["cpu_quota"] == 2.0);
  REQUIRE(parameters["cpu_quota_period_ns"] == 99'000'000);
  REQUIRE(parameters["cpu_quota_device"] == 1.0);
  // The pauses of the disk were those of the quota.
  REQUIRE(parameters["pause_ns"] == 0);
  REQUIRE(parameters["pause_share"] == 0.0);
  const std::array<Json, 3> few{limited(0.75), free, free};
  const Json none = Json::parse(mean_device_text(few))["parameters"];
  REQUIRE(none["cpu_quota"] == 0.0);
  REQUIRE(none["cpu_quota_device"] == 0.0);
  REQUIRE(none["cpu_quota_period_ns"] > 0);
  REQUIRE(none["pause_share"] == free["parameters"]["pause_share"]);
}

}  // namespace
}  // namespace lsmlab::figure_mean_test
