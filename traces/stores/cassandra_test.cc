// The readers of what users of Cassandra and ScyllaDB have: compaction histories and schemas.
#include <algorithm>

#include "testing/catch.h"
#include "testing/traces/sample_logs.h"
#include "testing/traces/trace_testing.h"
#include "traces/stores/cassandra_history.h"
#include "traces/stores/cassandra_schema.h"
#include "traces/stores/option_table.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/store_description.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::cassandra_test {
namespace {

using lsmlab::testing::sample_cassandra_history;
using lsmlab::testing::sample_cassandra_schema;
using lsmlab::testing::Scratch;
using lsmlab::testing::write_text;

// The same two compactions, of version 5.0.
constexpr const char* kJson =
    R"({"CompactionHistory":[{"bytes_in":3000,"rows_merged":"{1:150, 4:50}","id":"b{","compaction_properties":"{compaction_type:Compaction}","keyspace_name":"shop","columnfamily_name":"orders","compacted_at":"2026-11-28T10:30:00.500","bytes_out":2000},{"bytes_in":1000,"rows_merged":"{2:7}","id":"a","keyspace_name":"shop","columnfamily_name":"orders","compacted_at":"2026-11-28T10:29","bytes_out":900}]})";
constexpr const char* kYaml = R"(CompactionHistory:
- bytes_in: 3000
  rows_merged: '{1:150,
    4:50}'
  id: b
  keyspace_name: shop
  columnfamily_name: orders
  compacted_at: '2026-11-28T10:30:00.500'
  bytes_out: 2000
- bytes_in: 1000
  rows_merged: '{2:7}'
  id: a
  keyspace_name: shop
  columnfamily_name: orders
  compacted_at: '2026-11-28T10:29'
  bytes_out: 900
)";
constexpr const char* kText =
    "Compaction History: \n"
    "id keyspace_name columnfamily_name compacted_at            bytes_in bytes_out rows_merged    "
    "compaction_properties\n"
    "b  shop          orders            2026-11-28T10:30:00.500 3000     2000      {1:150, 4:50}  "
    "{compaction_type:Compaction}\n"
    "a  shop          orders            2026-11-28T10:29        1000     900       {2:7}          "
    "{}\n";

