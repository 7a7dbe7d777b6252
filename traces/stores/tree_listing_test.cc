// Lists of the files of a tree.
#include "traces/stores/tree_listing.h"

#include "testing/catch.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::tree_listing_test {
namespace {

Store store_of(const std::string& text) {
  Store store;
  REQUIRE(add_store_file(store, "text", text));
  return store;
}

// `ldb manifest_dump` of RocksDB 7.8.3 without --verbose, shortened.
constexpr const char* kDump =
    "--------------- Column family \"default\"  (ID 0) --------------\n"
    "log number: 161\n"
    "comparator: leveldb.BytewiseComparator\n"
    "--- level 0 --- version# 2 ---\n"
    " 162:463075[378210 .. 392037]['a' seq:389954, type:1 .. 'z' seq:383381, type:1]\n"
    " 159:462758[364140 .. 378208]['b' seq:370099, type:1 .. 'y' seq:377717, type:1]\n"
    "--- level 1 --- version# 2 ---\n"
    " 139:723024[223926 .. 335932]['c' seq:326385, type:1 .. 'd' seq:233250, type:1] blob_file:7\n"
    "--- level 2 --- version# 2 ---\n"
    "--------------- Column family \"meta\"  (ID 1) --------------\n"
    "log number: 161\n"
    "comparator: leveldb.BytewiseComparator\n"
    "--- level 0 --- version# 2 ---\n"
    "--- level 6 --- version# 2 --- compact_cursor: 'k' seq:1, type:1 ---\n"
    " 91:1057076[0 .. 0]['e' seq:0, type:1 .. 'f' seq:0, type:1]\n"
    "next_file_number 171 last_sequence 399999  prev_log_number 0 max_column_family 1\n";

TEST_CASE("manifest_dump without its edits is a tree, and nothing that happened") {
  const Store store = store_of(kDump);
  REQUIRE(store.system == StoreSystem::kRocksdb);
  REQUIRE(store.families() == std::vector<std::string>{"default", "meta"});
  const FamilyTree& tree = *store.tree("default");
  REQUIRE(tree.comparator == "leveldb.BytewiseComparator");
  REQUIRE(tree.levels.size() == 2);
  REQUIRE(tree.levels[0].size() == 2);
  const StoreFile& file = tree.levels[1].at(139);
  REQUIRE(file.bytes == 723'024);
  REQUIRE(file.smallest_key == "c");
  REQUIRE(file.largest_key == "d");
  REQUIRE(file.largest_sequence == 335'932);
  REQUIRE(store.tree("meta")->levels.at(6).at(91).bytes == 1'057'076);
  const std::string report = report_text(store, all_figures(store));
  REQUIRE(report.find("tree from text, a list of files\n") != std::string::npos);
  REQUIRE(report.find("flushes and compactions: unknown; the text lists the tree's files only") !=
          std::string::npos);
}

TEST_CASE("rocksdb.sstables and leveldb.sstables are trees, also quoted, and the last one counts") {
  const std::string old =
      "--- level 0 --- version# 1 ---\n 9:19946862[1 .. 1409181]['k' seq:1, type:1 .. 'l' seq:2, "
      "type:1](0)\n--- level 1 --- version# 1 ---\n";
  const std::string rocksdb =
      old +
      "> rocksdb.sstables: --- level 0 --- version# 2 ---\n"
      "> \n"
      ">   10:        13759       [2049 .. 3072]['key0' seq:2049, type:0 .. 'key999' seq:3048, "
      "type:0]  \n"
      ">  7:1076837['key0' seq:1025, type:1 .. 'key9\n";
  const Store store = store_of(rocksdb);
  REQUIRE(store.tree("default")->levels[0].size() == 2);
  REQUIRE(store.tree("default")->levels[0].at(10).bytes == 13'759);
  REQUIRE(store.tree("default")->levels[0].at(7).bytes == 1'076'837);
  const Store leveldb = store_of(
      "--- level 0 ---\n 17:123['a' @ 5 : 1 .. 'd' @ 7 : 1]\n 20:43['e' @ 8 : 1 .. 'g' @ 9 : 0]\n"
      "--- level 1 ---\n 12:2000123['a' @ 5 : 1 .. 'z' @ 7 : 1]\n");
  REQUIRE(leveldb.system == StoreSystem::kLeveldb);
  REQUIRE(leveldb.tree("default")->levels[0].at(20).smallest_key == "e");
  REQUIRE(leveldb.tree("default")->levels[1].at(12).largest_key == "z");
  REQUIRE(store_of(old + " 1234").faults.size() == 1);
}

TEST_CASE("a shortened list beside a table of the levels gives way to the table") {
  const std::string list =
      "--- level 0 --- version# 20 ---\n 40:1000['a' seq:5, type:1 .. 'b' seq:6, type:1](0)\n"
      "--- level 1 --- version# 20 ---\n";
  const std::string table = "\n\nLevel Files Size(MB)\n--------------------\n";
  const Store shortened = store_of(list + table + "  0        2      249\n  1        1      124\n");
  REQUIRE_FALSE(shortened.manifest);
  REQUIRE(figures_of(shortened, "default").levels.at(1).files == 1);
  const Store whole = store_of(list + table + "  0        1        0\n  1        0        0\n");
  REQUIRE(figures_of(whole, "default").levels.at(0).bytes == 1000);
}

TEST_CASE("metadata of live files is a tree in each language's form") {
  // rust-rocksdb's live_files(), python-rocksdb's get_live_files_metadata(), grocksdb, JSON, and
  // the levels of GetColumnFamilyMetaData().
  for (const std::string text :
       {R"([LiveFile { column_family_name: "default", name: "/000123.sst", size: 67108864, level: 6,
           start_key: Some([107, 49]), end_key: Some([107, 57]), num_entries: 500000,
           num_deletions: 12 }])",
        R"([{'name': '/000123.sst', 'level': 6, 'size': 67108864, 'smallestkey': b'k\x31',
           'largestkey': b'k9', 'num_entries': 500000}])",
        R"([{Name:/000123.sst ColumnFamilyName:default Level:6 Size:67108864 SmallestKey:[107 49]
           LargestKey:[107 57] NumEntries:500000}])",
        R"({"files":[{"name":"/data/000123.sst","level":6,"size":67108864,"smallestkey":"k1",
           "largestkey":"k9","num_entries":500000}]})",
        R"({'levels': [{'level': 0, 'size': 0, 'files': []}, {'level': 6, 'size': 1, 'files':
           [{'relative_filename': '000123.sst', 'size': 67108864, 'smallestkey': 'k1',
           'largestkey': 'k9', 'num_entries': 500000}]}]})"}) {
    CAPTURE(text);
    const Store store = store_of(text);
    REQUIRE(store.faults.empty());
    const StoreFile& file = store.tree("default")->levels.at(6).at(123);
    REQUIRE(file.bytes == 67'108'864);
    REQUIRE(file.smallest_key == "k1");
    REQUIRE(file.largest_key == "k9");
    REQUIRE(file.entries == 500'000);
  }
}

