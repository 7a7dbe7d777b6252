// Times in a policy's SPEC, counted by the rate of its workload.
#include "validate/catalog/policy_workload.h"

#include <filesystem>
#include <fstream>

#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/run_spec.h"

namespace lsmlab::policy_workload_test {
namespace {

RunSpec run_of(const std::string& policy, const std::string& workload) {
  RunSpec spec;
  spec.policy = parse_spec(policy).value();
  spec.workload = parse_spec(workload).value();
  return spec;
}

ConfiguredPolicy policy_in(const std::string& policy, const std::string& workload) {
  const auto run = resolve(run_of(policy, workload));
  INFO(policy << " on " << workload << ": " << (run ? "" : run.error().message));
  REQUIRE(run.has_value());
  return run.value().setup.policy;
}

std::string fault_in(const std::string& policy, const std::string& workload) {
  const auto run = resolve(run_of(policy, workload));
  return run ? "" : run.error().message;
}

std::string option_of(const ConfiguredPolicy& policy, const std::string& name) {
  for (const auto& [known, value] : policy.options) {
    if (known == name) return option_value_text(value);
  }
  return {};
}

TEST_CASE("a time becomes operations by the workload's rate, and the result has both") {
  const ConfiguredPolicy policy =
      policy_in("rocksdb-leveled:ttl=30d,periodic_age=1.5h", "load:operations_per_second=5k");
  REQUIRE(option_of(policy, "ttl") == "12960000000");
  REQUIRE(option_of(policy, "periodic_age") == "27000000");
  REQUIRE(option_of(policy, "ttl_as_time") == "30d");
  REQUIRE(option_of(policy, "periodic_age_as_time") == "1.5h");
  REQUIRE(policy.label.find(" ttl=30d") != std::string::npos);
  REQUIRE(policy.stated_times == Parameters{{"ttl", "30d"}, {"periodic_age", "1.5h"}});
  // A number is what it was.
  const ConfiguredPolicy counted = policy_in("rocksdb-leveled:ttl=500k", "load");
  REQUIRE(option_of(counted, "ttl") == "500000");
  REQUIRE(option_of(counted, "ttl_as_time").empty());
}

TEST_CASE("what counts writes takes the workload's share of writes") {
  const auto grace = [](const std::string& workload) {
    return option_of(policy_in("cassandra-twcs:gc_grace=100s,compaction_window_size=10s,ttl=1000s",
                               workload + ",operations_per_second=1000"),
                     "gc_grace");
  };
  REQUIRE(grace("load:entries=1000") == "100000");
  // Half of the operations after the load are updates; the load is not counted.
  REQUIRE(grace("ycsb-a:records=9000,operations=1000") == "50000");
  // A read-modify-write is a get and a put: 500 gets, and 500 of a get and a put each.
  REQUIRE(grace("ycsb-f:records=9000,operations=1000") == "33333");
  // Without a later write the load counts.
  REQUIRE(grace("ycsb-c:records=1000,operations=3000") == "25000");
  // tombstone_compaction_interval counts operations.
  const ConfiguredPolicy both = policy_in(
      "cassandra-stcs:gc_grace=100s,tombstone_threshold=0.2,tombstone_compaction_interval=100s",
      "ycsb-a:records=9000,operations=1000,operations_per_second=1000");
  REQUIRE(option_of(both, "gc_grace") == "50000");
  REQUIRE(option_of(both, "tombstone_compaction_interval") == "100000");
}

TEST_CASE("the writes of a db_bench line are counted, and its limiter is a rate") {
  const std::string policy = "cassandra-twcs:gc_grace=100s";
  // Its mix is drawn: nine lookups and a put in turn.
  const std::string line =
      "db_bench:\"--benchmarks=fillseq,readrandomwriterandom --num=1000 --reads=1000\"";
  REQUIRE(option_of(policy_in(policy, line + ",operations_per_second=10"), "gc_grace") == "100");
  const std::string limited =
      "db_bench:\"--benchmarks=fillrandom --num=1000 --benchmark_write_rate_limit=116000\"";
  REQUIRE(option_of(policy_in(policy, limited), "gc_grace") == "100000");
  REQUIRE(option_of(policy_in("db_bench:ttl=1h", limited), "ttl") == "3600000");
  REQUIRE(option_of(policy_in("db_bench", limited), "ttl_as_time") == "30d");
  REQUIRE(option_of(policy_in("db_bench",
                              "db_bench:\"--benchmarks=fillrandom --num=10 --ttl_seconds=7200 "
                              "--periodic_compaction_seconds=60\",operations_per_second=5"),
                    "periodic_age") == "300");
  // A rate may be slow, and an age may never come.
  REQUIRE(option_of(policy_in("db_bench:ttl=1h",
                              "db_bench:\"--benchmarks=fillrandom --num=10\","
                              "operations_per_second=0.5"),
                    "ttl") == "1800");
  REQUIRE(option_of(policy_in("db_bench",
                              "db_bench:\"--benchmarks=fillrandom --num=10 "
                              "--ttl_seconds=18446744073709551613\",operations_per_second=5"),
                    "ttl_as_time")
              .empty());
  REQUIRE(option_of(policy_in("db_bench",
                              "db_bench:\"--benchmarks=fillrandom --num=10 --compaction_style=2 "
                              "--ttl_seconds=0\",operations_per_second=5"),
                    "ttl_as_time") == "30d");
  REQUIRE(fault_in("tiered",
                   "db_bench:\"--benchmarks=fillrandom --num=10\","
                   "operations_per_second=0")
              .find("operations_per_second: '0' is no rate") != std::string::npos);
}

TEST_CASE("the JSON of a workload states its rate, which the SPEC can replace") {
  const engine::testing::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/w.json";
  std::ofstream(path) << R"({"operations_per_second": 0.5, "phases": [
      {"operations": 100, "mix": {"insert": 1}},
      {"operations": 100, "mix": {"update": 1, "get_present": 3}}]})";
  REQUIRE(option_of(policy_in("tiered:gc_grace=16s", path), "gc_grace") == "2");
  REQUIRE(option_of(policy_in("tiered:gc_grace=16s", "profile:file=" + path), "gc_grace") == "2");
  REQUIRE(option_of(policy_in("tiered:gc_grace=16s", path + ":operations_per_second=5"),
                    "gc_grace") == "20");
  std::ofstream(path) << R"({"operations_per_second": 0, "phases": [
      {"operations": 100, "mix": {"insert": 1}}]})";
  REQUIRE(fault_in("tiered", path).find("operations_per_second: '0' is no rate") !=
          std::string::npos);
}

