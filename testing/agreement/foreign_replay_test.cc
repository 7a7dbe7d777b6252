// Replays operations on RocksDB and LevelDB and compares them with the simulation of the same
// preset.
#include <fmt/format.h>

#include <cmath>

#include "engine/foreign/foreign_replay.h"
#include "models/execution/forced_plans.h"
#include "sim/keys/simulate_keys.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "testing/experiment_place.h"
#include "validate/catalog/catalog.h"
#include "validate/judge/regression.h"

namespace lsmlab::foreign_replay_test {
namespace {

#if defined(LSMLAB_WITH_ROCKSDB) || defined(LSMLAB_WITH_LEVELDB)

struct Log {
  std::vector<PlanRecord> records;
  PlanLogSink sink() {
    return [this](const PlanRecord& record) { records.push_back(record); };
  }
  [[nodiscard]] double bytes_per_entry() const {
    double bytes = 0;
    double entries = 0;
    for (const PlanRecord& record : records) {
      if (record.plan == PlanKind::kMove) continue;
      for (const PlanRecord::Output& output : record.outputs) {
        bytes += static_cast<double>(output.bytes.value());
      }
      entries += static_cast<double>(record.entries_out.value());
    }
    return bytes / entries;
  }
};

struct Pair {
  RunResult simulated;
  RunResult measured;
  RunResult forced;  // simulated with the store's plans
  Log simulated_log;
  Log measured_log;
};

double write_of(const RunResult& result) {
  return amplification_of(result.totals, result.runs, result.transient, 1).write;
}

void run(RunSource kind, const std::string& policy_text, const std::string& workload_text,
         Pair& pair, bool is_paced = true) {
  const engine::testing::ScratchDirectory scratch;
  const auto policy = policy_of_spec(parse_spec(policy_text).value());
  REQUIRE(policy.has_value());
  const auto workload = key_workload_of_spec(parse_spec(workload_text).value()).value();
  RunControl control;
  {
    const auto source = workload.open(1).value();
    RunSetup setup = default_setup(policy.value());
    setup.options.source = kind;
    setup.options.is_stepped = is_paced;
    setup.log = pair.measured_log.sink();
    auto measured = engine::replay_foreign(setup, scratch.path(), *source, control);
    INFO((measured ? std::string() : measured.error().message));
    REQUIRE(measured.has_value());
    pair.measured = std::move(measured).value();
  }
  RunSetup setup = default_setup(policy.value());
  setup.log = pair.simulated_log.sink();
  const auto source = workload.open(1).value();
  pair.simulated = simulate_keys(setup, *source, control).value();
  ConfiguredPolicy forced = policy.value();
  forced.policy = force_plans(forced.policy, pair.measured_log.records).value();
  const auto again = workload.open(1).value();
  pair.forced = simulate_keys(default_setup(forced), *again, control).value();
}

// Two runs of RocksDB always differ, and these runs are short. With about sixty flushes, one job
// more or less is 2 % of the written bytes, and level-0 files that wait for a job at the end are 7
// % of the data. `lsmlab validate rocksdb` has cells of realistic size.
constexpr double kWriteBound = 0.08;
constexpr double kLiveBound = 0.12;
constexpr double kForcedBound = 0.01;

void require_close(const Pair& pair) {
  REQUIRE(pair.measured.complete);
  const double write = relative_error(write_of(pair.simulated), write_of(pair.measured));
  const double size =
      relative_error(pair.simulated_log.bytes_per_entry(), pair.measured_log.bytes_per_entry());
  INFO("write amplification " << 100 * write << " % off, an entry's size " << 100 * size << " %");
  REQUIRE(std::abs(size) < 0.003);  // tombstones are smaller, and their number may differ
  REQUIRE(std::abs(write) < kWriteBound);
  const double forced = relative_error(write_of(pair.forced), write_of(pair.measured));
  INFO("with the store's plans " << 100 * forced << " % off");
  REQUIRE(std::abs(forced) < kForcedBound);
  REQUIRE(pair.forced.totals.user_bytes == pair.measured.totals.user_bytes);
  const auto flushes = [](const RunResult& result) {
    return static_cast<double>(result.totals.flushes);
  };
  REQUIRE(std::abs(flushes(pair.simulated) - flushes(pair.measured)) <= 2);
  REQUIRE(pair.measured.totals.user_bytes == pair.simulated.totals.user_bytes);
  REQUIRE(pair.measured.live_bytes_ratio.has_value());
  REQUIRE(std::abs(*pair.measured.live_bytes_ratio - *pair.simulated.live_bytes_ratio) <
          kLiveBound);
  REQUIRE(pair.measured.files->written.agrees() != false);
  REQUIRE(pair.measured.totals.manifest_bytes_written > 0);
  // Compares the curves too, from their middle on.
  const Series& series = pair.measured.series;
  REQUIRE(series.size() > 4);
  const SeriesPoint& middle = series[series.size() / 2];
  const SeriesPoint& simulated = pair.simulated.series[series.size() / 2];
  REQUIRE(std::abs(relative_error(simulated.keys->write, middle.keys->write)) < 0.15);
  REQUIRE(middle.keys->operations > 0);
}

#endif

#ifdef LSMLAB_WITH_ROCKSDB

TEST_CASE("RocksDB's leveled compaction writes what its preset predicts") {
  const std::pair<const char*, const char*> cells[] = {
      {"", "load:entries=300k"},
      {",dynamic_levels=true", "load:entries=300k"},
      {",priority=round-robin", "load:entries=300k"},
      {",max_subcompactions=4", "load:entries=300k"},
      {"", "load:entries=400k,update_fraction=50%,delete_fraction=5%"},
      {"", "load:entries=200k,insert_distribution=sequential"}};
  for (const auto& [options, workload] : cells) {
    INFO(workload << options);
    Pair pair;
    run(RunSource::kRocksdb,
        "rocksdb-leveled:buffer=512KiB,file_size=512KiB,size_ratio=5,table_format=rocksdb" +
            std::string(options),
        workload, pair);
    require_close(pair);
  }
}

TEST_CASE("RocksDB's universal compaction writes what its preset predicts") {
  Pair pair;
  run(RunSource::kRocksdb, "rocksdb-universal:buffer=512KiB,file_size=512KiB,table_format=rocksdb",
      "load:entries=300k", pair);
  require_close(pair);
}

TEST_CASE("RocksDB without automatic compactions only flushes, however many files that makes") {
  for (const std::string policy : {"rocksdb-leveled", "rocksdb-universal"}) {
    INFO(policy);
    Pair pair;
    run(RunSource::kRocksdb,
        policy +
            ":buffer=512KiB,file_size=512KiB,table_format=rocksdb,disable_auto_compactions=true",
        "load:entries=300k", pair);
    require_close(pair);
    REQUIRE(pair.measured.totals.merges == 0);
    REQUIRE(pair.simulated.totals.merges == 0);
    REQUIRE(pair.measured.totals.flushes > 36);  // where RocksDB would else stop writers
  }
}

TEST_CASE("RocksDB beside a client that does not wait keeps its books") {
  Pair pair;
  run(RunSource::kRocksdb,
      "rocksdb-leveled:buffer=512KiB,file_size=512KiB,size_ratio=5,table_format=rocksdb",
      "load:entries=300k", pair, false);
  REQUIRE(pair.measured.mode == "threaded");
  REQUIRE(pair.measured.time->latency.puts->count == 300'000);
  REQUIRE(pair.measured.totals.merges > 0);
}

#endif

#ifdef LSMLAB_WITH_LEVELDB

TEST_CASE("LevelDB writes what its preset predicts") {
  for (const std::string& workload :
       {std::string("load:entries=300k"),
        std::string("load:entries=300k,update_fraction=50%,delete_fraction=5%"),
        std::string("load:records=30k,entries=300k,update_fraction=1,"
                    "update_distribution=zipfian"),
        std::string("load:entries=120k,value_bytes=1008")}) {
    INFO(workload);
    Pair pair;
    run(RunSource::kLeveldb,
        "leveldb:buffer=512KiB,file_size=1MiB,level_base=10MiB,table_format=leveldb", workload,
        pair);
    require_close(pair);
  }
}

#endif

TEST_CASE("a cell whose logs differ is simulated with the store's plans too, and is told apart") {
  const bool has_rocksdb = !engine::rocksdb_version().empty();
  const bool has_leveldb = !engine::leveldb_version().empty();
  if (!has_rocksdb && !has_leveldb) return;
  const auto experiment = testing::experiment_of_group(fmt::format(
      R"("source": "{}", "policies": ["{}:buffer=512KiB,file_size=1MiB,level_base=10MiB"],
         "workloads": ["load:entries=200k"])",
      has_leveldb ? "leveldb" : "rocksdb", has_leveldb ? "leveldb" : "rocksdb-leveled"));
  INFO((experiment ? std::string() : experiment.error().message));
  REQUIRE(experiment.has_value());
  testing::ExperimentPlace place;
  const auto validation = run_validation(experiment.value(), place.options);
  REQUIRE(validation.has_value());
  const nlohmann::ordered_json& cell = validation.value().json["cells"][0];
  if (cell["logs"]["difference"] == "none") {
    REQUIRE(cell["plan_forced"].is_null());
    REQUIRE(place.results() == 2);
    return;
  }
  const nlohmann::ordered_json& forced = cell["plan_forced"];
  REQUIRE(forced.is_object());
  REQUIRE(place.results() == 3);
  const double free_error = relative_error(cell["simulated"]["write"], forced["measured"]);
  REQUIRE((1 + forced["size"].get<double>()) * (1 + forced["decision"].get<double>()) ==
          Approx(1 + free_error));
  REQUIRE(std::abs(forced["size"].get<double>()) < 0.03);
  REQUIRE(validation_text(validation.value().json).find("forced") != std::string::npos);
}

TEST_CASE("a foreign store runs the policies that it has, and no other") {
  const engine::testing::ScratchDirectory scratch;
  const auto error_of = [&](RunSource kind, const char* policy_text) {
    const auto policy = policy_of_spec(parse_spec(policy_text).value()).value();
    const auto workload = key_workload_of_spec(parse_spec("load:entries=10").value()).value();
    const auto source = workload.open(1).value();
    RunControl control;
    RunSetup setup = default_setup(policy);
    setup.options.source = kind;
    const auto result = engine::replay_foreign(setup, scratch.path(), *source, control);
    return result ? std::string() : result.error().message;
  };
  const auto refuses = [&](RunSource kind, const char* policy_text, const char* part) {
    const std::string message = error_of(kind, policy_text);
    INFO(policy_text << ": " << message);
    // If the build lacks the store, the error says so.
    REQUIRE((message.find(part) != std::string::npos ||
             message.find("built without") != std::string::npos));
  };
  const auto rocksdb = RunSource::kRocksdb;
  const auto leveldb = RunSource::kLeveldb;
  refuses(rocksdb, "primitives:table_format=rocksdb", "not primitives");
  refuses(rocksdb, "rocksdb-leveled", "table_format=rocksdb");
  refuses(rocksdb, "rocksdb-leveled:buffer=4KiB,table_format=rocksdb", "64 KiB");
  refuses(rocksdb, "rocksdb-universal:version=9.0,table_format=rocksdb", "version=7.8");
  refuses(leveldb, "rocksdb-leveled:table_format=leveldb", "not rocksdb-leveled");
  refuses(leveldb, "leveldb:size_ratio=4,table_format=leveldb", "add size_ratio=10 to it");
  refuses(leveldb, "leveldb:level_base=10MiB,flush_level_max=0,table_format=leveldb",
          "add flush_level_max=2 to it");
  refuses(leveldb, "leveldb:level_base=10MiB,file_size=64KiB,table_format=leveldb", "file_size");
}

}  // namespace
}  // namespace lsmlab::foreign_replay_test