TEST_CASE("A compaction history is the same as text, as JSON and as YAML") {
  for (const char* form : {kText, kJson, kYaml}) {
    CAPTURE(form);
    REQUIRE(is_compaction_history(form));
    const auto read = read_compaction_history(form);
    REQUIRE_FALSE(read.fault);
    REQUIRE(read.value.system == StoreSystem::kCassandra);
    REQUIRE(read.value.compactions.size() == 2);
    // The oldest first.
    const LoggedCompaction& older = read.value.compactions[0];
    const LoggedCompaction& newer = read.value.compactions[1];
    REQUIRE(older.output_bytes == 900);
    REQUIRE(newer.family == "shop.orders");
    REQUIRE(newer.input_bytes == 3000U);
    REQUIRE(newer.output_bytes == 2000);
    REQUIRE(newer.rows_merged == std::map<std::uint64_t, std::uint64_t>{{1, 150}, {4, 50}});
    REQUIRE(newer.micros - older.micros == 60'500'000);
    // 2026-11-28 10:30:00.5 is 20,785 days and 37,800.5 seconds after 1970 began.
    REQUIRE(newer.micros == (20'785ULL * 86'400 + 37'800) * 1'000'000 + 500'000);
  }
}

TEST_CASE("Older and newer columns of a compaction history are read") {
  // Version 2 and ScyllaDB: milliseconds, no rows; trunk: sizes with units.
  const auto old = read_compaction_history(
      "Compaction History:\n"
      "id  keyspace_name columnfamily_name compacted_at  bytes_in bytes_out rows_merged\n"
      "58f keyspace1     standard1         1469534220000 318543919 200354510\n");
  REQUIRE_FALSE(old.fault);
  REQUIRE(old.value.compactions[0].micros == 1'469'534'220'000'000);
  REQUIRE(old.value.compactions[0].reason == "unknown number of SSTables");
  const auto units = read_compaction_history(
      "id keyspace_name columnfamily_name compacted_at bytes_in bytes_out rows_merged\n"
      "1 k t 2026-11-28T10:30:00 1.5 KiB 512 bytes {1:2}\n");
  REQUIRE_FALSE(units.fault);
  REQUIRE(units.value.compactions[0].input_bytes == 1536U);
  REQUIRE(units.value.compactions[0].output_bytes == 512);
}

TEST_CASE("A history gives bytes by table and by number of merged SSTables") {
  const Scratch scratch;
  write_text(scratch.path("h"), sample_cassandra_history());
  const Store store = read_store(scratch.path("h")).value();
  REQUIRE(store.system == StoreSystem::kCassandra);
  const auto families = all_figures(store);
  REQUIRE(families.size() == 2);
  const FamilyFigures& orders = families[0];
  REQUIRE(orders.name == "shop.orders");
  REQUIRE(orders.merges == 3);
  REQUIRE(orders.merge_read_bytes == 40'000'000 + 160'000'000 + 41'000'000);
  REQUIRE(orders.merge_written_bytes == 30'000'000 + 120'000'000 + 30'500'000);
  REQUIRE(orders.reasons.at("  4 SSTables or more").merges == 2);
  REQUIRE(orders.reasons.at(" 12 SSTables or more").written_bytes == 30'500'000);
  REQUIRE(orders.rows_merged.at(1) == 1500 + 9000 + 900);
  REQUIRE_FALSE(orders.write_amplification());
  const std::string text = report_text(store, families);
  REQUIRE(text.find("table shop.orders") != std::string::npos);
  REQUIRE(text.find("partitions by the number of SSTables") != std::string::npos);
  const auto json = report_json(store, families);
  REQUIRE(json["system"] == "Cassandra");
  REQUIRE(json["column_families"][0]["compactions"]["rows_merged"]["4"] == 2500);
}

TEST_CASE("An entry of a history that lacks something is a fault with its place") {
  std::string text = kText;
  text.replace(text.find("1000     900"), 4, "many");
  const auto read = read_compaction_history(text);
  REQUIRE(read.fault);
  REQUIRE(read.fault->message == "line 4: bytes_in is 'many'; expected a number of bytes");
  REQUIRE(read.value.compactions.size() == 1);
  const std::string json = kJson;
  const auto cut = read_compaction_history(std::string_view(json).substr(0, json.size() - 20));
  REQUIRE(cut.fault);
  REQUIRE(cut.fault->message == "entry 2: the input ends within it: it was cut");
  REQUIRE(cut.value.compactions.size() == 1);
  REQUIRE(read_compaction_history("Compaction History:\nThere is no compaction history").fault);
}

TEST_CASE("A schema gives the options of each table") {
  const std::string text = sample_cassandra_schema();
  REQUIRE(is_table_schema(text));
  const auto read = read_table_schema(text);
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.system == StoreSystem::kCassandra);
  std::vector<std::string> names;
  for (const FamilyOptions& family : read.value.families) names.push_back(family.name);
  REQUIRE(names == std::vector<std::string>{"shop.orders", "shop.Odd \"name\"", "shop.by_day",
                                            "shop.events"});
  const OptionValues& orders = read.value.families[0].values;
  REQUIRE(orders.at("compaction.class") == "SizeTieredCompactionStrategy");
  REQUIRE(orders.at("compaction.min_threshold") == "6");
  REQUIRE(orders.at("compression.chunk_length_in_kb") == "16");
  REQUIRE(orders.at("compression.class") == "ZstdCompressor");
  REQUIRE(orders.at("gc_grace_seconds") == "3600");
  REQUIRE(orders.at("bloom_filter_fp_chance") == "0.01");
  REQUIRE(orders.at("comment") == "it's; AND 'quoted'");
  std::vector<std::string> differing;
  for (const ShownOption& option : merge_options(read.value, read.value.families[0])) {
    if (option.differs) differing.push_back(option.name);
  }
  REQUIRE(differing == std::vector<std::string>{"compaction.min_threshold", "compression.class",
                                                "gc_grace_seconds"});
}

PolicySpec spec_of(const std::string& with, StoreSystem system = StoreSystem::kCassandra) {
  Store store;
  store.system = system;
  store.options =
      read_table_schema("CREATE TABLE k.t (a int PRIMARY KEY) WITH " + with + ";").value;
  FamilyFigures figures;
  figures.name = "k.t";
  return policy_spec(store, figures);
}

void require_begin(const PolicySpec& made, const std::string& spec) {
  CAPTURE(made.spec);
  REQUIRE(made.spec.starts_with(spec));
}

TEST_CASE("Strategies of Cassandra become the policies that follow their rules") {
  const auto begins = [](const std::string& with, const std::string& spec) {
    require_begin(spec_of(with), spec);
  };
  begins("compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '6'}",
         "cassandra-stcs:min_threshold=6,bits_per_key=10,block_size=16KiB,compression=lz4");
  begins(
      "compaction = {'class': 'SizeTieredCompactionStrategy', 'max_threshold': '16', "
      "'min_sstable_size': 1048576, 'bucket_low': 0.7, 'bucket_high': '1.25'}",
      "cassandra-stcs:min_threshold=4,max_threshold=16,min_sstable_size=1MiB,bucket_low=0.7,"
      "bucket_high=1.25,bits_per_key=10");
  begins(
      "compaction = {'class': 'org.apache.cassandra.db.compaction.LeveledCompactionStrategy', "
      "'sstable_size_in_mb': 100, 'single_sstable_uplevel': true} AND compression = {'enabled': "
      "false}",
      "cassandra-lcs:sstable_size=100MiB,fanout_size=10,single_sstable_uplevel=true,"
      "min_threshold=4,bits_per_key=5");
  // A schema may leave the strategy out.
  begins("comment = ''", "cassandra-stcs:min_threshold=4,");
  const PolicySpec grace = spec_of("gc_grace_seconds = 864000");
  REQUIRE(grace.unmodelled ==
          std::vector<std::string>{"gc_grace_seconds=864000 (gc_grace=10d makes the policy need "
                                   "single keys)"});
  REQUIRE(grace.guesses.front().parameter == "policy");
}

TEST_CASE("gc_grace_seconds of a schema is taken over where the policy needs keys anyway") {
  const auto spec_with = [](const std::string& compaction) {
    return spec_of("gc_grace_seconds = 3600 AND compaction = {" + compaction + "}");
  };
  const PolicySpec leveled = spec_with("'class': 'LeveledCompactionStrategy'");
  require_begin(leveled,
                "cassandra-lcs:sstable_size=160MiB,fanout_size=10,min_threshold=4,gc_grace=1h");
  REQUIRE(leveled.unmodelled.empty());
  REQUIRE(leveled.states_times);
  const PolicySpec single =
      spec_with("'class': 'SizeTieredCompactionStrategy', 'tombstone_threshold': '0.1'");
  require_begin(single,
                "cassandra-stcs:min_threshold=4,tombstone_threshold=0.1,"
                "tombstone_compaction_interval=1d,gc_grace=1h");
  const PolicySpec sizes = spec_with("'class': 'SizeTieredCompactionStrategy'");
  REQUIRE(sizes.unmodelled == std::vector<std::string>{"gc_grace_seconds=3600 (gc_grace=1h makes "
                                                       "the policy need single keys)"});
  REQUIRE_FALSE(sizes.states_times);
  const PolicySpec none =
      spec_of("gc_grace_seconds = 0 AND compaction = {'class': 'LeveledCompactionStrategy'}");
  REQUIRE(none.unmodelled.empty());
}

TEST_CASE("Times of a schema stay times, which the workload of the SPEC counts") {
  const PolicySpec windows = spec_of(
      "compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_size': '6', "
      "'compaction_window_unit': 'HOURS'} AND default_time_to_live = 100");
  require_begin(windows, "cassandra-twcs:compaction_window_size=6h,ttl=100s,min_threshold=4,bits");
  REQUIRE(windows.states_times);
  REQUIRE(windows.guesses[0].parameter == "buffer");
  REQUIRE(windows.unmodelled.empty());
  require_begin(spec_of("compaction = {'class': 'TimeWindowCompactionStrategy'}"),
                "cassandra-twcs:compaction_window_size=1d,min_threshold=4,bits");
  const PolicySpec single = spec_of(
      "compaction = {'class': 'SizeTieredCompactionStrategy', 'tombstone_threshold': '0.1', "
      "'unchecked_tombstone_compaction': true}");
  require_begin(single,
                "cassandra-stcs:min_threshold=4,tombstone_threshold=0.1,"
                "tombstone_compaction_interval=1d,unchecked_tombstone_compaction=true,bits");
  REQUIRE(single.unmodelled.empty());
}

TEST_CASE(
    "UnifiedCompactionStrategy keeps its options, and a strategy that lsmlab lacks is named") {
  const auto begins = [](const std::string& with, const std::string& spec) {
    require_begin(spec_of(with), spec);
  };
  const std::string unified =
      "compaction = {'class': 'UnifiedCompactionStrategy', "
      "'scaling_parameters': '";
  begins(unified + "T4'}", "cassandra-ucs:scaling_parameters=T4,bits_per_key=10,");
  begins(unified + "L10, T4 ,N,-8,2'}", "cassandra-ucs:scaling_parameters=L10:T4:N:-8:2,bits");
  begins(unified + "+2, N'}", "cassandra-ucs:scaling_parameters=+2:N,bits");
  for (const std::string bad : {"", "T1", "X4", "4x", "L", "T4,", "-", "+", "T+2"}) {
    begins(unified + bad + "'}", "cassandra-ucs:scaling_parameters=T4,bits");
  }
  const PolicySpec all = spec_of(
      unified +
      "L8', 'target_sstable_size': '64MiB', 'min_sstable_size': '6MiB', 'base_shard_count': 2, "
      "'max_sstables_to_compact': '32', 'sstable_growth': '0.5', 'flush_size_override': '4MiB', "
      "'overlap_inclusion_method': 'SINGLE'} AND gc_grace_seconds = 3600 AND "
      "default_time_to_live = 86400");
  require_begin(all,
                "cassandra-ucs:scaling_parameters=L8,target_sstable_size=64MiB,"
                "min_sstable_size=6MiB,flush_size_override=4MiB,base_shard_count=2,"
                "max_sstables_to_compact=32,sstable_growth=0.5,overlap_inclusion_method=single,"
                "ttl=1d,gc_grace=1h,bits");
  REQUIRE(all.unmodelled.empty());
  for (const std::string unlimited : {"0", "-1"}) {
    const PolicySpec none =
        spec_of(unified + "T4', 'max_sstables_to_compact': '" + unlimited + "'}");
    require_begin(none, "cassandra-ucs:scaling_parameters=T4,bits");
    REQUIRE(none.unmodelled.empty());
  }
  REQUIRE(
      spec_of(unified + "T4', 'adaptive': 'true', 'target_sstable_size': 'big'}").unmodelled ==
      std::vector<std::string>{"compaction.target_sstable_size=big", "compaction.adaptive=true"});
  const PolicySpec dates = spec_of(
      "compaction = {'class': 'DateTieredCompactionStrategy', 'bucket_low': '0.5', "
      "'min_threshold': 5}");
  REQUIRE(dates.spec.empty());
  REQUIRE(dates.unmodelled ==
          std::vector<std::string>{"compaction.class=DateTieredCompactionStrategy",
                                   "compaction.min_threshold=5", "compaction.bucket_low=0.5"});
}

TEST_CASE("Strategies of ScyllaDB become its own policies") {
  const auto begins = [](const std::string& with, const std::string& spec) {
    require_begin(spec_of(with, StoreSystem::kScylladb), spec);
  };
  begins("compaction = {'class': 'SizeTieredCompactionStrategy', 'min_sstable_age': 60}",
         "scylla-stcs:min_threshold=4,min_sstable_age=1min,bits_per_key=10");
  begins("compaction = {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '80'}",
         "scylla-lcs:sstable_size=80MiB,min_threshold=4,bits_per_key=10");
  begins("compaction = {'class': 'IncrementalCompactionStrategy'}",
         "scylla-ics:sstable_size=1000MiB,min_threshold=4,bits_per_key=10,block_size=4KiB");
  begins(
      "compaction = {'class': 'IncrementalCompactionStrategy', 'sstable_size_in_mb': '160', "
      "'space_amplification_goal': '1.25', 'bucket_low': '0.5'}",
      "scylla-ics:sstable_size=160MiB,min_threshold=4,bucket_low=0.5,"
      "space_amplification_goal=1.25,bits");
  begins("compaction = {'class': 'TimeWindowCompactionStrategy'}", "cassandra-twcs:");
}

TEST_CASE("Values that lsmlab cannot take are unmodelled, or the nearest it can") {
  const PolicySpec made = spec_of(
      "compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '40', "
      "'bucket_low': '1.5', 'bucket_high': 'many', 'tombstone_threshold': '7'}");
  require_begin(made, "cassandra-stcs:min_threshold=40,max_threshold=40,bits");
  REQUIRE(made.unmodelled == std::vector<std::string>{"compaction.bucket_low=1.5",
                                                      "compaction.bucket_high=many",
                                                      "compaction.tombstone_threshold=7"});
}

TEST_CASE("ScyllaDB is known by options that Cassandra lacks") {
  const auto read = read_table_schema(
      "CREATE TABLE k.t (a int PRIMARY KEY) WITH compaction = {'class': "
      "'IncrementalCompactionStrategy'} AND tombstone_gc = {'mode': 'timeout'};");
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.system == StoreSystem::kScylladb);
}

