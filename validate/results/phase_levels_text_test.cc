// What each phase of a run wrote into each level.
#include "validate/results/phase_levels_text.h"

#include <map>

#include "testing/catch.h"
#include "testing/spec_runs.h"
#include "traces/stores/info_log.h"
#include "traces/stores/text_scanning.h"
#include "validate/results/result_json.h"
#include "validate/results/rocksdb_stats.h"

namespace lsmlab::phase_levels_text_test {
namespace {

RunResult two_phases() {
  RunSpec spec;
  spec.policy = {"db_bench", {}};
  spec.workload = parse_spec(
                      "db_bench:\"--benchmarks=fillseq,overwrite --num=20000 --seed=1 "
                      "--write_buffer_size=65536 --target_file_size_base=65536 "
                      "--max_bytes_for_level_base=262144 --compression_type=none\"")
                      .value();
  return testing::simulated(spec);
}

TEST_CASE("the levels of a phase add up to what the phase wrote and read") {
  const auto result = result_to_json(two_phases());
  const auto& phases = result["phases"];
  REQUIRE(phases.size() == 2);
  std::map<std::size_t, std::uint64_t> written;
  std::map<std::size_t, std::uint64_t> read;
  for (const auto& level : result["phase_levels"]) {
    const std::size_t phase = level["phase"];
    REQUIRE(level["name"] == phases[phase]["name"]);
    written[phase] += level["bytes_written"].get<std::uint64_t>();
    read[phase] += level["bytes_read_own"].get<std::uint64_t>() +
                   level["bytes_read_others"].get<std::uint64_t>();
    if (level["level"] == 0) {
      REQUIRE(level["w_amp"] == 1.0);
    } else if (level["bytes_read_others"] == 0) {
      REQUIRE(level["w_amp"].is_null());
    } else {
      REQUIRE(level["w_amp"].get<double>() == Approx(level["bytes_written"].get<double>() /
                                                     level["bytes_read_others"].get<double>()));
    }
  }
  for (std::size_t phase = 0; phase < 2; ++phase) {
    INFO(phase);
    REQUIRE(written[phase] == phases[phase]["flush_bytes_written"].get<std::uint64_t>() +
                                  phases[phase]["merge_bytes_written"].get<std::uint64_t>());
    REQUIRE(read[phase] == phases[phase]["merge_bytes_read"]);
  }
  // Keys in order move down without a merge.
  REQUIRE(read[0] == 0);
  REQUIRE(read[1] > 0);
}

TEST_CASE("RocksDB's table is followed by a table of the phases, which its readers leave out") {
  RunResult run = two_phases();
  const std::string text = rocksdb_stats_text({&run, 1});
  INFO(text);
  REQUIRE(text.find("\nphase      level Comp(cnt) ") != std::string::npos);
  REQUIRE(text.find("\nfillseq       L0 ") != std::string::npos);
  REQUIRE(text.find("\noverwrite     L1 ") != std::string::npos);
  const auto rows_of = [](const std::string& table) {
    stores::InfoLog log;
    stores::StatisticsReader reader(log);
    stores::Lines lines(table);
    while (const auto line = lines.next()) reader.add_line(*line, 0);
    return log.statistics.at("default").rows.size();
  };
  const std::size_t rows = rows_of(text);
  run.parts.clear();
  REQUIRE(phase_levels_text(run).empty());
  REQUIRE(rows == rows_of(rocksdb_stats_text({&run, 1})));
}

}  // namespace
}  // namespace lsmlab::phase_levels_text_test
