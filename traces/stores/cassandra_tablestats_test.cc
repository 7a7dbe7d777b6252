// What nodetool prints of the tables of Cassandra and ScyllaDB.
#include "traces/stores/cassandra_tablestats.h"

#include "testing/catch.h"
#include "traces/stores/cassandra_history.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::cassandra_tablestats_test {
namespace {

// Of scylladb issues 3600 and 28502, shortened; the second table with -H, the third of 2.0.
constexpr const char* kTables =
    "$ nodetool cfstats\n"
    "Keyspace: app108\n"
    "        Read Count: 43013518\n"
    "        Write Count: 2783\n"
    "                Table: testjvm\n"
    "                SSTable count: 12\n"
    "                SSTables in each level: [10/4, 2, 0, 0, 0, 0, 0, 0, 0]\n"
    "                Space used (live): 1234567\n"
    "                Space used (total): 1234567\n"
    "                SSTable Compression Ratio: 0.25\n"
    "                Number of keys (estimate): 1000\n"
    "                Memtable data size: 0\n"
    "                Memtable switch count: 37\n"
    "                Local read count: 43013518\n"
    "                Local write count: 2783\n"
    "                Compacted partition mean bytes: 446\n"
    "                Table (index): testjvm.by_day\n"
    "                SSTable count: 99\n"
    "----------------\n"
    "Keyspace : keyspace1\n"
    "\tTable: standard1\n"
    "\tSSTable count: 17\n"
    "\tSSTables in each level: [ ]\n"
    "\tSpace used (live): 1.5 GiB\n"
    "\tSpace used (total): 2 GiB\n"
    "\tSSTable Compression Ratio: -1.0\n"
    "> Keyspace: system\n"
    ">     Table: IndexInfo\n"
    ">     SSTable count: 1\n"
    ">     Space used (live), bytes: 4949\n";

TEST_CASE("nodetool tablestats gives SSTables, levels, sizes and counts of each table") {
  REQUIRE(is_nodetool_tables(kTables));
  const auto tables = read_nodetool_tables(kTables);
  REQUIRE(tables.size() == 3);
  REQUIRE(tables[0].name == "app108.testjvm");
  REQUIRE(tables[0].sstables == 12U);
  REQUIRE(tables[0].level_sstables == std::vector<std::uint64_t>{10, 2});
  REQUIRE(tables[0].live_bytes == 1'234'567U);
  REQUIRE(tables[0].compression_ratio == 0.25);
  REQUIRE(tables[0].memtable_switches == 37U);
  REQUIRE(tables[0].writes == 2783U);
  REQUIRE(tables[1].name == "keyspace1.standard1");
  REQUIRE(tables[1].level_sstables.empty());
  REQUIRE(tables[1].live_bytes == 1'610'612'736U);
  REQUIRE(tables[2].name == "system.IndexInfo");
  REQUIRE(tables[2].live_bytes == 4949U);
  REQUIRE_FALSE(is_nodetool_tables("Table: of contents\nSSTable count: none\n"));
}

TEST_CASE("nodetool's numbers of other languages and older units are read or refused") {
  REQUIRE(history_bytes("1,25 GiB") == 1'342'177'280U);
  REQUIRE(history_bytes("1,5 GiB") == 1'610'612'736U);
  REQUIRE(history_bytes("1.5 MB") == 1'572'864U);
  REQUIRE(history_bytes("2 KB") == 2048U);
  for (const char* const text : {"1,234 GiB", "1,2,3 GiB", "1, GiB", "1x GiB", "1 XB"}) {
    CAPTURE(text);
    REQUIRE_FALSE(history_bytes(text));
  }
  const auto tables = read_nodetool_tables(
      "Keyspace : ks\n\tTable: t\n\tSSTable count: 17\n\tSpace used (live): 1,25 GiB\n"
      "\tSSTable Compression Ratio: 0,33\n");
  REQUIRE(tables.at(0).live_bytes == 1'342'177'280U);
  REQUIRE(tables.at(0).compression_ratio == 0.33);
  const auto history = read_compaction_history(
      "id keyspace_name columnfamily_name compacted_at bytes_in bytes_out rows_merged\n"
      "1 ks t 2026-11-28T10:30:00.123 1,5 GiB 1.5 MB {1:2}\n");
  REQUIRE_FALSE(history.fault);
  REQUIRE(history.value.compactions.at(0).input_bytes == 1'610'612'736U);
  REQUIRE(history.value.compactions.at(0).output_bytes == 1'572'864U);
}

TEST_CASE("A sentence with ALTER TABLE does not hide what nodetool printed") {
  Store store;
  const std::string text = std::string("We ran ALTER TABLE with LCS and then:\n") + kTables;
  REQUIRE(add_store_file(store, "stats.txt", text).has_value());
  REQUIRE(store.nodetool_table("app108.testjvm")->sstables == 12U);
  REQUIRE(store.nodetool_table("app108.other") == nullptr);
}

TEST_CASE("A report of nodetool tablestats names what it found, and that no file has the bytes") {
  Store store;
  REQUIRE(add_store_file(store, "stats.txt", kTables).has_value());
  const auto families = all_figures(store);
  REQUIRE(families.size() == 3);
  const std::string text = report_text(store, families);
  for (const char* const part :
       {"tables from stats.txt", "table app108.testjvm",
        "SSTables: 12, by level 10, 2; 1.18 MiB live", "compressed to 0.25",
        "2,783 writes, 43,013,518 reads, 37 flushes", "SSTables: 17; 1.50 GiB live of 2 GiB\n",
        "compactionhistory has them"}) {
    CAPTURE(part, text);
    REQUIRE(text.find(part) != std::string::npos);
  }
  const auto json = report_json(store, families);
  REQUIRE(json["column_families"][0]["nodetool"]["sstables"] == 12);
  REQUIRE(json["column_families"][0]["nodetool"]["live_bytes"] == 1'234'567);
}

}  // namespace
}  // namespace lsmlab::stores::cassandra_tablestats_test
