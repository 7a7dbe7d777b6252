// The text is RocksDB's own, and the reader of RocksDB's tables reads back what the run counted.
#include "validate/results/rocksdb_stats.h"

#include <algorithm>
#include <cmath>

#include "models/execution/write_stall.h"
#include "testing/catch.h"
#include "traces/stores/info_log.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::rocksdb_stats_test {
namespace {

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

// Level 0 was flushed, and level 2 got its files by moves alone.
RunResult small_run() {
  RunResult run;
  run.policy_family = "rocksdb-leveled";
  run.policy_label = "rocksdb-leveled";
  run.policy_options = {{"levels", std::uint64_t{7}},
                        {"level_base", 4 * kGibibyte},
                        {"size_ratio", std::uint64_t{10}},
                        {"l0_trigger", std::uint64_t{4}},
                        {"dynamic_levels", false}};
  run.totals.bytes_flushed = 4 * kGibibyte;
  run.totals.flush_bytes_written = 4 * kGibibyte;
  run.totals.merges = 2;
  run.totals.merge_bytes_read = 8 * kGibibyte;
  run.totals.merge_bytes_written = 7 * kGibibyte;
  run.totals.user_bytes = 3 * kGibibyte;
  run.totals.output_traffic(0) = {4, 0, 0, 4 * kGibibyte, 0, 0, 0};
  run.totals.output_traffic(1) = {2, 3 * kGibibyte, 5 * kGibibyte, 7 * kGibibyte,
                                  0, 12'345'678,    9'999};
  run.totals.output_traffic(2).bytes_moved_in = kGibibyte;
  run.final_levels = {
      {2, 2, 2 * kGibibyte, 0, 0}, {1, 3, 3 * kGibibyte, 0, 0}, {1, 1, kGibibyte, 0, 0}};
  KeySection& keys = run.keys.emplace();
  keys.operations.puts = 20'000'000;
  return run;
}

stores::InfoLog read(const std::string& text) {
  stores::InfoLog log;
  stores::StatisticsReader reader(log);
  stores::Lines lines(text);
  while (const auto line = lines.next()) reader.add_line(*line, 0);
  return log;
}

TEST_CASE("RocksDB's table of a run has RocksDB's heading and the run's figures by level") {
  const RunResult run = small_run();
  const std::string text = rocksdb_stats_text({&run, 1});
  REQUIRE(stores::is_statistics(text));
  const stores::InfoLog log = read(text);
  const stores::StatisticsTable& table = log.statistics.at("default");
  REQUIRE(table.rows.size() == 5);  // L0, L1, L2, Sum, Int
  const stores::StatisticsRow& first = table.rows[1];
  REQUIRE(first.level == "L1");
  REQUIRE(first.files == 3);
  REQUIRE(first.bytes == 3 * kGibibyte);
  const auto column = [&](const char* name) { return first.columns.at(name); };
  REQUIRE(std::abs(column("Score") - 0.8) < 1e-9);  // 3 of 4 GiB, rounded
  REQUIRE(column("Read(GB)") == 8);
  REQUIRE(column("Rn(GB)") == 3);
  REQUIRE(column("Rnp1(GB)") == 5);
  REQUIRE(column("Write(GB)") == 7);
  REQUIRE(column("Wnew(GB)") == 2);
  REQUIRE(column("Comp(cnt)") == 2);
  REQUIRE(column("KeyIn") == 12e6);
  REQUIRE(column("KeyDrop") == 9999);
  REQUIRE(std::abs(column("W-Amp") - 2.3) < 1e-9);  // 7 / 3, rounded
  REQUIRE(table.rows[0].columns.at("W-Amp") == 1);
  REQUIRE(table.rows[0].columns.at("Score") == 0.5);
  REQUIRE(table.rows[2].columns.at("Moved(GB)") == 1);
  REQUIRE(table.rows[3].level == "Sum");
  REQUIRE(table.rows[3].files == 6);
  REQUIRE(std::abs(table.rows[3].columns.at("W-Amp") - 2.8) < 1e-9);  // 11 / 4, rounded
  REQUIRE(table.flushed_gigabytes == 4);
  REQUIRE(log.ingested_gigabytes == 3);
  REQUIRE(log.written_keys == 20e6);
}

TEST_CASE("RocksDB's table aligns its columns as RocksDB does") {
  const RunResult run = small_run();
  const std::string text = rocksdb_stats_text({&run, 1});
  REQUIRE(text.find("\n  L1      3/0    3.00 GB   0.8      8.0     3.0      5.0       7.0      2.0 "
                    "      0.0   2.3      0.0      0.0      0.00              0.00         2    "
                    "0.000     12M   9999       0.0       0.0\n") != std::string::npos);
  REQUIRE(text.find("\nPriority    Files   Size     Score Read(GB)") != std::string::npos);
  REQUIRE(text.find("\n Low      0/0    0.00 KB") != std::string::npos);
  REQUIRE(text.find("\nHigh      0/0    0.00 KB") != std::string::npos);
}

TEST_CASE("With a clock, RocksDB's table has the stalls, and speeds of the whole run") {
  RunResult run = small_run();
  run.machine.emplace().simulated_ns = 2'000'000'000;
  TimeSection& time = run.time.emplace();
  time.stalls.emplace();
  time.stalls->push_back({std::string(stall_reason_name(StallReason::kLevel0Stop)), 3, 500, 400});
  const std::string text = rocksdb_stats_text({&run, 1});
  const stores::InfoLog log = read(text);
  const stores::StatisticsTable& table = log.statistics.at("default");
  REQUIRE(table.uptime_seconds == 2);
  REQUIRE(table.stalls.at("level0_numfiles") == 3);
  REQUIRE(table.stalls.size() == 1);
  REQUIRE(text.find("Cumulative compaction: 11.00 GB write, 5632.00 MB/s write, 8.00 GB read") !=
          std::string::npos);
  REQUIRE(rocksdb_stats_note({&run, 1}).find("docs/rocksdb-stats.md") != std::string::npos);
}

// A run whose last merge ended after its last operation.
RunResult small_run_with_clock() {
  RunResult run = small_run();
  constexpr std::uint64_t kSecond = 1'000'000'000;
  run.machine.emplace().simulated_ns = 19 * kSecond;
  LastOperation& last = run.at_last_operation.emplace();
  last.sums.nanoseconds = 9 * kSecond;
  last.sums.merges = run.totals.merges;
  last.sums.bytes_flushed = run.totals.bytes_flushed;
  last.sums.flush_bytes_written = run.totals.flush_bytes_written;
  last.sums.merge_bytes_read = run.totals.merge_bytes_read;
  last.sums.merge_bytes_written = run.totals.merge_bytes_written;
  last.sums.by_output_level = run.totals.by_output_level;
  last.levels = run.final_levels;
  last.levels[0].merging_files = 1;
  last.levels[1].merging_files = 3;
  last.job_times = {{4 * kSecond, kSecond, 0, 0}, {0, 0, 8 * kSecond, 2 * kSecond}};
  run.final_levels[0].files = 1;
  ++run.totals.merges;
  run.totals.merge_bytes_read += kGibibyte;
  run.totals.merge_bytes_written += kGibibyte;
  run.totals.output_traffic(1).bytes_written += kGibibyte;
  run.time.emplace().job_times = {{4 * kSecond, kSecond, 0, 0}, {0, 0, 18 * kSecond, 2 * kSecond}};
  return run;
}

TEST_CASE("With a clock, RocksDB's table is that of the last operation, while merges run") {
  const RunResult run = small_run_with_clock();
  const stores::InfoLog log = read(rocksdb_stats_text({&run, 1}));
  const stores::StatisticsTable& table = log.statistics.at("default");
  REQUIRE(table.uptime_seconds == 9);
  REQUIRE(table.rows[0].files == 2);
  REQUIRE(table.rows[0].busy_files == 1);
  REQUIRE(table.rows[1].busy_files == 3);
  REQUIRE(table.rows[3].busy_files == 4);  // Sum
  REQUIRE(table.rows[1].columns.at("Write(GB)") == 7);
  REQUIRE(table.rows[3].columns.at("W-Amp") == 2.8);
}

TEST_CASE("With a clock, RocksDB's table has the times of flushes and merges by level") {
  const RunResult run = small_run_with_clock();
  const std::string text = rocksdb_stats_text({&run, 1});
  const stores::InfoLog log = read(text);
  const auto& rows = log.statistics.at("default").rows;
  const auto column = [&](std::size_t row, const char* name) { return rows[row].columns.at(name); };
  REQUIRE(column(0, "Comp(sec)") == 4);
  REQUIRE(column(0, "CompMergeCPU(sec)") == 1);
  REQUIRE(column(0, "Avg(sec)") == 1);
  REQUIRE(column(0, "Wr(MB/s)") == 1024);
  REQUIRE(column(1, "Comp(sec)") == 8);
  REQUIRE(column(1, "Rd(MB/s)") == 1024);
  REQUIRE(column(1, "Wr(MB/s)") == 896);
  REQUIRE(column(1, "Avg(sec)") == 4);
  REQUIRE(column(3, "Comp(sec)") == 12);
  REQUIRE(text.find(" MB/s read, 12.0 seconds\n") != std::string::npos);
  REQUIRE(rocksdb_stats_note({&run, 1}).empty());
}

TEST_CASE("RocksDB's tables of several runs have the names of the policies and workloads") {
  std::vector<RunResult> runs{small_run(), small_run()};
  runs[1].policy_label = "rocksdb-leveled size_ratio=4";
  runs[1].final_levels[0].files = 9;
  const stores::InfoLog log = read(rocksdb_stats_text(runs));
  REQUIRE(log.statistics.size() == 2);
  REQUIRE(log.statistics.at("rocksdb-leveled").rows[0].files == 2);
  REQUIRE(log.statistics.at("rocksdb-leveled size_ratio=4").rows[0].files == 9);
  runs[1].workload = "load";
  runs[1].workload_options = {{"entries", std::uint64_t{5}}};
  REQUIRE(read(rocksdb_stats_text(runs))
              .statistics.contains("rocksdb-leveled size_ratio=4 on load:entries=5"));
}

TEST_CASE("RocksDB's table of a run without flushes has no levels, and no division by zero") {
  const RunResult run;
  const std::string text = rocksdb_stats_text({&run, 1});
  const stores::InfoLog log = read(text);
  const stores::StatisticsTable& table = log.statistics.at("default");
  REQUIRE(table.rows.size() == 2);
  REQUIRE(table.rows[0].columns.at("W-Amp") == 0);
  REQUIRE(text.find("nan") == std::string::npos);
}

}  // namespace
}  // namespace lsmlab::rocksdb_stats_test
