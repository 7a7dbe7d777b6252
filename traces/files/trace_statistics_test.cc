#include "traces/files/trace_statistics.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "testing/catch.h"
#include "testing/traces/trace_testing.h"

namespace lsmlab::trace_statistics_test {
namespace {

Operation put(std::uint64_t key) { return {.key = key, .value_bytes = 100, .key_bytes = 16}; }

// Key i is drawn with a frequency of about 1/i.
std::vector<Operation> skewed(std::uint32_t seed, std::size_t count, double keys) {
  boost::random::mt19937_64 random(seed);
  std::vector<Operation> operations;
  for (std::size_t i = 0; i < count; ++i) {
    const double uniform = static_cast<double>(random() >> 11) / 0x1p53;
    operations.push_back(put(static_cast<std::uint64_t>(std::exp(uniform * std::log(keys)))));
  }
  return operations;
}

}  // namespace

TEST_CASE("statistics count a small trace exactly", "[traces][trace_statistics]") {
  const std::vector<Operation> operations{
      put(1),
      put(2),
      put(1),
      {.key = 2, .key_bytes = 18, .kind = OperationKind::kDelete},
      {.key = 3, .key_bytes = 16, .kind = OperationKind::kGet},
      {.key = 9, .scan_last_key = 20, .scan_entries_max = 7, .kind = OperationKind::kScan},
      {.key = 9, .scan_last_key = 20, .kind = OperationKind::kScan},
      put(1)};
  TraceStatistics statistics;
  statistics.add(std::span(operations).first(3));
  statistics.add(std::span(operations).subspan(3));
  REQUIRE(statistics.operations() == 8);
  REQUIRE(statistics.by_kind() == std::array<std::uint64_t, 4>{4, 1, 1, 2});
  const KeyFigures keys = statistics.keys();
  REQUIRE_FALSE(keys.estimated);
  REQUIRE(keys.distinct == 3);
  REQUIRE(keys.rewrites == 3);
  REQUIRE(keys.update_distances[1] == 2);  // 2 operations from 1 to 3, and from 2 to 4
  REQUIRE(keys.update_distances[2] == 1);  // 5 operations from 3 to 8
  REQUIRE(keys.top_1_percent_share == Approx(0.5));
  REQUIRE(statistics.key_bytes().least() == 0);
  REQUIRE(statistics.key_bytes().most() == 18);
  REQUIRE(statistics.key_bytes().percentile(50) == 16);
  REQUIRE(statistics.value_bytes().mean() == 100);
  REQUIRE(statistics.scan_entries().count() == 1);
  REQUIRE(statistics.scan_entries().most() == 7);
}

TEST_CASE("statistics of no operations are zero", "[traces][trace_statistics]") {
  const TraceStatistics statistics;
  REQUIRE(statistics.keys().distinct == 0);
  REQUIRE(statistics.keys().top_10_percent_share == 0);
  REQUIRE(statistics.value_bytes().least() == 0);
  REQUIRE(statistics.value_bytes().percentile(99) == 0);
}

TEST_CASE("percentiles are within 1/128 of the sorted sizes", "[traces][trace_statistics]") {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    INFO("seed " << seed);
    boost::random::mt19937_64 random(seed);
    SizeSummary distribution;
    std::vector<std::uint64_t> sizes;
    for (int i = 0; i < 1000; ++i) {
      sizes.push_back(random() >> (random() % 64));
      distribution.add(sizes.back());
    }
    std::sort(sizes.begin(), sizes.end());
    for (const unsigned percent : {1U, 50U, 99U, 100U}) {
      const std::uint64_t exact = sizes[percent * 10 - 1];
      REQUIRE(distribution.percentile(percent) >= exact);
      REQUIRE(distribution.percentile(percent) - exact <= exact / 128);
    }
    REQUIRE(distribution.least() == sizes.front());
    REQUIRE(distribution.most() == sizes.back());
  }
}

TEST_CASE("a small sample estimates what a large one counts", "[traces][trace_statistics]") {
  const auto operations = skewed(5, 400'000, 100'000);
  TraceStatistics exact;
  TraceStatistics sampled(4096);
  exact.add(operations);
  sampled.add(operations);
  const KeyFigures truth = exact.keys();
  const KeyFigures guess = sampled.keys();
  REQUIRE_FALSE(truth.estimated);
  REQUIRE(guess.estimated);
  REQUIRE(static_cast<double>(guess.distinct) ==
          Approx(static_cast<double>(truth.distinct)).epsilon(0.06));
  REQUIRE(guess.top_1_percent_share == Approx(truth.top_1_percent_share).margin(0.03));
  REQUIRE(guess.top_10_percent_share == Approx(truth.top_10_percent_share).margin(0.03));

  std::map<std::uint64_t, std::uint64_t> counts;
  for (const Operation& operation : operations) ++counts[operation.key];
  REQUIRE(truth.distinct == counts.size());
  REQUIRE(truth.rewrites == operations.size() - counts.size());
}

}  // namespace lsmlab::trace_statistics_test
