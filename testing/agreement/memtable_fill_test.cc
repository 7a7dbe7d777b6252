// What fills a memtable besides single writes: write batches, and RocksDB's limit on the memory of
// all memtables. Simulations compared with the engine and with RocksDB and LevelDB.
#include <cmath>

#include "testing/catch.h"
#include "testing/spec_runs.h"

namespace lsmlab::agreement_memtable_fill_test {
namespace {

constexpr const char* kStore =
    " --write_buffer_size=262144 --target_file_size_base=262144 --max_bytes_for_level_base=1048576 "
    "--compression_type=none --seed=3 --num=60000";

RunSpec spec_of(const std::string& policy, const std::string& line) {
  RunSpec spec;
  spec.policy = parse_spec(policy).value();
  spec.workload = {"db_bench", {{kLineParameter, line + kStore}}};
  spec.resolution = Resolution::kKey;
  return spec;
}

#if defined(LSMLAB_WITH_ROCKSDB) || defined(LSMLAB_WITH_LEVELDB)
// `flushes_off`: RocksDB may flush such a share more, because the memory of a flushed memtable
// counts until it is freed.
void require_same_flushes(const RunResult& ours, const RunResult& theirs, double flushes_off = 0) {
  const auto flushes = static_cast<double>(ours.totals.flushes);
  INFO(flushes << " flushes simulated, " << theirs.totals.flushes << " done");
  REQUIRE(ours.totals.flushes <= theirs.totals.flushes);
  REQUIRE(static_cast<double>(theirs.totals.flushes) <= flushes * (1 + flushes_off));
  const auto bytes = static_cast<double>(ours.totals.flush_bytes_written);
  const auto real = static_cast<double>(theirs.totals.flush_bytes_written);
  INFO(bytes << " simulated, " << real << " flushed");
  REQUIRE(std::abs(bytes / real - 1) < 0.001 + flushes_off / 10);
}
#endif

}  // namespace

TEST_CASE("simulator and engine fill memtables with the same write batches") {
  for (const std::string line :
       {"--benchmarks=fillbatch", "--benchmarks=fillrandom,overwrite --batch_size=70"}) {
    INFO(line);
    const RunSpec spec = spec_of("db_bench:table_format=lsmlab", line);
    const std::vector<std::string> plans = testing::plans_of(spec, false);
    REQUIRE(plans.size() > 20);
    REQUIRE(plans == testing::plans_of(spec, true));
  }
}

#if defined(LSMLAB_WITH_ROCKSDB)
TEST_CASE("RocksDB 7.8.3 fills memtables with write batches as the simulator does") {
  for (const std::string line :
       {"--benchmarks=fillbatch", "--benchmarks=fillrandom --batch_size=700"}) {
    INFO(line);
    const RunSpec spec = spec_of("db_bench", line);
    require_same_flushes(testing::simulated(spec), testing::replayed(spec, RunSource::kRocksdb));
  }
}

TEST_CASE("RocksDB 7.8.3 flushes at its limit on all memtables when the simulator does") {
  const RunSpec free = spec_of("db_bench", "--benchmarks=fillrandom");
  std::uint64_t fewer = testing::simulated(free).totals.flushes;
  for (const std::string limit : {"250000", "180000", "100000"}) {
    INFO(limit);
    const RunSpec spec =
        spec_of("db_bench", "--benchmarks=fillrandom --db_write_buffer_size=" + limit);
    const RunResult ours = testing::simulated(spec);
    REQUIRE(ours.totals.flushes > fewer);
    fewer = ours.totals.flushes;
    require_same_flushes(ours, testing::replayed(spec, RunSource::kRocksdb), 0.06);
  }
}
#endif

#if defined(LSMLAB_WITH_LEVELDB)
// Unique keys: LevelDB flushes overwritten entries, too.
TEST_CASE("LevelDB fills memtables with write batches as the simulator does") {
  const RunSpec spec =
      spec_of("leveldb:buffer=256KiB,file_size=1MiB,level_base=10MiB,table_format=leveldb",
              "--benchmarks=filluniquerandom --batch_size=700");
  require_same_flushes(testing::simulated(spec), testing::replayed(spec, RunSource::kLeveldb));
}
#endif

}  // namespace lsmlab::agreement_memtable_fill_test
