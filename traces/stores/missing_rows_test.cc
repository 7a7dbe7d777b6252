// Tables of statistics that were copied without their heading or without a row, and tables that say
// little.
#include "traces/stores/missing_rows.h"

#include <cmath>

#include "testing/catch.h"
#include "testing/old_statistics.h"
#include "traces/stores/store_description.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::missing_rows_test {
namespace {

Store store_of(const std::string& text) {
  Store store;
  REQUIRE(add_store_file(store, "table.txt", text).has_value());
  return store;
}

TEST_CASE("Rows without their heading are read by the number of their columns") {
  const std::string rows = testing::kOldStatistics.substr(testing::kOldStatistics.find("  L0 "));
  const FamilyFigures whole = figures_of(store_of(testing::kOldStatistics), "default");
  for (const std::string& text : {rows, "> " + rows}) {
    const FamilyFigures figures = figures_of(store_of(text), "default");
    REQUIRE(figures.levels.size() == 2);
    REQUIRE(figures.levels[1].bytes == whole.levels[1].bytes);
    REQUIRE(figures.merges == 483);
    REQUIRE(figures.merge_written_bytes == whole.merge_written_bytes);
    REQUIRE(figures.merge_input_entries == whole.merge_input_entries);
  }
  // Of rocksdb issue 7719: sizes with units.
  const std::string row =
      "  L1      3/0   82.26 MB   0.3     12.0     5.0      7.0       7.0      0.0       0.0   1.4 "
      " "
      "   92.3     53.9       133        91    1.462    300M   124M\n";
  const Store store = store_of(row);
  const StatisticsTable& table = store.logs.front().log.statistics.at("default");
  REQUIRE(table.rows.front().columns.at("Comp(cnt)") == 91);
  REQUIRE(table.rows.front().columns.at("KeyDrop") == 124e6);
  // Of rocksdb PR 11487: the rows of one level at several times.
  const std::string later =
      "L0      2/0    2.26 MB   0.0      0.0     0.0      0.0       0.1      0.1       0.0   1.6  "
      "    3.2      8.2     12.59             11.17       163    0.077    100K    640       0.0    "
      " "
      "  0.0\n";
  const Store last = store_of(later + "L0  5/0" + later.substr(11));
  REQUIRE(last.logs.front().log.statistics.at("default").rows.size() == 1);
  REQUIRE(last.logs.front().log.statistics.at("default").rows.front().files == 5);
  // A number too few, and columns whose sums do not agree.
  std::string cut = row;
  cut.erase(cut.find("   124M"), 7);
  std::string other = row;
  other.replace(other.find("12.0"), 4, "13.0");
  for (const std::string& text : {cut, other}) {
    Store none;
    REQUIRE_FALSE(add_store_file(none, "table.txt", text).has_value());
  }
}

TEST_CASE("A row that is missing is the row Sum minus the others, and marked as a guess") {
  // Of rocksdb issue 7719, shortened.
  const std::string head =
      "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) "
      "W-Amp "
      "Rd(MB/s) Wr(MB/s) Comp(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop\n";
  const std::string rows[] = {
      "  L0      2/0   37.57 MB   0.5      0.0     0.0      0.0       5.0      5.0       0.0   1.0 "
      " "
      "    0.0      6.1       843       364    2.316       0      0\n",
      "  L1      3/0   82.26 MB   0.3     12.0     5.0      7.0       7.0      0.0       0.0   1.4 "
      " "
      "   92.3     53.9       133        91    1.462    300M   124M\n",
      "  L2     27/0  193.20 MB   0.0      1.0     0.5      0.5       1.0      0.5       0.0   2.0 "
      " "
      "    0.0      0.0         0         9    0.000     10M      0\n",
      " Sum     32/0  313.03 MB   0.0     13.0     5.5      7.5      13.0      5.5       0.0   2.6 "
      " "
      "   12.6     12.6       976       464    2.145    310M   124M\n"};
  const auto whole = figures_of(store_of(head + rows[0] + rows[1] + rows[2] + rows[3]), "default");
  REQUIRE_FALSE(whole.estimated_level);
  for (std::size_t missing = 0; missing < 3; ++missing) {
    CAPTURE(missing);
    std::string text = head;
    for (std::size_t i = 0; i < 4; ++i) text += i == missing ? "" : rows[i];
    const Store store = store_of(text);
    const FamilyFigures figures = figures_of(store, "default");
    REQUIRE(figures.estimated_level == missing);
    REQUIRE(figures.levels.size() == 3);
    REQUIRE(figures.levels[missing].files == whole.levels[missing].files);
    REQUIRE(figures.flushes.flushes == 364);
    REQUIRE(figures.merges == 100);
    REQUIRE(std::abs(*figures.write_amplification() - *whole.write_amplification()) < 0.05);
    REQUIRE(report_text(store, {figures}).find("is a guess: the table lacks its row, and") !=
            std::string::npos);
  }
}

// Of five levels, as rows() of RocksDB 6 to 10 have them.
const std::string kFiveHead =
    "** Compaction Stats [default] **\n"
    "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp "
    "Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) "
    "Wblob(GB)\n";
const std::string kFiveEnd =
    "   0.0   1.0     50.0     50.0     100.00     90.00    100    1.000    10M   0       0.0      "
    " "
    "0.0\n";
const std::string kFiveRows[] = {
    "  L0      5/0     0.30 GB   0.5      0.0     0.0      0.0      30.0     30.0 " + kFiveEnd,
    "  L1     10/0     0.60 GB   0.5     50.0    30.0     20.0      48.0     28.0 " + kFiveEnd,
    "  L2    100/0     6.00 GB   0.5    228.0    28.0    200.0     220.0     20.0 " + kFiveEnd,
    "  L3    500/0    60.00 GB   0.5    275.0    25.0    250.0     270.0     20.0 " + kFiveEnd,
    "  L4    900/0   100.00 GB   0.5    100.0    20.0     80.0      99.0     19.0 " + kFiveEnd};
const std::string kFiveSum =
    " Sum   1515/0   166.90 GB   0.5    653.0   103.0    550.0     667.0    117.0    0.0   1.0     "
    "50.0     50.0     100.00     90.00    500    1.000    10M   0       0.0       0.0\n";
const std::string kFiveFlushed =
    "Uptime(secs): 1000.0 total, 1.0 interval\nFlush(GB): cumulative 30.000, interval 0.0\n";

TEST_CASE("A row of level 0 is guessed only where no other row is missing") {
  const std::string two = kFiveHead + kFiveRows[1] + kFiveSum;
  const std::string gap = kFiveHead + kFiveRows[1] + kFiveRows[2] + kFiveRows[4] + kFiveSum;
  const std::string deep = kFiveHead + kFiveRows[2] + kFiveRows[3] + kFiveRows[4] + kFiveSum;
  for (const std::string& text : {two, gap, deep, two + kFiveFlushed, gap + kFiveFlushed}) {
    CAPTURE(text);
    const Store store = store_of(text);
    const FamilyFigures figures = figures_of(store, "default");
    REQUIRE_FALSE(figures.estimated_level);
    REQUIRE(figures.lacks_rows);
    REQUIRE_FALSE(figures.write_amplification());
    REQUIRE(report_text(store, {figures}).find("the table has no row of level 0") !=
            std::string::npos);
    const auto guesses = report_json(store, {figures})["column_families"][0]["guesses"];
    REQUIRE(guesses["lacks_rows"] == true);
    REQUIRE(guesses["lacks_level0"] == true);
  }
  const std::string alone =
      kFiveHead + kFiveRows[1] + kFiveRows[2] + kFiveRows[3] + kFiveRows[4] + kFiveSum;
  const Store store = store_of(alone);
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.estimated_level == 0U);
  REQUIRE(figures.flushes.bytes == std::uint64_t{30} << 30);
  const auto guesses = describe(store, {figures})["column_families"][0]["guesses"];
  REQUIRE(guesses["estimated_level"] == 0);
}

