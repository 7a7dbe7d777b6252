#include "validate/catalog/run_spec.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "validate/catalog/measured_format.h"

namespace lsmlab::run_spec_test {
namespace {

RunSpec spec_of(const std::string& policy, const std::string& workload) {
  RunSpec spec;
  spec.policy = parse_spec(policy).value();
  spec.workload = parse_spec(workload).value();
  return spec;
}

std::string error_of(const RunSpec& spec) {
  const Result<ResolvedRun> run = resolve(spec);
  return run ? std::string() : run.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a resolved run has nothing left to look up") {
  RunSpec spec = spec_of("leveldb:buffer=1MiB", "load:entries=1k");
  spec.options.is_stepped = false;
  spec.options.seed = 7;
  spec.device = parse_spec("nvme:parallelism=3").value();
  spec.clients = parse_spec("closed:clients=5").value();
  spec.stalls = {{"full_memtables_max", "4"}};
  const ResolvedRun run = resolve(spec).value();
  REQUIRE(run.setup.policy.family == "leveldb");
  REQUIRE(run.setup.policy.store.buffer == Bytes(1 << 20));
  REQUIRE(run.setup.options.seed == 7);
  REQUIRE(run.setup.workload == "load");
  REQUIRE(!run.setup.workload_options.empty());
  REQUIRE(run.setup.stalls.full_memtables_max == 4);
  REQUIRE(run.setup.stalls.level0_stop_runs == 12);  // LevelDB's
  REQUIRE(run.device->label == "nvme parallelism=3");
  REQUIRE(run.clients.label.find("clients=5") != std::string::npos);
  REQUIRE(run.units() == 1000);
  REQUIRE(!run.is_flush_run());
  REQUIRE(resolve(spec_of("binomial:k=3", "flushes:count=12")).value().units() == 12);
}

TEST_CASE("a store's run has no simulated device") {
  RunSpec spec = spec_of("tier", "load:entries=1k");
  spec.options.source = RunSource::kEngine;
  spec.options.is_stepped = false;
  REQUIRE(!resolve(spec).value().device);
  spec.options.source = RunSource::kSimulator;
  spec.device = Spec{"calibrated", {}};
  REQUIRE(contains(error_of(spec), "unknown device 'calibrated'"));
}

TEST_CASE("the text of keys is a parameter of every workload of operations") {
  const std::string line = "db_bench:\"--benchmarks=fillrandom --num=1000000\",key_format=";
  const auto keys_of = [](const RunSpec& spec) {
    return resolve(spec).value().setup.policy.store.keys;
  };
  REQUIRE(keys_of(spec_of("db_bench", line + "decimal:6")) == KeyFormat{KeyText::kDecimal, 6, '0'});
  REQUIRE(keys_of(spec_of("lo+1", "load:entries=1k,key_format=hex")) ==
          KeyFormat{KeyText::kHex, 16, '\0'});
  REQUIRE(keys_of(spec_of("lo+1", "load:entries=1k")) == KeyFormat());
  REQUIRE(keys_of(spec_of("db_bench", "db_bench:\"--benchmarks=fillrandom\"")) ==
          KeyFormat{KeyText::kBinary, 8, '0'});
  const ResolvedRun run = resolve(spec_of("lo+1", "load:entries=1k,key_format=user")).value();
  REQUIRE(run.setup.workload_options.back().first == "key_format");

  REQUIRE(contains(error_of(spec_of("db_bench", line + "decimal:5")), "reach 999999"));
  REQUIRE(contains(error_of(spec_of("lo+1", "load:key_format=decimal:16")), "decimal:20"));
  REQUIRE(contains(error_of(spec_of("lo+1", "load:key_format=text")), "expected binary, hex"));
  RunSpec ranges =
      spec_of("lo+1:table_format=rocksdb", "load:entries=1k,key_bytes=16,key_format=user");
  ranges.resolution = Resolution::kRange;
  REQUIRE(contains(error_of(ranges), "keys of 16 bytes"));
  RunSpec replayed = spec_of("lo+1", "load:entries=1k,key_format=hex");
  replayed.options.source = RunSource::kEngine;
  REQUIRE(contains(error_of(replayed), "replays binary ones"));
}

TEST_CASE("a resolved run names the files that it reads") {
  const engine::testing::ScratchDirectory scratch;
  const std::string sizes = scratch.path() + "/sizes.txt";
  const std::string policy = scratch.path() + "/policy.json";
  const std::string workload = scratch.path() + "/workload.json";
  std::ofstream(sizes) << "1000\n2000\n";
  std::ofstream(policy) << R"({"policy": "tiered", "parameters": {"size_ratio": 3}})";
  std::ofstream(workload) << R"({"workload": "flushes",
      "parameters": {"distribution": "file", "path": ")"
                          << sizes << R"("}})";
  const ResolvedRun run = resolve(spec_of(policy, workload)).value();
  REQUIRE(run.input_files == std::vector<std::string>{policy, workload, sizes});
  REQUIRE(resolve(spec_of("binomial:k=3", "flushes:count=12")).value().input_files.empty());
}

