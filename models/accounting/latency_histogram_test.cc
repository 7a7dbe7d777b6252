#include "models/accounting/latency_histogram.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "testing/catch.h"

namespace lsmlab::latency_histogram_test {
namespace {

struct Rank {
  std::uint64_t part;
  std::uint64_t whole;
};
constexpr Rank kRanks[] = {{1, 100},    {50, 100},     {90, 100}, {99, 100},
                           {999, 1000}, {9999, 10000}, {1, 1}};

std::uint64_t nearest_rank(const std::vector<std::uint64_t>& sorted, Rank rank) {
  const std::uint64_t place = (sorted.size() * rank.part + rank.whole - 1) / rank.whole;
  return sorted[place - 1];
}

void require_percentiles(const LatencyHistogram& histogram, std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  for (const Rank rank : kRanks) {
    const std::uint64_t exact = nearest_rank(values, rank);
    const std::uint64_t told = histogram.percentile(rank.part, rank.whole);
    CAPTURE(rank.part, rank.whole, exact, told);
    REQUIRE(told >= exact);
    REQUIRE(told - exact <= exact / 64);
    REQUIRE(told <= values.back());
    if (exact < 128) REQUIRE(told == exact);
  }
  REQUIRE(histogram.max() == values.back());
  REQUIRE(histogram.count() == values.size());
}

TEST_CASE("latency percentiles are those of the sorted values, less than 1.6 % too large") {
  std::mt19937_64 random(7);
  for (const std::size_t size : {1u, 2u, 10u, 999u, 20'000u}) {
    LatencyHistogram histogram;
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t value = random() >> (random() % 64);  // every magnitude
      histogram.add(value);
      values.push_back(value);
    }
    require_percentiles(histogram, values);
  }
}

TEST_CASE("what is above a value is counted, and summed up less than 1.6 % too large") {
  LatencyHistogram histogram;
  REQUIRE(histogram.above(0).count == 0);
  for (const std::uint64_t value : {0u, 100u, 101u, 5'000u, 70'000'000u, 90'000'000u}) {
    histogram.add(value);
  }
  REQUIRE(histogram.above(100).count == 4);
  REQUIRE(histogram.above(101).count == 3);
  const LatencyHistogram::Tail tail = histogram.above(5'000);
  REQUIRE(tail.count == 2);
  REQUIRE(tail.sum_ns >= 160'000'000);
  REQUIRE(tail.sum_ns < 162'500'000);
  REQUIRE(histogram.above(90'000'000).count == 0);
}

TEST_CASE("operations have figures by kind where there were any, and together") {
  std::array<LatencyHistogram, kOperationKinds> histograms;
  REQUIRE(!latencies_of(histograms).all);
  for (std::uint64_t i = 0; i < 97; ++i) {
    histograms[static_cast<std::size_t>(OperationKind::kPut)].add(10);
  }
  for (const std::uint64_t slow : {20u, 30u, 40u}) {
    histograms[static_cast<std::size_t>(OperationKind::kGet)].add(slow);
  }
  const OperationLatencies latencies = latencies_of(histograms);
  REQUIRE(!latencies.scans);
  REQUIRE(latencies.puts->max_ns == 10);
  REQUIRE(latencies.gets->p50_ns == 30);
  REQUIRE(latencies.all->count == 100);
  REQUIRE(latencies.all->p90_ns == 10);
  REQUIRE(latencies.all->p99_ns == 30);
  REQUIRE(latencies.all->max_ns == 40);
  REQUIRE(latencies.all->mean_ns == 10.6);
}

TEST_CASE("every value lies in its bucket, up to the largest") {
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t value : {power - 1, power, power + 1, power + power / 2}) {
      LatencyHistogram histogram;
      histogram.add(value);
      histogram.add(std::numeric_limits<std::uint64_t>::max());
      const std::uint64_t told = histogram.percentile(1, 2);
      CAPTURE(value, told);
      REQUIRE(told >= value);
      REQUIRE(told - value <= value / 64);
    }
  }
}

TEST_CASE("merged histograms tell what one of all values tells") {
  std::mt19937_64 random(8);
  LatencyHistogram all;
  LatencyHistogram parts[3];
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t value = random() % 1'000'000;
    all.add(value);
    parts[i % 3].add(value);
  }
  LatencyHistogram merged;
  for (const LatencyHistogram& part : parts) merged.merge(part);
  REQUIRE(merged.figures() == all.figures());
}

TEST_CASE("equal latencies count as often as they are added") {
  LatencyHistogram single;
  LatencyHistogram many;
  for (const std::uint64_t value : {90U, 7U, 1'000'000'007U}) {
    for (int i = 0; i < 5; ++i) single.add(value);
    many.add(value, 5);
  }
  many.add(std::uint64_t{1} << 40, 0);
  REQUIRE(many.figures() == single.figures());
}

TEST_CASE("small latencies are exact, and no latencies are zeros") {
  LatencyHistogram histogram;
  REQUIRE(histogram.figures() == LatencyFigures{});
  for (std::uint64_t value = 1; value <= 100; ++value) histogram.add(value);
  REQUIRE(histogram.figures() == LatencyFigures{100, 50.5, 50, 90, 99, 100, 100, 100});
}

}  // namespace
}  // namespace lsmlab::latency_histogram_test
