// Compares the model of filters with a filter that is actually built.
#include "models/sizes/filter_chance.h"

#include <cmath>
#include <random>
#include <vector>

#include "testing/catch.h"

namespace lsmlab::filter_chance_test {
namespace {

SstableFormat format_with(std::uint32_t millibits) { return {4096, millibits}; }

// Asks a filter of `entries` random keys for `asked` absent keys; returns how many it passes.
std::uint64_t count_passed(const SstableFormat& format, std::uint64_t entries, std::uint64_t asked,
                           std::mt19937_64& random) {
  const std::uint64_t lines = filter_lines(format, entries);
  const unsigned probes = filter_probes(format);
  std::vector<std::vector<bool>> bits(lines, std::vector<bool>(512, false));
  for (std::uint64_t i = 0; i < entries; ++i) {
    std::vector<bool>& line = bits[random() % lines];
    for (unsigned probe = 0; probe < probes; ++probe) line[random() % 512] = true;
  }
  std::uint64_t passed = 0;
  for (std::uint64_t i = 0; i < asked; ++i) {
    const std::vector<bool>& line = bits[random() % lines];
    bool is_set = true;
    for (unsigned probe = 0; probe < probes; ++probe) is_set = is_set && line[random() % 512];
    passed += is_set;
  }
  return passed;
}

TEST_CASE("rates of false positives are those of real blocked filters") {
  const std::uint64_t seed = 20261121;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  FilterModel model;
  for (const std::uint32_t millibits : {500u, 1000u, 3000u, 5500u, 10'000u, 16'000u}) {
    const SstableFormat format = format_with(millibits);
    for (const std::uint64_t entries : {20u, 60u, 150u, 5000u}) {
      // The rate of a single filter varies with the keys that it was built from, so many filters
      // are built.
      const std::uint64_t filters = std::max<std::uint64_t>(10, 200'000 / entries / 2);
      const std::uint64_t asked_each = 2'000'000 / filters;
      std::uint64_t passed = 0;
      for (std::uint64_t i = 0; i < filters; ++i) {
        passed += count_passed(format, entries, asked_each, random);
      }
      const auto asked = static_cast<double>(filters * asked_each);
      const double rate = model.false_positive_rate(format, entries);
      const double error = 6 * std::sqrt(rate / asked) + 0.02 * rate;
      INFO(millibits << " thousandths of a bit, " << entries << " entries: model " << rate
                     << ", filter " << static_cast<double>(passed) / asked);
      REQUIRE(std::abs(static_cast<double>(passed) / asked - rate) < error);
    }
  }
}

TEST_CASE("probes follow LevelDB's rule") {
  REQUIRE(filter_probes(format_with(1)) == 1);
  REQUIRE(filter_probes(format_with(1449)) == 1);
  REQUIRE(filter_probes(format_with(10'000)) == 6);
  REQUIRE(filter_probes(format_with(100'000)) == 30);
}

TEST_CASE("a file without a filter lets every key pass, and one of one key hardly any") {
  FilterModel model;
  REQUIRE(model.false_positive_rate(format_with(0), 1000) == 1);
  REQUIRE(model.false_positive_rate(format_with(1), 10'000'000) == Approx(1));
  // One key, one line, six bits: one random bit in 512 may hit another.
  REQUIRE(model.false_positive_rate(format_with(10'000), 1) < 1e-11);
  REQUIRE(model.false_positive_rate(format_with(1000), 1) == Approx(1.0 / 512));
}

TEST_CASE("rates do not depend on what was asked before") {
  FilterModel asked;
  for (std::uint64_t entries = 10; entries < 3000; entries += 7) {
    static_cast<void>(asked.false_positive_rate(format_with(9000), entries));
  }
  FilterModel fresh;
  REQUIRE(asked.false_positive_rate(format_with(9000), 777) ==
          fresh.false_positive_rate(format_with(9000), 777));
  // The same bits on every machine: the results of the first version.
  REQUIRE(draw_bound(fresh.false_positive_rate(format_with(10'000), 10'000)) == 0x26fda67a5c5bae0);
  REQUIRE(draw_bound(0.5) == std::uint64_t{1} << 63);
  REQUIRE(draw_bound(1) == ~std::uint64_t{0});
  REQUIRE(draw_bound(0) == 0);
}

}  // namespace
}  // namespace lsmlab::filter_chance_test
