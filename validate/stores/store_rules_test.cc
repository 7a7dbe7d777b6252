#include "validate/stores/store_rules.h"

#include "testing/catch.h"
#include "validate/stores/what_if.h"
#include "validate/stores/what_if_text.h"

namespace lsmlab::store_rules_test {
namespace {

// Of a db_bench of RocksDB 11.2 with many background jobs, without its deeper levels.
std::string table_of(const std::string& merge_row, const std::string& flush_row) {
  const std::string columns =
      "    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) WPreComp(GB) Wnew(GB) "
      "Moved(GB) W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn "
      "KeyDrop Rblob(GB) Wblob(GB)\n";
  return "** Compaction Stats [default] **\nLevel" + columns +
         "  L0     15/4      2.79 GB   2.8     93.2     0.0     93.2     194.1     194.1    100.9  "
         "     0.0   1.9     15.5     32.3   6145.32            419.98      2015    3.050    197M  "
         " "
         "100K       0.0       0.0\n"
         "  L1    117/11     7.10 GB   1.6    286.2    98.2    188.0     279.8     279.8     91.7  "
         "     0.0   2.9    230.5    225.3   1271.56            870.34        45   28.257    291M  "
         "6482K       0.0       0.0\n"
         "\n** Compaction Stats [default] **\nPriority" +
         columns + merge_row + flush_row +
         "\nUptime(secs): 2913.9 total, 29.3 interval\n"
         "Flush(GB): cumulative 101.046, interval 1.030\n"
         "** DB Stats **\n"
         "Cumulative writes: 102M writes, 102M keys, 13M commit groups, 7.6 writes per commit "
         "group, ingest: 100.20 GB, 35.21 MB/s\n"
         "Cumulative stall: 00:41:40.975 H:M:S, 85.8 percent\n";
}

const std::string kMerges =
    " Low      0/0      0.00 KB   0.0    612.3   169.3    443.0     585.9     585.9    142.9       "
    "0.0   0.0     28.2     26.9  22262.73           2177.39      1549   14.372    623M    26M     "
    "  0.0       0.0\n";
const std::string kFlushes =
    "High      0/0      0.00 KB   0.0      0.0     0.0      0.0     101.0     101.0    101.0       "
    "0.0   0.0      0.0     25.2   4105.36            180.40      1663    2.469    102M      0     "
    "  0.0       0.0\n";

stores::Store store_of(const std::string& text) {
  stores::Store store;
  REQUIRE(stores::add_store_file(store, "table.txt", text).has_value());
  return store;
}

StoreRules rules_of(const stores::Store& store) {
  return store_rules(store, "default", "rocksdb-leveled");
}

TEST_CASE("a table whose merges took more seconds than there were tells how many ran at once") {
  const StoreRules rules = rules_of(store_of(table_of(kMerges, kFlushes)));
  REQUIRE(rules.merge_threads == 8);  // 22262.73 of 2913.9 seconds: 7.6
  REQUIRE(rules.merge_threads_guess.find("took 7.6 seconds a second") != std::string::npos);
  REQUIRE(rules.flush_threads_min == 2);  // 4105.36 seconds: 1.4
}

TEST_CASE("merges of the bottom pool count, too") {
  std::string bottom = kMerges;
  bottom.replace(bottom.find(" Low "), 5, "Bottom");
  const StoreRules rules = rules_of(store_of(table_of(kMerges + bottom, kFlushes)));
  REQUIRE(rules.merge_threads == 16);
}

TEST_CASE("a default stays where the table does not contradict it") {
  std::string few = kMerges;
  few.replace(few.find("22262.73"), 8, " 2913.95");  // one job all the time, as far as printed
  const StoreRules rules = rules_of(store_of(table_of(few, kFlushes)));
  REQUIRE(rules.merge_threads == 1);
  REQUIRE(rules.merge_threads_guess.empty());
  // Without threads of their own, flushes are among the jobs of this row.
  REQUIRE(rules_of(store_of(table_of(kMerges, ""))).merge_threads == 1);
}

TEST_CASE("an option of the files counts more than their table") {
  stores::Store store = store_of(table_of(kMerges, kFlushes));
  store.options.emplace();
  store.options->database["max_background_jobs"] = "4";
  REQUIRE(rules_of(store).merge_threads == 3);
  REQUIRE(rules_of(store).merge_threads_guess.empty());
}

TEST_CASE("merges within level 0, which no counted run does, call for a device") {
  StoreCase asked;
  asked.reported.flushes.bytes = 1000;
  asked.reported.levels.resize(2);
  WhatIfFigures simulated;
  const auto calls = [&](std::uint64_t level0, double simulated0, bool has_clock) {
    asked.reported.levels[0].written_bytes = level0;
    asked.reported.levels[1].written_bytes = 3000;
    simulated.written_by_level = {simulated0, 7};
    simulated.write_flushed = simulated0 + 7;
    if (has_clock) asked.clock.emplace();
    const std::string text =
        trust_text(asked, simulated, has_clock ? std::optional(simulated) : std::nullopt);
    return text.find("try --device NAME") != std::string::npos;
  };
  REQUIRE(calls(1700, 1, false));
  REQUIRE_FALSE(calls(1100, 1, false));    // one file of level 0 more or less
  REQUIRE_FALSE(calls(1700, 1.6, false));  // the policy merges within level 0
  REQUIRE_FALSE(calls(1700, 1, true));
}

TEST_CASE("the answer says why so many threads merge, and that one flushes") {
  const StoreCase asked = store_case(store_of(table_of(kMerges, kFlushes)), "", "").value();
  WhatIfFigures history;
  history.write_flushed = 5;
  const std::string why = "    guess, threads that merge: 8: the table's merges took 7.6";
  REQUIRE(trust_text(asked, history, std::nullopt).find(why) == std::string::npos);
  history.stalled_seconds = 1;
  const std::string text = trust_text(asked, history, history);
  REQUIRE(text.find(why) != std::string::npos);
  REQUIRE(text.find("8 threads merge.") != std::string::npos);
  REQUIRE(text.find("flushes 2 or more ran at once") != std::string::npos);
  REQUIRE(what_if_json(asked, {history, history, {}})["merge_threads"] == 8);
}

}  // namespace
}  // namespace lsmlab::store_rules_test
