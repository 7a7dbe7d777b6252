#include "traces/stores/log_dress.h"

#include <functional>
#include <string>

#include "testing/catch.h"
#include "testing/traces/sample_logs.h"
#include "traces/stores/info_log.h"
#include "traces/stores/store_reading.h"

namespace lsmlab::stores::log_dress_test {
namespace {

using lsmlab::testing::sample_leveldb_log;
using lsmlab::testing::sample_rocksdb_log;

// Each line of the log, as `dressed` shows it, which has its number, too.
std::string with_dress(const std::string& log,
                       const std::function<std::string(const std::string&, int)>& dressed) {
  std::string text;
  int number = 0;
  Lines lines(log);
  while (const auto line = lines.next()) text += dressed(std::string(*line), ++number) + "\n";
  return text;
}

InfoLog log_of(const std::string& text) {
  Store store;
  REQUIRE(add_store_file(store, "paste.txt", text).has_value());
  REQUIRE(store.faults.empty());
  return store.logs.front().log;
}

void require_whole(const std::string& rocksdb, const std::string& leveldb) {
  INFO(rocksdb.substr(0, 300));
  const InfoLog own = read_rocksdb_log(sample_rocksdb_log()).value;
  const InfoLog log = log_of(rocksdb);
  REQUIRE(log.options.version == "7.8.3");
  REQUIRE(log.options.families.size() == 1);
  REQUIRE(log.options.families[0].values == own.options.families[0].values);
  REQUIRE(log.options.families[0].values.at("block_size") == "8192");
  REQUIRE(log.events == own.events);
  REQUIRE(log.flushes.size() == own.flushes.size());
  REQUIRE(log.stalls.size() == own.stalls.size());
  REQUIRE(log.statistics.at("default").rows.size() == 4);
  REQUIRE(log.stalled_seconds == own.stalled_seconds);
  const InfoLog other = log_of(leveldb);
  REQUIRE(other.system == StoreSystem::kLeveldb);
  REQUIRE(other.flushes.size() == 2);
  REQUIRE(other.compactions.size() == 1);
}

TEST_CASE("A log is one behind lines of other text") {
  for (const std::string head :
       {"\n", "Here is the LOG of our store:\n", "```\n", "Our options, from `LOG`:\n\n",
        "\xEF\xBB\xBF", ".061005 45540 Created the directory\n"}) {
    require_whole(head + sample_rocksdb_log(), head + sample_leveldb_log());
  }
}

TEST_CASE("A log is read out of what a page, a mail or a collector of logs puts before its lines") {
  const std::function<std::string(const std::string&, int)> dresses[] = {
      [](const std::string& line, int) { return "    " + line; },
      [](const std::string& line, int) { return "> " + line; },
      [](const std::string& line, int) { return "> > " + line; },
      [](const std::string& line, int) { return "rocksdb-0  | " + line; },
      [](const std::string& line, int number) {
        return fmt::format("2024-01-01T00:00:{:02}.{:09}Z stdout F {}", number % 60, number, line);
      },
      [](const std::string& line, int number) { return fmt::format("{}. {}", number + 100, line); },
  };
  for (const auto& dress : dresses) {
    require_whole(with_dress(sample_rocksdb_log(), dress), with_dress(sample_leveldb_log(), dress));
  }
}

TEST_CASE("A log in the strings of a program has their events") {
  const std::string event =
      R"x(    "2026/11/27-01:00:11.200000 7f48 EVENT_LOG_v1 {\"job\": 3, \"event\": \"flush_finished\"}\n" +)x";
  REQUIRE(log_of("log =\n" + event + "\n" + event).events == 2);
}

// A log of Ceph is mostly other lines, with times of their own.
TEST_CASE("A line of another program in a log is none of its tables") {
  LogDress dress;
  REQUIRE(dress.bare("2022-09-12T20:10:35.653+0200 7fb3  1 osd.3 Level Files").empty());
  REQUIRE(dress.bare("- ** DB Stats **") == "** DB Stats **");
  REQUIRE(dress.bare(" 2026/11/27-01:00:00.000000 7 a") == "2026/11/27-01:00:00.000000 7 a");
  REQUIRE(dress.bare("   b") == "  b");
  REQUIRE(dress.bare("").empty());
}

TEST_CASE("What only looks like the lines of a log is none") {
  REQUIRE_FALSE(has_log_lines(""));
  REQUIRE_FALSE(has_log_lines("[2026/11/27\n2026/13/27-01:00:00.000000 7\n"));
  REQUIRE_FALSE(is_rocksdb_log("EVENT_LOG_v1 of 2026/11/27\n"));
  REQUIRE_FALSE(is_rocksdb_log("At 2026/11/27-01:00:00.000000 it stopped.\n"));
}

TEST_CASE("A dressed log that is cut or damaged is read without a crash") {
  const std::string whole = with_dress(sample_rocksdb_log(), [](const std::string& line, int) {
    return "  \"> " + line + "\\n\",";
  });
  for (std::size_t i = 0; i < whole.size(); i += 3) {
    static_cast<void>(read_rocksdb_log(std::string_view(whole).substr(i)));
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    static_cast<void>(is_rocksdb_log(damaged));
    static_cast<void>(read_rocksdb_log(damaged));
  }
}

}  // namespace
}  // namespace lsmlab::stores::log_dress_test