TEST_CASE("a run is scaled after its times are counted") {
  RunSpec spec = run_of("rocksdb-leveled:ttl=10s", "load:operations_per_second=1000");
  spec.scale = RunScale::parse("1/10").value();
  const ConfiguredPolicy policy = resolve(spec).value().setup.policy;
  REQUIRE(option_of(policy, "ttl") == "1000");
  REQUIRE(option_of(policy, "ttl_as_time") == "10s");
}

TEST_CASE("a time that cannot be counted is an error that says what to add") {
  REQUIRE(fault_in("rocksdb-leveled:ttl=30d", "load") ==
          "policy 'rocksdb-leveled': ttl=30d: is a time, and workload 'load' does not say how many "
          "operations a second it stands for; add operations_per_second=N to the workload, or give "
          "the number of operations");
  REQUIRE(fault_in("cassandra-twcs:gc_grace=10d", "flushes:count=9,size=1MiB")
              .find("a workload of flush sizes has no writes") != std::string::npos);
  REQUIRE(fault_in("rocksdb-leveled:ttl=30m", "load:operations_per_second=5")
              .find("write 30min or 30M") != std::string::npos);
  REQUIRE(fault_in("rocksdb-leveled:ttl=1s", "load:operations_per_second=0.1")
              .find("at 0.1 operations a second of workload 'load', the number of operations is "
                    "less than one") != std::string::npos);
  REQUIRE(fault_in("cassandra-twcs:gc_grace=1d", "ycsb-c:operations_per_second=fast")
              .find("workload 'ycsb-c': operations_per_second: 'fast' is no rate") !=
          std::string::npos);
  REQUIRE(fault_in("rocksdb-leveled:ttl=30d", "lode").find("unknown workload 'lode'") == 0);
  // Only what counts operations or writes takes a time.
  REQUIRE(fault_in("rocksdb-leveled:size_ratio=4d", "load:operations_per_second=5")
              .find("size_ratio") != std::string::npos);
}

TEST_CASE("one resolver counts the same time by each workload's own rate") {
  RunResolver resolver;
  const auto ttl = [&](const std::string& workload) {
    const auto run = resolver.resolve(run_of("rocksdb-leveled:ttl=10s", workload));
    return option_of(run.value().setup.policy, "ttl");
  };
  REQUIRE(ttl("load:operations_per_second=10") == "100");
  REQUIRE(ttl("load:operations_per_second=20") == "200");
  REQUIRE(ttl("load:operations_per_second=10") == "100");
}

}  // namespace
}  // namespace lsmlab::policy_workload_test
