// Lines of db_bench: resolutions compared with each other, and simulations with what db_bench 7.8.3
// wrote.
#include <cmath>

#include "testing/catch.h"
#include "validate/catalog/run_spec.h"
#include "validate/runs/execute_run.h"

namespace lsmlab::db_bench_test {
namespace {

RunResult simulate_line(const std::string& line, Resolution resolution, bool final_flush = true) {
  RunSpec spec;
  spec.policy = {"db_bench", {}};
  spec.workload = {"db_bench", {{kLineParameter, line}}};
  spec.resolution = resolution;
  spec.options.final_flush = final_flush;
  const auto run = resolve(spec);
  INFO((run ? "" : run.error().message));
  REQUIRE(run.has_value());
  RunControl control;
  return execute_run(run.value(), "", control).value();
}

double written(const RunResult& result) {
  return static_cast<double>(result.totals.flush_bytes_written + result.totals.merge_bytes_written);
}

constexpr const char* kSmallStore =
    " --write_buffer_size=262144 --target_file_size_base=262144 --max_bytes_for_level_base=1048576 "
    "--compression_type=none --seed=5 ";

}  // namespace

TEST_CASE("Lines of db_bench write the same at resolutions key and range") {
  for (const std::string line :
       {"--benchmarks=fillrandom,overwrite --num=60000 --value_size=200",
        "--benchmarks=filluniquerandom,overwrite,readrandom,seekrandom --num=50000 --reads=500 "
        "--seek_nexts=20",
        "--benchmarks=updaterandom,readrandomwriterandom --num=80000 --readwritepercent=30",
        "--benchmarks=fillseq,overwrite --num=60000 --key_size=32",
        "--benchmarks=overwrite --num=400000 --writes=90000 --threads=2",
        "--benchmarks=fillrandom,overwrite --num=60000 --compaction_style=1 --num_levels=4",
        "--benchmarks=fillbatch --num=60000",
        "--benchmarks=fillrandom --num=60000 --batch_size=300",
        "--benchmarks=fillrandom,overwrite --num=60000 --db_write_buffer_size=200000"}) {
    INFO(line);
    const RunResult key = simulate_line(line + kSmallStore, Resolution::kKey);
    const RunResult range = simulate_line(line + kSmallStore, Resolution::kRange);
    REQUIRE(range.totals.user_bytes == key.totals.user_bytes);
    // A flush more or less: range knows the mean of what a put adds to the memtable.
    REQUIRE(range.totals.flushes <= key.totals.flushes + 1);
    REQUIRE(range.totals.flushes + 1 >= key.totals.flushes);
    INFO(written(range) << " at range, " << written(key) << " at key");
    REQUIRE(std::abs(written(range) / written(key) - 1) < 0.03);
  }
}

TEST_CASE("Simulated lines write what db_bench 7.8.3 wrote, within 3 %") {
  // docs/measurements/db_bench.md: paced runs of db_bench, whose last memtable stays unwritten.
  struct Measured {
    std::string line;
    Resolution resolution;
    double flush_bytes;
    double merge_bytes;
  };
  const std::string store =
      " --write_buffer_size=1048576 --target_file_size_base=1048576 "
      "--max_bytes_for_level_base=4194304 --compression_type=none --seed=1";
  const Measured runs[] = {
      {"--benchmarks=fillrandom,overwrite,waitforcompaction --num=400000 --value_size=100",
       Resolution::kKey, 96'784'368, 441'781'354},
      {"--benchmarks=fillrandom,overwrite,waitforcompaction --num=400000 --value_size=100",
       Resolution::kRange, 96'784'368, 441'781'354},
      {"--benchmarks=fillrandom,overwrite,waitforcompaction --num=100000 --value_size=400 "
       "--bloom_bits=10 --level_compaction_dynamic_level_bytes=1 "
       "--max_bytes_for_level_multiplier=4",
       Resolution::kKey, 84'093'075, 306'135'995},
      {"--benchmarks=filluniquerandom,overwrite,deleterandom,waitforcompaction --num=300000 "
       "--compaction_style=1 --num_levels=4",
       Resolution::kKey, 78'909'248, 325'225'209},
      {"--benchmarks=fillseq,overwrite,waitforcompaction --num=300000 --compaction_pri=0",
       Resolution::kRange, 72'314'613, 248'275'505}};
  for (const Measured& run : runs) {
    INFO(run.line);
    const RunResult simulated = simulate_line(run.line + store, run.resolution);
    const auto flushed = static_cast<double>(simulated.totals.flush_bytes_written);
    INFO(flushed << " flushed, " << written(simulated) << " written");
    REQUIRE(std::abs(flushed / run.flush_bytes - 1) < 0.01);
    REQUIRE(std::abs(written(simulated) / (run.flush_bytes + run.merge_bytes) - 1) < 0.03);
  }
}

TEST_CASE("Compressed lines flush what db_bench 7.8.3 flushed, within 0.5 %") {
  // docs/measurements/db_bench.md: tombstones, values that continue each other, small blocks.
  struct Measured {
    std::string line;
    double flush_bytes;
    double merge_bytes;
  };
  const Measured runs[] = {
      {"--benchmarks=fillrandom,overwrite,deleterandom,waitforcompaction --value_size=20 "
       "--num=299462 --key_size=32 --write_buffer_size=1048576 --target_file_size_base=2097152 "
       "--max_bytes_for_level_base=4194304 --max_bytes_for_level_multiplier=8 "
       "--level_compaction_dynamic_level_bytes=1 --level0_file_num_compaction_trigger=3 "
       "--num_levels=4 --compression_type=lz4 --block_size=16384 --seed=622862",
       21'867'438, 77'979'082},
      {"--benchmarks=fillseq,deleteseq,waitforcompaction --value_size_distribution_type=normal "
       "--value_size_min=50 --value_size_max=1000 --num=33043 --key_size=48 "
       "--write_buffer_size=1048576 --target_file_size_base=262144 "
       "--max_bytes_for_level_base=8388608 --level0_file_num_compaction_trigger=2 "
       "--num_levels=3 --compression_type=lz4 --bloom_bits=16 --max_compaction_bytes=2097152 "
       "--compaction_pri=2 --seed=149107",
       10'838'794, 5'616'101},
      {"--benchmarks=fillrandom,waitforcompaction --value_size=100 --num=258021 --key_size=24 "
       "--write_buffer_size=4194304 --target_file_size_multiplier=3 "
       "--max_bytes_for_level_base=2097152 --max_bytes_for_level_multiplier=5 "
       "--level_compaction_dynamic_level_bytes=1 --level0_file_num_compaction_trigger=3 "
       "--compression_type=zstd --compression_ratio=0.3 --block_size=2048 --compaction_pri=0 "
       "--seed=689339",
       11'279'659, 24'611'010}};
  for (const Measured& run : runs) {
    INFO(run.line);
    const RunResult simulated = simulate_line(run.line, Resolution::kKey, false);
    const auto flushed = static_cast<double>(simulated.totals.flush_bytes_written);
    INFO(flushed << " flushed, " << written(simulated) << " written");
    REQUIRE(std::abs(flushed / run.flush_bytes - 1) < 0.005);
    REQUIRE(std::abs(written(simulated) / (run.flush_bytes + run.merge_bytes) - 1) < 0.03);
  }
}

// A limit on the rate of flushes decides how many memtables become full during each.
TEST_CASE("Flushes that cannot follow a writer are as many as those of db_bench 7.8.3") {
  struct Measured {
    std::string memtables;
    std::uint64_t flushes;
    double mib;
  };
  for (const Measured& run : {Measured{"2", 56, 45.34}, {"4", 28, 44.09}, {"8", 14, 41.73}}) {
    for (const Resolution resolution : {Resolution::kKey, Resolution::kRange}) {
      INFO(run.memtables << " memtables");
      RunSpec spec;
      spec.policy = {"db_bench", {}};
      spec.workload = {
          "db_bench",
          {{kLineParameter,
            "--benchmarks=fillrandom --num=400000 --value_size=100 --compression_type=none "
            "--write_buffer_size=1048576 --rate_limiter_bytes_per_sec=6000000 --disable_wal=1 "
            "--disable_auto_compactions=1 --level0_slowdown_writes_trigger=100000 "
            "--level0_stop_writes_trigger=100000 --max_write_buffer_number=" +
                run.memtables}}};
      spec.resolution = resolution;
      spec.options.final_flush = false;
      spec.options.is_stepped = false;
      spec.device = Spec{"nvme", {}};
      const auto resolved = resolve(spec);
      INFO((resolved ? "" : resolved.error().message));
      REQUIRE(resolved.has_value());
      RunControl control;
      const RunResult result = execute_run(resolved.value(), "", control).value();
      // Those that have ended with the last put: what still runs is in no table.
      const LevelSummary& level0 = result.at_last_operation->levels.at(0);
      REQUIRE(level0.files + 1 >= run.flushes);
      REQUIRE(level0.files <= run.flushes + 1);
      REQUIRE(std::abs(static_cast<double>(level0.bytes) / 1048576 / run.mib - 1) < 0.05);
    }
  }
}

}  // namespace lsmlab::db_bench_test
