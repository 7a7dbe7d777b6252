// The table that lsmlab prints for a replay on RocksDB is the one that RocksDB itself wrote to its
// LOG, and the simulator's is close to it.
#ifdef LSMLAB_WITH_ROCKSDB

#include "validate/results/rocksdb_stats.h"

#include <cmath>
#include <map>

#include "engine/foreign/foreign_replay.h"
#include "sim/keys/simulate_keys.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "traces/io/text_file.h"
#include "traces/stores/info_log.h"
#include "traces/stores/text_scanning.h"
#include "validate/catalog/catalog.h"
#include "validate/judge/regression.h"

namespace lsmlab::rocksdb_stats_agreement_test {
namespace {

using Rows = std::map<std::string, stores::StatisticsRow>;

// Of the last table of a text.
Rows rows_of(const std::string& text) {
  stores::InfoLog log;
  stores::StatisticsReader reader(log);
  stores::Lines lines(text);
  while (const auto line = lines.next()) reader.add_line(*line, 0);
  Rows rows;
  for (const auto& row : log.statistics.at("default").rows) rows[row.level] = row;
  return rows;
}

void require_near(const Rows& a, const Rows& b, const char* level, const char* column,
                  double bound) {
  const double difference =
      relative_error(a.at(level).columns.at(column), b.at(level).columns.at(column));
  INFO(level << " " << column << ": " << 100 * difference << " % off");
  REQUIRE(std::abs(difference) < bound);
}

TEST_CASE("the table of a replay on RocksDB is RocksDB's own, and the simulator's is close") {
  const auto policy =
      policy_of_spec(parse_spec("rocksdb-leveled:table_format=rocksdb,buffer=2MiB,file_size=1MiB,"
                                "level_base=4MiB,size_ratio=4")
                         .value())
          .value();
  const auto workload =
      key_workload_of_spec(
          parse_spec("load:entries=600k,update_fraction=30%,delete_fraction=5%").value())
          .value();
  const engine::testing::ScratchDirectory scratch;
  RunControl control;
  RunSetup setup = default_setup(policy);
  setup.options.source = RunSource::kRocksdb;
  const auto operations = workload.open(1).value();
  const RunResult measured =
      engine::replay_foreign(setup, scratch.path(), *operations, control).value();
  const auto same = workload.open(1).value();
  const RunResult simulated = simulate_keys(default_setup(policy), *same, control).value();

  constexpr std::uint64_t kLogBytesMax = 64 << 20;
  const Rows own = rows_of(read_text_file(scratch.path() + "/LOG", kLogBytesMax).value());
  const Rows ours = rows_of(rocksdb_stats_text({&measured, 1}));
  REQUIRE(own.size() > 4);
  REQUIRE(own.size() == ours.size());
  for (const auto& [level, row] : own) {
    INFO(level);
    REQUIRE(ours.at(level).files == row.files);
    REQUIRE(ours.at(level).bytes == row.bytes);
    for (const char* column : {"Score", "Read(GB)", "Rn(GB)", "Rnp1(GB)", "Write(GB)", "Wnew(GB)",
                               "Moved(GB)", "W-Amp", "Comp(cnt)", "KeyIn", "KeyDrop"}) {
      if (level == "Int" && std::string(column) != "Comp(cnt)") continue;  // since the first table
      INFO(column);
      REQUIRE(ours.at(level).columns.at(column) == row.columns.at(column));
    }
  }

  const Rows predicted = rows_of(rocksdb_stats_text({&simulated, 1}));
  REQUIRE(predicted.at("L0").columns.at("W-Amp") == own.at("L0").columns.at("W-Amp"));
  constexpr double kBound = 0.1;  // two runs of RocksDB differ by half of it
  for (const char* column : {"W-Amp", "KeyIn", "KeyDrop"}) {
    require_near(predicted, own, "Sum", column, kBound);
    require_near(predicted, own, "L1", column, kBound);
  }
  const auto bytes = [](const Rows& rows) { return static_cast<double>(rows.at("Sum").bytes); };
  REQUIRE(std::abs(relative_error(bytes(predicted), bytes(own))) < 0.05);
}

}  // namespace
}  // namespace lsmlab::rocksdb_stats_agreement_test

#endif
