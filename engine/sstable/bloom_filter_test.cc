#include "engine/sstable/bloom_filter.h"

#include <cmath>
#include <random>
#include <vector>

#include "engine/sstable/sstable.h"
#include "models/sizes/filter_chance.h"
#include "testing/catch.h"

namespace lsmlab::engine::bloom_filter_test {
namespace {

std::vector<std::uint64_t> hashes_of_numbers(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = first; i < first + count; ++i) {
    hashes.push_back(hash_of_key({reinterpret_cast<const char*>(&i), sizeof i}));
  }
  return hashes;
}

}  // namespace

TEST_CASE("A filter has the lines that the size model counts, and none without bits") {
  for (const std::uint32_t millibits : {0U, 1U, 5'000U, 10'000U, 100'000U}) {
    const SstableFormat format{.filter_millibits_per_key = millibits};
    for (const std::uint64_t count : {1U, 51U, 52U, 1000U}) {
      const std::string lines = filter_lines_of(format, hashes_of_numbers(0, count));
      REQUIRE(lines.size() == filter_lines(format, count) * kFilterLineBytes);
    }
  }
}

TEST_CASE("A filter never denies a key that was added") {
  for (const std::uint32_t millibits : {1U, 1'500U, 10'000U, 20'000U, 50'000U, 100'000U}) {
    const SstableFormat format{.filter_millibits_per_key = millibits};
    const std::vector<std::uint64_t> hashes = hashes_of_numbers(0, 3000);
    const std::string lines = filter_lines_of(format, hashes);
    for (const std::uint64_t hash : hashes) {
      REQUIRE(filter_contains(lines, filter_probes(format), hash));
    }
  }
}

TEST_CASE("False positives come as often as the model says") {
  struct Case {
    std::uint64_t entries;
    std::uint32_t millibits;
    std::uint64_t filters;  // the mean is over this many
  };
  const std::vector<Case> cases = {{20, 10'000, 400},   {51, 10'000, 200},    {500, 4'000, 40},
                                   {5'000, 10'000, 10}, {5'000, 16'000, 40},  {40'000, 2'000, 4},
                                   {40'000, 10'000, 4}, {40'000, 20'000, 20}, {7'000, 30'000, 40},
                                   {100'000, 7'300, 4}};
  FilterModel model;
  for (const Case& c : cases) {
    const SstableFormat format{.filter_millibits_per_key = c.millibits};
    const double expected = model.false_positive_rate(format, c.entries);
    const std::uint64_t probes_each = 400'000 / c.filters;
    std::uint64_t first = 1;
    std::uint64_t positives = 0;
    for (std::uint64_t i = 0; i < c.filters; ++i) {
      const std::string lines = filter_lines_of(format, hashes_of_numbers(first, c.entries));
      first += c.entries;
      for (const std::uint64_t hash : hashes_of_numbers(first, probes_each)) {
        positives += filter_contains(lines, filter_probes(format), hash) ? 1U : 0U;
      }
      first += probes_each;
    }
    // Lookups in one filter are not independent, so results spread more than independent draws.
    const double asked = static_cast<double>(probes_each * c.filters);
    const double error = 4 * std::sqrt(expected / asked) * 1.5 + 2e-6;
    INFO(c.entries << " entries, " << c.millibits << " millibits: expected " << expected
                   << ", found " << static_cast<double>(positives) / asked);
    REQUIRE(std::abs(static_cast<double>(positives) / asked - expected) < error);
  }
}

}  // namespace lsmlab::engine::bloom_filter_test
