#include "engine/calibration/solve/stream_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/calibration/solve/client_rates.h"
#include "engine/calibration/solve/figures.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kLargeBytes = 1 << 20;
// A flush, merges and lookups: a store has few large requests at once. Disks merge many concurrent
// requests, and are faster then.
constexpr unsigned kStoreClients = 4;

// For how much of one client's request it holds the channel: of several candidates the one that
// comes nearest to two and four clients' rates. Where these tell nothing, because places and not
// the channel limit them, it is what a larger request takes more.
double transfer_ns(const StreamRows& rows, const DeviceModel& model) {
  const std::uint64_t request_bytes = model.queue.request_bytes.value();
  double alone = kNsPerSecond / rows.alone.requests_per_second;
  const double larger = kNsPerSecond / rows.large.requests_per_second - alone;
  if (changes_place(rows.alone.work, 1)) alone -= static_cast<double>(model.contention.seek_ns);
  CHECK(request_bytes < kLargeBytes);
  std::vector<double> transfers{larger * static_cast<double>(request_bytes) /
                                static_cast<double>(kLargeBytes - request_bytes)};
  double log_sum = 0;
  for (const DiskRow& row : rows.together) {
    transfers.push_back(kNsPerSecond / row.requests_per_second);
    log_sum += std::log(transfers.back());
  }
  transfers.push_back(std::exp(log_sum / static_cast<double>(rows.together.size())));
  // Where the rounds were disturbed, single requests can look as if they took no time.
  constexpr double kBeyondBest = 4;
  const double least =
      std::max(1.0, *std::min_element(transfers.begin() + 1, transfers.end()) / kBeyondBest);
  constexpr double kMissLeast = 1e-4;  // a hundredth of a rate, squared
  double best = alone;
  double best_miss = std::numeric_limits<double>::infinity();
  for (double transfer : transfers) {
    transfer = std::clamp(transfer, least, std::max(least, alone));
    double miss = 0;
    for (const DiskRow& row : rows.together) {
      const double rate = loop_rate(model, row, transfer, alone - transfer);
      miss += std::pow(std::log(rate / row.requests_per_second), 2);
    }
    if (miss < best_miss - kMissLeast) {
      best = transfer;
      best_miss = miss;
    }
  }
  return best;
}

}  // namespace

StreamRows stream_rows(std::span<const DiskRow> rows, DiskWork work, Bytes request_bytes) {
  const std::uint64_t bytes = request_bytes.value();
  StreamRows stream{find_row(rows, work, bytes), find_row(rows, work, kLargeBytes), {}};
  for (const DiskRow& row : rows) {
    const bool is_same = row.work == work && row.request_bytes == bytes;
    if (is_same && row.depth > 1 && row.depth <= kStoreClients) stream.together.push_back(row);
  }
  return stream;
}

Bytes bandwidth_of(const StreamRows& rows, const DeviceModel& model) {
  constexpr std::uint64_t kLeast = 1'000;  // that a DeviceModel accepts
  const double bytes = static_cast<double>(model.queue.request_bytes.value());
  return Bytes(std::max(whole(bytes * kNsPerSecond / transfer_ns(rows, model)), kLeast));
}

}  // namespace lsmlab::engine