TEST_CASE("ALTER TABLE alone gives the options that it changes, with and without its end") {
  const std::string text =
      "cqlsh> ALTER TABLE ks.events WITH compaction = {'class': 'UnifiedCompactionStrategy', "
      "'scaling_parameters': 'T4, L10'} AND gc_grace_seconds = 60";
  for (const std::string& form : {text, text + ";\ncqlsh> "}) {
    REQUIRE(is_table_schema(form));
    const auto read = read_table_schema(form);
    REQUIRE_FALSE(read.fault);
    REQUIRE(read.value.families.size() == 1);
    REQUIRE(read.value.families[0].name == "ks.events");
    REQUIRE(read.value.families[0].is_partial);
    REQUIRE(read.value.families[0].values.at("compaction.scaling_parameters") == "T4, L10");
    REQUIRE(read.value.families[0].values.at("gc_grace_seconds") == "60");
  }
  REQUIRE(read_table_schema(text.substr(0, text.find(", L10"))).fault);
  REQUIRE(read_table_schema(text.substr(0, text.find("}"))).fault);
  REQUIRE_FALSE(is_table_schema("ALTER TABLE ks.events ADD color text;"));
}

TEST_CASE("ALTER TABLE IF EXISTS names its table") {
  const std::string text = "ALTER TABLE IF EXISTS ks.t WITH gc_grace_seconds = 60;";
  REQUIRE(is_table_schema(text));
  REQUIRE(read_table_schema(text).value.families.at(0).name == "ks.t");
}

