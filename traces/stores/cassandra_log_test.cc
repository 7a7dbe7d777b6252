// Lines of compactions in the logs of Cassandra and ScyllaDB, and histories that were copied from
// cqlsh or a quotation.
#include "traces/stores/cassandra_log.h"

#include "testing/catch.h"
#include "traces/stores/cassandra_history.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::cassandra_log_test {
namespace {

// Of scylladb issues 11848, 4149, 21128 and 1561, shortened.
constexpr const char* kScylla =
    "INFO  2022-11-25 10:05:27,762 [shard 1] compaction - [Compact ks2.standard1 "
    "a03b9730-6c65-11ed-813e-307598e1db3f] Compacted 4 sstables to "
    "[/data/ks2/standard1-59e76ce0/me-4367-big-Data.db:level=0]. 68MB to 61MB (~89% of original) "
    "in 2319ms = 26MB/s. ~277120 total partitions merged to 276845.\n"
    "INFO  2022-11-25 10:05:28,881 [shard 0] compaction - [Reshape ks2.standard1 "
    "a0b64570-6c65-11ed-a37f-307498e1db3f] Reshaped 32 sstables to "
    "[/data/ks2/standard1-59e76ce0/me-4370-big-Data.db:level=0]. 65MB to 61MB (~94% of original) "
    "in 2635ms = 23MB/s. ~276992 total partitions merged to 276856.\n"
    "INFO  2022-11-25 10:05:29,100 [shard 1] schema_tables - Creating ks1.cf\n";
constexpr const char* kOldScylla =
    "    [54.208.169.227] [stdout] Aug 09 10:05:46 ip-172 scylla[2114]:  [shard 0] compaction - "
    "Compacted 4 sstables to [/var/lib/scylla/data/keyspace1/standard1-70a7c2405e17/"
    "keyspace1-standard1-ka-258-Data.db:level=0, ]. 118457889 bytes to 117883921 (~99% of "
    "original) in 9032ms = 12.4472MB/s. ~1024 total partitions merged to 451.\n"
    "Aug 09 10:05:47 ip-172 scylla[2114]:  [shard 0] compaction - Compacted 2 sstables to []. "
    "10458 bytes to 0 (~0% of original) in 50ms = 0.00MB/s. ~256 total partitions merged to 0.\n";
// Of Cassandra 2.1, in a quotation, and 4.0.
constexpr const char* kCassandra =
    "> INFO  [CompactionExecutor:9928] 2016-07-25 04:23:34,819  CompactionTask.java:274 - "
    "Compacted 4 sstables to [/data/system/peer_events-59dfeaea8db2/system-peer_events-ka-77,].  "
    "35,935 bytes to 35,942 (~100% of original) in 40ms = 0.856924MB/s.  20 total partitions "
    "merged to 5.  Partition merge counts were {4:5, }\n"
    "DEBUG [CompactionExecutor:3] 2016-07-25 04:23:36,319 CompactionTask.java:241 - Compacted "
    "(2a5f2a40-f454-11eb-8ff7-6d5e3b3f2a7c) 3 sstables to [/var/lib/cassandra/data/stress/"
    "data-8e1b/nb-29-big,] to level=0.  1.250GiB to 1,000GiB (~80% of original) in 103,452ms.  "
    "Read Throughput = 12.630MiB/s, Write Throughput = 11.779MiB/s, Row Throughput = ~21,334/s.  "
    "4,413,952 total partitions merged to 4,117,123.  Partition merge counts were {1:3852345, "
    "2:237123, }. Time spent writing keys = 102,998ms\n";

TEST_CASE("Lines of compactions in a log of ScyllaDB give bytes, tables and kinds") {
  REQUIRE(is_compaction_log(kScylla));
  const auto read = read_compaction_log(kScylla);
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.system == StoreSystem::kScylladb);
  REQUIRE(read.value.compactions.size() == 2);
  const LoggedCompaction& first = read.value.compactions[0];
  REQUIRE(first.family == "ks2.standard1");
  REQUIRE(first.reason == "  4 SSTables");
  REQUIRE(first.input_bytes == 68'000'000U);
  REQUIRE(first.output_bytes == 61'000'000U);
  REQUIRE(read.value.compactions[1].reason == " 32 SSTables (Reshaped)");
  REQUIRE(read.value.last_micros - read.value.first_micros == 1'119'000);
  // Whole megabytes: each size may be almost one larger.
  REQUIRE(read.value.read_cut_share == 2.0 / (68 + 65));
  REQUIRE(read.value.written_cut_share == 2.0 / (61 + 61));
}

