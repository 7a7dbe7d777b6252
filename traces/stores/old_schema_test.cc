// Schemas of cassandra-cli and of CQL 2.
#include "testing/catch.h"
#include "traces/stores/cassandra_schema.h"

namespace lsmlab::stores::old_schema_test {
namespace {

constexpr const char* kCli = R"(create keyspace Users
  with placement_strategy = 'NetworkTopologyStrategy'
  and strategy_options = { DAL05 : 1 }
  and durable_writes = true;

use Users;

create column family Carts
  with column_type = 'Standard'
  and gc_grace = 259200
  and min_compaction_threshold = 4
  and max_compaction_threshold = 32
  and compaction_strategy = 'org.apache.cassandra.db.compaction.LeveledCompactionStrategy'
  and column_metadata = [
    {column_name : 'and', validation_class : UTF8Type},
    {column_name : 'seen', validation_class : DateType}]
  and compaction_strategy_options = {'sstable_size_in_mb' : '10'}
  and compression_options = {'sstable_compression' : 'org.apache.cassandra.io.compress.SnappyCompressor'};

create column family 'Cities' with compaction_strategy=SizeTieredCompactionStrategy and compaction_strategy_options={min_sstable_size:1024};
)";

TEST_CASE("A schema of cassandra-cli has the options of today's names") {
  REQUIRE(is_table_schema(kCli));
  const auto read = read_table_schema(kCli);
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.families.size() == 2);
  const OptionValues& carts = read.value.family("Users.Carts")->values;
  REQUIRE(carts.at("compaction.class") == "LeveledCompactionStrategy");
  REQUIRE(carts.at("compaction.sstable_size_in_mb") == "10");
  REQUIRE(carts.at("compaction.max_threshold") == "32");
  REQUIRE(carts.at("compression.class") == "SnappyCompressor");
  REQUIRE(carts.at("gc_grace_seconds") == "259200");
  const OptionValues& cities = read.value.family("Users.Cities")->values;
  REQUIRE(cities.at("compaction.min_sstable_size") == "1024");
}

TEST_CASE("An update of a column family changes what it states") {
  const auto read = read_table_schema(
      std::string(kCli) +
      "update column family Carts with compaction_strategy_options={sstable_size_in_mb:160};");
  const OptionValues& carts = read.value.family("Users.Carts")->values;
  REQUIRE(carts.at("compaction.sstable_size_in_mb") == "160");
  REQUIRE(carts.at("compaction.class") == "LeveledCompactionStrategy");
  const auto lone = read_table_schema(
      "update column family Carts with compaction_strategy='LeveledCompactionStrategy';");
  REQUIRE(lone.value.family("Carts")->is_partial);
}

TEST_CASE("A schema of CQL 2 names its strategy by class and colons") {
  const auto read = read_table_schema(
      "CREATE TABLE users (\n  KEY text PRIMARY KEY\n) WITH\n  comment='' AND\n"
      "  gc_grace_seconds=864000 AND\n  min_compaction_threshold=6 AND\n"
      "  compaction_strategy_class='LeveledCompactionStrategy' AND\n"
      "  compaction_strategy_options:sstable_size_in_mb=10 AND\n"
      "  compression_parameters:sstable_compression='DeflateCompressor';\n");
  const OptionValues& users = read.value.family("users")->values;
  REQUIRE(users.at("compaction.class") == "LeveledCompactionStrategy");
  REQUIRE(users.at("compaction.sstable_size_in_mb") == "10");
  REQUIRE(users.at("compaction.min_threshold") == "6");
  REQUIRE(users.at("compression.class") == "DeflateCompressor");
}

}  // namespace
}  // namespace lsmlab::stores::old_schema_test