TEST_CASE("ALTER TABLE in prose or in the SQL of other databases is no schema") {
  for (const std::string text :
       {"We wanted to alter table layouts and then live with the result.\nNothing else.\n",
        "ALTER TABLE t ADD FULLTEXT INDEX ft (c) WITH PARSER ngram;",
        "ALTER TABLE public.users ALTER COLUMN created TYPE timestamp with time zone;"}) {
    CAPTURE(text);
    REQUIRE_FALSE(is_table_schema(text));
    REQUIRE(read_table_schema(text).value.families.empty());
  }
}

TEST_CASE("ALTER TABLE replaces the maps of the CREATE TABLE above it") {
  const auto read = read_table_schema(
      "CREATE TABLE k.t (a int PRIMARY KEY) WITH compaction = {'class': "
      "'SizeTieredCompactionStrategy', 'min_threshold': 6} AND gc_grace_seconds = 60;\n"
      "ALTER TABLE k.t WITH compaction = {'class': 'LeveledCompactionStrategy'};\n"
      "ALTER TABLE k.t ADD b int;");
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.families.size() == 1);
  REQUIRE_FALSE(read.value.families[0].is_partial);
  REQUIRE(
      read.value.families[0].values ==
      OptionValues{{"compaction.class", "LeveledCompactionStrategy"}, {"gc_grace_seconds", "60"}});
}

