// Workloads that ask their store to flush, to settle and to merge everything: executors compared
// with each other, with RocksDB, and with what must hold after a compaction.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "testing/catch.h"
#include "testing/spec_runs.h"

namespace lsmlab::compact_test {
namespace {

constexpr const char* kStore =
    " --write_buffer_size=65536 --target_file_size_base=65536 --max_bytes_for_level_base=262144 "
    "--compression_type=none --seed=7 --num=30000";

const std::string kLine = std::string(
                              "--benchmarks=fillrandom,compact,overwrite,flush,readrandom,"
                              "compact,deleterandom,waitforcompaction,compact --reads=100 "
                              "--deletes=9000") +
                          kStore;

RunSpec spec_of(const std::string& policy, const std::string& line) {
  RunSpec spec;
  spec.policy = parse_spec(policy).value();
  spec.workload = {"db_bench", {{kLineParameter, line}}};
  return spec;
}

std::uint64_t files_above_deepest(const RunResult& result) {
  std::uint64_t files = 0;
  for (std::size_t level = 0; level + 1 < result.final_levels.size(); ++level) {
    files += result.final_levels[level].files;
  }
  return files;
}

double merged_bytes(const PartFigures& part) {
  return static_cast<double>(part.merge_bytes_written);
}

}  // namespace

TEST_CASE("after compact everything lies in the deepest level, and each part has its own bytes") {
  for (const std::string policy : {"db_bench", "db_bench:dynamic_levels=true", "leveldb-defaults",
                                   "rocksdb-universal:buffer=64KiB", "binomial:k=4,buffer=64KiB"}) {
    INFO(policy);
    const RunResult result = testing::simulated(spec_of(policy, kLine));
    REQUIRE(result.complete);
    REQUIRE(files_above_deepest(result) == 0);
    REQUIRE(result.parts.size() == 9);
    REQUIRE(result.parts[1].name == "compact");
    REQUIRE(result.parts[1].operations == 0);
    // What a compaction leaves is one version of each key: a second one of the same data would not
    // make it smaller. 9,000 deletes then hit about a quarter of the keys that there are.
    const double before = static_cast<double>(result.parts[5].file_bytes);
    const double after = static_cast<double>(result.parts[8].file_bytes);
    REQUIRE(after < before * 0.80);
    REQUIRE(after > before * 0.70);
    REQUIRE(result.keys->final.tombstones == 0);
  }
}

TEST_CASE("compact of leveled stores writes each level into the next one") {
  // Levels of uniform keys: of the bytes before the compaction, each level's go down with all above
  // it. Some keys of upper levels are below already.
  const std::string store = std::string(kStore) + " --writes=16000";  // level 2 is the deepest
  RunSpec spec = spec_of("db_bench", "--benchmarks=filluniquerandom,compact" + store);
  const RunResult compacted = testing::simulated(spec);
  spec.workload.parameters[0].second = "--benchmarks=filluniquerandom,flush" + store;
  const RunResult before = testing::simulated(spec);
  double above = 0;
  double expected = 0;
  for (std::size_t level = 0; level < before.final_levels.size(); ++level) {
    const auto bytes = static_cast<double>(before.final_levels[level].bytes);
    if (level > 0 && above > 0) expected += above + bytes;
    above += bytes;
  }
  REQUIRE(expected > 0);
  const auto manual =
      static_cast<double>(compacted.totals.merge_bytes_written - before.totals.merge_bytes_written);
  const double error = manual / expected - 1;
  INFO(manual << " of " << expected);
  REQUIRE(std::abs(error) < 0.03);
}

TEST_CASE("simulator and engine make the same plans for compactions") {
  for (const std::string policy :
       {"db_bench:table_format=lsmlab", "leveldb:buffer=64KiB,file_size=64KiB,level_base=256KiB",
        "rocksdb-universal:buffer=64KiB", "binomial:k=4,buffer=64KiB"}) {
    INFO(policy);
    const std::vector<std::string> simulated = testing::plans_of(spec_of(policy, kLine), false);
    REQUIRE(std::any_of(simulated.begin(), simulated.end(), [](const std::string& line) {
      return line.find("\"manual\"") != std::string::npos;
    }));
    REQUIRE(simulated == testing::plans_of(spec_of(policy, kLine), true));
  }
}

TEST_CASE("resolutions key and range compact alike, with and without a clock") {
  const std::string line =
      "--benchmarks=fillrandom,compact,overwrite,waitforcompaction,compact" + std::string(kStore);
  for (const std::string policy : {"db_bench", "rocksdb-universal:buffer=64KiB"}) {
    RunSpec spec = spec_of(policy, line);
    spec.resolution = Resolution::kKey;
    const RunResult key = testing::simulated(spec);
    spec.resolution = Resolution::kRange;
    const RunResult range = testing::simulated(spec);
    spec.device = {"nvme", {}};
    spec.options.is_stepped = false;
    const RunResult timed_range = testing::simulated(spec);
    spec.resolution = Resolution::kKey;
    const RunResult timed_key = testing::simulated(spec);
    for (const RunResult* result : {&range, &timed_range, &timed_key}) {
      REQUIRE(result->complete);
      REQUIRE(files_above_deepest(*result) == 0);
      REQUIRE(result->parts.size() == 5);
      const double bytes = static_cast<double>(result->parts.back().file_bytes);
      REQUIRE(std::abs(bytes / static_cast<double>(key.parts.back().file_bytes) - 1) < 0.03);
    }
    const double merged = static_cast<double>(range.parts[1].merge_bytes_written);
    const double exact = static_cast<double>(key.parts[1].merge_bytes_written);
    INFO(policy << ": " << merged << " at range, " << exact << " at key");
    REQUIRE(std::abs(merged / exact - 1) < 0.1);
    REQUIRE(timed_key.parts[1].nanoseconds > 0);
  }
}

#if defined(LSMLAB_WITH_ROCKSDB)
TEST_CASE("RocksDB 7.8.3 compacts on command as the simulator does") {
  for (const std::string policy : {"db_bench", "db_bench:dynamic_levels=true"}) {
    INFO(policy);
    RunSpec spec = spec_of(
        policy, "--benchmarks=filluniquerandom,compact,overwrite,compact" + std::string(kStore));
    const RunResult simulated = testing::simulated(spec);
    const RunResult measured = testing::replayed(spec, RunSource::kRocksdb);
    REQUIRE(files_above_deepest(measured) == 0);
    REQUIRE(measured.parts.size() == simulated.parts.size());
    // A flush more or less before the compaction decides whether level 0 is due then: parts differ
    // more than their sum.
    const auto written = [](const RunResult& result) {
      return static_cast<double>(result.totals.flush_bytes_written +
                                 result.totals.merge_bytes_written);
    };
    INFO(written(simulated) << " simulated, " << written(measured) << " in RocksDB");
    REQUIRE(std::abs(written(simulated) / written(measured) - 1) < 0.06);
    for (const std::size_t part : {std::size_t{1}, std::size_t{3}}) {
      const double real = merged_bytes(measured.parts[part]);
      const double ours = merged_bytes(simulated.parts[part]);
      INFO("part " << part << ": " << ours << " simulated, " << real << " written by RocksDB");
      REQUIRE(std::abs(ours / real - 1) < 0.25);
    }
  }
}
#endif

TEST_CASE("compactall leaves what compact leaves, and rewrites the deepest level less often") {
  for (const std::string policy : {"db_bench", "db_bench:dynamic_levels=true",
                                   "rocksdb-universal:buffer=64KiB", "leveldb-defaults"}) {
    INFO(policy);
    const std::string store = std::string(kStore) + " --writes=16000";
    const auto run = [&](const std::string& command) {
      return testing::simulated(
          spec_of(policy, "--benchmarks=fillrandom," + command + "," + command + store));
    };
    const RunResult whole = run("compact");
    const RunResult upper = run("compactall");
    REQUIRE(files_above_deepest(upper) == 0);
    REQUIRE(upper.parts[1].file_bytes > 0);
    REQUIRE(merged_bytes(upper.parts[1]) <= merged_bytes(whole.parts[1]));
    // Once more: nothing is left to do, but for the universal style, which merges a single run.
    const bool is_universal = policy.starts_with("rocksdb-universal");
    REQUIRE((merged_bytes(upper.parts[2]) > 0) == is_universal);
  }
}

TEST_CASE("compact0 and compact1 merge one level into the next, in simulator and engine alike") {
  const std::string line =
      "--benchmarks=fillrandom,compact0,overwrite,compact1,compact0,compact1,deleterandom,"
      "compactall --deletes=9000" +
      std::string(kStore);
  for (const std::string policy :
       {"db_bench:table_format=lsmlab", "db_bench:table_format=lsmlab,dynamic_levels=true",
        "rocksdb-universal:buffer=64KiB,file_size=64KiB"}) {
    INFO(policy);
    const std::vector<std::string> simulated = testing::plans_of(spec_of(policy, line), false);
    REQUIRE(std::any_of(simulated.begin(), simulated.end(), [](const std::string& plan) {
      return plan.find("\"manual\"") != std::string::npos;
    }));
    REQUIRE(simulated == testing::plans_of(spec_of(policy, line), true));
  }
}

#if defined(LSMLAB_WITH_ROCKSDB)
TEST_CASE("RocksDB 7.8.3 merges one level by command as the simulator does") {
  const std::string line =
      "--benchmarks=fillrandom,compact0,overwrite,compact1,compact0,compactall" +
      std::string(kStore);
  for (const std::string policy : {"db_bench", "db_bench:dynamic_levels=true"}) {
    INFO(policy);
    RunSpec spec = spec_of(policy, line);
    const RunResult simulated = testing::simulated(spec);
    const RunResult measured = testing::replayed(spec, RunSource::kRocksdb);
    const auto written = [](const RunResult& result) {
      return static_cast<double>(result.totals.flush_bytes_written +
                                 result.totals.merge_bytes_written);
    };
    INFO(written(simulated) << " simulated, " << written(measured) << " in RocksDB");
    REQUIRE(std::abs(written(simulated) / written(measured) - 1) < 0.06);
    REQUIRE(files_above_deepest(measured) == 0);
  }
}
#endif

TEST_CASE("a policy that cannot compact on command is refused") {
  const auto level = resolve(
      spec_of("leveldb-defaults", "--benchmarks=fillrandom,compact0" + std::string(kStore)));
  REQUIRE(!level.has_value());
  REQUIRE(level.error().message.find("(compact-level0)") != std::string::npos);
  const auto refused =
      resolve(spec_of("lo+1", "--benchmarks=fillrandom,compact" + std::string(kStore)));
  REQUIRE(!refused.has_value());
  REQUIRE(refused.error().message.find("has no rule for that") != std::string::npos);
}

}  // namespace lsmlab::compact_test
