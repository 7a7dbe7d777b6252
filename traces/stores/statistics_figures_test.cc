#include "traces/stores/statistics_figures.h"

#include "testing/catch.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/store_report.h"
#include "traces/stores/store_workload.h"

namespace lsmlab::stores::statistics_figures_test {
namespace {

// 100 flushes of 10 MiB; merges within level 0 read and wrote 0.5 GiB.
const std::string kHead =
    "** Compaction Stats [default] **\n"
    "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp "
    "Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop\n";
const std::string kTable =
    kHead +
    "  L0      2/0   20.00 MB   0.5      0.5     0.0      0.5       1.5      1.0       0.0   1.5   "
    "   "
    "0.0     44.6      9.83              0.00       102    0.025     5000K      0\n"
    "  L1      4/0   64.00 MB   0.5      3.0     1.0      2.0       3.0      1.0       0.0   3.0   "
    "  "
    "69.7     69.7    243.72              0.00        25    2.539     30M      0\n"
    "  L2      3/1  900.00 MB   0.7      2.0     0.5      1.5       1.5      0.0       0.5   3.0   "
    "   "
    "0.0      0.0      0.00              0.00        10    0.000     20M  1000K\n"
    " Sum      9/0  984.00 MB   0.0      5.5     1.5      4.0       6.0      2.0       0.5   6.0   "
    "  "
    "67.0     68.7    253.55              0.00       137    1.851     55M  1000K\n"
    "\n** Compaction Stats [default] **\n"
    "Priority    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) "
    "W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop\n"
    " Low      0/0    0.00 KB   0.0      5.5     1.5      4.0       5.0      1.0       0.0   0.0   "
    "  "
    "69.7     69.7    243.72              0.00        37    2.539     55M  1000K\n"
    "High      0/0    0.00 KB   0.0      0.0     0.0      0.0       1.0      1.0       0.0   0.0   "
    "   "
    "0.0     44.6      9.83              0.00       100    0.025       0      0\n"
    "Uptime(secs): 1000.0 total, 3.4 interval\n"
    "Flush(GB): cumulative 0.977, interval 0.000\n";

Store store_of(const std::string& text) {
  Store store;
  REQUIRE(add_store_file(store, "table.txt", text).has_value());
  return store;
}

std::uint64_t gibibytes(double number) {
  return static_cast<std::uint64_t>(number * 1024 * 1024 * 1024 + 0.5);
}

TEST_CASE("A table of statistics alone gives what each level wrote, read and was moved") {
  const FamilyFigures figures = figures_of(store_of(kTable), "default");
  REQUIRE(figures.source == HistorySource::kStatistics);
  REQUIRE(figures.levels.size() == 3);
  REQUIRE(figures.levels[0].written_bytes == gibibytes(1.5));
  REQUIRE(figures.levels[1].written_bytes == gibibytes(3));
  REQUIRE(figures.levels[2].moved_bytes == gibibytes(0.5));
  // Its own part of merges into it, and what they took from it to the level below.
  REQUIRE(figures.levels[0].read_bytes == gibibytes(0.5) + gibibytes(1));
  REQUIRE(figures.levels[1].read_bytes == gibibytes(2) + gibibytes(0.5));
  REQUIRE(figures.levels[2].read_bytes == gibibytes(1.5));
  REQUIRE(figures.levels[1].bytes == std::uint64_t{64} << 20);
  REQUIRE(figures.flushes.flushes == 100);
  REQUIRE(figures.flushes.bytes == gibibytes(0.977));
  REQUIRE(figures.merges == 37);
  REQUIRE(figures.merge_read_bytes == gibibytes(5.5));
  REQUIRE(figures.merge_written_bytes == gibibytes(6 - 0.977));
  // 5000K, 30M and 20M, each without its last digits.
  REQUIRE(figures.merge_input_entries == 56'000'500);
  REQUIRE(figures.merge_output_entries == 55'000'000);
  REQUIRE(figures.history_seconds == 1000);
  REQUIRE(*figures.write_amplification() == Approx(6 / 0.977));
  // 3 GiB of 30.5 M entries into level 1.
  REQUIRE(static_cast<double>(figures.flushes.entries) ==
          Approx(0.977 * 1024 * 1024 * 1024 / 105.6).epsilon(0.001));
}

TEST_CASE("A report of a table of statistics alone names it, and claims no LOG") {
  const Store store = store_of(kTable);
  const std::string text = report_text(store, all_figures(store));
  REQUIRE(text.find("statistics from table.txt\n") != std::string::npos);
  REQUIRE(text.find("none found") == std::string::npos);
  REQUIRE(text.find("flushes: 100, ") != std::string::npos);
  REQUIRE(text.find("entries of 105 B") != std::string::npos);
  REQUIRE(text.find("write amplification: 6.14") != std::string::npos);
  REQUIRE(text.find("tenth") == std::string::npos);
}

TEST_CASE("A table of statistics alone gives a workload, and a policy with guesses") {
  const Store store = store_of(kTable);
  const FamilyFigures figures = figures_of(store, "default");
  const StoreWorkload workload = store_workload(figures).value();
  REQUIRE(workload.spec.find("key_bytes=16,value_bytes=79") != std::string::npos);
  const PolicySpec policy = policy_spec(store, figures);
  // 100 flushes of 10 MiB, and 24 bytes more of each entry.
  REQUIRE(policy.spec.find(",buffer=1287") != std::string::npos);
  // 64 MiB with a score of 0.5, of files that no compaction has.
  REQUIRE(policy.spec.find(",level_base=128MiB,") != std::string::npos);
  REQUIRE(policy.spec.find(",dynamic_levels=false,") != std::string::npos);
}

// As of a store that compresses from level 2 on, with a multiplier of 4: the sizes of entries
// differ by level, and 980 MB, 4 GB and 16 GB, half full, are targets that grow fourfold.
TEST_CASE("A table of statistics tells how long flushes and merges took") {
  const FamilyFigures figures = figures_of(store_of(kTable), "default");
  // The threads that flush have a row of their own, so level 0's merges do not count.
  REQUIRE(figures.flush_speed.micros == 9'830'000);
  REQUIRE(figures.flush_speed.entries == figures.flushes.entries);
  REQUIRE(figures.merge_speed.micros == 243'720'000);
  REQUIRE(figures.merge_speed.entries == 51'000'000);
  REQUIRE(figures.merge_speed.entry_ns() == 4778);
}

TEST_CASE("Newer tables count the entries of flushed memtables in level 0") {
  const std::string text =
      kHead +
      "  L0     21/9    96.06 MB   3.0      0.0     0.0      0.0       0.4       0.4      0.0   "
      "1.0  "
      "    0.0    202.0      2.22              1.27        98    0.023   3829K      0\n"
      "  L1      6/6   344.89 MB   0.0      1.5     0.3      1.2       1.5       0.3      0.0   "
      "4.4  "
      "  280.4    279.1      5.52              5.15        10    0.552     13M    44K\n"
      "Uptime(secs): 6.0 total, 2.0 interval\nFlush(GB): cumulative 0.438, interval 0.1\n";
  const FamilyFigures figures = figures_of(store_of(text), "default");
  REQUIRE(figures.flushes.flushes == 98);
  REQUIRE(static_cast<double>(figures.flushes.entries) == Approx(3.829e6).epsilon(0.01));
  REQUIRE(figures.merge_input_entries == 13'500'000);
  REQUIRE(static_cast<double>(*figures.flush_speed.entry_ns()) == Approx(580).epsilon(0.01));
  REQUIRE(figures.merge_speed.entry_ns() == 408);
}

TEST_CASE("The rows of levels tell the size of flushed entries, and the size ratio") {
  const std::string text =
      kHead +
      "  L0      6/5    2.12 GB   1.4      0.0     0.0      0.0   1000.0 1000.0       0.0   1.0    "
      " "
      " 0.0    269.5    756.0   250.0    2000    1.363       0      0\n"
      "  L1     38/38   1.12 GB   0.0   1200.0  1000.0    200.0   1200.0 1000.0       0.0   1.2    "
      "134.9    134.7   1890.0   452.0    1000    9.415    600M      0\n"
      "  L2     60/0  980.00 MB   1.0   1000.0   900.0    100.0    400.0  300.0       0.0   0.4    "
      " "
      "13.0      5.3   1683.0   691.0    4870    3.455    560M      0\n"
      "  L3    309/2    4.00 GB   1.0    100.0    50.0     50.0    100.0   50.0      50.0   1.2    "
      " "
      " 9.3      7.8   3109.0   407.0     268   11.589    150M      0\n"
      "  L4    982/15   8.00 GB   0.5    100.0    50.0     50.0    100.0   50.0      40.0   1.3    "
      " "
      " 9.5      6.6   5221.0   716.0     758    6.886    200M      0\n"
      "Uptime(secs): 1000.0 total, 3.4 interval\nFlush(GB): cumulative 1000.000, interval 0.0\n";
  const Store store = store_of(text);
  const FamilyFigures figures = figures_of(store, "default");
  // 2 GiB are read for a million keys into level 1, 0.5 and 0.67 in deeper levels.
  REQUIRE(static_cast<double>(figures.flushes.entries) == Approx(500e6).epsilon(0.001));
  REQUIRE(policy_spec(store, figures).spec.find("size_ratio=4,") != std::string::npos);
  // A score of 0.1 may be anything from 0.05 to 0.15, and is not asked.
  std::string vague = text;
  vague.replace(vague.find(" 1.0    100.0    50.0     50.0    100.0   50.0      50.0"), 4, " 0.1");
  vague.replace(vague.find(" 0.5    100.0"), 4, " 0.1");
  REQUIRE(policy_spec(store_of(vague), figures_of(store_of(vague), "default"))
              .spec.find("size_ratio=10,") != std::string::npos);
}

TEST_CASE("Without a row of level 1 the base level is deeper, so levels are dynamic") {
  std::string text = kTable;
  const std::size_t row = text.find("  L1 ");
  text.erase(row, text.find("  L2 ") - row);
  const Store store = store_of(text);
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(policy_spec(store, figures).spec.find(",dynamic_levels=true,") != std::string::npos);
  // The row before is that of level 0.
  REQUIRE(figures.levels[0].read_bytes == gibibytes(0.5) + gibibytes(0.5));
}

// Of a db_bench with 1 MiB memtables and a first level of 16 MiB, whose files are all in a merge.
TEST_CASE(
    "Speeds and durations tell small figures that a table rounds, and a score the base level") {
  const std::string text =
      kHead +
      "  L0     20/12  40.40 MB   2.0      0.0     0.0      0.0       0.2      0.2       0.0   1.0 "
      "     0.0     32.6      6.81              1.68       110    0.062   1900K      0\n"
      "  L1     10/10  47.10 MB   0.0      0.4     0.2      0.3       0.4      0.1       0.0   2.2 "
      "    42.1     37.6     10.73              4.09        14    0.766   3800K    90K\n"
      "  L2     18/0   65.56 MB   0.4      0.1     0.1      0.0       0.1      0.0       0.0   1.4 "
      "    44.9     36.1      2.34              0.74        12    0.195    900K    60K\n";
  const Store store = store_of(text);
  const FamilyFigures figures = figures_of(store, "default");
  const auto mebibytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1048576; };
  REQUIRE(mebibytes(figures.levels[0].written_bytes) == Approx(32.6 * 6.81).epsilon(1e-6));
  REQUIRE(mebibytes(figures.levels[1].written_bytes) == Approx(37.6 * 10.73).epsilon(1e-6));
  REQUIRE(mebibytes(figures.levels[2].written_bytes) == Approx(36.1 * 2.34).epsilon(1e-6));
  REQUIRE(mebibytes(figures.merge_read_bytes) == Approx(42.1 * 10.73 + 44.9 * 2.34).epsilon(1e-6));
  REQUIRE(*figures.write_amplification() == Approx(3.197).epsilon(0.001));
  // 65.56 MiB over 0.34 to 0.46 is 143 to 193 MiB: a tenth of that holds 16 MiB.
  REQUIRE(policy_spec(store, figures).spec.find(",level_base=16MiB,") != std::string::npos);
  // The duration of another column's speed says nothing.
  std::string wrong = text;
  wrong.replace(wrong.find("37.6"), 4, "87.6");
  REQUIRE(figures_of(store_of(wrong), "default").levels[1].written_bytes == gibibytes(0.4));
}

TEST_CASE("What is no number in a table counts nothing") {
  for (const std::string word : {" inf ", " nan "}) {
    std::string text = kTable;
    text.replace(text.find(" 3.0 ", text.find("  L1 ")), word.size(), word);
    const FamilyFigures figures = figures_of(store_of(text), "default");
    REQUIRE(figures.merge_read_bytes == gibibytes(0.5 + 2));
    REQUIRE(figures.merge_input_entries == 56'000'500);
  }
}

TEST_CASE("A table without flushes, or cut anywhere, is read without a crash") {
  const std::size_t rows = kTable.find("  L0 ");
  Store none;
  REQUIRE(add_store_file(none, "table.txt", kTable.substr(0, rows))
              .error()
              .message.find("no row of a level") != std::string::npos);
  for (std::size_t size = kHead.size(); size < kTable.size(); size += 7) {
    Store store;
    if (!add_store_file(store, "table.txt", kTable.substr(0, size))) {
      REQUIRE(size < rows + 40);
      continue;
    }
    const auto families = all_figures(store);
    REQUIRE(!report_text(store, families).empty());
    for (const FamilyFigures& figures : families)
      REQUIRE(!policy_spec(store, figures).spec.empty());
  }
}

// Of a db_bench 7.8.3 that ran "compact" on a store of another run, shortened.
TEST_CASE("A table of merges without a flush tells the merges") {
  const std::string rows =
      "  L0      0/0    0.00 KB   0.0      0.0     0.0      0.0       0.0      0.0       0.0   1.0 "
      " "
      "0.0     13.1      0.02              0.00         1    0.019       0      0\n"
      "  L1      1/0    7.76 MB   0.0      0.0     0.0      0.0       0.0      0.0       0.0   0.6 "
      " "
      "52.6     32.4      0.24              0.10         1    0.239    193K    66K\n"
      " Sum      1/0    7.76 MB   0.0      0.0     0.0      0.0       0.0      0.0       0.0  32.2 "
      " "
      "48.7     31.0      0.26              0.10         2    0.129    193K    66K\n"
      "Flush(GB): cumulative 0.000, interval 0.000\n";
  const Store store = store_of(kHead + rows);
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.source == HistorySource::kStatistics);
  REQUIRE(figures.merges == 1);
  REQUIRE(figures.flushes.flushes == 0);
  // 32.4 MiB/s for one job of 0.239 s.
  REQUIRE(static_cast<double>(figures.merge_written_bytes) / 1048576 ==
          Approx(7.7436).epsilon(1e-4));
  REQUIRE_FALSE(figures.write_amplification().has_value());
  const std::string report = report_text(store, {figures});
  REQUIRE(report.find("compactions: 1, 7.74 MiB written, 12.57 MiB read") != std::string::npos);
  REQUIRE(report.find("less than the table's digits show") != std::string::npos);
  REQUIRE(report.find("W-Amp 32.2") != std::string::npos);
  REQUIRE(store_workload(figures).has_error());
  REQUIRE(policy_spec(store, figures).spec.find(",buffer=64MiB,") != std::string::npos);
  // The table of a store that was only opened tells nothing.
  std::string opened = rows;
  opened.replace(opened.find("52.6     32.4      0.24"), 23, "0.0 0.0 0.0");
  REQUIRE(figures_of(store_of(kHead + opened), "default").source == HistorySource::kNone);
}

