// Parts of logs as people paste them: as a list, without the beginning or end of a job.
#include <string>

#include "testing/catch.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::log_excerpts_test {
namespace {

// Of public reports to Ceph, shortened.
const std::string kMoves =
    "2019-07-09 14:42:24.114 7f6e830ad700 4 rocksdb: (Original Log Time "
    "2019/07/09-14:42:24.115453) EVENT_LOG_v1 {\"time_micros\": 1562683344115445, \"job\": 1877, "
    "\"event\": \"trivial_move\", \"destination_level\": 3, \"files\": 1, \"total_files_size\": "
    "69473589}\n"
    "2019-07-09 14:42:24.114 7f6e830ad700 4 rocksdb: (Original Log Time "
    "2019/07/09-14:42:24.115465) [src/db/db_impl_compaction_flush.cc:2020] [default] Moved #1 "
    "files to level-3 69473589 bytes OK: base level 1 max bytes base 268435456 files[0 5 50 472 "
    "4110 828 0] max score 1.06\n";
const std::string kFlushEnd =
    "2022-09-12T20:10:35.653+0200 7fb3e7a8d700 4 rocksdb: (Original Log Time "
    "2022/09/12-20:10:35.654246) EVENT_LOG_v1 {\"time_micros\": 1663006235654238, \"job\": 3336, "
    "\"event\": \"flush_finished\", \"output_compression\": \"NoCompression\", \"lsm_state\": [3, "
    "4, 32, 107, 0, 0, 0], \"immutable_memtables\": 0}\n";
const std::string kFlushBegin =
    "2018-07-26 13:32:01.492374 7ff3b7295700 4 rocksdb: EVENT_LOG_v1 {\"time_micros\": "
    "1532604721492365, \"job\": 30, \"event\": \"flush_started\", \"num_memtables\": 1, "
    "\"num_entries\": 171651, \"num_deletes\": 43746, \"memory_usage\": 260051544}\n";

Store excerpt_store(const std::string& text) {
  Store store;
  REQUIRE(add_store_file(store, "log.txt", text).has_value());
  return store;
}

std::string excerpt_report(const std::string& text) {
  const Store store = excerpt_store(text);
  return report_text(store, all_figures(store));
}

TEST_CASE("A log with moves only tells them, and the files of the levels") {
  const Store store = excerpt_store(kMoves);
  REQUIRE(store.families() == std::vector<std::string>{"default"});
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.source == HistorySource::kLog);
  REQUIRE(figures.moves == 1);
  REQUIRE(figures.levels[3].moved_bytes == 69'473'589);
  REQUIRE(figures.levels[4].files == 4110);
  REQUIRE(excerpt_report(kMoves).find("; 1 file moved (66.26 MiB)") != std::string::npos);
}

TEST_CASE("A log is read as the list that a page shows it as") {
  for (const std::string mark : {"- ", "* ", "  12. ", "3) "}) {
    const std::string listed = mark + kFlushEnd + mark + "** DB Stats **\n" + mark +
                               "Uptime(secs): 532203.3 total, 600.0 interval\n" + mark + kMoves;
    const Store store = excerpt_store(listed);
    INFO(mark);
    REQUIRE(store.logs.front().log.flushes.size() == 1);
    REQUIRE(store.logs.front().log.moves.size() == 1);
  }
  REQUIRE(is_rocksdb_log("  1. 2022/09/12-20:10:35.653638 7fb3 EVENT_LOG_v1 {}\n"));
}

TEST_CASE("Flushes of which a log has a part only are told with what is missing") {
  REQUIRE(excerpt_report(kFlushEnd).find("flushes: none is complete; 1 without a line of "
                                         "a file\n") != std::string::npos);
  const std::string begun = excerpt_report(kFlushBegin);
  REQUIRE(begun.find("flushes: none is complete; 1 without an end\n") != std::string::npos);
  REQUIRE(begun.find("1 flush or compaction without an end") != std::string::npos);
}

// Of a public report of Solana, in the order in which it was pasted.
TEST_CASE("Lines of stalls alone are a log, and tell them by column family") {
  const std::string last =
      "2021/01/26-00:09:07.949333 7f798f7fe700 [WARN] [db/column_family.cc:886] [index] Stopping "
      "writes because we have 36 level-0 files\n";
  const std::string stalls =
      last +
      "2021/01/25-23:29:57.780590 7f798d7fa700 [WARN] [db/column_family.cc:956] [data_shred] "
      "Stalling writes because of estimated pending compaction bytes 69385381069 rate 16777216\n"
      "2021/01/25-23:32:20.890619 7f798cff9700 [WARN] [db/column_family.cc:931] [index] Stalling "
      "writes because we have 20 level-0 files rate 13421772\n";
  const Store store = excerpt_store(stalls);
  REQUIRE(store.families() == std::vector<std::string>{"index", "data_shred"});
  const FamilyFigures index = figures_of(store, "index");
  REQUIRE(index.seconds == Approx(2350.168743));
  REQUIRE(index.stalls.at("stop: level-0 files") == 1);
  REQUIRE(index.stalls.at("slowdown: level-0 files") == 1);
  REQUIRE(figures_of(store, "data_shred").stalls.size() == 1);
  const std::string report = excerpt_report(last);
  REQUIRE(report.find("tree: unknown\n") != std::string::npos);
  REQUIRE(report.find("stop: level-0 files                     1\n") != std::string::npos);
  // A family with stalls only, in a log that has more.
  REQUIRE(excerpt_store(kFlushEnd + stalls).families().size() == 3);
}