TEST_CASE("Rows below Sum, or repeated under one heading, are counted once") {
  std::string rows;
  for (const std::string& row : kFiveRows) rows += row;
  const FamilyFigures whole = figures_of(store_of(kFiveHead + rows + kFiveSum), "default");
  for (const std::string& text :
       {kFiveHead + kFiveSum + rows,
        kFiveHead + kFiveRows[0] + kFiveSum + rows.substr(rows.find("  L1")),
        kFiveHead + rows + kFiveSum + rows + kFiveSum}) {
    CAPTURE(text);
    const FamilyFigures figures = figures_of(store_of(text), "default");
    REQUIRE_FALSE(figures.lacks_rows);
    REQUIRE_FALSE(figures.estimated_level);
    REQUIRE(figures.merge_written_bytes == whole.merge_written_bytes);
    REQUIRE(figures.levels[1].read_bytes == whole.levels[1].read_bytes);
  }
  const Store repeated = store_of(kFiveHead + rows + kFiveSum + rows + kFiveSum);
  REQUIRE(repeated.logs.front().log.statistics.at("default").tables == 2);
}

TEST_CASE("A table of files and sizes gives the tree, and claims no flushes") {
  // Of java-tron's source; an old one, of a notebook.
  for (const std::string text :
       {"  /**\n   * Level Files Size(MB)\n   * --------------------\n   *   0        5       10\n"
        "   *   1      134      254\n   *   2        0        0\n   */\n",
        "Level Files Size(MB)\n--------------------\n  L0     5      10 \n  L1     134      254 \n"
        "  L2     0        0 \n Sum    139    264 \n"}) {
    CAPTURE(text);
    const Store store = store_of(text);
    const FamilyFigures figures = figures_of(store, "default");
    REQUIRE(figures.levels.size() == 3);
    REQUIRE(figures.levels[0].files == 5);
    REQUIRE(figures.levels[1].bytes == std::uint64_t{254} << 20);
    const std::string report = report_text(store, {figures});
    REQUIRE(report.find("the table tells files and sizes only") != std::string::npos);
    REQUIRE(report.find("none found") == std::string::npos);
  }
}

