// RocksDB's FIFO at resolution flush against closed forms: with flushes of one size, what stays is
// as many as fit, and with allow_compaction every byte is written twice.
#include <fmt/format.h>

#include <numeric>

#include "testing/catch.h"
#include "testing/runs.h"

namespace lsmlab::fifo_test {
namespace {

constexpr std::uint64_t kFlush = 1000;  // bytes

std::uint64_t runs_of(const FlushRun& run) {
  return std::accumulate(
      run.final_levels.begin(), run.final_levels.end(), std::uint64_t{0},
      [](std::uint64_t sum, const LevelSummary& level) { return sum + level.runs; });
}

TEST_CASE("FIFO keeps as many flushes as fit, and writes each once") {
  for (const std::uint64_t limit : {1u, 999u, 1000u, 1001u, 7500u, 50'000u}) {
    for (const std::uint64_t flushes : {1u, 2u, 7u, 8u, 1000u}) {
      INFO(limit << " bytes, " << flushes << " flushes");
      const FlushRun run =
          testing::run_tree(fmt::format("rocksdb-fifo:max_table_files_size={}", limit),
                            testing::flushes_of(fmt::format("count={},size={}", flushes, kFlush)));
      const std::uint64_t kept = std::min(flushes, limit / kFlush);
      REQUIRE(runs_of(run) == kept);
      REQUIRE(run.totals.drops == flushes - kept);
      REQUIRE(run.totals.bytes_dropped == Uint128{flushes - kept} * kFlush);
      REQUIRE(run.totals.flush_bytes_written == Uint128{flushes} * kFlush);
      REQUIRE(run.totals.merges == 0);
      REQUIRE(run.runs.max == std::min(flushes, limit / kFlush));
      if (kept < flushes) REQUIRE(run.disk.file_bytes == Uint128{kept + 1} * kFlush);
    }
  }
}

TEST_CASE("FIFO drops as few of the oldest flushes of any size as make the rest fit") {
  const FlushWorkload workload =
      testing::flushes_of("count=2000,size=1000,distribution=exponential");
  std::vector<std::uint64_t> sizes = testing::sizes_of(workload, 1);
  constexpr std::uint64_t kLimit = 20'000;
  const FlushRun run = testing::run_tree("rocksdb-fifo:max_table_files_size=20000", workload);
  std::uint64_t kept = 0;
  std::uint64_t bytes = 0;
  while (kept < sizes.size() && bytes + sizes[sizes.size() - 1 - kept] <= kLimit) {
    bytes += sizes[sizes.size() - 1 - kept];
    ++kept;
  }
  REQUIRE(runs_of(run) == kept);
  REQUIRE(run.final_levels.front().bytes == bytes);
  const std::uint64_t all = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  REQUIRE(run.totals.bytes_dropped == all - bytes);
}

TEST_CASE("FIFO with allow_compaction merges every l0_trigger flushes once") {
  for (const std::uint64_t trigger : {3u, 4u, 9u}) {
    for (const std::uint64_t flushes : {1u, 2u, 3u, 8u, 9u, 300u}) {
      INFO(trigger << " files, " << flushes << " flushes");
      const FlushRun run = testing::run_tree(
          fmt::format("rocksdb-fifo:allow_compaction=true,l0_trigger={},buffer=2000", trigger),
          testing::flushes_of(fmt::format("count={},size={}", flushes, kFlush)));
      REQUIRE(run.totals.merges == flushes / trigger);
      REQUIRE(run.totals.merge_bytes_written == Uint128{flushes / trigger} * trigger * kFlush);
      REQUIRE(runs_of(run) == flushes / trigger + flushes % trigger);
      REQUIRE(run.totals.drops == 0);
    }
  }
}

}  // namespace
}  // namespace lsmlab::fifo_test
