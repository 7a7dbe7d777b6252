// How long a request takes at the device besides its transfer, and how concurrent requests delay
// each other.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/decimal.h"
#include "models/machine/model_part.h"

namespace lsmlab {

struct LatencyModel {
  std::uint64_t read_ns = 80'000;
  std::uint64_t write_ns = 20'000;
  // Instead of these two: latency of a request that continues where its stream's last one ended, as
  // the system reads ahead.
  std::uint64_t sequential_ns = 20'000;
  // Whether a scan's further blocks in each sorted run have that latency: systems read ahead for
  // reads through the page cache. With direct I/O each block is a separate read.
  bool reads_ahead = true;

  void declare(OptionTable& table);
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

struct ContentionModel {
  // Least time for which a request holds the channel while others are in service, divided by the
  // number of requests in service: what a small read takes from large requests. A request alone
  // holds the channel for its transfer.
  std::uint64_t request_ns = 0;
  std::uint64_t seek_ns = 0;  // further latency after a request of another stream or place
  // Further latency for each other request in service when this one begins, because they share
  // resources.
  std::uint64_t busy_latency_ns = 0;
  // Further latency for each of these of the other size: for lookups' requests concurrent with
  // merges' requests, and the reverse.
  std::uint64_t other_size_latency_ns = 0;
  // Share by which transfers of large requests take longer while these share the channel, for any
  // number of them: transfers in turn are faster than concurrent ones.
  Decimal sharing_slowdown{0, 1};
  // Share of transfer and latency by which a request of a flush, merge or lookup takes longer while
  // all other cores work. Waking its thread, and on virtual machines carrying the request out,
  // takes time of these cores.
  Decimal busy_cores_slowdown{0, 1};

  void declare(OptionTable& table);
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

}  // namespace lsmlab
