#include "validate/stores/table_start.h"

#include <string>

#include "testing/catch.h"
#include "validate/stores/what_if.h"

namespace lsmlab::table_start_test {
namespace {

// The server of a chess database wrote 97 GiB into a store of 2.9 TiB; no merge reached level 6.
const std::string kTable =
    "** Compaction Stats [lichess] **\n"
    "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp "
    "Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) "
    "Wblob(GB)\n"
    "  L0      1/0   34.75 MB   0.2     64.3     0.0     64.3     157.5     93.2       0.0   1.6   "
    "   1.4      3.5  46068.07           3002.68      2760   16.691   1763M    92M       0.0     "
    "  0.0\n"
    "  L1      4/0   205.48 MB   0.8    172.6    93.2     79.4     165.5     86.1       0.0   1.8  "
    "    3.7      3.5  48254.63           3779.43       207  233.114   4758M   164M       0.0     "
    "  0.0\n"
    "  L2     52/0    2.49 GB   1.0    321.9    81.7    240.3     317.2     77.0       4.4   3.9   "
    "   3.5      3.4  94232.38           6840.29      1345   70.061   8967M   121M       0.0      "
    " 0.0\n"
    "  L3    591/0   24.95 GB   1.0    338.4    78.2    260.1     333.0     72.9       3.1   4.3   "
    "   3.5      3.5  97870.15           7213.25      1532   63.884   9448M   146M       0.0      "
    " 0.0\n"
    "  L4   3367/0   90.71 GB   0.4     81.3    48.6     32.7      79.9     47.2      27.5   1.6   "
    "   3.7      3.6  22451.14           1770.16       904   24.835   2281M    35M       0.0      "
    " 0.0\n"
    "  L6  47776/0    2.78 TB   0.0      0.0     0.0      0.0       0.0      0.0       0.0   0.0   "
    "   0.0      0.0      0.00              0.00         0    0.000       0      0       0.0      "
    " 0.0\n"
    "\n** Compaction Stats [lichess] **\n"
    "Priority    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) "
    "W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop "
    "Rblob(GB) Wblob(GB)\n"
    "High      0/0    0.00 KB   0.0      0.0     0.0      0.0      96.6     96.6       0.0   0.0   "
    "   0.0      4.9  20200.60           1852.94      2545    7.937       0      0       0.0      "
    " 0.0\n"
    "Uptime(secs): 610745.6 total, 3.5 interval\n"
    "Flush(GB): cumulative 96.595, interval 0.000\n";

StoreCase case_of(const std::string& text) {
  stores::Store store;
  REQUIRE(stores::add_store_file(store, "table.txt", text).has_value());
  return store_case(store, "", "").value();
}

// Of one level, in GiB as the store has them.
double gibibytes(const StoreCase& asked, const StartingTree& tree, std::uint32_t level) {
  std::uint64_t entries = 0;
  for (const StartingRun& run : tree.runs) {
    if (run.level == level) entries += run.entries();
  }
  const stores::FlushFigures& flushes = asked.reported.flushes;
  return static_cast<double>(entries) * static_cast<double>(flushes.bytes) /
         static_cast<double>(flushes.entries) / (1024.0 * 1024 * 1024);
}

TEST_CASE("a history that is short beside its tree begins with the tree that it left or found") {
  const StoreCase asked = case_of(kTable);
  REQUIRE(asked.starts.now != nullptr);
  const StartingTree& now = *asked.starts.now;
  REQUIRE(gibibytes(asked, now, 4) == Approx(90.71).epsilon(0.001));
  REQUIRE(now.runs.front().level == 6);  // the oldest first
  REQUIRE(now.runs.front().files.size() == 47776);
  REQUIRE(now.runs.back().level == 0);
  // 79.9 GiB came into level 4 by merges and 27.5 by moves, of which merges took 32.7 from it.
  const StartingTree& before = *asked.starts.at_history;
  REQUIRE(gibibytes(asked, before, 4) == Approx(90.71 - 79.9 - 27.5 + 32.7).margin(0.1));
  // As much came into level 3 as left it.
  REQUIRE(gibibytes(asked, before, 3) == Approx(24.95).margin(0.3));
  REQUIRE(gibibytes(asked, before, 6) == gibibytes(asked, now, 6));
}

TEST_CASE("a table with more files than a store has gives no tree to begin with") {
  std::string wild = kTable;
  wild.replace(wild.find("47776/0 "), 8, "47776000/0 ");
  const StoreCase asked = case_of(wild);
  REQUIRE(asked.starts.now == nullptr);
  REQUIRE(asked.starts.at_history == nullptr);
}

TEST_CASE("a run of such a history writes what the store wrote, and changes are tried for longer") {
  const StoreCase asked = case_of(kTable);
  const WhatIfRuns runs = runs_of(asked, {}).value();
  REQUIRE(runs.history->run.setup.start == asked.starts.at_history);
  REQUIRE(runs.variants.front().run.setup.start == asked.starts.now);
  const auto writes = [](const WhatIfVariant& one, const StartingTree& start) {
    return std::get<KeyWorkload>(one.run.workload).operations - start.records;
  };
  REQUIRE(writes(*runs.history, *asked.starts.at_history) == asked.workload.writes);
  const std::uint64_t later = writes(runs.variants.front(), *asked.starts.now);
  REQUIRE(later > 2 * asked.workload.writes);
  REQUIRE(later < asked.starts.now->records);  // so many would take minutes for each change
}

TEST_CASE("a history as long as its tree, or one with files of the user, is loaded") {
  std::string small = kTable;
  small.replace(small.find("2.78 TB"), 7, "0.18 TB");
  const StoreCase asked = case_of(small);
  REQUIRE_FALSE(asked.workload.is_whole_history);
  REQUIRE(asked.starts.now == nullptr);
  const StoreCase linked = case_of(kTable +
                                   "AddFile(GB): cumulative 12.000, interval 0.000\n"
                                   "AddFile(Total Files): cumulative 4, interval 0\n");
  REQUIRE(linked.starts.now == nullptr);
}

TEST_CASE("the rate of a stated workload is the clock's") {
  stores::Store store;
  REQUIRE(stores::add_store_file(store, "table.txt", kTable).has_value());
  const StoreCase stated =
      store_case(store, "", "load:entries=1M,operations_per_second=1234").value();
  REQUIRE(stated.workload.writes_per_second == 1234);
  REQUIRE(stated.workload.rate_is_stated);
  WhatIfQuestion question;
  question.device = "nvme";
  REQUIRE(spec_text(run_of_case(stated, question).value().clients) == "constant:rate=1234");
  // Without one it is the store's own mean.
  const StoreCase unstated = store_case(store, "", "load:entries=1M").value();
  REQUIRE(unstated.workload.writes_per_second == unstated.reported.writes_per_second());
}

}  // namespace
}  // namespace lsmlab::table_start_test