TEST_CASE("Old lines of ScyllaDB name their table by its files, and have a time without a year") {
  const auto read = read_compaction_log(kOldScylla);
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.compactions.size() == 2);
  REQUIRE(read.value.compactions[0].family == "keyspace1.standard1");
  REQUIRE(read.value.compactions[0].input_bytes == 118'457'889U);
  REQUIRE(read.value.compactions[1].output_bytes == 0U);
  REQUIRE(read.value.last_micros - read.value.first_micros == 1'000'000);
  REQUIRE_FALSE(read.value.read_cut_share);
  REQUIRE_FALSE(read.value.written_cut_share);
}

TEST_CASE("Lines of compactions in a log of Cassandra also tell the partitions") {
  REQUIRE(is_compaction_log(kCassandra));
  const auto read = read_compaction_log(kCassandra);
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.system == StoreSystem::kCassandra);
  REQUIRE(read.value.compactions.size() == 2);
  const LoggedCompaction& old = read.value.compactions[0];
  REQUIRE(old.family == "system.peer_events");
  REQUIRE(old.input_bytes == 35'935U);
  REQUIRE(old.output_bytes == 35'942U);
  REQUIRE(old.rows_merged == std::map<std::uint64_t, std::uint64_t>{{4, 5}});
  const LoggedCompaction& later = read.value.compactions[1];
  REQUIRE(later.family == "stress.data");
  REQUIRE(later.reason == "  3 SSTables");
  REQUIRE(later.input_bytes == 1'342'177'280U);
  REQUIRE(later.output_bytes == 1'073'741'824U);  // a locale with a decimal comma
  REQUIRE(later.rows_merged == std::map<std::uint64_t, std::uint64_t>{{1, 3852345}, {2, 237123}});
  REQUIRE(later.micros - old.micros == 1'500'000);
}

// A line of Cassandra 2.1 with its head and its sizes.
std::string compaction_line(const std::string& head, const std::string& sizes) {
  return head + "Compacted 4 sstables to [/data/ks/tbl-59e7/nb-9-big,].  " + sizes +
         " (~83% of original) in 3ms\n";
}

TEST_CASE("Counts of bytes have the marks of thousands of any locale") {
  for (const std::string sizes : {"1.234.567 bytes to 1.034.567", "1,234,567 bytes to 1,034,567",
                                  "1\u00a0234\u00a0567 bytes to 1\u00a0034\u00a0567",
                                  "1\u202f234\u202f567 bytes to 1\u202f034\u202f567"}) {
    CAPTURE(sizes);
    const auto read = read_compaction_log(compaction_line("", sizes));
    REQUIRE_FALSE(read.fault);
    REQUIRE(read.value.compactions.at(0).input_bytes == 1'234'567U);
    REQUIRE(read.value.compactions.at(0).output_bytes == 1'034'567U);
  }
  for (const std::string sizes : {"1 234 567 bytes to 1 034 567", "1.5 bytes to 1",
                                  "1.234.567MiB to 1MiB", "12x bytes to 1"}) {
    CAPTURE(sizes);
    REQUIRE(read_compaction_log(compaction_line("", sizes)).fault);
  }
}

TEST_CASE("Only the bracket of a job names the table, not those of times, threads and hosts") {
  for (const std::string head :
       {"[2023-05-01 10:00:00.123] INFO ", "INFO [pool-1 10.0.0.1] ", "[node db1.example.com] "}) {
    CAPTURE(head);
    const auto read = read_compaction_log(compaction_line(head, "35,935 bytes to 35,942"));
    REQUIRE(read.value.compactions.at(0).family == "ks.tbl");
  }
}

TEST_CASE("Times that have no common order give no span") {
  const std::string sizes = "35,935 bytes to 35,942";
  const auto span_of = [&](const std::string& first, const std::string& second) {
    const auto read =
        read_compaction_log(compaction_line(first, sizes) + compaction_line(second, sizes));
    REQUIRE(read.value.compactions.size() == 2);
    return read.value.last_micros - read.value.first_micros;
  };
  REQUIRE(span_of("23:59:30.000 ", "00:00:30.000 ") == 0);
  REQUIRE(span_of("Dec 31 23:59:00 h ", "Jan  1 00:01:00 h ") == 0);
  REQUIRE(span_of("2016-07-25 04:23:34,819 ", "04:23:35.819 ") == 0);
  REQUIRE(span_of("23:58:30.000 ", "23:59:30.000 ") == 60'000'000);
  REQUIRE(span_of("23:58:30.000 ", "23:58:29.000 ") == 1'000'000);  // of two threads
}

TEST_CASE("A long line that is no compaction is searched once") {
  std::string line;
  for (int i = 0; i < 400'000; ++i) line += " sstables to [x ";
  REQUIRE_FALSE(is_compaction_log(line));
}

TEST_CASE("A line of a compaction without its sizes is a fault with its number") {
  const auto read = read_compaction_log(
      "Compacted 4 sstables to [/a/b/c]. many to few (~89% of original) in 1ms\n");
  REQUIRE(read.fault);
  REQUIRE(read.fault->message.starts_with("line 1: found ' sstables to [/a/b/c]. many"));
  REQUIRE(read.value.compactions.empty());
}

TEST_CASE("Logs of compactions that are cut or damaged anywhere are read without a crash") {
  for (const std::string& text :
       {std::string(kScylla), std::string(kOldScylla), std::string(kCassandra)}) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      std::string damaged = text;
      damaged[size] = static_cast<char>(damaged[size] ^ 0x12);
      for (const std::string& input : {text.substr(0, size), damaged}) {
        static_cast<void>(is_compaction_log(input));
        static_cast<void>(read_compaction_log(input));
      }
    }
  }
  SUCCEED();
}

// Of scylladb issue 8309.
constexpr const char* kCqlsh =
    "cqlsh:system> select * from compaction_history ;\n\n"
    " id       | bytes_in | bytes_out | columnfamily_name | compacted_at                    | "
    "keyspace_name | rows_merged\n"
    "----------+----------+-----------+-------------------+---------------------------------+-----"
    "----------+-------------\n"
    " fa9e62f0 |    11950 |      6129 |           columns | 2021-03-17 02:25:02.656000+0000 | "
    "system_schema |        null\n"
    " 2611bfe0 |   143249 |     71781 |     scylla_tables | 2021-03-17 02:25:03.656000+0000 | "
    "system_schema | {1: 10, 2: 4}\n\n(2 rows)\n";
constexpr const char* kExpanded =
    "@ Row 1\n-------------------+--------------\n id                | fa9e62f0\n"
    " bytes_in          | 11950\n bytes_out         | 6129\n columnfamily_name | columns\n"
    " compacted_at      | 2021-03-17 02:25:02.656000+0000\n keyspace_name     | system_schema\n"
    " rows_merged       | null\n"
    "@ Row 2\n-------------------+--------------\n id                | 2611bfe0\n"
    " bytes_in          | 143249\n bytes_out         | 71781\n columnfamily_name | scylla_tables\n"
    " compacted_at      | 2021-03-17 02:25:03.656000+0000\n keyspace_name     | system_schema\n"
    " rows_merged       | {1: 10, 2: 4}\n\n(2 rows)\n";

TEST_CASE("A compaction history is read as cqlsh prints it, by rows and expanded") {
  for (const char* form : {kCqlsh, kExpanded}) {
    CAPTURE(form);
    REQUIRE(is_compaction_history(form));
    const auto read = read_compaction_history(form);
    REQUIRE_FALSE(read.fault);
    REQUIRE(read.value.system == StoreSystem::kScylladb);
    REQUIRE(read.value.compactions.size() == 2);
    REQUIRE(read.value.compactions[0].family == "system_schema.columns");
    REQUIRE(read.value.compactions[0].input_bytes == 11'950U);
    REQUIRE(read.value.compactions[0].rows_merged.empty());
    REQUIRE(read.value.compactions[1].output_bytes == 71'781U);
    REQUIRE(read.value.compactions[1].rows_merged.at(2) == 4);
    REQUIRE(read.value.last_micros - read.value.first_micros == 1'000'000);
  }
}

TEST_CASE("Rows of cqlsh from other tables are no compaction history") {
  REQUIRE_FALSE(
      is_compaction_history("@ Row 1\n------+------\n id   | 5\n name | foo\n\n(1 rows)\n"));
  REQUIRE_FALSE(is_compaction_history(
      " job | bytes_in | bytes_out\n-----+----------+-----------\n   1 |      100 |        50\n"));
}

TEST_CASE("A row of cqlsh that is cut is a fault, and those above it are read") {
  const std::string text = kCqlsh;
  const auto read = read_compaction_history(text.substr(0, text.rfind(" | system_schema")));
  REQUIRE(read.fault);
  REQUIRE(read.value.compactions.size() == 1);
}

TEST_CASE("A compaction history that a mail quotes is read, and not the answer below it") {
  const auto read = read_compaction_history(
      "Running nodetool the output is:\n\n"
      "> id      keyspace_name columnfamily_name compacted_at bytes_in bytes_out rows_merged\n"
      "> 1753    keyspace1     standard1         1469534220   139109   21122\n\n"
      "rows_merged column is empty\n");
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.compactions.size() == 1);
  REQUIRE(read.value.compactions[0].input_bytes == 139'109U);
}

}  // namespace
}  // namespace lsmlab::stores::cassandra_log_test
