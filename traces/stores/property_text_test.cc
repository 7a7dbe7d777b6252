// Numbers of properties and counters, and the texts that are not read.
#include "traces/stores/property_text.h"

#include "testing/catch.h"
#include "testing/traces/trace_testing.h"
#include "traces/stores/store_report.h"
#include "traces/stores/unread_texts.h"

namespace lsmlab::stores::property_text_test {
namespace {

using lsmlab::testing::contains;

Store store_of(const std::string& text) {
  Store store;
  REQUIRE(add_store_file(store, "text", text));
  return store;
}

TEST_CASE("TiKV's metrics give files by level and what its databases wrote") {
  const Store store = store_of(
      "# TYPE tikv_engine_num_files_at_level gauge\n"
      "tikv_engine_num_files_at_level{cf=\"default\",db=\"kv\",level=\"0\"} 4\n"
      "tikv_engine_num_files_at_level{cf=\"default\",db=\"kv\",level=\"6\"} 1204\n"
      "tikv_engine_compaction_flow_bytes{db=\"kv\",type=\"bytes_read\"} 2.5e+11\n"
      "tikv_engine_compaction_flow_bytes{db=\"kv\",type=\"bytes_written\"} 2.1e+11\n"
      "tikv_engine_flow_bytes{db=\"kv\",type=\"flush_write_bytes\"} 3e+10\n"
      "tikv_engine_flow_bytes{db=\"kv\",type=\"bytes_written\"} 5e+10\n");
  const FamilyFigures tree = figures_of(store, "kv.default");
  REQUIRE(tree.levels.size() == 7);
  REQUIRE(tree.levels[6].files == 1204);
  const FamilyFigures figures = figures_of(store, "kv");
  REQUIRE(figures.source == HistorySource::kCounters);
  REQUIRE(figures.flushes.bytes == 30'000'000'000);
  REQUIRE(figures.merge_read_bytes == 250'000'000'000);
  REQUIRE(figures.write_amplification() == 8);
}

TEST_CASE("counters of RocksDB, MyRocks and CockroachDB give the write amplification") {
  for (const std::string text :
       {"rocksdb.compact.read.bytes COUNT : 50\nrocksdb.compact.write.bytes COUNT : 40\n"
        "rocksdb.flush.write.bytes COUNT : 10\n",
        "| rocksdb_compact_write_bytes      | 40   |\n| rocksdb_flush_write_bytes  | 10 |\n",
        "rocksdb_flushed_bytes 10\nrocksdb_compacted_bytes_written 4e+01\n",
        "rocksdb_flush_write_bytes{table_id=\"a\"} 4\nrocksdb_flush_write_bytes{table_id=\"b\"} 6\n"
        "rocksdb_compact_write_bytes{table_id=\"a\"} 40\n"}) {
    CAPTURE(text);
    const Store store = store_of(text);
    const FamilyFigures figures = figures_of(store, "default");
    REQUIRE(figures.write_amplification() == 5);
    REQUIRE(contains(report_text(store, {figures}), "flushes: 10 B in total; counters do not say"));
  }
  const Store half = store_of("rocksdb_flushed_bytes{store=\"2\"} 10\n");
  REQUIRE_FALSE(figures_of(half, "store 2").write_amplification());
}

TEST_CASE("the map of compaction statistics is the table of them") {
  const Store store = store_of(
      "rocksdb.cfstats.compaction.L0.CompCount: 44.000000\n"
      "rocksdb.cfstats.compaction.L0.NumFiles: 4.000000\n"
      "rocksdb.cfstats.compaction.L0.SizeBytes: 1851161.000000\n"
      "rocksdb.cfstats.compaction.L0.WriteGB: 0.500000\n"
      "rocksdb.cfstats.compaction.L1.CompCount: 10.000000\n"
      "rocksdb.cfstats.compaction.L1.NumFiles: 5.000000\n"
      "rocksdb.cfstats.compaction.L1.ReadGB: 1.250000\n"
      "rocksdb.cfstats.compaction.L1.WriteGB: 1.000000\n"
      "rocksdb.cfstats.compaction.Sum.CompCount: 54.000000\n"
      "rocksdb.cfstats.compaction.Sum.WriteGB: 1.500000\n");
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.levels.at(1).files == 5);
  REQUIRE(figures.levels[0].bytes == 1'851'161);
  REQUIRE(figures.flushes.bytes == std::uint64_t{1} << 29);
  REQUIRE(figures.write_amplification() == 3);
}

TEST_CASE("pebble db properties has the files and bytes of each level") {
  const Store store = store_of(
      "                L0     L1   L2   L3   L4    L5    L6     TOTAL\n"
      "count           1      0    0    0    0     2     30     33\n"
      "size                                                      \n"
      "  data          236B   0B   0B   0B   0B    4.0MB 60MB   64MB\n"
      "    blocks      1      0    0    0    0     9     99     109\n"
      "  index         28B    0B   0B   0B   0B    1.0KB 2KB    3KB\n"
      "  filter        0B     0B   0B   0B   0B    0B    0B     0B\n"
      "records                                                   \n"
      "  set           26     0    0    0    0     2K    1M     1M\n");
  REQUIRE(store.system == StoreSystem::kPebble);
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.levels.at(0).bytes == 264);
  REQUIRE(figures.levels[5].bytes == (4 << 20) + 1024);
  REQUIRE(figures.levels[6].files == 30);
}

TEST_CASE("a text without figures is named, with what to give instead") {
  const auto why = [](const std::string& text) {
    Store store;
    const auto added = add_store_file(store, "text", text);
    REQUIRE_FALSE(added);
    return added.error().message;
  };
  REQUIRE(
      contains(why("pending tasks: 10\n- keyspace1.standard1: 10\n\nid compaction type keyspace "
                   "table completed total unit progress\n"),
               "is 'nodetool compactionstats'"));
  REQUIRE(contains(why("  # data blocks: 498\n  # entries: 16402\n  raw key size: 393648\n"
                       "  raw average key size: 24.000000\n  raw value size: 1640200\n"),
                   "load:entries=16402,key_bytes=16,value_bytes=100"));
  REQUIRE(contains(why("rocksdb.aggregated-table-properties.num_data_blocks: 1\n"
                       "rocksdb.aggregated-table-properties.num_entries: 10\n"
                       "rocksdb.aggregated-table-properties.raw_key_size: 240\n"),
                   "is a list of properties of SSTables"));
  REQUIRE(
      contains(why("    ColumnFamily: Standard1\n      GC grace seconds: 864000\n"
                   "      Compaction Strategy: o.a.c.db.compaction.SizeTieredCompactionStrategy\n"),
               "give what its 'show schema' prints"));
  REQUIRE(contains(why("Compaction History:\nid   keyspace_name   columnfamily_name\n"
                       "d06f7080-07a5-11e4-9b36-abc3a0ec9088  system  schema_columnfamilies\n"),
                   "without bytes_in and bytes_out"));
  REQUIRE(contains(why("rocksdb.num-files-at-level0: 4\n"), "of one level only"));
  REQUIRE(contains(why("MANIFEST-000006\n0/0\n  comparer:     leveldb.BytewiseComparator\n"
                       "  next-file-num: 7\n"),
                   "give the MANIFEST file itself"));
}

}  // namespace
}  // namespace lsmlab::stores::property_text_test
