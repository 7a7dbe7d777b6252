// Tables of compaction statistics as public reports have them: of old versions, of LevelDB and
// goleveldb, quoted, with a log's time on each line.
#include <algorithm>

#include "testing/catch.h"
#include "testing/old_statistics.h"
#include "traces/stores/level_scores.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/statistics_figures.h"
#include "traces/stores/store_report.h"
#include "traces/stores/store_workload.h"

namespace lsmlab::stores::pasted_tables_test {
namespace {

Store store_of(const std::string& text) {
  Store store;
  REQUIRE(add_store_file(store, "table.txt", text).has_value());
  return store;
}

std::uint64_t mebibytes(double number) { return static_cast<std::uint64_t>(number * 1024 * 1024); }
std::uint64_t gibibytes(double number) {
  return static_cast<std::uint64_t>(number * 1024 * 1024 * 1024 + 0.5);
}

// `text` with `head` before each line and `tail` behind it.
std::string wrapped(const std::string& text, const std::string& head, const std::string& tail) {
  std::string result = head;
  for (const char letter : text) {
    if (letter == '\n') result += tail;
    result += letter;
    if (letter == '\n') result += head;
  }
  return result.substr(0, result.size() - head.size());
}

void check_old_table(const std::string& text) {
  const FamilyFigures figures = figures_of(store_of(text), "default");
  REQUIRE(figures.levels.size() == 2);
  REQUIRE(figures.levels[0].bytes == mebibytes(0.94));
  REQUIRE(figures.levels[1].bytes == mebibytes(200.02));
  REQUIRE(figures.levels[1].score == 0.8);
  REQUIRE(figures.levels[1].written_bytes == gibibytes(168.6));
  REQUIRE(figures.flushes.flushes == 8360);
  REQUIRE(figures.flushes.bytes == gibibytes(18.273));
  REQUIRE(figures.merges == 483);
  // "4807M" is from 4,807 to 4,808 million.
  REQUIRE(figures.merge_input_entries == 4'807'500'000);
}

TEST_CASE("A table whose heading has the unit of sizes is read in its own columns") {
  check_old_table(testing::kOldStatistics);
  std::string older = testing::kOldStatistics;
  older.replace(older.find("Write(GB)"), 9, "Write(BG)");
  older.replace(older.find("KeyIn KeyDrop"), 13, "RecordIn RecordDrop");
  check_old_table(older);
  // RocksDB 5.0 to 5.3 closed units with braces.
  std::string braces = testing::kOldStatistics;
  const std::size_t heading = braces.find("Size(MB)");
  std::replace(braces.begin() + static_cast<std::ptrdiff_t>(heading),
               braces.begin() + static_cast<std::ptrdiff_t>(braces.find('\n', heading)), ')', '}');
  check_old_table(braces);
}

TEST_CASE("A table is read however it was pasted") {
  check_old_table(wrapped(testing::kOldStatistics, "> ", ""));
  check_old_table(wrapped(testing::kOldStatistics, "| ", " |"));
  check_old_table(wrapped(testing::kOldStatistics, "    \"\": \"", "\","));
  check_old_table(wrapped(testing::kOldStatistics, "2017/11/23-10:00:00.123456 7f00 ", "\r"));
  std::string spaces;
  for (const char letter : testing::kOldStatistics)
    spaces += letter == ' ' ? "&nbsp;" : std::string(1, letter);
  check_old_table(spaces);
}

// Of a public comparison of stores, which its author wrote from a table of Speedb.
const std::string kDrawnTable =
    "| Level | Files | Size | Score | Reads | Writes | W-Amp | Count | Avg Duration |\n"
    "|-------|-------|------|-------|--------|--------|-------|-------|--------------|\n"
    "| L0 | 4/0 | 108 KB | 0.5 | 0.0 GB | 3.1 GB | 1.0 | 164 | 0.234s |\n"
    "| L1 | 10/0 | 1.20 GB | 1.0 | 22.2 GB | 22.1 GB | 7.2 | 20 | 12.597s |\n"
    "| L2 | 14/0 | 1.20 GB | 0.1 | 1.8 GB | 512 MB | 0.7 | 14 | 1.559s |\n"
    "| **Sum** | 28/0 | 2.39 GB | - | **24.0 GB** | **26.4 GB** | **8.5** | **198** | 1.576s |\n";

// `text` in one string of JSON.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) result += letter == '\n' ? "\\n" : std::string(1, letter);
  return result;
}

TEST_CASE("A whole table is read from one string of JSON or of a console") {
  check_old_table("{\"rocksdb.stats\": \"" + escaped(testing::kOldStatistics) + "\"}\n");
  check_old_table("{\n  \"jsonrpc\": \"2.0\",\n  \"result\": \"" +
                  escaped(testing::kOldStatistics) + "\"\n}\n");
  const std::string of_goleveldb =
      "Compactions\n"
      " Level |   Tables   |    Size(MB)   |    Time(sec)  |    Read(MB)   |   Write(MB)\n"
      "-------+------------+---------------+---------------+---------------+---------------\n"
      "   0   |          1 |       3.36916 |       0.16406 |       0.00000 |      13.38125\n"
      "   1   |          5 |       8.87396 |       0.17261 |      15.90825 |      14.77012\n";
  // Of a console of geth, of its answer as JSON, and of a comment in its source.
  for (const std::string& text :
       {"> debug.chaindbProperty(\"leveldb.stats\")\n\"" + escaped(of_goleveldb) + "\"\n",
        "{\n  \"id\": 1,\n  \"result\":\n  \"" + escaped(of_goleveldb) + "\"\n}\n",
        wrapped(of_goleveldb, "//   ", "")}) {
    const Store store = store_of(text);
    INFO(text);
    REQUIRE(store.system == StoreSystem::kLeveldb);
    const FamilyFigures figures = figures_of(store, "default");
    REQUIRE(figures.levels.size() == 2);
    REQUIRE(figures.levels[1].files == 5);
    REQUIRE(static_cast<double>(figures.levels[1].written_bytes) == Approx(14.77012 * 1048576));
  }
}

TEST_CASE("A drawn table is read by its bars, though cells have units") {
  const Store store = store_of(kDrawnTable);
  REQUIRE(store.faults.empty());
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.levels.size() == 3);
  REQUIRE(figures.levels[1].bytes == mebibytes(1.2 * 1024));
  REQUIRE(figures.levels[1].written_bytes == gibibytes(22.1));
  REQUIRE(figures.levels[2].written_bytes == gibibytes(0.5));
  REQUIRE(figures.flushes.flushes == 164);
  REQUIRE(figures.merges == 34);
  const StatisticsRow& sum = store.logs.front().log.statistics.at("default").rows.back();
  REQUIRE(sum.level == "Sum");
  REQUIRE(sum.columns.at("W-Amp") == 8.5);
  REQUIRE_FALSE(sum.columns.contains("Score"));
  // "26.4" without a unit may be a number of writes.
  std::string counts = kDrawnTable;
  counts.replace(counts.find("**26.4 GB**"), 11, "26.4");
  const Store other = store_of(counts);
  REQUIRE_FALSE(
      other.logs.front().log.statistics.at("default").rows.back().columns.contains("Write(GB)"));
  REQUIRE(report_text(store, {figures})
              .find("read 22.2 GiB  written 22.1 GiB  moved - GiB  W-Amp 7.2") !=
          std::string::npos);
}

TEST_CASE("A row that does not fit its heading is left out with a fault, not read shifted") {
  std::string text = kDrawnTable;
  std::replace(text.begin(), text.end(), '|', ' ');
  Store store;
  const auto none = add_store_file(store, "table.txt", text);
  REQUIRE(none.error().message.find("no row of a level below it") != std::string::npos);
  REQUIRE(none.error().message.find(
              "row L0 of a table of statistics does not fit its 10 headings") != std::string::npos);
  // One word too many.
  std::string one = testing::kOldStatistics;
  one.replace(one.find("  L1      7/0"), 13, "  L1      7/0 7");
  const Store rest = store_of(one);
  REQUIRE(rest.faults.size() == 1);
  const StatisticsTable& table = rest.logs.front().log.statistics.at("default");
  REQUIRE(table.rows.size() == 2);
  REQUIRE(figures_of(rest, "default").lacks_rows);
  REQUIRE(figures_of(rest, "default").merges == 483);  // the row Sum minus that of level 0
  REQUIRE(read_rocksdb_log("2017/11/23-10:00:00.123456 7f00 RocksDB version: 5.8.0\n" + one)
              .fault.has_value());
}

TEST_CASE("A log whose lines all have a time has tables, too, and messages between them") {
  const std::string time = "2017/11/23-10:00:00.123456 7f00 ";
  const std::string log = time + "RocksDB version: 5.8.0\n" +
                          wrapped(testing::kOldStatistics, time, "") + time +
                          "[default] [JOB 3] Level-0 flush table #7: 10 bytes OK\n";
  const Store store = store_of(log);
  REQUIRE(store.logs.front().log.statistics.at("default").rows.size() == 3);
  REQUIRE(store.version == "5.8.0");
}

TEST_CASE("The property leveldb.stats tells the tree and what each level wrote") {
  const std::string table =
      "                               Compactions\n"
      "Level  Files Size(MB) Time(sec) Read(MB) Write(MB)\n"
      "--------------------------------------------------\n"
      "  0        1        2         3        0      1085\n"
      "  1        5       10        44     3120      2950\n"
      "  2       54       99        41     2740      2610\n";
  const std::string of_goleveldb =
      "Compactions\n"
      " Level |   Tables   |    Size(MB)   |    Time(sec)  |    Read(MB)   |   Write(MB)\n"
      "-------+------------+---------------+---------------+---------------+---------------\n"
      "   0   |          1 |       2.00000 |       3.00000 |       0.00000 |    1085.00000\n"
      "   1   |          5 |      10.00000 |      44.00000 |    3120.00000 |    2950.00000\n"
      "   2   |         54 |      99.00000 |      41.00000 |    2740.00000 |    2610.00000\n";
  for (const std::string& text : {table, of_goleveldb}) {
    const Store store = store_of(text);
    REQUIRE(store.system == StoreSystem::kLeveldb);
    const FamilyFigures figures = figures_of(store, "default");
    REQUIRE(figures.levels.size() == 3);
    REQUIRE(figures.levels[2].files == 54);
    REQUIRE(figures.levels[2].bytes == mebibytes(99));
    REQUIRE(figures.levels[1].written_bytes == mebibytes(2950));
    REQUIRE(figures.merge_read_bytes == mebibytes(3120 + 2740));
    REQUIRE(*figures.write_amplification() == Approx((1085.0 + 2950 + 2610) / 1085));
    const std::string report = report_text(store, all_figures(store));
    REQUIRE(report.find("the table does not say how many") != std::string::npos);
    // It has no column of moves.
    REQUIRE(report.find("compactions: 5.43 GiB written, 5.72 GiB read\n") != std::string::npos);
    REQUIRE_FALSE(figures.moves_are_known);
    REQUIRE(report.find("2.55 GiB           -           -  -\n") != std::string::npos);
    REQUIRE(store_workload(figures).has_error());
    // The files of level 0 are flushed memtables, and goleveldb flushes nowhere else.
    const std::string spec = policy_spec(store, figures).spec;
    REQUIRE(spec.find(",buffer=2MiB,") != std::string::npos);
    REQUIRE(spec.ends_with(",flush_level_max=0") == (text == of_goleveldb));
  }
}

const std::string kHead =
    "** Compaction Stats [default] **\n"
    "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp "
    "Rd(MB/s) Wr(MB/s) Comp(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop Rblob(GB) Wblob(GB)\n";

// The base of dynamic levels has max_bytes_for_level_base as its target, and the levels below it
// grow by the ratio.
TEST_CASE("The base of dynamic levels tells level_base, and the levels below it the size ratio") {
  const std::string rows =
      "  L0      2/0   20.00 MB   0.5  0.0  0.0  0.0  9.0  9.0  0.0  1.0  0.0  0.0  0  900  0.0  "
      "50M  0  0.0  0.0\n"
      "  L3     13/0  512.00 MB   1.0  9.0  4.0  5.0  9.0  4.0  0.0  1.0  0.0  0.0  0   90  0.0  "
      "90M  1M  0.0  0.0\n"
      "  L4     27/0    1.20 GB   1.0  9.0  4.0  5.0  9.0  4.0  0.0  1.0  0.0  0.0  0   90  0.0  "
      "90M  1M  0.0  0.0\n"
      "  L5    253/0   12.00 GB   1.0  9.0  4.0  5.0  9.0  4.0  0.0  1.0  0.0  0.0  0   90  0.0  "
      "90M  1M  0.0  0.0\n";
  FamilyFigures figures = figures_of(store_of(kHead + rows), "default");
  REQUIRE_FALSE(ratio_of_scores(figures).has_value());  // 10, as by default
  REQUIRE(base_of_scores(figures, 10)->bytes == mebibytes(512));
  figures.levels[5].bytes = gibibytes(4.8);
  REQUIRE(ratio_of_scores(figures)->ratio == 4);
  REQUIRE(ratio_of_scores(figures)->first == 4);
  const PolicySpec policy = policy_spec(store_of(kHead + rows), figures);
  REQUIRE(policy.spec.find(",level_base=512MiB,") != std::string::npos);
  REQUIRE(policy.spec.find(",dynamic_levels=true,") != std::string::npos);
}

TEST_CASE(
    "The columns of a table bound the version whose rules count, and its files tell their size") {
  const std::string row =
      "  L0      2/0   20.00 MB   0.5  0.0  0.0  0.0  9.0  9.0  0.0  1.0  0.0  0.0  0  900  0.0  "
      "50M  0\n"
      "  L1     40/0   240.00 MB   0.9  9.0  4.0  5.0  9.0  4.0  0.0  1.0  0.0  0.0  0   90  0.0  "
      "90M  1M\n";
  const auto spec_of = [](const std::string& head, const std::string& rows) {
    const Store store = store_of(head + rows);
    return policy_spec(store, figures_of(store, "default")).spec;
  };
  const auto has = [](const std::string& spec, const char* text) {
    return spec.find(text) != std::string::npos;
  };
  // No CompMergeCPU(sec): older than 6.0.
  const std::string old_head = kHead.substr(0, kHead.find(" Rblob")) + "\n";
  const std::string old = spec_of(old_head, row);
  REQUIRE(has(old, ",priority=by-compensated-size,"));
  REQUIRE(has(old, ",dynamic_file_size=false,"));
  REQUIRE(has(old, ",version=6.12,"));
  REQUIRE(has(old, ",file_size=6MiB,"));
  std::string few = row;
  few.replace(few.find("40/0"), 4, " 4/0");
  const std::string today = spec_of(kHead, few);
  REQUIRE(has(today, ",priority=min-overlapping-ratio,"));
  REQUIRE(has(today, ",dynamic_file_size=true,"));
  REQUIRE_FALSE(has(today, "version="));
  REQUIRE(has(today, ",file_size=64MiB,"));
}

// Of a public report of RocksDB 8: levels 3 and 5 have ten times their bytes over the sum of their
// target and what is due to come down to them.
TEST_CASE("Scores above 1 of dynamic levels tell no size ratio") {
  const std::string rows =
      "L0 3/2 120.67 MB 0.2 54.4 0.0 54.4 159.4 105.0 0.0 1.5 105.8 310.0 526.54 7921 0.066 135M "
      "2399 0.0 0.0\n"
      "L2 10/10 147.66 MB 0.0 310.0 104.9 205.1 309.9 104.8 0.0 3.0 308.1 308.0 1030.45 877 1.175 "
      "774M 46K 0.0 0.0\n"
      "L3 31/5 482.55 MB 9.5 120.5 63.7 56.8 120.5 63.7 41.0 1.9 300.9 300.8 410.08 3112 0.132 "
      "301M 24K 0.0 0.0\n"
      "L4 134/18 1.75 GB 0.9 419.7 104.4 315.3 373.1 57.8 0.0 3.6 118.2 105.1 3634.21 6691 0.543 "
      "1680M 479K 0.0 0.0\n"
      "L5 1032/3 13.79 GB 9.7 321.3 57.6 263.6 320.3 56.7 0.0 5.6 105.6 105.3 3115.45 4028 0.773 "
      "1448M 3841K 0.0 0.0\n"
      "L6 8261/18 109.61 GB 1.0 293.9 54.6 239.3 288.1 48.9 1.5 5.3 104.9 102.9 2868.43 3785 0.758 "
      "1326M 25M 0.0 0.0\n";
  const Store store = store_of(kHead + rows);
  FamilyFigures figures = figures_of(store, "default");
  REQUIRE(ratio_of_scores(figures)->ratio == 8);
  REQUIRE(ratio_of_scores(figures)->first == 4);
  REQUIRE(ratio_of_scores(figures)->last == 6);
  // One level alone tells none, so the default is taken.
  figures.levels[4].score = 9.9;
  REQUIRE_FALSE(ratio_of_scores(figures).has_value());
  REQUIRE(policy_spec(store, figures).spec.find("size_ratio=10,") != std::string::npos);
  // Nor does a base above its target tell it.
  figures.levels[2].busy_files = 0;
  figures.levels[2].score = 1.5;
  REQUIRE_FALSE(base_of_scores(figures, 10).has_value());
}

// Of db_bench runs of RocksDB 11.2 with the default ratio, and with level_base as named. The bytes
// of busy files are not known: taken as a share of the bytes, they gave ratio 8 and 375 MiB.
TEST_CASE("With many busy files, scores exclude few size ratios and bases") {
  const std::string level0 =
      "L0 10/8 623.40 MB 0.5 83.9 0.0 83.9 185.0 101.0 0.0 1.8 5.6 12.4 15257.21 1952 7.816 188M "
      "103K 0.0 0.0\n";
  const auto figures_with = [&](const std::string& rows) {
    return figures_of(store_of(kHead + level0 + rows), "default");
  };
  const FamilyFigures of_default = figures_with(
      "L1 22/13 1012.12 MB 1.7 122.6 100.4 22.2 121.9 99.7 0.0 1.2 80.6 80.1 1558.17 99 15.739 "
      "124M 701K 0.0 0.0\n"
      "L2 66/32 3.41 GB 0.6 288.3 89.4 198.8 286.0 87.2 9.3 3.2 9.9 9.8 29891.26 1705 17.532 293M "
      "2302K 0.0 0.0\n"
      "L3 410/25 25.75 GB 1.0 388.5 84.3 304.2 371.5 67.3 8.8 4.4 8.3 7.9 48205.43 1507 31.988 "
      "395M 17M 0.0 0.0\n");
  REQUIRE_FALSE(ratio_of_scores(of_default).has_value());
  REQUIRE_FALSE(base_of_scores(of_default, 10).has_value());
  const FamilyFigures of_4gib = figures_with(
      "L1 117/11 7.10 GB 1.6 286.2 98.2 188.0 279.8 91.7 0.0 2.9 230.5 225.3 1271.56 45 28.257 "
      "291M 6482K 0.0 0.0\n"
      "L2 760/38 41.81 GB 1.0 233.0 71.2 161.8 213.0 51.2 13.5 3.0 12.6 11.5 18951.21 1152 16.451 "
      "237M 20M 0.0 0.0\n");
  REQUIRE_FALSE(ratio_of_scores(of_4gib).has_value());
  REQUIRE(base_of_scores(of_4gib, 10)->bytes == gibibytes(4));
  // What no busy files leave open stays as near as the score's digit.
  FamilyFigures idle = of_default;
  for (LevelFigures& level : idle.levels) level.busy_files = 0;
  REQUIRE(ratio_of_scores(idle)->ratio == 7);
  REQUIRE(base_of_scores(idle, 7)->bytes > mebibytes(512));
}

TEST_CASE("A table without its row of level 0 tells nothing of flushes") {
  const std::string rows =
      "  L1      3/0   192.85 MB   0.8      2.1     1.3      0.7       2.1      1.3       0.0   "
      "1.5 "
      "    18.0     17.9    118.05         1  118.051   5788K    46K       0.0       0.0\n";
  const Store store = store_of(kHead + rows);
  const std::string report = report_text(store, all_figures(store));
  REQUIRE(report.find("flushes: unknown; the table has no row of level 0") != std::string::npos);
  REQUIRE(report.find("compactions: unknown in total") != std::string::npos);
}

TEST_CASE("What went into blob files is told apart") {
  const std::string rows =
      "  L0      7/5   43.93 MB   0.5  0.0  0.0  0.0  0.5  0.5  0.0  1.0  0.0  0.0  0  109  0.0  "
      "22M  0  0.0  11.2\n";
  const Store store = store_of(kHead + rows);
  REQUIRE(figures_of(store, "default").blob_written_bytes == gibibytes(11.2));
  REQUIRE(report_text(store, all_figures(store)).find("11.20 GiB more were written into blob") !=
          std::string::npos);
}

TEST_CASE("Where files only move, keys came in order") {
  const std::string rows =
      "  L0      2/0   20.00 MB   0.5  0.0  0.0  0.0  9.0  9.0  0.0  1.0  0.0  0.0  0  900  0.0  "
      "50M  0  0.0  0.0\n"
      "  L1     13/0    9.00 GB   0.0  0.0  0.0  0.0  0.0  0.0  9.0  0.0  0.0  0.0  0    0  0.0  "
      "0  0  0.0  0.0\n";
  const StoreWorkload workload =
      store_workload(figures_of(store_of(kHead + rows), "default")).value();
  REQUIRE(workload.inserts_rise);
  REQUIRE(workload.spec.find("insert_distribution=sequential") != std::string::npos);
  // With merges into level 1 they did not.
  std::string merged = rows;
  merged.replace(merged.find("0.0  0.0  0.0  0.0  0.0  0.0  9.0"), 33,
                 "0.0  9.0  4.0  5.0  9.0  4.0  9.0");
  REQUIRE_FALSE(
      store_workload(figures_of(store_of(kHead + merged), "default")).value().inserts_rise);
}

// Of a public report of MyRocks: an index was built in order, and few entries met an
// older version.
TEST_CASE("Where nearly all bytes move, keys came in order, though some merges dropped entries") {
  const std::string rows =
      "L0 3/0 30.16 MB 1.0 0.0 0.0 0.0 11.9 11.9 0.0 1.0 0.0 76.6 159 632 0.251 0 0\n"
      "L1 5/0 247.54 MB 1.0 0.7 0.2 0.5 0.5 0.0 11.6 2.6 58.5 44.1 12 4 2.926 30M 10M\n"
      "L2 112/0 2.41 GB 1.0 0.6 0.0 0.6 0.5 -0.1 11.4 43.4 55.2 45.9 11 1 10.827 21M 3588K\n"
      "L3 466/0 8.91 GB 0.4 0.0 0.0 0.0 0.0 0.0 8.9 0.0 0.0 0.0 0 0 0.000 0 0\n";
  const FamilyFigures figures = figures_of(store_of(kHead + rows), "default");
  const StoreWorkload workload = store_workload(figures).value();
  REQUIRE(workload.inserts_rise);
  REQUIRE(workload.update_fraction == 0);
  REQUIRE(workload.spec.find("update_fraction") == std::string::npos);
  // Files that the user made are linked into levels as if they had moved.
  FamilyFigures ingested = figures;
  ingested.ingested_files = 500;
  ingested.ingested_bytes = gibibytes(30);
  REQUIRE_FALSE(store_workload(ingested).value().inserts_rise);
  // Of a random load, each level's first bytes move down, too.
  FamilyFigures random = figures;
  random.merge_read_bytes = gibibytes(11.6);
  REQUIRE_FALSE(store_workload(random).value().inserts_rise);
}

// Of a db_bench 7.8.3: 8 million values of 100 bytes for 300,000 keys, with memtables of 8 MiB.
const std::string kOverwritten =
    "** Compaction Stats [default] **\n"
    "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp "
    "Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop\n"
    "  L0      2/0   11.89 MB   0.5      0.0     0.0      0.0       0.8      0.8       0.0   1.0   "
    "   0.0     96.7      8.73              3.50       142    0.061       0      0\n"
    "  L1      4/0   29.96 MB   0.9      1.7     0.8      0.9       1.0      0.2       0.0   1.3   "
    " 121.0     74.8     14.22              6.27        35    0.406     14M  5649K\n"
    "  L2      7/0   34.87 MB   0.1      0.2     0.1      0.1       0.1      0.0       0.0   1.0   "
    " 131.9     66.7      1.69              0.62        15    0.113   1915K   947K\n"
    "Uptime(secs): 33.4 total, 30.4 interval\n"
    "Flush(GB): cumulative 0.824, interval 0.725\n"
    "** DB Stats **\n"
    "Uptime(secs): 33.4 total, 30.4 interval\n"
    "Cumulative writes: 0 writes, 8000K keys, 0 commit groups, 0.0 writes per commit group, "
    "ingest: "
    "0.98 GB, 29.92 MB/s\n";

TEST_CASE(
    "Counts that RocksDB printed whole are taken as they are, and rounding is no overwriting") {
  const std::string head =
      "** Compaction Stats [default] **\n"
      "Level Files Size(MB) Score Read(GB) Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp "
      "Rd(MB/s) Wr(MB/s) Comp(sec) Comp(cnt) Avg(sec) RecordIn RecordDrop\n";
  const std::string exact =
      "L0 1/0 10 0.2 0.0 0.0 0.0 0.7 0.7 0.0 1.0 0.0 0.0 0 70 0.1 0 0\n"
      "L1 4/0 90 0.9 2.2 0.7 1.5 2.2 0.7 0.0 3.1 0.0 0.0 0 20 0.1 10000000 0\n"
      "Flush(GB): cumulative 0.700, interval 0.0\n";
  const FamilyFigures whole = figures_of(store_of(head + exact), "default");
  REQUIRE(whole.merge_input_entries == 10'000'000);
  REQUIRE(static_cast<double>(whole.flushes.entries) == Approx(0.7 / 2.2 * 1e7).epsilon(1e-6));
  // Level 0's row says 0.45 to 0.55 GiB, so five million may all have been flushed.
  const std::string vague =
      "L0 1/0 10 0.2 0.0 0.0 0.0 0.5 0.5 0.0 1.0 0.0 0.0 0 70 0.1 5000K 0\n"
      "L1 4/0 90 0.9 1.1 0.5 0.6 1.1 0.5 0.0 2.2 0.0 0.0 0 20 0.1 9999K 0\n";
  const FamilyFigures rounded = figures_of(store_of(head + vague), "default");
  REQUIRE(rounded.flushes.entries == rounded.flushes.memtable_entries);
  REQUIRE(rounded.flushes.entries == 5'000'500);
}

TEST_CASE("A table with the database's totals tells what memtables overwrote, and how many keys") {
  const Store store = store_of(kOverwritten);
  const FamilyFigures figures = figures_of(store, "default");
  // 0.824 GiB of entries of 122 bytes, as the row of level 2 says: 14M is from 14 to 15 million.
  REQUIRE(static_cast<double>(figures.flushes.entries) == Approx(7.25e6).epsilon(0.002));
  // The newest memtable was not flushed.
  REQUIRE(static_cast<double>(figures.flushes.memtable_entries) == Approx(7.97e6).epsilon(0.002));
  const StoreWorkload workload = store_workload(figures).value();
  REQUIRE(workload.is_whole_history);
  REQUIRE(static_cast<double>(workload.drawn_keys.value()) == Approx(300'000).epsilon(0.05));
  const std::string spec = policy_spec(store, figures).spec;
  const std::string buffer = spec.substr(spec.find(",buffer=") + 8);
  REQUIRE(std::stod(buffer) == Approx(8 << 20).epsilon(0.03));
  REQUIRE(report_text(store, {figures}).find(" that were written: memtables overwrote") !=
          std::string::npos);
  // Of several column families nobody knows whose keys the totals are.
  std::string two = kOverwritten;
  two.insert(0, testing::kOldStatistics);
  two.replace(0, 31, "** Compaction Stats [other] **\n ");
  const FamilyFigures one = figures_of(store_of(two), "default");
  REQUIRE(one.flushes.memtable_entries == one.flushes.entries);
}

}  // namespace
}  // namespace lsmlab::stores::pasted_tables_test
