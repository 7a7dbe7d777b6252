// Runs made smaller in one step.
#include "validate/catalog/run_scale.h"

#include "testing/catch.h"
#include "testing/every_policy.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/run_spec.h"

namespace lsmlab::run_scale_test {
namespace {

RunSpec run_of(const std::string& policy, const std::string& workload, const std::string& scale) {
  RunSpec spec;
  spec.policy = parse_spec(policy).value();
  spec.workload = parse_spec(workload).value();
  if (!scale.empty()) spec.scale = RunScale::parse(scale).value();
  return spec;
}

std::uint64_t option_of(const ResolvedOptions& options, const std::string& name) {
  for (const auto& [known, value] : options) {
    if (known == name) return std::get<std::uint64_t>(value);
  }
  FAIL("no option " << name);
  return 0;
}

TEST_CASE("a factor is read in each form, and anything else is refused with the forms") {
  REQUIRE(RunScale::parse("1/20").value().of(1000) == 50);
  REQUIRE(RunScale::parse("5%").value().of(1000) == 50);
  REQUIRE(RunScale::parse("0.05").value().of(1010) == 51);
  REQUIRE(RunScale::parse("4").value().of(1000) == 4000);
  REQUIRE(RunScale::parse("1/20").value().of(3) == 1);
  for (const char* text : {"", "0", "1/0", "-1", "2/3", "1/x", "0.0000001", "1/10M", "2000000"}) {
    INFO(text);
    REQUIRE(RunScale::parse(text).error().message.find("expected 1/20, 0.05 or 5%") !=
            std::string::npos);
  }
}

TEST_CASE("sizes of data, keys and operations are scaled, but not blocks, ratios and numbers") {
  const std::string policy =
      "rocksdb-leveled:buffer=64MiB,file_size=64MiB,level_base=256MiB,size_ratio=8,"
      "l0_trigger=3,block_cache=32MiB";
  const ResolvedRun run =
      resolve(run_of(policy, "ycsb-a:records=100k,operations=40k", "1/16")).value();
  const ConfiguredPolicy& made = run.setup.policy;
  REQUIRE(made.store.buffer == Bytes(4 << 20));
  REQUIRE(made.store.block_cache == Bytes(2 << 20));
  REQUIRE(made.store.block_size == StoreOptions().block_size);
  REQUIRE(option_of(made.options, "file_size") == 4 << 20);
  REQUIRE(option_of(made.options, "level_base") == 16 << 20);
  REQUIRE(option_of(made.options, "size_ratio") == 8);
  REQUIRE(option_of(made.options, "l0_trigger") == 3);
  REQUIRE(made.label.find("scale=1/16") != std::string::npos);
  REQUIRE(run.units() == 140'000 / 16);
  REQUIRE(run.setup.parts.front().end_operations == 100'000 / 16);
}

TEST_CASE("the memtable of a scaled RocksDB has as many arena blocks") {
  const auto block_of = [](const std::string& more, const std::string& scale) {
    const std::string policy = "rocksdb-leveled:buffer=64MiB" + more;
    return resolve(run_of(policy, "load:entries=100k", scale))
        .value()
        .setup.policy.store.arena_block;
  };
  REQUIRE(block_of(",table_format=rocksdb", "1/16") == Bytes(64 << 10));
  REQUIRE(block_of(",table_format=rocksdb,version=6.12", "1/16") == Bytes(512 << 10));
  REQUIRE(block_of(",table_format=rocksdb,arena_block=4MiB", "1/16") == Bytes(256 << 10));
  REQUIRE(block_of(",table_format=rocksdb", "1/1000") == Bytes(4096));
  REQUIRE_FALSE(block_of("", "1/16"));
}

TEST_CASE("ages in operations or writes are scaled, unless they are 0") {
  const auto scaled = [](const std::string& policy) {
    return resolve(run_of(policy, "load:entries=1M", "1/10")).value().setup.policy.options;
  };
  const ResolvedOptions windows = scaled("cassandra-twcs:compaction_window_size=1000,ttl=50k");
  REQUIRE(option_of(windows, "compaction_window_size") == 100);
  REQUIRE(option_of(windows, "ttl") == 5'000);
  REQUIRE(option_of(windows, "min_threshold") == 4);
  REQUIRE(option_of(scaled("scylla-stcs:min_sstable_age=60k"), "min_sstable_age") == 6'000);
  REQUIRE(option_of(scaled("scylla-stcs:min_sstable_age=0"), "min_sstable_age") == 0);
}

TEST_CASE("every policy can be scaled") {
  for (const Spec& policy : testing::every_policy()) {
    RunSpec spec;
    spec.policy = policy;
    spec.workload = parse_spec("load:entries=1M").value();
    spec.scale = RunScale::parse("1/2").value();
    const auto run = resolve(spec);
    INFO(policy.name << ": " << (run ? "" : run.error().message));
    REQUIRE(run.has_value());
    REQUIRE(run.value().setup.policy.store.buffer.value() * 2 ==
            policy_of_spec(policy).value().store.buffer.value());
  }
}

TEST_CASE("limits of waiting bytes are scaled with the store") {
  RunSpec spec = run_of("rocksdb-leveled", "load:entries=100k", "1/4");
  spec.options.is_stepped = false;
  spec.device = parse_spec("nvme").value();
  spec.stalls = {{"pending_slowdown_bytes", "512MiB"}, {"pending_stop_bytes", "1GiB"}};
  REQUIRE(resolve(spec).value().setup.stalls.pending_stop_bytes == Bytes(256 << 20));
}

TEST_CASE("a line of db_bench is scaled as if its counts had been typed so") {
  const std::string flags =
      "db_bench:--benchmarks=fillrandom,overwrite,readrandom,readwhilewriting --key_size=20 "
      "--write_buffer_size=1048576 --target_file_size_base=1048576 "
      "--max_bytes_for_level_base=4194304 --finish_after_writes";
  const ResolvedRun scaled =
      resolve(run_of("db_bench", flags + " --num=1000000 --writes=40000 --reads=10000", "1/10"))
          .value();
  const ResolvedRun typed =
      resolve(run_of("db_bench", flags + " --num=100000 --writes=4000 --reads=1000", "")).value();
  const auto steps_of = [](const ResolvedRun& run) {
    std::vector<std::string> lines;
    for (const auto& part : run.setup.parts) {
      lines.push_back(part.name + " " + std::to_string(part.end_operations));
    }
    return lines;
  };
  REQUIRE(steps_of(scaled) == steps_of(typed));
  REQUIRE(scaled.units() == typed.units());
  const auto& operations = std::get<KeyWorkload>(scaled.workload);
  REQUIRE(operations.id_max == std::get<KeyWorkload>(typed.workload).id_max);
  REQUIRE(operations.model->operation_count() == typed.units());
  REQUIRE(scaled.setup.policy.store.buffer == Bytes(104'858));
  REQUIRE(option_of(scaled.setup.policy.options, "level_base") == 419'430);
}

TEST_CASE("a line that lasts a time is scaled in operations") {
  const ResolvedRun run =
      resolve(run_of("db_bench",
                     "db_bench:--benchmarks=overwrite --num=1000000 --duration=100 "
                     "--benchmark_write_rate_limit=1160000",
                     "1/4"))
          .value();
  REQUIRE(run.units() == 250'000);
}

TEST_CASE("what cannot be scaled is said, with what to do instead") {
  const auto error_of = [](const RunSpec& spec) { return resolve(spec).error().message; };
  REQUIRE(error_of(run_of("tiered", "flushes:count=10,size=1MiB", "1/2")).find("size=") !=
          std::string::npos);
  REQUIRE(error_of(run_of("rocksdb-leveled",
                          "db_bench:--benchmarks=fillrandom --num=72057594037927936 --writes=1000",
                          "2"))
              .find("--num=72057594037927936 is more than 2^56 keys") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::run_scale_test
