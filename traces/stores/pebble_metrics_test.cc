// Tables of Pebble's metrics in the forms that they had from 2019 to 2026.
#include "traces/stores/pebble_metrics.h"

#include <map>
#include <string>
#include <vector>

#include "testing/catch.h"
#include "testing/traces/sample_logs.h"
#include "traces/stores/store_figures.h"
#include "traces/stores/store_reading.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores::pebble_metrics_test {
namespace {

using lsmlab::testing::sample_pebble_split_tables;

// `line` once for each of the levels from `first` on, whose number takes the place of '#'.
std::string rows(std::size_t first, const std::string& line) {
  std::string text;
  for (std::size_t level = first; level < kPebbleLevels; ++level) {
    text += line;
    text.replace(text.rfind('#'), 1, std::to_string(level));
  }
  return text;
}

TEST_CASE("The older table of Pebble is read with and without its last columns") {
  const std::string head =
      "__level_____count____size___score______in__ingest(sz_cnt)____move(sz_cnt)___write(sz_cnt)___"
      "_"
      "read";
  const std::string log =
      "    WAL         1    28 M       -   1.4 G       -       -       -       - "
      "  1.5 G       -       -";
  const std::string level =
      "      #        20    62 M    0.97    85 M   1.1 M     859    80 M    25 K "
      "  1.9 G   634 K   1.8 G";
  const std::string total =
      "  total        20    62 M       -   1.4 G    12 M     859    80 M    25 K "
      "  1.9 G   634 K   1.8 G";
  const std::string flush = "  flush      4343\n";
  const std::vector<std::string> texts = {
      head + "___w-amp\n" + log + "     1.1\n" + rows(0, level + "    22.9\n") + total +
          "     3.1\n" + flush,
      head + "___r-amp___w-amp\n" + log + "       -     1.1\n" +
          rows(0, level + "       1    22.9\n") + total + "       5     3.1\n" + flush,
      head + "___r-amp___w-amp__val-bl\n" + log + "       -     1.1\n" +
          rows(0, level + "       1    22.9   4.5 M\n") + total + "       5     3.1   890 M\n" +
          flush};
  for (const std::string& text : texts) {
    REQUIRE(is_pebble_metrics(text));
    const auto read = read_pebble_metrics(text);
    INFO(text << (read.fault ? read.fault->message : ""));
    REQUIRE_FALSE(read.fault);
    REQUIRE(read.value.levels.size() == kPebbleLevels);
    REQUIRE(read.value.levels[2].read_bytes == 1'932'735'283);
    REQUIRE(read.value.levels[2].write_amplification == 22.9);
    REQUIRE(read.value.total_write_amplification == 3.1);
    REQUIRE(read.value.log_in_bytes == 1'503'238'554U);
    REQUIRE(read.value.flushes == 4343U);
  }
  std::string kinds = texts[1] +
                      "compact   1.2 K   1.7 K     0 B       0  (size == estimated-debt)\n"
                      "  ctype   1.1 K      12       0      55  (default, delete, elision, move)\n";
  const auto read = read_pebble_metrics(kinds);
  REQUIRE(read.value.compactions == 1200U);
  REQUIRE(read.value.kinds ==
          std::map<std::string, std::uint64_t>{{"default", 1100}, {"delete", 12}, {"move", 55}});
}

TEST_CASE("The older table of Pebble is read in a comment, and claims no sublevels without r-amp") {
  const std::string bare =
      "__level_____count____size___score______in__ingest(sz_cnt)____move(sz_cnt)___write(sz_cnt)___"
      "_"
      "read___w-amp\n"
      "    WAL         1    27 B       -    48 B       -       -       -       -   108 B       -   "
      "  "
      "  -     2.2\n" +
      rows(0,
           "      #         2   1.6 K    0.50    81 B   825 B       1     0 B       0   2.4 K    "
           "   3     0 B    30.6\n") +
      "  total         3   2.4 K       -   933 B   825 B       1     0 B       0   4.1 K       4   "
      "1.6 K     4.5\n";
  std::string comment;
  Lines lines(bare);
  while (const auto line = lines.next()) comment += "// " + std::string(*line) + "\n";
  for (const std::string& text : {bare, comment, "//\n" + comment + "//\nfunc f() {}\n"}) {
    INFO(text);
    REQUIRE(is_pebble_metrics(text));
    const auto read = read_pebble_metrics(text);
    REQUIRE_FALSE(read.fault);
    REQUIRE(read.value.levels.size() == kPebbleLevels);
    REQUIRE(read.value.levels[0].bytes == 1638);
    REQUIRE_FALSE(read.value.levels[0].sublevels);
    REQUIRE(read.value.total_write_amplification == 4.5);
  }
}

TEST_CASE("The tables of Pebble since 2025 are read, alone and in a log of CockroachDB") {
  const std::string tables = sample_pebble_split_tables();
  std::string log;
  Lines lines(tables);
  while (const auto line = lines.next()) {
    log += "I261130 11:09:46.079775 20815 3@kv/kvserver/store.go:2662 [T1,Vsystem,n1] 55 +" +
           std::string(*line) + "\n";
  }
  for (const std::string& text : {tables, log}) {
    REQUIRE(is_pebble_metrics(text));
    const auto read = read_pebble_metrics(text);
    REQUIRE_FALSE(read.fault);
    const PebbleMetrics& metrics = read.value;
    constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;
    REQUIRE(metrics.tables == 1);
    REQUIRE(metrics.levels.size() == kPebbleLevels);
    REQUIRE(metrics.levels[0].files == 101);
    REQUIRE(metrics.levels[0].bytes == std::uint64_t{98} << 20);
    REQUIRE(metrics.levels[0].sublevels == 7);
    REQUIRE(metrics.levels[0].written_bytes == kGibibyte * 5 / 2);
    REQUIRE(metrics.levels[1].bytes == 0);
    REQUIRE(metrics.levels[5].ingested_bytes == std::uint64_t{4} << 20);
    REQUIRE(metrics.levels[5].moved_bytes == std::uint64_t{606} << 20);
    REQUIRE(metrics.levels[5].fill_factor == 2.6);
    REQUIRE(metrics.levels[6].written_bytes == 14 * kGibibyte);
    REQUIRE(metrics.levels[6].read_bytes == 15 * kGibibyte);
    REQUIRE_FALSE(metrics.levels[6].score);
    REQUIRE(metrics.total_write_amplification == 12.02);
    REQUIRE(metrics.compactions == 2188U);
    REQUIRE(metrics.kinds.at("move") == 676);
    REQUIRE(metrics.flushes == 217U);
    REQUIRE(metrics.log_in_bytes == kGibibyte * 5 / 2);
  }
  for (const std::string row : {"   L6 |", "   L5      601MB |", "total |"}) {
    std::string damaged = tables;
    damaged.erase(damaged.find('|', damaged.find(row)), 1);
    const auto read = read_pebble_metrics(damaged);
    INFO(row);
    REQUIRE(read.fault->message.find("expected the row of a level") != std::string::npos);
    REQUIRE(read.value.tables == 0);
  }
  for (const char* const end : {"total |", "   L6 |", "COMPACTIONS", "   L6 "}) {
    const auto cut = read_pebble_metrics(tables.substr(0, tables.find(end)));
    INFO(end);
    REQUIRE(cut.fault->message.find("begin at line 2 are cut") != std::string::npos);
    REQUIRE(cut.value.tables == 0);
    REQUIRE(cut.value.levels.size() == (end == std::string("   L6 ") ? 6 : kPebbleLevels));
  }
}

TEST_CASE("Of a cut table only the tree is told, and columns may be a space apart") {
  const std::string tables = sample_pebble_split_tables();
  Store store;
  REQUIRE(add_store_file(store, "m.txt", tables.substr(0, tables.find("COMPACTIONS"))).has_value());
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.source == HistorySource::kNone);
  REQUIRE(figures.levels[6].files == 2100);
  REQUIRE_FALSE(figures.write_amplification());
  std::string narrow;
  for (const char letter : tables) {
    if (letter != ' ' || narrow.empty() || narrow.back() != ' ') narrow += letter;
  }
  REQUIRE(is_pebble_metrics(narrow));
  REQUIRE_FALSE(read_pebble_metrics(narrow).fault);
}

}  // namespace
}  // namespace lsmlab::stores::pebble_metrics_test
