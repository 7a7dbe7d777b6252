// Counts latencies, in nanoseconds, in fixed memory. As in HdrHistogram, buckets grow with the
// value: each power of two has 64 buckets of equal width. Values below 128 are exact. Above, a
// bucket is at most 1/64 of its values wide, so a percentile is too large by less than 1.6 %.
//
// Not thread safe: each thread has its own histogram, and merge() adds them up.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "models/accounting/run_result.h"
#include "models/base/operation_kind.h"
#include "models/base/units.h"

namespace lsmlab {

class LatencyHistogram {
 public:
  void add(std::uint64_t nanoseconds) {
    ++buckets_[bucket_of(nanoseconds)];
    ++count_;
    sum_ += nanoseconds;
    max_ = std::max(max_, nanoseconds);
  }
  /// Adds the same latency several times.
  void add(std::uint64_t nanoseconds, std::uint64_t times) {
    if (times == 0) return;
    buckets_[bucket_of(nanoseconds)] += times;
    count_ += times;
    sum_ += Uint128{nanoseconds} * times;
    max_ = std::max(max_, nanoseconds);
  }
  void merge(const LatencyHistogram& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t max() const { return max_; }
  [[nodiscard]] double mean() const;
  /// The percentile by nearest rank, in nanoseconds. The exact value is the smallest that at least
  /// `part` of `whole` latencies do not exceed. The result is at least that, lies in the same
  /// bucket, and is at most max(). 0 where nothing was added. REQUIRES: 0 < part <= whole.
  [[nodiscard]] std::uint64_t percentile(std::uint64_t part, std::uint64_t whole) const;
  [[nodiscard]] LatencyFigures figures() const;
  /// Latencies above the bucket of `nanoseconds`: their number, and their sum, which is less than
  /// 1.6 % too large.
  struct Tail {
    std::uint64_t count = 0;
    Uint128 sum_ns = 0;
  };
  [[nodiscard]] Tail above(std::uint64_t nanoseconds) const;

 private:
  static constexpr unsigned kPartBits = 6;
  static constexpr std::uint64_t kParts = std::uint64_t{1} << kPartBits;
  static constexpr std::size_t kBuckets = (64 - kPartBits + 1) * kParts;

  // Below 2 * kParts, the value itself. From there on, kParts buckets for each power of two.
  [[nodiscard]] static std::size_t bucket_of(std::uint64_t value) {
    if (value < kParts) return value;
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kPartBits;
    return shift * kParts + (value >> shift);
  }
  [[nodiscard]] static std::uint64_t largest_of(std::size_t bucket);

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
  Uint128 sum_ = 0;
};

/// Figures for each kind of operation that occurred, and for all kinds together. OperationKind is
/// the index of `histograms`.
[[nodiscard]] OperationLatencies latencies_of(
    const std::array<LatencyHistogram, kOperationKinds>& histograms);

}  // namespace lsmlab