TEST_CASE("A table of files and sizes below a whole table does not take its place") {
  const FamilyFigures figures =
      figures_of(store_of(testing::kOldStatistics +
                          "Level Files Size(MB)\n-----\n  0   5   10\n  1   134   254\n"),
                 "default");
  REQUIRE(figures.flushes.flushes == 8360);
  REQUIRE(figures.levels[1].files == 7);
}

TEST_CASE("The name of a column family may have the end of a line") {
  // Of besu PR 6540.
  std::string text = testing::kOldStatistics;
  text.replace(text.find("default"), 7, "\n");
  const Store store = store_of(text);
  REQUIRE(store.families() == std::vector<std::string>{"\n"});
  REQUIRE(report_text(store, all_figures(store)).find("column family \"\\n\"") !=
          std::string::npos);
}

TEST_CASE("A table whose jobs wrote less than its digits show has jobs") {
  // Of Nebula's manual.
  const Store store = store_of(
      "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) "
      "W-Amp "
      "Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop\n"
      "  L0      2/0    2.46 KB   0.5      0.0     0.0      0.0       0.0      0.0       0.0   1.0 "
      " "
      "    0.0      0.0      0.53              0.51         2    0.264       0      0\n");
  const std::string text = report_text(store, all_figures(store));
  REQUIRE(text.find("2 jobs by the table, which wrote less than its digits show") !=
          std::string::npos);
  REQUIRE(text.find("none found") == std::string::npos);
}

}  // namespace
}  // namespace lsmlab::stores::missing_rows_test
