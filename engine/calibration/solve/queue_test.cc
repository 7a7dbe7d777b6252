#include "engine/calibration/solve/queue.h"

#include "testing/catch.h"

namespace lsmlab::engine::queue_test {
namespace {

// Small reads of a device with so many places, each alone_ns long and busy_ns more for each other.
QueueRows reads_of(unsigned places, double alone_ns, double busy_ns) {
  QueueRows rows;
  for (const unsigned depth : {1U, 2U, 4U, 8U, 16U, 32U}) {
    const double served = std::min(depth, places);
    const double each_ns = alone_ns + (served - 1) * busy_ns;
    DiskRow row{DiskWork::kRandomRead, 4 << 10, depth};
    row.requests_per_second = 1e9 * served / each_ns;
    row.mean_ns = 1e9 * depth / row.requests_per_second;
    rows.small_reads.push_back(row);
  }
  return rows;
}

TEST_CASE("the rate of small reads gives the places, and what each request costs the others") {
  for (const unsigned places : {2U, 5U, 8U, 32U}) {
    for (const double busy_ns : {0.0, 10'000.0}) {
      CAPTURE(places, busy_ns);
      DeviceModel model;
      derive_queue(queue_rows(reads_of(places, 80'000, busy_ns).small_reads), model);
      REQUIRE(model.queue.parallelism == places);
      REQUIRE(static_cast<double>(model.contention.busy_latency_ns) == busy_ns);
    }
  }
}

TEST_CASE("a second client that waits for the first shows one place and no busy latency") {
  DeviceModel model;
  model.contention.busy_latency_ns = 1;
  derive_queue(reads_of(1, 80'000, 0), model);
  REQUIRE(model.queue.parallelism == 1);
  REQUIRE(model.contention.busy_latency_ns == 0);
}

TEST_CASE("only small random reads count for the queue") {
  std::vector<DiskRow> table = reads_of(4, 80'000, 0).small_reads;
  table.push_back({DiskWork::kRandomRead, 16 << 10, 2});
  table.push_back({DiskWork::kSequentialRead, 4 << 10, 2});
  REQUIRE(queue_rows(table).small_reads.size() == table.size() - 2);
}

}  // namespace
}  // namespace lsmlab::engine::queue_test
