#include "validate/catalog/db_bench_workload.h"

#include "testing/catch.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/run_spec.h"
#include "validate/results/compare.h"
#include "validate/results/phase_table.h"
#include "validate/results/result_json.h"
#include "validate/runs/execute_run.h"

namespace lsmlab::db_bench_workload_test {
namespace {

Spec db_bench_spec(const std::string& line) { return {"db_bench", {{kLineParameter, line}}}; }

std::string policy_of_line(const std::string& flags, const Parameters& parameters = {}) {
  const auto spec = db_bench_policy_of({"db_bench", parameters},
                                       db_bench_spec("--benchmarks=fillseq --num=9 " + flags));
  return spec ? spec_text(spec.value()) : spec.error().message;
}

std::string db_bench_resolve_fault(const Spec& policy, const Spec& workload) {
  RunSpec spec;
  spec.policy = policy;
  spec.workload = workload;
  const auto run = resolve(spec);
  return run ? "" : run.error().message;
}

}  // namespace

TEST_CASE("The policy of a db_bench line has db_bench's own defaults") {
  REQUIRE(policy_of_line("") ==
          "rocksdb-leveled:size_ratio=10,file_size=64MiB,level_base=256MiB,l0_trigger=4,levels=7,"
          "priority=min-overlapping-ratio,dynamic_levels=false,dynamic_file_size=true,"
          "table_format=rocksdb,buffer=64MiB,block_size=4KiB,bits_per_key=0,"
          "compression=snappy");
}

TEST_CASE("Flags of db_bench and given parameters change the policy of its line") {
  REQUIRE(policy_of_line("--write_buffer_size=1048576 --target_file_size_base=2097152 "
                         "--max_bytes_for_level_base=10485760 --max_bytes_for_level_multiplier=4 "
                         "--level0_file_num_compaction_trigger=2 --num_levels=5 --compaction_pri=0 "
                         "--level_compaction_dynamic_level_bytes=1 --max_compaction_bytes=5000000 "
                         "--bloom_bits=10 --block_size=65536") ==
          "rocksdb-leveled:size_ratio=4,file_size=2MiB,level_base=10MiB,l0_trigger=2,levels=5,"
          "priority=by-compensated-size,dynamic_levels=true,dynamic_file_size=true,"
          "max_compaction_bytes=5000000,table_format=rocksdb,buffer=1MiB,block_size=64KiB,"
          "bits_per_key=10,compression=snappy");
  REQUIRE(policy_of_line("--compaction_style=1 --universal_min_merge_width=4 --num_levels=4",
                         {{"buffer", "2MiB"}}) ==
          "rocksdb-universal:l0_trigger=4,size_ratio_percent=1,min_merge_width=4,"
          "max_size_amplification_percent=200,file_size=64MiB,levels=4,stop_style=total-size,"
          "table_format=rocksdb,block_size=4KiB,bits_per_key=0,compression=snappy,buffer=2MiB");
  // With level 0 alone, files are not cut, and runs have no parts.
  REQUIRE(policy_of_line("--compaction_style=1 --num_levels=1 --target_file_size_base=1048576 "
                         "--target_file_size_multiplier=2 --universal_incremental=1 "
                         "--subcompactions=4") ==
          "rocksdb-universal:l0_trigger=4,size_ratio_percent=1,min_merge_width=2,"
          "max_size_amplification_percent=200,levels=1,stop_style=total-size,"
          "table_format=rocksdb,buffer=64MiB,block_size=4KiB,bits_per_key=0,compression=snappy");
  REQUIRE(policy_of_line("--compaction_style=2 --fifo_compaction_max_table_files_size_mb=100 "
                         "--fifo_compaction_allow_compaction=0 --write_buffer_size=1048576") ==
          "rocksdb-fifo:max_table_files_size=100MiB,l0_trigger=4,allow_compaction=false,"
          "table_format=rocksdb,buffer=1MiB,block_size=4KiB,bits_per_key=0,compression=snappy");
  const std::string merging = policy_of_line(
      "--write_buffer_size=1048576 --min_write_buffer_number_to_merge=2 "
      "--max_write_buffer_number=6");
  REQUIRE(merging.find(",buffer=2MiB,") != std::string::npos);
  REQUIRE(policy_of_line("--disable_auto_compactions=true") ==
          "rocksdb-leveled:size_ratio=10,file_size=64MiB,level_base=256MiB,l0_trigger=4,levels=7,"
          "priority=min-overlapping-ratio,dynamic_levels=false,dynamic_file_size=true,"
          "disable_auto_compactions=true,table_format=rocksdb,buffer=64MiB,block_size=4KiB,"
          "bits_per_key=0,compression=snappy");
  REQUIRE(policy_of_line("--disable_auto_compactions=1 --compaction_style=1")
              .find("stop_style=total-size,disable_auto_compactions=true,table_format") !=
          std::string::npos);
}

TEST_CASE("A version before 7.8 cuts files by size only, unless the policy says otherwise") {
  const auto cuts_of = [](const Parameters& given) {
    const std::string policy = policy_of_line("", given);
    const std::size_t at = policy.find("dynamic_file_size=") + 18;
    return policy.substr(at, policy.find(',', at) - at);
  };
  REQUIRE(cuts_of({{"version", "7.4"}}) == "false");
  REQUIRE(cuts_of({{"version", "6.12"}}) == "false");
  REQUIRE(cuts_of({{"version", "7.8"}}) == "true");
  REQUIRE(cuts_of({{"version", "9.0"}}) == "true");
  REQUIRE(cuts_of({{"version", "7.4"}, {"dynamic_file_size", "true"}}) == "true");
}

TEST_CASE("A db_bench line without a policy here is refused, and policy db_bench needs its line") {
  REQUIRE(policy_of_line("--compaction_style=3")
              .find("lsmlab has no policy for "
                    "compaction_style=kCompactionStyleNone") != std::string::npos);
  REQUIRE(policy_of_line("--compaction_style=7") ==
          "workload 'db_bench': --compaction_style=7: expected 0 to 3");
  REQUIRE(policy_of_line("--compression_type=None") == policy_of_line("--compression_type=none"));
  REQUIRE(policy_of_line("--compression_type=snapy") ==
          "workload 'db_bench': --compression_type=snapy: expected none, snappy, zlib, bzip2, lz4, "
          "lz4hc, xpress or zstd");
  REQUIRE(policy_of_line("; --benchmarks=overwrite --use_existing_db=1 --write_buffer_size=70000")
              .find("have different options of RocksDB") != std::string::npos);
  REQUIRE(db_bench_resolve_fault({"db_bench", {}}, {"load", {}}) ==
          "policy 'db_bench' is that of a workload db_bench:\"...\"; workload 'load' has none");
}

TEST_CASE(
    "With a clock, policy db_bench has the stall rules of the line as RocksDB corrects them") {
  const auto stalls = [](const std::string& flags, const Parameters& given = {}) {
    return db_bench_stalls_of(given, db_bench_spec("--benchmarks=fillseq --num=9 " + flags))
        .value();
  };
  REQUIRE(stalls("") == Parameters{{"full_memtables_max", "1"},
                                   {"level0_slowdown_runs", "20"},
                                   {"level0_stop_runs", "36"},
                                   {"slowdown_bytes_per_second", "8388608"},
                                   {"pending_slowdown_bytes", "68719476736"},
                                   {"pending_stop_bytes", "137438953472"}});
  REQUIRE(stalls("--max_write_buffer_number=6 --level0_file_num_compaction_trigger=10 "
                 "--level0_slowdown_writes_trigger=8 --level0_stop_writes_trigger=4 "
                 "--delayed_write_rate=0 --compaction_style=1",
                 {{"level0_stop_runs", "50"}}) ==
          Parameters{{"full_memtables_max", "5"},
                     {"level0_slowdown_runs", "10"},
                     {"slowdown_bytes_per_second", "16777216"},
                     {"level0_stop_runs", "50"}});
  REQUIRE(stalls("--disable_auto_compactions") == stalls(""));
  // FIFO compaction: RocksDB sets both limits of level 0 to the largest number.
  REQUIRE(stalls("--compaction_style=2 --level0_stop_writes_trigger=4") ==
          Parameters{{"full_memtables_max", "1"},
                     {"level0_slowdown_runs", "1000000"},
                     {"level0_stop_runs", "1000000"},
                     {"slowdown_bytes_per_second", "8388608"}});
  RunSpec spec;
  spec.policy = {"db_bench", {}};
  spec.workload = db_bench_spec("--benchmarks=fillseq --num=9 --level0_stop_writes_trigger=25");
  REQUIRE(resolve(spec).value().setup.stalls.level0_stop_runs == 36);  // no clock
  spec.device = Spec{"nvme", {}};
  spec.options.is_stepped = false;
  const ResolvedRun run = resolve(spec).value();
  REQUIRE(run.setup.stalls.level0_stop_runs == 25);
  REQUIRE(run.setup.stalls.adapts_rate);
}

TEST_CASE("A db_bench line is a workload of operations, with what becomes of its flags") {
  const KeyWorkload workload =
      key_workload_of_spec(
          db_bench_spec("--benchmarks=fillrandom,readrandom --num=1000 --reads=10 --seed=1 "
                        "--value_size=50 --statistics --sync --compression_type=none"))
          .value();
  REQUIRE(workload.operations == 1010);
  REQUIRE(workload.keys_max == 1000);
  REQUIRE(workload.model != nullptr);
  std::vector<std::pair<std::string, std::string>> shown;
  for (const auto& [name, value] : workload.options) {
    if (name != "line" && name != "policy") shown.emplace_back(name, option_value_text(value));
  }
  REQUIRE(shown == std::vector<std::pair<std::string, std::string>>{
                       {"key_bytes", "16"},
                       {"phases[0].benchmark", "fillrandom"},
                       {"phases[0].operations", "1000"},
                       {"phases[0].keys", "1000"},
                       {"phases[0].value_bytes", "50"},
                       {"phases[1].benchmark", "readrandom"},
                       {"phases[1].operations", "10"},
                       {"phases[1].keys", "1000"},
                       {"flags_of_the_policy", "compression_type=none"},
                       {"flags_of_the_run", "sync=true"},
                       {"flags_without_effect_on_bytes", "statistics=true"}});
  REQUIRE(!is_flush_workload({"db_bench", {}}).value());
}

TEST_CASE("A db_bench workload without a line, and what resolutions cannot run, are refused") {
  const auto refused = key_workload_of_spec({"db_bench", {}});
  REQUIRE(refused.error().message.find("workload 'db_bench' needs one of") == 0);
  const auto misspelt = key_workload_of_spec({"db_bench", {{"lin", "x"}}});
  REQUIRE(misspelt.error().message.find("unknown parameter 'lin'") != std::string::npos);
  RunSpec spec;
  spec.policy = {"rocksdb-leveled", {}};
  spec.workload = db_bench_spec("--benchmarks=fillseq,deleterandom --num=1000");
  spec.resolution = Resolution::kRange;
  const auto run = resolve(spec);
  REQUIRE(run.error().message ==
          "resolution 'range' does not know deletes of keys that need not exist; use resolution "
          "'key'");
}

TEST_CASE("A share of older data from which merges compress is the policy's, where it counts") {
  const auto has = [](const std::string& flags, const std::string& wanted) {
    return policy_of_line(flags).find(wanted) != std::string::npos;
  };
  const std::string universal = "--compaction_style=1 --universal_compression_size_percent=";
  REQUIRE(has(universal + "70", ",compression_size_percent=70,"));
  REQUIRE(has(universal + "0", ",compression_size_percent=0,"));
  REQUIRE_FALSE(has(universal + "-1", "compression_size_percent"));
  REQUIRE_FALSE(has("--universal_compression_size_percent=70", "compression_size_percent"));
}

TEST_CASE("The memory of all memtables is the policy's, where it is the lower limit") {
  const auto limits = [](const std::string& flags) {
    RunSpec spec;
    spec.policy = {"db_bench", {}};
    spec.workload = db_bench_spec("--benchmarks=fillseq --num=9 " + flags);
    return db_bench_policy_limits(spec).value();
  };
  const std::string small = "--write_buffer_size=1048576 --db_write_buffer_size=";
  REQUIRE(policy_of_line(small + "524288").find(",shared_buffer=512KiB,") != std::string::npos);
  // Seven eighths of 1.25 MiB are below the 1.125 MiB that the memtable may have.
  REQUIRE(policy_of_line(small + "1310720").find(",shared_buffer=") != std::string::npos);
  REQUIRE(policy_of_line(small + "1400000").find("shared_buffer") == std::string::npos);
  REQUIRE(limits(small + "524288").empty());
  REQUIRE(limits(small + "1400000").empty());
  REQUIRE(limits(small + "524288 --min_write_buffer_number_to_merge=2 "
                         "--max_write_buffer_number=4")
              .back() == "db_write_buffer_size=524288 is not modelled");
}

TEST_CASE("Each benchmark of a line has its run's threads with a clock, and its writer") {
  RunSpec spec;
  spec.policy = {"db_bench", {}};
  spec.workload = db_bench_spec(
      "--benchmarks=fillseq --num=9 --threads=2; --benchmarks=readwhilewriting,readseq --num=9 "
      "--use_existing_db=1 --threads=8 --writes=3 --finish_after_writes=1");
  spec.clients = {};
  spec.options.is_stepped = false;
  spec.device = Spec{"nvme", {}};
  const auto clients = [](const RunSpec& asked) {
    std::vector<std::uint64_t> counts;
    const ResolvedRun run = resolve(asked).value();
    for (const PartMark& part : run.setup.parts) counts.push_back(part.clients);
    return counts;
  };
  // The reopening between the runs has none.
  REQUIRE(clients(spec) == std::vector<std::uint64_t>{2, 0, 9, 8});
  REQUIRE(db_bench_policy_limits(spec).value().empty());
  // Parts that begin elsewhere have clients only where all have the same.
  spec.measure_from = "3";
  REQUIRE(resolve(spec).error().message.find("asks its store for something") != std::string::npos);
  RunSpec one_run = spec;
  one_run.workload = db_bench_spec("--benchmarks=fillseq,readseq --num=9 --threads=2");
  REQUIRE(clients(one_run) == std::vector<std::uint64_t>{2, 2});
  one_run.workload = db_bench_spec(
      "--benchmarks=fillseq,readwhilewriting --num=9 --threads=2 --writes=3 "
      "--finish_after_writes=1");
  REQUIRE(resolve(one_run).error().message.find("--measure-from: the benchmarks") == 0);
  spec.measure_from.clear();
  spec.clients = {"closed", {{"clients", "3"}}};
  REQUIRE(clients(spec) == std::vector<std::uint64_t>{0, 0, 0, 0});
}

TEST_CASE("The result of a line names the clients of each benchmark") {
  RunSpec spec;
  spec.policy = {"db_bench", {}};
  spec.workload = db_bench_spec(
      "--benchmarks=fillseq --num=9 --threads=2; --benchmarks=overwrite --num=9 "
      "--use_existing_db=1 --threads=8");
  spec.clients = {};
  spec.options.is_stepped = false;
  spec.device = Spec{"nvme", {}};
  const auto result_of = [](const RunSpec& asked) {
    RunControl control;
    return result_to_json(execute_run(resolve(asked).value(), "", control).value());
  };
  const auto timed = result_of(spec);
  REQUIRE(timed["phases"][0]["clients"] == 2);
  REQUIRE(timed["phases"][1]["clients"].is_null());  // the reopening
  REQUIRE(timed["phases"][2]["clients"] == 8);
  REQUIRE(phase_table({&timed, 1}, 9).find(" clients\n") != std::string::npos);
  // One of an older version, which did not name them.
  auto older = timed;
  for (auto& part : older["phases"]) part.erase("clients");
  REQUIRE(is_within(compare_results(older, timed), *Decimal::parse("0")));
  spec.clients = {"closed", {{"clients", "3"}}};
  const auto given = result_of(spec);
  REQUIRE(given["phases"][2]["clients"] == 3);
  REQUIRE(phase_table({&given, 1}, 9).find("clients") == std::string::npos);
}

TEST_CASE("A line's --disable_wal counts where an executor can do without a log") {
  RunSpec spec;
  spec.policy = {"db_bench", {}};
  spec.workload = db_bench_spec("--benchmarks=fillseq --num=9 --disable_wal=1");
  REQUIRE_FALSE(resolve(spec).value().setup.policy.store.writes_log);
  REQUIRE(db_bench_policy_limits(spec).value().empty());
  RunSpec timed = spec;
  timed.options.is_stepped = false;
  timed.device = Spec{"nvme", {}};
  REQUIRE(resolve(timed).value().setup.options.disable_wal);
  timed.options.sync = SyncRule::kEveryBatch;
  REQUIRE(resolve(timed).error().message.find("cannot be synced") != std::string::npos);
  RunSpec rocksdb = spec;
  rocksdb.options.source = RunSource::kRocksdb;
  REQUIRE(resolve(rocksdb).value().setup.options.disable_wal);
  REQUIRE(db_bench_policy_limits(rocksdb).value().empty());
  RunSpec engine = spec;
  engine.options.source = RunSource::kEngine;
  engine.policy = {"db_bench", {{"table_format", "lsmlab"}}};
  REQUIRE(resolve(engine).value().setup.policy.store.writes_log);
  REQUIRE(db_bench_policy_limits(engine).value() ==
          std::vector<std::string>{"--disable_wal=true: lsmlab's engine always writes its log"});
  engine.options.disable_wal = true;
  REQUIRE(resolve(engine).error().message.find("always writes its log") != std::string::npos);
}

TEST_CASE("A column family has its part of the merge threads, and at least one") {
  const auto threads_of = [](const std::string& families) {
    RunSpec spec;
    spec.policy = {"db_bench", {}};
    spec.workload =
        db_bench_spec("--benchmarks=fillrandom --num=9000 --max_background_jobs=16" + families);
    spec.options.is_stepped = false;
    spec.options.merge_threads = 0;  // none was given
    spec.device = Spec{"nvme", {}};
    return resolve(spec).value().setup.options.merge_threads;
  };
  REQUIRE(threads_of("") == 12);
  REQUIRE(threads_of(" --num_column_families=4") == 3);
  REQUIRE(threads_of(" --num_column_families=100") == 1);
}

TEST_CASE("Write batches of one size fill a memtable as a whole, and others are told") {
  RunSpec spec;
  spec.policy = {"db_bench", {}};
  spec.workload = db_bench_spec("--benchmarks=fillbatch --num=9000");
  REQUIRE(resolve(spec).value().setup.policy.store.write_batch == 1000);
  REQUIRE(db_bench_policy_limits(spec).value().empty());
  spec.workload = db_bench_spec("--benchmarks=fillbatch,overwrite --num=9000");
  REQUIRE(resolve(spec).value().setup.policy.store.write_batch == 1);
  REQUIRE(db_bench_policy_limits(spec).value().front().find("batches of different sizes") !=
          std::string::npos);
}

TEST_CASE("With a clock, policy db_bench has the clients, merge threads and limiter of the line") {
  const auto run_of = [](const std::string& flags, const Spec& clients, std::uint64_t threads,
                         const std::string& policy = "db_bench") {
    RunSpec spec;
    spec.policy = parse_spec(policy).value();
    spec.workload = db_bench_spec("--benchmarks=fillrandom --num=9 " + flags);
    spec.options.is_stepped = false;
    spec.options.merge_threads = threads;
    spec.device = Spec{"nvme", {}};
    spec.clients = clients;
    return resolve(spec).value();
  };
  const std::string flags =
      "--max_background_jobs=12 --rate_limiter_bytes_per_sec=100000000 "
      "--benchmark_write_rate_limit=1160000 --threads=2";
  const ResolvedRun whole = run_of(flags, {}, 0);
  REQUIRE(whole.setup.options.merge_threads == 9);
  REQUIRE(whole.clients.model.arrivals == Arrivals::kPaced);
  REQUIRE(whole.clients.model.rate == 10'000);
  REQUIRE(whole.clients.model.clients == 2);
  REQUIRE(whole.device->model.queue.background_write_bandwidth == Bytes(100'000'000));

  const ResolvedRun given = run_of(flags, {"closed", {{"clients", "3"}}}, 1);
  REQUIRE(given.setup.options.merge_threads == 1);
  REQUIRE(given.clients.model.arrivals == Arrivals::kClosed);
  REQUIRE(given.clients.model.clients == 3);

  const ResolvedRun plain = run_of("", {}, 0);
  REQUIRE(plain.setup.options.merge_threads == 1);
  REQUIRE(plain.clients.model.arrivals == Arrivals::kClosed);
  REQUIRE(plain.device->model.queue.background_write_bandwidth == Bytes(0));
  REQUIRE(run_of("--max_background_compactions=5", {}, 0).setup.options.merge_threads == 5);
  // Another policy than the line's is no RocksDB.
  const ResolvedRun other = run_of(flags, {}, 0, "lo+1");
  REQUIRE(other.setup.options.merge_threads == 1);
  REQUIRE(other.clients.model.arrivals == Arrivals::kClosed);
}

// Of a line of RocksDB 2.8, with its limits changed.
TEST_CASE("Limits of old versions that delay writes are not modelled in a run with a clock") {
  RunSpec spec;
  spec.policy = {"db_bench", {}};
  spec.workload = db_bench_spec(
      "--benchmarks=fillrandom --num=9 --soft_rate_limit=2 --hard_rate_limit=3 "
      "--rate_limit_delay_max_milliseconds=1000 --base_background_compactions=4");
  REQUIRE(db_bench_policy_limits(spec).value().empty());
  spec.options.is_stepped = false;
  REQUIRE(db_bench_policy_limits(spec).value() ==
          std::vector<std::string>{"--base_background_compactions=4 is not modelled",
                                   "--hard_rate_limit=3 is not modelled",
                                   "--soft_rate_limit=2 is not modelled"});
  const std::string text = db_bench_text(spec.workload).value();
  REQUIRE(text.find("not modelled in a run with a clock") != std::string::npos);
}

TEST_CASE("An old line's --writes_per_second is refused where a benchmark has a writer only") {
  const auto shown = [](const std::string& benchmark) {
    return db_bench_text(db_bench_spec("--num=9 --finish_after_writes --writes_per_second=81920 " +
                                       ("--benchmarks=" + benchmark)));
  };
  REQUIRE(shown("fillrandom,overwrite").value().find("\n  writes_per_second=81920\n") !=
          std::string::npos);
  REQUIRE(shown("fillseq,readwhilewriting")
              .error()
              .message.find("it limits the writer of readwhilewriting by operations") !=
          std::string::npos);
}

TEST_CASE("The limiter of a line counts the puts of db_bench's fill benchmarks and its writer") {
  const auto clients_of = [](const std::string& flags) {
    RunSpec spec;
    spec.policy = parse_spec("db_bench").value();
    spec.workload = db_bench_spec(flags + " --num=9 --benchmark_write_rate_limit=1160000");
    spec.options.is_stepped = false;
    spec.clients = {};  // the line's
    spec.device = Spec{"nvme", {}};
    return resolve(spec).value().clients.model;
  };
  const auto paced_of = [&](const std::string& flags) {
    const ClientModel clients = clients_of(flags);
    REQUIRE(clients.arrivals == Arrivals::kPaced);
    REQUIRE(clients.rate == 10'000);
    return clients.paced;
  };
  // What has no operations takes nothing from the limit.
  REQUIRE(paced_of("--benchmarks=fillrandom,waitforcompaction,overwrite,compact,stats") ==
          PacedOperations::kAll);
  // DoDelete and the readers do not ask the limiter.
  REQUIRE(paced_of("--benchmarks=fillrandom,readrandom") == PacedOperations::kPuts);
  REQUIRE(paced_of("--benchmarks=fillrandom,waitforcompaction,deleterandom,overwrite") ==
          PacedOperations::kPuts);
  // Neither do these, whose puts cannot be told from those of fillrandom.
  for (const std::string free : {"updaterandom", "readrandomwriterandom"}) {
    REQUIRE(clients_of("--benchmarks=fillrandom," + free).arrivals == Arrivals::kClosed);
  }
  // The limiter counts the bytes that are put.
  REQUIRE(clients_of("--benchmarks=fillrandom --value_size_distribution_type=Uniform "
                     "--value_size_min=50 --value_size_max=150 --value_size=7")
              .rate == 10'000);
}

}  // namespace lsmlab::db_bench_workload_test
