#include "sim/flushes/flush_run.h"

#include <fmt/format.h>

#include <algorithm>

namespace lsmlab {

Result<bool> feed_flushes(const FlushWorkload& workload, std::uint64_t seed, RunControl& control,
                          const std::function<void(std::span<const std::uint64_t>)>& take) {
  constexpr std::size_t kBatchFlushes = 4096;  // `control` is checked after each batch
  const std::unique_ptr<FlushSizeSource> source = workload.open(seed);
  std::vector<std::uint64_t> batch(std::min<std::uint64_t>(kBatchFlushes, workload.count()));
  std::uint64_t done = 0;
  Uint128 flushed_bytes = 0;
  while (done < workload.count() && !control.should_stop()) {
    const std::size_t size = std::min<std::uint64_t>(batch.size(), workload.count() - done);
    const std::span<std::uint64_t> sizes(batch.data(), size);
    source->fill(sizes);
    for (const std::uint64_t bytes : sizes) flushed_bytes += bytes;
    if (flushed_bytes > kFlushedBytesMax) {
      return input_error(fmt::format(
          "the flushes add up to more than 2^63 bytes within the first {}", done + size));
    }
    take(sizes);
    done += size;
    control.units_done.store(done, std::memory_order_relaxed);
  }
  return done == workload.count();
}

}  // namespace lsmlab
