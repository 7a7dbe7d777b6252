#include "models/accounting/delete_ages.h"

#include <algorithm>

namespace lsmlab {

void DeleteAges::on_flush(const Traffic& traffic, Entries tombstones) {
  if (flushes_.empty() && tombstones > Entries(0)) flushes_.push_back(last_);
  last_.writes += traffic.writes;
  last_.operations += traffic.writes + traffic.lookups;
  if (!flushes_.empty()) flushes_.push_back(last_);
  flushed_ += tombstones.value();
}

std::uint64_t DeleteAges::operations_at(std::uint64_t sequence) const {
  const auto flush =
      std::partition_point(flushes_.begin(), flushes_.end(),
                           [&](const Flush& other) { return other.writes < sequence; });
  if (flush == flushes_.begin()) return flushes_.front().operations;
  if (flush == flushes_.end()) return flushes_.back().operations;
  const Flush& before = *(flush - 1);
  const Uint128 operations = flush->operations - before.operations;
  return before.operations + static_cast<std::uint64_t>(operations * (sequence - before.writes) /
                                                        (flush->writes - before.writes));
}

void DeleteAges::on_dropped(std::span<const std::uint64_t> sequences, Instant now) {
  if (flushes_.empty()) return;
  for (const std::uint64_t sequence : sequences) {
    const std::uint64_t then = operations_at(sequence);
    ages_.add(now.value() - std::min(now.value(), then));
  }
}

std::optional<DeleteFigures> DeleteAges::figures(std::uint64_t present) const {
  if (!is_known_ || flushed_ == 0) return std::nullopt;
  DeleteFigures figures;
  figures.flushed = flushed_;
  figures.gone = ages_.count();
  figures.present = present;
  // A frozen file counts as a whole while one of its slices is left (LDC).
  figures.superseded = flushed_ - std::min(flushed_, figures.gone + present);
  figures.gone_after_mean = ages_.mean();
  figures.gone_after_p50 = ages_.percentile(50, 100);
  figures.gone_after_p99 = ages_.percentile(99, 100);
  figures.gone_after_max = ages_.max();
  return figures;
}

}  // namespace lsmlab
