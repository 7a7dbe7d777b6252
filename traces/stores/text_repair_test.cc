// Texts that copying changed.
#include "traces/stores/text_repair.h"

#include <functional>
#include <string>

#include "testing/catch.h"
#include "testing/traces/trace_testing.h"
#include "traces/stores/store_figures.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores::text_repair_test {
namespace {

using lsmlab::testing::Scratch;
using lsmlab::testing::write_text;

constexpr const char* kTables =
    "Total number of tables: 1\n----------------\nKeyspace : ks1\n\tRead Count: 12\n"
    "\t\tTable: events\n\t\tSSTable count: 17\n\t\tSpace used (live): 123456789\n";
constexpr const char* kPebble =
    "__level_____count____size___score______in__ingest(sz_cnt)____move(sz_cnt)___write(sz_cnt)____"
    "read___r-amp___w-amp\n"
    "    WAL         1    53 M       -    32 G       -       -       -       -    33 G       -     "
    "  "
    "-       -     1.0\n"
    "      0        13    22 M    3.14    33 G    39 M       3     0 B       0   4.4 G   2.6 K     "
    "0 "
    "B       3     0.1\n"
    "      1         0     0 B    0.00     0 B     0 B       0     0 B       0     0 B       0     "
    "0 "
    "B       0     0.0\n"
    "      2         0     0 B    0.00     0 B     0 B       0     0 B       0     0 B       0     "
    "0 "
    "B       0     0.0\n"
    "      3         0     0 B    0.00     0 B     0 B       0     0 B       0     0 B       0     "
    "0 "
    "B       0     0.0\n"
    "      4         0     0 B    0.00     0 B     0 B       0     0 B       0     0 B       0     "
    "0 "
    "B       0     0.0\n"
    "      5         0     0 B    0.00     0 B     0 B       0     0 B       0     0 B       0     "
    "0 "
    "B       0     0.0\n"
    "      6      5438   280 G       -   6.7 G     0 B       0     0 B       0    40 G     701    "
    "42 "
    "G       1     5.9\n"
    "  total      5451   280 G       -    33 G    65 M      12   1.4 G     286    44 G    39 K    "
    "42 "
    "G       4     1.3\n";

using Dress = std::function<std::string(int number, const std::string& line)>;
std::string dressed(std::string_view text, const Dress& dress) {
  std::string result;
  Lines lines(text);
  while (const auto line = lines.next()) {
    result += dress(static_cast<int>(lines.number()), std::string(*line)) + '\n';
  }
  return result;
}

const Dress kDresses[] = {
    [](int, const std::string& line) { return "db_1  | " + line; },
    [](int n, const std::string& line) { return std::to_string(n + 7) + '\t' + line; },
    [](int n, const std::string& line) { return "out.txt:" + std::to_string(n + 7) + ':' + line; },
    [](int n, const std::string& line) {
      return "2023-04-01T10:00:" + std::to_string(n + 10) + ".123Z stdout F " + line;
    },
    [](int, const std::string& line) { return "// " + line; },
    [](int, const std::string& line) { return "| " + line + " |"; },
    [](int, const std::string& line) { return '"' + line + "\\n\""; },
    [](int, const std::string& line) { return "\x1b[32m" + line + "\x1b[0m"; }};

TEST_CASE("what all lines begin with is no part of a text") {
  for (std::size_t i = 0; i < std::size(kDresses); ++i) {
    CAPTURE(i);
    Store tables;
    REQUIRE(add_store_file(tables, "text", dressed(kTables, kDresses[i])));
    REQUIRE(tables.nodetool_table("ks1.events")->live_bytes == 123'456'789);
    Store pebble;
    REQUIRE(add_store_file(pebble, "text", dressed(kPebble, kDresses[i])));
    REQUIRE(pebble.faults.empty());
    REQUIRE(pebble.metrics->has_sums);
    REQUIRE(pebble.metrics->levels[6].files == 5438);
  }
}

TEST_CASE("times of a log are no numbers of grep") {
  const std::string log =
      "2021/01/26-00:09:07.9 7f79 a\n2021/01/26-00:29:57.7 7f79 b\n2021/01/26-00:32:20.8 7f79 c\n";
  REQUIRE_FALSE(repaired_text(log));
  REQUIRE(repaired_text("a:9:x\na:10:y\na:11:z\n") == "x\ny\nz\n");
}

TEST_CASE("encodings, spaces and entities of pages are plain text again") {
  REQUIRE(repaired_text("a\u00a0b &quot;c&quot; =&gt; d") == "a b \"c\" => d");
  REQUIRE(repaired_text(std::string("\xFF\xFE"
                                    "a\0b\0",
                                    6)) == "ab");
  REQUIRE(repaired_text("WITH x = \u2018y\u2019") == "WITH x = 'y'");
  REQUIRE_FALSE(repaired_text("it's \u2018y\u2019"));
  REQUIRE_FALSE(repaired_text(std::string("\0&amp;", 6)));
  REQUIRE_FALSE(without_common_dress("one\ntwo\nthree\n"));
}

TEST_CASE("a log in one line, or with entities, loses no compaction") {
  const std::string log =
      "2023/02/11-06:35:33.000128 1402 Level-0 table #5: started\n"
      "2023/02/11-06:35:33.010128 1402 Level-0 table #5: 2113261 bytes OK\n"
      "2023/02/11-06:35:33.112128 1402 Compacting 4@0 + 1@1 files\n"
      "2023/02/11-06:35:33.113728 1402 Generated table #23@0: 1992 keys, 2113261 bytes\n"
      "2023/02/11-06:35:33.170096 1402 Compacted 4@0 + 1@1 files => 2113261 bytes\n";
  std::string one_line;
  std::string entities;
  for (const char letter : log) {
    one_line += letter == '\n' ? "\\n" : std::string(1, letter);
    entities += letter == '>' ? "&gt;" : std::string(1, letter);
  }
  const Scratch scratch;
  for (const std::string& text : {one_line, entities}) {
    write_text(scratch.path("log"), text);
    const FamilyFigures figures = figures_of(read_store(scratch.path("log")).value(), "default");
    REQUIRE(figures.flushes.bytes == 2'113'261);
    REQUIRE(figures.merge_written_bytes == 2'113'261);
  }
}

TEST_CASE("an indented table of statistics keeps the files that the user made") {
  const std::string table =
      "    ** Compaction Stats [default] **\n"
      "    Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) "
      "W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop\n"
      "      L0      3/0    1.77 MB   0.7      0.0     0.0      0.0       4.0      4.0       0.0   "
      "1.0      0.0     44.6      9.83        10    0.025       0      0\n"
      "     Sum      3/0    1.77 MB   0.0      0.0     0.0      0.0       4.0      4.0       0.0   "
      "1.0      0.0     44.6      9.83        10    0.025       0      0\n"
      "    Uptime(secs): 1854.6 total, 3.4 interval\n"
      "    Flush(GB): cumulative 2.500, interval 0.000\n";
  Store store;
  REQUIRE(add_store_file(store, "text", table));
  const StatisticsTable& read = store.logs[0].log.statistics.at("default");
  REQUIRE(read.flushed_gigabytes == 2.5);
  REQUIRE(read.uptime_seconds == 1854.6);
}

}  // namespace
}  // namespace lsmlab::stores::text_repair_test