TEST_CASE("a resolver opens each file once") {
  const engine::testing::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/mine.json";
  std::ofstream(path) << R"({"policy": "tiered", "parameters": {"size_ratio": 3}})";
  RunResolver resolver;
  const RunSpec spec = spec_of(path, "flushes:count=1");
  REQUIRE(resolver.resolve(spec).has_value());
  std::filesystem::remove(path);
  REQUIRE(resolver.resolve(spec).value().setup.policy.name == "mine");
  REQUIRE(contains(error_of(spec), "No such file"));
}

TEST_CASE("the default resolution follows policy, workload and memory") {
  const auto chosen = [](const std::string& policy, const std::string& workload,
                         std::uint64_t memory) {
    const auto run = RunResolver(Bytes(memory)).resolve(spec_of(policy, workload));
    REQUIRE(run.has_value());
    return *run.value().spec.resolution;
  };
  constexpr std::uint64_t kSmall = 1 << 20;
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 40;
  REQUIRE(chosen("binomial:k=4", "flushes:count=1", kSmall) == Resolution::kFlush);
  REQUIRE(chosen("lo+1", "flushes:count=1", kLarge) == Resolution::kRange);
  // Whether sizes suffice is up to a policy's parameters.
  for (const char* policy : {"tier", "full", "dostoevsky-table1", "rocksdb-universal"}) {
    REQUIRE(chosen(policy, "flushes:count=1", kLarge) == Resolution::kFlush);
    REQUIRE(chosen(policy, "load:entries=1M", kLarge) == Resolution::kKey);
    REQUIRE(chosen(policy, "load:entries=1M", kSmall) == Resolution::kRange);
  }
  REQUIRE(chosen("scylladb-table1", "flushes:count=1", kLarge) == Resolution::kRange);
  REQUIRE(chosen("full:granularity=file", "flushes:count=1", kLarge) == Resolution::kRange);
  REQUIRE(chosen("lo+1", "load:entries=1M", kLarge) == Resolution::kKey);
  REQUIRE(chosen("binomial:k=4", "load:entries=1M", kSmall) == Resolution::kRange);
  // At the third of the memory: 24 bytes for each key.
  REQUIRE(chosen("lo+1", "load:entries=1000", 72'000) == Resolution::kKey);
  REQUIRE(chosen("lo+1", "load:entries=1001", 72'000) == Resolution::kRange);
  // A clock changes nothing.
  for (const std::uint64_t memory : {kSmall, kLarge}) {
    RunSpec timed = spec_of("lo+1", "load:entries=1M");
    timed.options.is_stepped = false;
    timed.device = Spec{"nvme", {}};
    const auto run = RunResolver(Bytes(memory)).resolve(timed);
    REQUIRE(run.value().spec.resolution ==
            (memory == kSmall ? Resolution::kRange : Resolution::kKey));
  }
  // What resolution range does not know runs at resolution key, whatever it takes.
  REQUIRE(chosen("lo+1", "load:entries=1M,insert_distribution=near-sorted,update_fraction=10%",
                 kSmall) == Resolution::kKey);
  REQUIRE(chosen("lo+1", "load:entries=1M,insert_distribution=sequential,update_fraction=10%",
                 kSmall) == Resolution::kRange);
  REQUIRE(chosen("lo+1", "ycsb-d:records=1M", kSmall) == Resolution::kRange);
  REQUIRE(chosen("lo+1", "ycsb-c:records=1M", kSmall) == Resolution::kRange);
  REQUIRE(chosen("lo+1:table_format=rocksdb", "load:entries=1M", kSmall) == Resolution::kRange);
}

TEST_CASE("the mean flush size gives the default of level_base") {
  const auto level_base = [](const RunSpec& spec) -> std::string {
    const Result<ResolvedRun> run = resolve(spec);
    REQUIRE(run.has_value());
    for (const auto& [name, value] : run.value().setup.policy.options) {
      if (name == "level_base") return option_value_text(value);
    }
    return "";
  };
  REQUIRE(level_base(spec_of("full:size_ratio=4", "flushes:count=9,size=100")) == "400");
  REQUIRE(level_base(spec_of("lo+1:size_ratio=4", "flushes:count=9,size=100")) == "400");
  REQUIRE(level_base(spec_of("full:level_base=7", "flushes:count=9,size=100")) == "7");
  REQUIRE(level_base(spec_of("full", "flushes:count=9,size=30,distribution=exponential")) == "300");
  REQUIRE(level_base(spec_of("full:buffer=50", "load:entries=9")) == "500");
  // One resolver keeps them apart.
  RunResolver resolver;
  for (const auto& [size, text] : {std::pair("3", "30"), std::pair("4", "40")}) {
    const auto run = resolver.resolve(spec_of("full", std::string("flushes:count=1,size=") + size));
    const ResolvedOptions options = run.value().setup.policy.options;
    REQUIRE(std::any_of(options.begin(), options.end(), [&, &base = text](const auto& option) {
      return option.first == "level_base" && option_value_text(option.second) == base;
    }));
  }
}

TEST_CASE("resolution range refuses what it does not know before the run") {
  const auto refused = [](RunSpec spec) {
    spec.resolution = Resolution::kRange;
    return error_of(spec);
  };
  REQUIRE(contains(refused(spec_of("lo+1",
                                   "load:insert_distribution=near-sorted,"
                                   "delete_fraction=10%")),
                   "near-sorted"));
  RunSpec timed = spec_of("lo+1", "flushes:count=1000");
  timed.options.is_stepped = false;
  timed.device = Spec{"nvme", {}};
  REQUIRE(contains(refused(timed), "--device"));
}

TEST_CASE("parts of a run that do not go together are refused") {
  RunSpec by_keys = spec_of("lo+1", "flushes:count=1");
  by_keys.resolution = Resolution::kFlush;
  REQUIRE(contains(error_of(by_keys), "decides by single files (granularity=file)"));
  by_keys.policy = parse_spec("cassandra-lcs-table1").value();
  REQUIRE(contains(error_of(by_keys), "(granularity=files, trigger=tombstone-ttl)"));
  by_keys.policy = parse_spec("rocksdb-leveled").value();
  REQUIRE(contains(error_of(by_keys), "decides by key ranges"));
  // A misspelt name is the fault, whatever the policy needs.
  REQUIRE(contains(error_of(spec_of("lo+1", "lod:entries=1k")), "did you mean 'load'"));
  REQUIRE(contains(error_of(spec_of("tiered", "ycbs-a")), "did you mean 'ycsb-a'"));
  REQUIRE(contains(error_of(spec_of("lo+1", "flushs")), "did you mean 'flushes'"));
  RunSpec spec = spec_of("tiered", "flushes:count=1");
  spec.resolution = Resolution::kKey;
  REQUIRE(contains(error_of(spec), "resolution 'key' cannot run"));
  spec.resolution.reset();
  spec.device = parse_spec("nvme").value();
  REQUIRE(contains(error_of(spec), "--device"));
  spec.device.reset();
  spec.options.source = RunSource::kEngine;
  REQUIRE(contains(error_of(spec), "only 'lsmlab simulate' can run"));
  spec = spec_of("tier:table_format=leveldb", "load:entries=1k");
  REQUIRE(resolve(spec).has_value());
  spec.options.source = RunSource::kEngine;
  REQUIRE(contains(error_of(spec), "table_format=lsmlab"));
  spec = spec_of("binomial", "load:entries=1k");
  spec.stalls = {{"level0_stop_runs", "9"}};
  REQUIRE(contains(error_of(spec), "level0_stop_runs"));
}

TEST_CASE("a policy knows what codecs leave of the workload, stated or not") {
  const auto flush_mib = [](const std::string& compression, RunSource source) {
    RunSpec spec = spec_of("cassandra-ucs:buffer=8MiB,value_ratio=0.25,compression=" + compression,
                           "load:entries=100k,value_bytes=400");
    spec.options.source = source;
    const ConfiguredPolicy policy = resolve(spec).value().setup.policy;
    return std::stoull(value_in_force(policy, "flush_size_override").value()) >> 20;
  };
  REQUIRE(flush_mib("none", RunSource::kSimulator) == 8);
  REQUIRE(flush_mib("lz4@0.3", RunSource::kSimulator) == 3);
  REQUIRE(flush_mib("lz4", RunSource::kSimulator) < 5);
  REQUIRE(flush_mib("lz4", RunSource::kEngine) == flush_mib("lz4", RunSource::kSimulator));
}

TEST_CASE("another store's policy gets its table format, unless it has one") {
  const Spec plain{"leveldb", {}};
  REQUIRE(spec_text(with_table_format(plain, RunSource::kEngine)) == "leveldb");
  REQUIRE(spec_text(with_table_format(plain, RunSource::kLeveldb)) ==
          "leveldb:table_format=leveldb");
  const Spec given{"leveldb", {{"table_format", "lsmlab"}}};
  REQUIRE(spec_text(with_table_format(given, RunSource::kRocksdb)) ==
          "leveldb:table_format=lsmlab");
  // These tests are not linked with jemalloc.
  REQUIRE_FALSE(has_jemalloc());
  REQUIRE(spec_text(with_table_format({"rocksdb-leveled", {}}, RunSource::kRocksdb)) ==
          "rocksdb-leveled:table_format=rocksdb");
}

}  // namespace
}  // namespace lsmlab::run_spec_test