// Of public reports of RocksDB 6 and 9.
const std::string kOutcome =
    "2021/11/12-17:55:09.699799 7f36711fe700 (Original Log Time 2021/11/12-17:55:09.699693) "
    "[db/compaction_job.cc:750] [19] compacted to: base level 3 max bytes base 4294967296 files[0 "
    "0 "
    "0 3 7] max score 0.54, MB/sec: 329.6 rd, 277.2 wr, level 4, files in(2, 1) out(2) MB "
    "in(2120.5, 400.8) out(2120.5), read-write-amplify(2.2) write-amplify(1.0) OK, records in: "
    "5808010, records dropped: 962532 output_compression: NoCompression\n";
const std::string kOutcomeEvent =
    "2021/11/12-17:55:09.699808 7f36711fe700 (Original Log Time 2021/11/12-17:55:09.699730) "
    "EVENT_LOG_v1 {\"time_micros\": 1636710909699720, \"job\": 355, \"event\": "
    "\"compaction_finished\", \"compaction_time_micros\": 8021939, \"output_level\": 4, "
    "\"num_output_files\": 2, \"total_output_size\": 2223458048, \"num_input_records\": "
    "5808010, \"num_output_records\": 4845478, \"num_subcompactions\": 1, "
    "\"output_compression\": \"NoCompression\", \"lsm_state\": [0, 0, 0, 3, 7]}\n";

TEST_CASE("The line of a compaction's end names its family, and what it read") {
  const Store store = excerpt_store(kOutcome + kOutcomeEvent);
  REQUIRE(store.families() == std::vector<std::string>{"19"});
  const FamilyFigures figures = figures_of(store, "19");
  REQUIRE(figures.merges == 1);
  REQUIRE(figures.merge_written_bytes == 2'223'458'048);
  REQUIRE(figures.reads_are_known);
  REQUIRE(figures.levels[3].read_bytes == static_cast<std::uint64_t>(2120.5 * 1048576));
  REQUIRE(figures.levels[4].read_bytes == static_cast<std::uint64_t>(400.8 * 1048576));
  REQUIRE(figures.levels[4].files == 7);
}

TEST_CASE("The line of a compaction's end alone is a compaction") {
  const Store store = excerpt_store(kOutcome);
  const FamilyFigures figures = figures_of(store, "19");
  REQUIRE(figures.merges == 1);
  REQUIRE(figures.merge_written_bytes == static_cast<std::uint64_t>(2120.5 * 1048576));
  REQUIRE(figures.merge_input_entries == 5'808'010);
  REQUIRE(figures.merge_output_entries == 5'808'010 - 962'532);
  REQUIRE(figures.levels[3].files == 3);
  // Into the base level, with blob files, as newer versions write it.
  const FamilyFigures base = figures_of(
      excerpt_store("2025/11/13-16:46:19.143041 37 [db/compaction/compaction_job.cc:908] [3] "
                    "compacted to: base level 3 level multiplier 10.00 max bytes base 134217728 "
                    "files[0 0 0 4 7 57 322] max score 12.48, MB/sec: 86.1 rd, 84.7 wr, level 3, "
                    "files in(4, 3) out(3 +0 blob) MB in(54.6, 107.8 +0.0 blob) out(159.7 +0.0 "
                    "blob), read-write-amplify(5.9) write-amplify(2.9) OK, records in: 4999823, "
                    "records dropped: 79881 output_compression: NoCompression\n"),
      "3");
  REQUIRE(base.levels[0].read_bytes == static_cast<std::uint64_t>(54.6 * 1048576));
  REQUIRE(base.levels[3].written_bytes == static_cast<std::uint64_t>(159.7 * 1048576));
  // One that was given up wrote nothing.
  std::string failed = kOutcome;
  failed.replace(failed.find(" OK,"), 4, " Shutdown in progress,");
  REQUIRE(excerpt_store(failed).logs.front().log.compactions.empty());
}

TEST_CASE("A log of goleveldb is named as one") {
  Store store;
  const auto read = add_store_file(
      store, "log.txt",
      "17:32:48.421253 table@move L3@151145047 -> L4\n17:32:48.501054 version@stat F\u00b7[25 380] "
      "S\u00b7864MiB[96MiB 768MiB] Sc\u00b7[6.25 7.68]\n");
  REQUIRE(read.error().message.find("a log of goleveldb, which lsmlab does not read") !=
          std::string::npos);
}

TEST_CASE("Speedb's version is that of the RocksDB that it derives from") {
  const Store store = excerpt_store(
      "2022/11/14-16:09:47.486132 3 Speedb version: 2.1.0 (7.2.2)\n"
      "2022/11/14-16:09:47.486200 3 Git sha UNKNOWN:0bc0b2e\n");
  REQUIRE(store.version == "7.2.2");
  // A cut line still has it.
  REQUIRE(excerpt_store(".055695 7352 RocksDB version: 7.8.3\n" + kFlushEnd).version == "7.8.3");
}

TEST_CASE("Options without the line that names their family are those of the default one") {
  const Store store = excerpt_store(
      "2026/11/30-19:13:56.095500 7352               Options.max_background_jobs: 2\n"
      "2026/11/30-19:13:56.095556 7352               Options.comparator: leveldb.Bytewise\n"
      "2026/11/30-19:13:56.095594 7352            table_factory options:   block_size: 1\n"
      "  block_size: 8192\n"
      "2026/11/30-19:13:56.095600 7352        Options.write_buffer_size: 2097152\n");
  REQUIRE(store.logs.front().log.options.families.size() == 1);
  const OptionValues& values = store.logs.front().log.options.family("default")->values;
  REQUIRE(values.at("write_buffer_size") == "2097152");
  REQUIRE(values.at("block_size") == "8192");
  REQUIRE(store.logs.front().log.options.database.size() == 1);
}

}  // namespace
}  // namespace lsmlab::stores::log_excerpts_test
