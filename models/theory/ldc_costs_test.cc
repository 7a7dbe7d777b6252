#include "models/theory/ldc_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "testing/catch.h"

namespace lsmlab::ldc_costs_test {
namespace {

constexpr double kExact = 1e-14;  // relative error of a few roundings

// A tree of 1000 SSTables of 2 MB in three levels, four of them in level 0. The device reads 7/3
// times as fast as it writes.
LdcModelInput three_levels() {
  LdcModelInput input;
  input.fan_out = 10;
  input.sstable_bytes = Bytes(2'000'000);
  input.data_bytes = Bytes(2'000'000'000);
  input.level0_sstables = 4;
  input.device_write_bytes_per_second = 300e6;
  input.device_read_bytes_per_second = 700e6;
  input.lookup_bytes_per_second = 80e6;
  return input;
}

LdcModelCost udc(const LdcModelInput& input) {
  return ldc_model_cost(input, MergeDriver::kUpperLevel);
}

LdcModelCost ldc(const LdcModelInput& input) {
  return ldc_model_cost(input, MergeDriver::kLowerLevel);
}

// The fan-out from 2 to 100 with the highest throughput.
std::uint64_t best_fan_out(LdcModelInput input, MergeDriver driver) {
  std::uint64_t best = 0;
  double most = 0;
  for (input.fan_out = 2; input.fan_out <= 100; ++input.fan_out) {
    const double throughput = ldc_model_cost(input, driver).bytes_per_second;
    if (throughput <= most) continue;
    most = throughput;
    best = input.fan_out;
  }
  return best;
}

TEST_CASE("k to the power of the levels is the number of SSTables") {
  LdcModelInput input = three_levels();
  for (const std::uint64_t fan_out : {2u, 3u, 10u, 25u, 100u}) {
    for (const std::uint64_t data : {200'000'000ull, 7'345'678'901ull, 10'000'000'000'000ull}) {
      input.fan_out = fan_out;
      input.data_bytes = Bytes(data);
      INFO("k " << fan_out << " n " << data);
      REQUIRE(std::pow(fan_out, udc(input).levels) * 2e6 ==
              Approx(static_cast<double>(data)).epsilon(1e-12));
      REQUIRE(ldc(input).levels == udc(input).levels);
    }
  }
}

TEST_CASE("theorems 2.1, 2.2, 3.1 and 3.2, by hand") {
  LdcModelInput input = three_levels();
  REQUIRE(udc(input).levels == 3);
  REQUIRE(udc(input).write_amplification == 30);
  REQUIRE(udc(input).read_amplification == 3 + 4);
  REQUIRE(ldc(input).write_amplification == 3);
  REQUIRE(ldc(input).read_amplification == 10 * 3 + 4);
  input.filters_spare_slices = true;
  REQUIRE(ldc(input).read_amplification == 3 + 4);
  REQUIRE(udc(input).read_amplification == 3 + 4);
}

TEST_CASE("equations 1 and 2, by hand") {
  const LdcModelInput input = three_levels();
  REQUIRE(udc(input).write_bytes_per_second == Approx(10e6).epsilon(kExact));
  REQUIRE(udc(input).read_bytes_per_second == Approx(100e6).epsilon(kExact));
  REQUIRE(udc(input).bytes_per_second == Approx(200e6 / 11).epsilon(kExact));
  REQUIRE(ldc(input).write_bytes_per_second == Approx(100e6).epsilon(kExact));
  REQUIRE(ldc(input).read_bytes_per_second == Approx(700e6 / 34).epsilon(kExact));
}

TEST_CASE("the example of Section II-C: balance is worth more than the sum") {
  const double lopsided = mixed_throughput(0.5, 1, 10);
  const double balanced = mixed_throughput(0.5, 2, 5);
  REQUIRE(std::round(lopsided * 100) == 182);
  REQUIRE(std::round(balanced * 100) == 286);
  REQUIRE(std::round((balanced / lopsided - 1) * 100) == 57);
  REQUIRE(mixed_throughput(1, 2, 5) == 2);
  REQUIRE(mixed_throughput(0, 2, 5) == 5);
}

TEST_CASE("equation 3 and LDC's merge, by hand") {
  // (10 + 1) * 1 * 2 MB at 300 - 80 MB/s for UDC; an SSTable and as many bytes of slices for LDC.
  LdcModelInput input = three_levels();
  REQUIRE(udc(input).merge_bytes == 22e6);
  REQUIRE(udc(input).tail_latency_ns == Approx(100e6).epsilon(kExact));
  REQUIRE(ldc(input).merge_bytes == 4e6);
  REQUIRE(ldc(input).tail_latency_ns == Approx(4e9 / 220).epsilon(kExact));
  input.lookup_bytes_per_second = 0;
  REQUIRE(udc(input).tail_latency_ns == Approx(22e9 / 300).epsilon(kExact));
  input.picked_sstables = 5;
  REQUIRE(udc(input).tail_latency_ns == Approx(5 * 22e9 / 300).epsilon(kExact));
  REQUIRE(ldc(input).merge_bytes == 4e6);
}

TEST_CASE("the key ranges of 10 TB in SSTables of 2 MB take 160 MB") {
  const Bytes sstable(2'000'000);
  const std::uint64_t data = 10'000'000'000'000;
  REQUIRE(key_ranges_bytes(Bytes(data), sstable, Bytes(16)) == 160'000'000);
  REQUIRE(key_ranges_bytes(Bytes(data + 1), sstable, Bytes(16)) == 160'000'032);
  REQUIRE(key_ranges_bytes(Bytes(0), sstable, Bytes(16)) == 0);
}

TEST_CASE("LDC writes k times less, and its merges do not grow with k") {
  LdcModelInput input = three_levels();
  double last_merge = 0;
  double last_levels = std::numeric_limits<double>::infinity();
  for (const std::uint64_t fan_out : {3u, 5u, 10u, 25u, 50u, 100u}) {
    input.fan_out = fan_out;
    INFO("k " << fan_out);
    REQUIRE(udc(input).write_amplification / ldc(input).write_amplification ==
            Approx(static_cast<double>(fan_out)).epsilon(kExact));
    REQUIRE(udc(input).tail_latency_ns / ldc(input).tail_latency_ns ==
            Approx(static_cast<double>(fan_out + 1) / 2).epsilon(kExact));
    REQUIRE(udc(input).merge_bytes > last_merge);
    REQUIRE(udc(input).levels < last_levels);
    REQUIRE(ldc(input).merge_bytes == 4e6);
    last_merge = udc(input).merge_bytes;
    last_levels = udc(input).levels;
  }
}

TEST_CASE("smaller SSTables and more bandwidth left shorten the tail") {
  LdcModelInput input = three_levels();
  const LdcModelCost before = udc(input);
  input.sstable_bytes = Bytes(1'000'000);
  REQUIRE(udc(input).tail_latency_ns == Approx(before.tail_latency_ns / 2).epsilon(kExact));
  REQUIRE(udc(input).levels > before.levels);
  input = three_levels();
  input.lookup_bytes_per_second = 190e6;
  REQUIRE(udc(input).tail_latency_ns == Approx(before.tail_latency_ns * 2).epsilon(kExact));
}

TEST_CASE("without filters LDC gains where the device reads faster than it writes") {
  LdcModelInput input = three_levels();
  input.device_read_bytes_per_second = input.device_write_bytes_per_second;
  REQUIRE(ldc(input).bytes_per_second == Approx(udc(input).bytes_per_second).epsilon(kExact));
  input.device_read_bytes_per_second *= 1.01;
  REQUIRE(ldc(input).bytes_per_second > udc(input).bytes_per_second);
  input.device_read_bytes_per_second /= 1.03;
  REQUIRE(ldc(input).bytes_per_second < udc(input).bytes_per_second);
}

TEST_CASE("with filters LDC's gain grows with the fan-out and the share of writes") {
  LdcModelInput input = three_levels();
  input.filters_spare_slices = true;
  const auto gain = [&] { return ldc(input).bytes_per_second / udc(input).bytes_per_second; };
  double last = 1;
  for (const std::uint64_t fan_out : {3u, 5u, 10u, 25u, 50u, 100u}) {
    input.fan_out = fan_out;
    REQUIRE(gain() > last);
    last = gain();
  }
  last = 1;
  for (const double write_share : {0.3, 0.5, 0.7, 1.0}) {  // the paper's RH, RWB, WH, WO
    input.write_share = write_share;
    REQUIRE(gain() > last);
    last = gain();
  }
  input.write_share = 0;
  REQUIRE(gain() == 1);
}

TEST_CASE("the best fan-outs of Section IV-G: 3 for UDC, about 25 for LDC") {
  // UDC's k / ln k is smallest near e. LDC's (1 + k / rho) / ln k is smallest where k (ln k - 1) =
  // rho; here a read byte costs rho times less than a written one, and half of the requests read.
  LdcModelInput input = three_levels();
  input.write_share = 1;
  REQUIRE(best_fan_out(input, MergeDriver::kUpperLevel) == 3);
  REQUIRE(best_fan_out(input, MergeDriver::kLowerLevel) == 100);
  input.write_share = 0.5;
  input.device_read_bytes_per_second =
      25 * (std::log(25) - 1) * input.device_write_bytes_per_second;
  REQUIRE(best_fan_out(input, MergeDriver::kUpperLevel) == 3);
  REQUIRE(best_fan_out(input, MergeDriver::kLowerLevel) == 25);
}

TEST_CASE("an input to which the model does not apply names every fault") {
  REQUIRE(three_levels().validate().empty());
  const auto fault_of = [](auto&& spoil) {
    LdcModelInput input = three_levels();
    spoil(input);
    const std::vector<std::string> faults = input.validate();
    REQUIRE(faults.size() == 1);
    return faults.front().substr(0, faults.front().find('='));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  REQUIRE(fault_of([](LdcModelInput& in) { in.fan_out = 1; }) == "fan_out");
  REQUIRE(fault_of([](LdcModelInput& in) {
            in.fan_out = 1025;
            in.data_bytes = Bytes(1'000'000'000'000);
          }) == "fan_out");
  REQUIRE(fault_of([](LdcModelInput& in) { in.sstable_bytes = Bytes(0); }) == "sstable_bytes");
  REQUIRE(fault_of([](LdcModelInput& in) { in.data_bytes = Bytes(19'999'999); }) == "data_bytes");
  REQUIRE(fault_of([](LdcModelInput& in) { in.picked_sstables = 0; }) == "picked_sstables");
  REQUIRE(fault_of([&](LdcModelInput& in) { in.device_read_bytes_per_second = nan; }) ==
          "device_read_bytes_per_second");
  REQUIRE(fault_of([&](LdcModelInput& in) { in.device_write_bytes_per_second = infinite; }) ==
          "device_write_bytes_per_second");
  REQUIRE(fault_of([](LdcModelInput& in) { in.lookup_bytes_per_second = 300e6; }) ==
          "lookup_bytes_per_second");
  REQUIRE(fault_of([](LdcModelInput& in) { in.write_share = 1.5; }) == "write_share");
  REQUIRE(fault_of([&](LdcModelInput& in) { in.write_share = nan; }) == "write_share");
  REQUIRE(LdcModelInput().validate().size() == 4);  // no data, and no device
  LdcModelInput smallest = three_levels();
  smallest.data_bytes = Bytes(20'000'000);
  REQUIRE(udc(smallest).levels == 1);
}

TEST_CASE("LDC's figures are its costs, each with a unit and a source") {
  const LdcModelInput input = three_levels();
  for (const MergeDriver driver : {MergeDriver::kUpperLevel, MergeDriver::kLowerLevel}) {
    const std::vector<CostFigure> figures = ldc_cost_figures(input, driver);
    const LdcModelCost cost = ldc_model_cost(input, driver);
    std::vector<double> expected{cost.levels,
                                 cost.write_amplification,
                                 cost.read_amplification,
                                 cost.write_bytes_per_second,
                                 cost.read_bytes_per_second,
                                 cost.bytes_per_second,
                                 cost.merge_bytes,
                                 cost.tail_latency_ns};
    if (driver == MergeDriver::kLowerLevel) expected.push_back(0.25);
    std::vector<double> values;
    std::set<std::string> names;
    for (const CostFigure& figure : figures) {
      INFO(figure.name());
      REQUIRE(names.insert(figure.name()).second);
      REQUIRE(!figure.unit().empty());
      REQUIRE(figure.source.find("LDC paper, ") != std::string::npos);
      values.push_back(figure.value);
    }
    REQUIRE(values == expected);
  }
  const auto read_source = [&](LdcModelInput of) {
    return ldc_cost_figures(of, MergeDriver::kLowerLevel)[2].source;
  };
  LdcModelInput filtered = input;
  filtered.filters_spare_slices = true;
  REQUIRE(read_source(input).starts_with("k log_k(n/b) + u"));
  REQUIRE(read_source(filtered).starts_with("log_k(n/b) + u"));
}

}  // namespace
}  // namespace lsmlab::ldc_costs_test
