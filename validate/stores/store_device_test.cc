#include "validate/stores/store_device.h"

#include <fmt/format.h>

#include "testing/catch.h"
#include "validate/catalog/catalog.h"
#include "validate/stores/what_if.h"
#include "validate/stores/what_if_text.h"

namespace lsmlab::store_device_test {
namespace {

const std::string kHead =
    "Level    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp "
    "Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) KeyIn KeyDrop\n";
// One flush of a million entries took a second, one merge of ten millions five.
const std::string kRows =
    kHead +
    "  L0      1/0  100.00 MB   0.2      0.0     0.0      0.0       0.1       0.1      0.0   1.0   "
    " 0.0    100.0      1.00              1.00         1    1.000   1000K      0\n"
    "  L1      4/0  900.00 MB   0.9      1.0     0.1      0.9       1.0       0.1      0.0   9.0   "
    " 200.0   200.0     5.00              5.00         1    5.000     10M      0\n"
    "Uptime(secs): 30.0 total, 30.0 interval\n"
    "Flush(GB): cumulative 0.100, interval 0.100\n";
const std::string kDatabase =
    "** DB Stats **\n"
    "Cumulative writes: 2000K writes, 2000K keys, 2000K commit groups, 1.0 writes per commit "
    "group, "
    "ingest: 0.20 GB, 6.80 MB/s\n"
    "Cumulative stall: 00:00:10.000 H:M:S, 33.3 percent\n";

Result<StoreDevice> device_of(const std::string& text) {
  stores::Store store;
  store.path = "table.txt";
  REQUIRE(stores::add_store_file(store, "table.txt", text).has_value());
  return store_device(store, "");
}

TEST_CASE("A table of statistics gives a device whose flushes and merges have the store's speed") {
  const StoreDevice device = device_of(kRows + kDatabase).value();
  // "1000K" is from 1,000,000 to 1,001,000 entries, "10M" up to 11 million.
  REQUIRE(device.flush_entry_ns == 999);
  REQUIRE(device.merge_entry_ns == 476);
  REQUIRE(device.write_ns == 10'000);  // 20 of 30 seconds, for two million writes
  REQUIRE(device.stalled_seconds == 10);
  for (const char* parameter :
       {"\"cpu_flush_entry_ns\": 999", "\"cpu_merge_entry_ns\": 476", "\"cpu_put_ns\": 10000",
        "\"cpu_merge_kib_ns\": 0", "\"schema\": \"lsmlab.device/1\""}) {
    INFO(parameter);
    REQUIRE(device.json.find(parameter) != std::string::npos);
  }
  REQUIRE(store_device_text(device).find("10000 ns each") != std::string::npos);
}

// Of the run of db_bench in store_rules_test.cc, whose max_subcompactions was 16.
TEST_CASE("A table whose merges of level 0 are much faster may have divided them") {
  const std::string deeper =
      "  L2    760/38  41.81 GB   1.0    233.0    71.2    161.8     213.0      51.2     13.5   3.0 "
      "  "
      " 12.6     11.5  18951.21           1067.47      1152   16.451    237M    20M\n";
  const auto rows = [&](const char* seconds) {
    return kHead +
           "  L0     15/4    2.79 GB   2.8      0.0     0.0      0.0     101.0     101.0      0.0  "
           " "
           "1.0      0.0     32.3   4105.32            419.98      1663    3.050    102M      0\n"
           "  L1    117/11   7.10 GB   1.6    286.2    98.2    188.0     279.8      91.7      0.0  "
           " "
           "2.9    230.5    225.3  " +
           seconds + "            870.34        45   28.257    291M  6482K\n" + deeper +
           "Uptime(secs): 2913.9 total, 29.3 interval\n"
           "Flush(GB): cumulative 101.046, interval 1.030\n";
  };
  const StoreDevice device = device_of(rows(" 1271.56")).value();
  REQUIRE(device.division_note.find("took 4.36 us an entry, deeper ones 79.79") !=
          std::string::npos);
  const std::string text = store_device_text(device);
  REQUIRE(text.find("Several threads (max_subcompactions)") != std::string::npos);
  REQUIRE(text.find(", in one thread") == std::string::npos);
  // Undivided merges of level 0 are not so much faster than others.
  REQUIRE(device_of(rows("19271.56")).value().division_note.empty());
  stores::Store store;
  REQUIRE(stores::add_store_file(store, "table.txt", rows(" 1271.56")).has_value());
  store.options.emplace();
  store.options->database["max_subcompactions"] = "1";
  REQUIRE(store_device(store, "").value().division_note.empty());
  store.options->database["max_subcompactions"] = "16";
  REQUIRE(store_device(store, "").value().division_note.find("Up to 16 threads") !=
          std::string::npos);
}

TEST_CASE("A table without the statistics of the database tells no cost of a write") {
  const StoreDevice device = device_of(kRows).value();
  REQUIRE_FALSE(device.write_ns);
  REQUIRE(device.json.find("\"cpu_put_ns\": 1000,") != std::string::npos);
  REQUIRE(store_device_text(device).find("unknown") != std::string::npos);
}

TEST_CASE("A table without durations is refused, and so is an unknown column family") {
  std::string text = kRows;
  for (const char* seconds : {"      1.00              1.00", "     5.00              5.00"}) {
    text.replace(text.find(seconds), 11, "       0.00");
  }
  REQUIRE(device_of(text).error().message.find("Comp(sec)") != std::string::npos);
  stores::Store store;
  REQUIRE(stores::add_store_file(store, "table.txt", kRows).has_value());
  REQUIRE(store_device(store, "other").error().message.find("no column family 'other'") !=
          std::string::npos);
}

// A store that is loaded faster than its only merge thread can follow.
std::string table_of(double stalled_seconds) {
  return kHead +
         "  L0     21/9    96.06 MB   3.0      0.0     0.0      0.0       0.4       0.4      0.0   "
         "1.0 "
         "   0.0    202.0      2.22              1.27        98    0.023   3829K      0\n"
         "  L1      6/6   344.89 MB   0.0      1.5     0.3      1.2       1.5       0.3      0.0   "
         "4.4 "
         " 280.4    279.1      5.52              5.15        10    0.552     13M    44K\n"
         "Uptime(secs): 6.0 total, 2.0 interval\n"
         "Flush(GB): cumulative 0.438, interval 0.100\n" +
         "** DB Stats **\n"
         "Cumulative writes: 3900K writes, 3900K keys, 3900K commit groups, 1.0 writes per commit "
         "group, ingest: 0.48 GB, 81.00 MB/s\n" +
         fmt::format("Cumulative stall: 00:00:{:.3f} H:M:S, {:.1f} percent\n", stalled_seconds,
                     stalled_seconds / 6 * 100);
}

TEST_CASE("where writers of a table waited, what-if gives their store its own clock") {
  stores::Store store;
  REQUIRE(stores::add_store_file(store, "table.txt", table_of(1)).has_value());
  const StoreCase asked = store_case(store, "", "").value();
  REQUIRE(asked.clock->write_ns == 1282);  // 5 seconds, 3.9 million keys
  REQUIRE(uses_logged_clock(asked, {}));
  const RunSpec run = run_of_case(asked, {}).value();
  REQUIRE(run.clients.name == "closed");
  REQUIRE(run.device->name == "instant");
  const WhatIfAnswer answer = simulate_runs(runs_of(asked, {}).value(), {}).value();
  // Counted, each flush waits for its merges, which therefore take fewer runs at once.
  REQUIRE(answer.history.write_flushed < 5);
  REQUIRE(answer.counted_history->write_flushed > 7);
  const std::string text = trust_text(asked, answer.history, answer.counted_history);
  REQUIRE(text.find("as the table tells") != std::string::npos);
  REQUIRE(text.find("A write takes 1.28 us") != std::string::npos);
}

TEST_CASE("where nobody waited, merges of a table's store are counted") {
  stores::Store store;
  REQUIRE(stores::add_store_file(store, "table.txt", table_of(0.05)).has_value());
  const StoreCase asked = store_case(store, "", "").value();
  REQUIRE_FALSE(asked.clock->write_ns);
  REQUIRE_FALSE(uses_logged_clock(asked, {}));
}

}  // namespace
}  // namespace lsmlab::store_device_test