TEST_CASE("a record that is cut is a fault, and a file without keys has none") {
  const Store cut = store_of(
      "[\n    LiveFile {\n        column_family_name: \"meta\",\n        name: \"/000130.sst\",\n"
      "        size: 1024,\n        level: 0,\n        start_key: None,\n        end_key: None,\n"
      "    },\n    LiveFile {\n        column_family_name: \"meta\",\n        name: \"/000131");
  REQUIRE(cut.faults.size() == 1);
  REQUIRE(cut.tree("meta")->levels[0].at(130).smallest_key.empty());
  REQUIRE(cut.tree("meta")->levels[0].size() == 1);
}

TEST_CASE("a list of names counts the files of each level") {
  for (const std::string text :
       {"===== Column Family: default =====\nLive SST Files:\n---------- level 0 ----------\n"
        "db/000162.sst\n---------- level 2 ----------\ndb/000139.sst\ndb/000141.sst\n"
        "------------------------------\n",
        "Live SST and Blob Files:\ndb/000139.sst : level 2, column family 'default'\n"
        "db/000141.sst : level 2, column family 'default'\n"
        "db/000162.sst : level 0, column family 'default'\n"}) {
    CAPTURE(text);
    const Store store = store_of(text);
    REQUIRE(store.system == StoreSystem::kRocksdb);
    const FamilyFigures figures = figures_of(store, "default");
    REQUIRE(figures.levels.size() == 3);
    REQUIRE(figures.levels[0].files == 1);
    REQUIRE(figures.levels[2].files == 2);
    REQUIRE_FALSE(figures.levels[2].bytes);
    REQUIRE(figures.has_files_only);
  }
}

TEST_CASE("what leveldbutil prints of a MANIFEST is its history") {
  const Store store = store_of(
      "--- offset 0; VersionEdit {\n  Comparator: leveldb.BytewiseComparator\n  LogNumber: 9\n"
      "  PrevLogNumber: 0\n  NextFile: 10\n  LastSeq: 3\n}\n"
      "--- offset 44; VersionEdit {\n  LogNumber: 12\n  AddFile: 0 13 160 'a' @ 5 : 1 .. 'd' @ 7 : "
      "1\n}\n"
      "--- offset 99; VersionEdit {\n  CompactPointer: 0 'd' @ 7 : 1\n  DeleteFile: 0 13\n"
      "  AddFile: 1 14 158 'a' @ 5 : 1 .. 'd' @ 7 : 1\n}\n");
  REQUIRE(store.system == StoreSystem::kLeveldb);
  REQUIRE(store.faults.empty());
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.flushes.bytes == 160);
  REQUIRE(figures.merge_written_bytes == 158);
  REQUIRE(store.tree("default")->levels[1].at(14).largest_key == "d");
}

}  // namespace
}  // namespace lsmlab::stores::tree_listing_test