// Of a public report of 2019 (RocksDB 5), without the levels that only hold bytes.
TEST_CASE("Whole seconds of old tables give way to the jobs times their mean") {
  const std::string head =
      "** Compaction Stats [col2] **\n"
      "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) "
      "W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop\n";
  const std::string level0 =
      "  L0      1/0   703.06 KB   0.5      0.0     0.0      0.0       0.0      0.0       0.0   "
      "1.0 "
      "     0.0     15.4         1        23    0.053       0      0\n";
  const std::string rows =
      "  L2      1/0    6.30 MB   0.4      0.1     0.0      0.1       0.1      0.0       0.0   4.9 "
      " "
      "   51.5     51.4         2        11    0.157    5121      0\n"
      "  L3      1/0   46.02 MB   0.7      0.0     0.0      0.0       0.0      0.0       0.0   3.0 "
      " "
      "   92.8     92.8         0         1    0.496    3187      0\n";
  const FamilyFigures figures = figures_of(store_of(head + level0 + rows), "col2");
  constexpr double kMebibyte = 1048576;
  REQUIRE(static_cast<double>(figures.flushes.bytes) == Approx(18.77 * kMebibyte).epsilon(0.001));
  REQUIRE(static_cast<double>(figures.levels[2].written_bytes) ==
          Approx(88.77 * kMebibyte).epsilon(0.001));
  REQUIRE(static_cast<double>(figures.levels[3].written_bytes) ==
          Approx(46.03 * kMebibyte).epsilon(0.001));
  REQUIRE(*figures.write_amplification() == Approx(8.18).epsilon(0.001));
  REQUIRE(figures.flush_speed.micros == 1'219'000);
  // A mean that contradicts the sum, or none, leaves the sum with what its digits leave open.
  std::string other = level0;
  other.replace(other.find("0.053"), 5, "0.093");
  const Store store = store_of(head + other);
  const JobSeconds seconds = store.logs.front().log.statistics.at("col2").rows.front().seconds;
  REQUIRE(seconds.value == 1);
  REQUIRE(seconds.error == 0.5);
}

}  // namespace
}  // namespace lsmlab::stores::statistics_figures_test
