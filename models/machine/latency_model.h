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
  // Instead of these, of a request that goes on where the last one of its stream ended: read ahead.
  std::uint64_t sequential_ns = 20'000;
  // Whether that is so of a scan's blocks after the first of each sorted run: systems read ahead of
  // who reads through the page cache. Of others each block is a read of its own.
  bool reads_ahead = true;

  void declare(OptionTable& table);
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

struct ContentionModel {
  // The least for which a request beside others holds the channel, shared by those that are being
  // served: what a small read takes from large requests. One alone holds it for its transfer.
  std::uint64_t request_ns = 0;
  std::uint64_t seek_ns = 0;  // more, where the request before was another stream's, or elsewhere
  // More, for each other that is being served when the request begins: what serves them all.
  std::uint64_t busy_latency_ns = 0;
  // More, for each of these of the other size: lookups' beside merges', and merges' beside
  // lookups'.
  std::uint64_t other_size_latency_ns = 0;
  // What large requests' transfers take longer while they share the channel, however many: one
  // after another they are faster than side by side.
  Decimal sharing_slowdown{0, 1};
  // What a request that a flush, merge or lookup waits for takes more while all other cores work,
  // as a share of transfer and latency: what wakes its thread, and on virtual machines what carries
  // the request out, takes time of theirs.
  Decimal busy_cores_slowdown{0, 1};

  void declare(OptionTable& table);
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

}  // namespace lsmlab