TEST_CASE("A schema that is cut is a fault, and what is before the cut is read") {
  const std::string text = sample_cassandra_schema();
  const auto cut = read_table_schema(std::string_view(text).substr(0, text.find("'min_thr") + 4));
  REQUIRE(cut.fault);
  REQUIRE(cut.fault->message.find("cut") != std::string::npos);
  REQUIRE(cut.value.families[0].values.at("compaction.class") == "SizeTieredCompactionStrategy");
  REQUIRE(read_table_schema("CREATE TABLE").fault);
}

TEST_CASE("Histories and schemas that are cut or damaged anywhere are read without a crash") {
  for (const std::string& text : {std::string(kJson), std::string(kYaml), std::string(kText),
                                  sample_cassandra_history(), sample_cassandra_schema()}) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      std::string damaged = text;
      damaged[size] = static_cast<char>(damaged[size] ^ 0x12);
      for (const std::string& input : {text.substr(0, size), damaged}) {
        static_cast<void>(is_compaction_history(input));
        static_cast<void>(is_table_schema(input));
        static_cast<void>(read_compaction_history(input));
        static_cast<void>(read_table_schema(input));
      }
    }
  }
  SUCCEED();
}

TEST_CASE("Schemas and histories are known by their content") {
  const Scratch scratch;
  for (const auto& [text, is_history] :
       {std::pair(sample_cassandra_history(), true), std::pair(std::string(kJson), true),
        std::pair(std::string(kYaml), true), std::pair(sample_cassandra_schema(), false)}) {
    write_text(scratch.path("x"), text);
    const auto store = read_store(scratch.path("x"));
    REQUIRE(store);
    REQUIRE(store.value().logs.empty() == !is_history);
    REQUIRE(store.value().options.has_value() == !is_history);
    const auto families = all_figures(store.value());
    REQUIRE_FALSE(report_text(store.value(), families).empty());
    REQUIRE_FALSE(describe(store.value(), families)["column_families"].empty());
  }
}

}  // namespace
}  // namespace lsmlab::stores::cassandra_test
