// Predicted bytes of compressed stores against those that the engine, RocksDB and LevelDB write.
#include <fmt/format.h>

#include <cmath>

#include "engine/files/posix_file_system.h"
#include "engine/replay/engine_replay.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "testing/spec_runs.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/measured_format.h"
#include "validate/catalog/run_spec.h"
#include "validate/judge/regression.h"

namespace lsmlab::agreement_compression_test {
namespace {

RunSpec spec_of(RunSource source, const std::string& policy, const std::string& workload) {
  RunSpec spec;
  spec.policy = with_table_format(parse_spec(policy).value(), source);
  spec.workload = parse_spec(workload).value();
  spec.options.source = source;
  spec.resolution = Resolution::kKey;
  spec.options.verify = source == RunSource::kEngine;
  return spec;
}

RunResult simulated(RunSpec spec) {
  spec.options.source = RunSource::kSimulator;
  return testing::simulated(spec);
}

RunResult measured(const RunSpec& spec) {
  if (spec.options.source != RunSource::kEngine) {
    return testing::replayed(spec, spec.options.source);
  }
  const ResolvedRun run = testing::resolved(spec);
  RunControl control;
  const engine::testing::ScratchDirectory scratch;
  const auto source = std::get<KeyWorkload>(run.workload).open(1).value();
  engine::PosixFileSystem files;
  engine::ReplayOptions options;
  options.directory = scratch.path();
  options.files = &files;
  const RunResult result = engine::replay(run.setup, options, *source, control).value();
  REQUIRE(result.files->verification->mismatches == 0);
  return result;
}

double written(const RunResult& result) {
  return static_cast<double>(result.totals.flush_bytes_written + result.totals.merge_bytes_written);
}

// Bytes of SSTables, by flushes and in all.
void require_near(const RunSpec& spec, double bound) {
  const RunResult expected = simulated(spec);
  const RunResult found = measured(spec);
  const double flushes = relative_error(static_cast<double>(expected.totals.flush_bytes_written),
                                        static_cast<double>(found.totals.flush_bytes_written));
  const double all = relative_error(written(expected), written(found));
  INFO("flushed bytes " << 100 * flushes << " % off, all bytes " << 100 * all << " %");
  REQUIRE(std::abs(flushes) < bound);
  REQUIRE(std::abs(all) < bound);
}

}  // namespace

TEST_CASE("the engine writes what is predicted with compression, within 1 %") {
  const std::pair<const char*, const char*> cells[] = {
      {"lo+1:buffer=512KiB,file_size=512KiB,compression=zstd,value_ratio=0.5", "load:entries=200k"},
      {"lo+1:buffer=512KiB,file_size=512KiB,compression=none:lz4:zstd,value_ratio=0.4",
       "load:entries=200k,update_fraction=30%"},
      {"tiered:buffer=512KiB,compression=lz4,bottommost_compression=zstd,value_ratio=0.5",
       "load:entries=200k"}};
  for (const auto& [policy, workload] : cells) {
    INFO(policy << " " << workload);
    require_near(spec_of(RunSource::kEngine, policy, workload), 0.01);
  }
}

#ifdef LSMLAB_WITH_ROCKSDB
TEST_CASE("RocksDB flushes what its preset predicts with compression, within 2 %") {
  for (const char* codec : {"snappy", "lz4", "zstd"}) {
    INFO(codec);
    const RunSpec spec =
        spec_of(RunSource::kRocksdb,
                fmt::format("rocksdb-universal:buffer=1MiB,compression={},value_ratio=0.5", codec),
                "load:entries=300k");
    const RunResult expected = simulated(spec);
    const RunResult found = measured(spec);
    const double flushes = relative_error(static_cast<double>(expected.totals.flush_bytes_written),
                                          static_cast<double>(found.totals.flush_bytes_written));
    INFO("flushed bytes " << 100 * flushes << " % off");
    REQUIRE(std::abs(flushes) < 0.02);
    const double live = relative_error(*expected.live_bytes_ratio, *found.live_bytes_ratio);
    INFO("files at the end " << 100 * live << " % off");
    REQUIRE(std::abs(live) < 0.02);
  }
}
#endif

TEST_CASE("the engine leaves uncompressed what compression_size_percent says") {
  for (const char* percent : {"0", "50", "80"}) {
    INFO(percent);
    require_near(
        spec_of(RunSource::kEngine,
                fmt::format("rocksdb-universal:buffer=512KiB,compression=lz4,value_ratio=0.5,"
                            "compression_size_percent={}",
                            percent),
                "load:entries=200k,update_fraction=30%"),
        0.01);
  }
}

#ifdef LSMLAB_WITH_ROCKSDB
TEST_CASE("RocksDB writes what compression_size_percent predicts, within 2 %") {
  for (const char* percent : {"0", "50", "80"}) {
    INFO(percent);
    require_near(
        spec_of(RunSource::kRocksdb,
                fmt::format("rocksdb-universal:buffer=1MiB,compression=snappy,value_ratio=0.5,"
                            "compression_size_percent={}",
                            percent),
                "load:entries=300k,update_fraction=30%"),
        0.02);
  }
}
#endif

#ifdef LSMLAB_WITH_LEVELDB
TEST_CASE("LevelDB writes what its preset predicts with compression, within 2 %") {
  require_near(spec_of(RunSource::kLeveldb,
                       "leveldb:buffer=1MiB,file_size=1MiB,compression=snappy,value_ratio=0.5",
                       "load:entries=300k"),
               0.02);
}
#endif

}  // namespace lsmlab::agreement_compression_test
