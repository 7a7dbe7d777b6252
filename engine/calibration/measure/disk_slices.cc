#include "engine/calibration/measure/disk_slices.h"

#include <bit>

namespace lsmlab::engine {
namespace {

using Clock = CalibrateClock;

// As `index` rises, gives every number below `count` once, in an order that looks random, and then
// the same again. So a buffered read never finds a block that another read brought into memory.
std::uint64_t scattered(std::uint64_t index, std::uint64_t count) {
  const auto bits = std::max(2U, static_cast<unsigned>(std::bit_width(count - 1)));
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t number = index % count;
  // Each step is reversible within the mask. A number beyond the count goes through the steps
  // again.
  do {
    for (const std::uint64_t odd : {0x9e3779b97f4a7c15, 0xd1342543de82ef95}) {
      number = (number * odd + (odd >> 8)) & mask;
      number ^= number >> (bits / 2);
    }
  } while (number >= count);
  return number;
}

}  // namespace

Result<ClientLoop> Slice::run(std::span<const IoPages> buffers) {
  return run_clients(row_.depth, [&](unsigned client, ClientLoop& loop) {
    return work(loop, buffers[client].data());
  });
}

std::uint64_t Slice::block_of(std::uint64_t index) const {
  if (is_sequential(row_.work)) return index % blocks_;
  if (row_.work != DiskWork::kTwoStreamRead) return scattered(index, blocks_);
  const std::uint64_t half = blocks_ / 2;
  return index % 2 * half + index / 2 % half;
}

Result<void> Slice::work(ClientLoop& loop, char* buffer) {
  const bool is_read = reads_of_four(row_.work) > 0;
  while (loop.end - loop.begin < length_ && !should_stop(options_)) {
    const std::uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= end_) break;
    const std::uint64_t offset = block_of(index) * row_.request_bytes;
    if (!is_read) stamp_pages(buffer, row_.request_bytes, index);
    BOOST_OUTCOME_TRYV(timed_request(loop, [&] {
      return is_read ? file_of(index).read(offset, buffer, row_.request_bytes)
                     : file_.write(offset, buffer, row_.request_bytes);
    }));
  }
  return success();
}

Result<ClientLoop> GrowingSlice::run(std::span<const IoPages> buffers, Clock::duration length) {
  BOOST_OUTCOME_TRYV(empty_files());
  return run_clients(row_.depth, [&](unsigned client, ClientLoop& loop) {
    return work(client, loop, buffers[client].data(), length);
  });
}

Result<GrowingSlice::Beside> GrowingSlice::run_beside(std::span<const IoPages> buffers,
                                                      Clock::duration length) {
  BOOST_OUTCOME_TRYV(empty_files());
  Beside beside;
  std::atomic<bool> is_over{false};
  beside.small = BOOST_OUTCOME_TRYX(run_clients(2, [&](unsigned client, ClientLoop& loop) {
    if (client == 1) return read_small(loop, buffers[client].data(), is_over);
    beside.large.begin = beside.large.end = Clock::now();
    const Result<void> worked = work(0, beside.large, buffers[client].data(), length);
    is_over.store(true);
    return worked;
  }));
  return beside;
}

Result<void> GrowingSlice::empty_files() const {
  for (const ScratchFile& file : grown_) {
    BOOST_OUTCOME_TRYV(file.truncate());
  }
  for (unsigned client = 0; client < row_.depth; ++client)
    grown_[client].reserve(grown_bytes_max());
  return success();
}

Result<void> GrowingSlice::read_small(ClientLoop& loop, char* buffer,
                                      const std::atomic<bool>& is_over) const {
  const std::uint64_t blocks = file_bytes_ / kSmallRequestBytes;
  do {
    const std::uint64_t offset = scattered(begin_.fetch_add(1), blocks) * kSmallRequestBytes;
    BOOST_OUTCOME_TRYV(
        timed_request(loop, [&] { return file_.read(offset, buffer, kSmallRequestBytes); }));
  } while (!is_over.load());
  return success();
}

Result<void> GrowingSlice::work(unsigned client, ClientLoop& loop, char* buffer,
                                Clock::duration length) {
  const std::uint64_t reads = reads_of_four(row_.work);
  const std::uint64_t bytes = row_.request_bytes;
  const std::uint64_t blocks = file_bytes_ / bytes;
  std::uint64_t read_at = begin_.load() + blocks * client / row_.depth;
  const std::uint64_t first = begin_.load();
  std::uint64_t size = 0;
  for (std::uint64_t i = 0; loop.end - loop.begin < length && !should_stop(options_); ++i) {
    if (i * reads % 4 < reads) {
      const std::uint64_t offset = read_at++ % blocks * bytes;
      BOOST_OUTCOME_TRYV(timed_request(loop, [&] { return file_.read(offset, buffer, bytes); }));
      continue;
    }
    if (size + bytes > grown_bytes_max() && size > 0) break;
    stamp_pages(buffer, bytes, first * bytes + size);
    BOOST_OUTCOME_TRYV(
        timed_request(loop, [&] { return grown_[client].write(size, buffer, bytes); }));
    size += bytes;
  }
  begin_.fetch_add(loop.latencies.count());
  return success();
}

}  // namespace lsmlab::engine
