#include "models/accounting/latency_histogram.h"

#include "models/base/check.h"

namespace lsmlab {

void LatencyHistogram::merge(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

double LatencyHistogram::mean() const { return ratio_of(sum_, count_); }

std::uint64_t LatencyHistogram::largest_of(std::size_t bucket) {
  if (bucket < 2 * kParts) return bucket;
  const std::uint64_t shift = bucket / kParts - 1;
  const std::uint64_t first = (bucket - shift * kParts) << shift;
  return first + ((std::uint64_t{1} << shift) - 1);
}

std::uint64_t LatencyHistogram::percentile(std::uint64_t part, std::uint64_t whole) const {
  CHECK(0 < part && part <= whole);
  if (count_ == 0) return 0;
  const auto rank = static_cast<std::uint64_t>((Uint128{count_} * part + whole - 1) / whole);
  std::uint64_t passed = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    passed += buckets_[bucket];
    if (passed >= rank) return std::min(largest_of(bucket), max_);
  }
  return max_;
}

LatencyHistogram::Tail LatencyHistogram::above(std::uint64_t nanoseconds) const {
  Tail tail;
  for (std::size_t bucket = bucket_of(nanoseconds) + 1; bucket < kBuckets; ++bucket) {
    if (buckets_[bucket] == 0) continue;
    tail.count += buckets_[bucket];
    tail.sum_ns += Uint128{std::min(largest_of(bucket), max_)} * buckets_[bucket];
  }
  return tail;
}

LatencyFigures LatencyHistogram::figures() const {
  return {count_,
          mean(),
          percentile(50, 100),
          percentile(90, 100),
          percentile(99, 100),
          percentile(999, 1000),
          percentile(9999, 10000),
          max_};
}

OperationLatencies latencies_of(const std::array<LatencyHistogram, kOperationKinds>& histograms) {
  OperationLatencies latencies;
  const auto figures = [&](OperationKind kind, std::optional<LatencyFigures>& into) {
    const LatencyHistogram& histogram = histograms[static_cast<std::size_t>(kind)];
    if (histogram.count() > 0) into = histogram.figures();
  };
  figures(OperationKind::kPut, latencies.puts);
  figures(OperationKind::kDelete, latencies.deletes);
  figures(OperationKind::kGet, latencies.gets);
  figures(OperationKind::kScan, latencies.scans);
  LatencyHistogram all;
  for (const LatencyHistogram& histogram : histograms) all.merge(histogram);
  if (all.count() > 0) latencies.all = all.figures();
  return latencies;
}

}  // namespace lsmlab
