#include "traces/stores/manifest.h"

#include <algorithm>

#include "testing/catch.h"
#include "testing/traces/manifest_writer.h"

namespace lsmlab::stores::manifest_test {
namespace {

using namespace lsmlab::testing;

std::string file_of(const std::vector<std::string>& records, bool recycled = false) {
  std::string bytes;
  for (const std::string& record : records) append_record(bytes, record, recycled);
  return bytes;
}

// RocksDB writes the time of the oldest ancestor with that of the file.
std::string times(std::uint64_t seconds) {
  return varint(5) + slice(varint(seconds)) + varint(6) + slice(varint(seconds));
}

// A flush, a flush, a move, a merge, in two column families.
std::vector<std::string> rocksdb_records() {
  return {
      varint(1) + slice("leveldb.BytewiseComparator"),
      varint(200) + varint(3) + varint(201) + slice("other [x]"),
      new_file4(0, 10, 1000, "a", "f", times(1700000000)),
      new_file4(0, 11, 1100, "b", "g") + varint(4) + varint(55),
      varint(200) + varint(3) + new_file4(0, 12, 50, "x", "y"),
      deleted_file(0, 11) + new_file4(2, 11, 1100, "b", "g"),
      deleted_file(0, 10) + deleted_file(2, 11) + new_file4(3, 13, 1800, "a", "g"),
  };
}

std::vector<EditKind> kinds_of(const Manifest& manifest) {
  std::vector<EditKind> kinds;
  for (const HistoryEdit& step : manifest.history) kinds.push_back(step.kind);
  return kinds;
}

std::size_t files_in(const Manifest& manifest) {
  std::size_t files = 0;
  for (const auto& [id, tree] : manifest.families) {
    for (const auto& level : tree.levels) files += level.size();
  }
  return files;
}

TEST_CASE("An edit has the cursors of its levels, and knows where a range tombstone ends") {
  const std::string suffix("\x01\x07\x02\0\0\0\0\0", 8);
  const std::string end("\x0f\xff\xff\xff\xff\xff\xff\xff", 8);
  const auto edit =
      decode_version_edit(varint(5) + varint(2) + slice("m" + suffix) + varint(5) + varint(1) +
                          slice("") + varint(100) + varint(1) + varint(10) + varint(900) +
                          slice("a" + suffix) + slice("f" + end) + varint(1) + varint(2));
  REQUIRE(edit);
  REQUIRE(edit.value().cursors.size() == 1);
  REQUIRE(edit.value().cursors[0].level == 2);
  REQUIRE(edit.value().cursors[0].key == "m");
  REQUIRE(edit.value().cursors[0].sequence == 0x207);
  REQUIRE(edit.value().added[0].file.first_key_sequence == 0x207);
  REQUIRE(edit.value().added[0].file.largest_key == "f");
  REQUIRE(edit.value().added[0].file.largest_is_exclusive);
}

TEST_CASE("A MANIFEST of RocksDB gives the history and the tree of each column family") {
  const bool recycled = GENERATE(false, true);
  const Salvaged<Manifest> read = read_manifest(file_of(rocksdb_records(), recycled));
  REQUIRE_FALSE(read.fault);
  const Manifest& manifest = read.value;
  REQUIRE(manifest.system == StoreSystem::kRocksdb);
  REQUIRE(manifest.last_sequence == 55);
  REQUIRE(kinds_of(manifest) == std::vector<EditKind>{EditKind::kSettings, EditKind::kSettings,
                                                      EditKind::kFlush, EditKind::kFlush,
                                                      EditKind::kFlush, EditKind::kMove,
                                                      EditKind::kMerge});
  REQUIRE(manifest.history.back().deleted_bytes == std::vector<std::uint64_t>{1000, 1100});
  const FamilyTree& tree = manifest.families.at(0);
  REQUIRE(tree.name == "default");
  REQUIRE(tree.comparator == "leveldb.BytewiseComparator");
  REQUIRE(tree.levels.size() == 4);
  REQUIRE(tree.levels[0].empty());
  REQUIRE(tree.levels[3].at(13).bytes == 1800);
  REQUIRE(tree.levels[3].at(13).smallest_key == "a");
  REQUIRE(manifest.families.at(3).name == "other [x]");
  REQUIRE(manifest.families.at(3).levels[0].at(12).largest_key == "y");
  REQUIRE(manifest.history[2].edit.added[0].file.creation_seconds == 1700000000);
}

TEST_CASE("A MANIFEST of LevelDB begins with a snapshot and may flush below level 0") {
  const Salvaged<Manifest> read = read_manifest(file_of({
      varint(1) + slice("leveldb.BytewiseComparator") + new_file(0, 5, 100, "a", "b") + varint(5) +
          varint(1) + internal_key("k"),
      new_file(2, 6, 200, "c", "d") + varint(9) + varint(0),
      deleted_file(0, 5) + deleted_file(2, 6),
  }));
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.system == StoreSystem::kLeveldb);
  REQUIRE(kinds_of(read.value) ==
          std::vector<EditKind>{EditKind::kSnapshot, EditKind::kFlush, EditKind::kDrop});
  REQUIRE(files_in(read.value) == 0);
}

TEST_CASE("Records of a MANIFEST may cross blocks, and zeros may follow them") {
  std::string bytes;
  for (std::uint64_t i = 0; i < 200; ++i) {
    append_record(bytes, new_file4(0, i, i, std::string(500, 'k'), std::string(500, 'l')));
  }
  append_record(bytes, varint(8192 + 1) + slice(std::string(100'000, 'i')));
  append_record(bytes, new_file4(0, 500, 1, "a", "b"));
  bytes.append(40'000, '\0');
  const Salvaged<Manifest> read = read_manifest(bytes);
  REQUIRE_FALSE(read.fault);
  REQUIRE(files_in(read.value) == 201);
  REQUIRE(is_manifest(bytes));
}

TEST_CASE("Fields that may be ignored are ignored, and others are errors") {
  REQUIRE_FALSE(read_manifest(file_of({varint(8192 + 500) + slice("new")})).fault);
  REQUIRE_FALSE(
      read_manifest(file_of({new_file4(0, 1, 1, "a", "b", varint(60) + slice("new"))})).fault);
  // Bit 64 marks custom fields that must be known.
  REQUIRE(read_manifest(file_of({new_file4(0, 1, 1, "a", "b", varint(80) + slice("x"))})).fault);
  const auto unknown = read_manifest(file_of({new_file4(0, 1, 1, "a", "b"), varint(150)}));
  REQUIRE(unknown.fault);
  REQUIRE(unknown.fault->message.find("unknown tag 150") != std::string::npos);
  REQUIRE(unknown.value.history.size() == 1);
}

TEST_CASE("Other fields of RocksDB do not disturb") {
  const std::string blob = varint(400) + varint(7) + varint(2) + varint(99) + slice("") +
                           slice("") + varint(0) + varint(401) + varint(7) + varint(1) +
                           varint(50) + varint(0);
  const std::string wal = varint(8192 + 7) + slice("abc") + varint(8192 + 4) + varint(3) +
                          varint(2) + varint(100) + varint(1) + varint(8192 + 5) + varint(9);
  const std::string group = varint(10) + varint(4) + varint(203) + varint(1);
  const auto read = read_manifest(file_of({blob + wal + group + new_file4(1, 8, 9, "a", "b")}));
  REQUIRE_FALSE(read.fault);
  REQUIRE(files_in(read.value) == 1);
}

TEST_CASE("Edits of an atomic group apply together, or not at all") {
  const auto member = [](std::uint64_t number, unsigned rest) {
    return new_file4(0, number, 1, "a", "b") + varint(300) + varint(rest);
  };
  const auto whole = read_manifest(file_of({member(1, 1), member(2, 0)}));
  REQUIRE_FALSE(whole.fault);
  REQUIRE(files_in(whole.value) == 2);
  const auto half = read_manifest(file_of({new_file4(0, 9, 1, "a", "b"), member(1, 1)}));
  REQUIRE(half.fault);
  REQUIRE(files_in(half.value) == 1);
}

TEST_CASE("A dropped column family has no tree, and wrong edits are faults") {
  const auto dropped =
      read_manifest(file_of({varint(200) + varint(2) + varint(201) + slice("x"),
                             varint(200) + varint(2) + new_file4(0, 1, 1, "a", "b"),
                             varint(200) + varint(2) + varint(202)}));
  REQUIRE_FALSE(dropped.fault);
  REQUIRE(dropped.value.families.at(2).is_dropped);
  REQUIRE(files_in(dropped.value) == 0);
  REQUIRE(read_manifest(file_of({deleted_file(0, 1)})).fault);
  REQUIRE(read_manifest(file_of({new_file(0, 1, 1, "a", "b"), new_file(0, 1, 1, "a", "b")})).fault);
  REQUIRE(read_manifest(file_of({new_file(1U << 30, 1, 1, "a", "b")})).fault);
}

TEST_CASE("A MANIFEST that is cut anywhere gives the edits before the cut") {
  const std::vector<std::string> records = rocksdb_records();
  const std::string whole = file_of(records);
  // Where each record ends.
  std::vector<std::size_t> ends;
  std::string prefix;
  for (const std::string& record : records) {
    append_record(prefix, record);
    ends.push_back(prefix.size());
  }
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const Salvaged<Manifest> read = read_manifest(std::string_view(whole).substr(0, size));
    const auto edits =
        static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), size) - ends.begin());
    REQUIRE(read.value.history.size() == edits);
    const bool at_end = edits > 0 && ends[edits - 1] == size;
    REQUIRE(read.fault.has_value() == !at_end);
  }
}

TEST_CASE("A flipped bit of a MANIFEST is found") {
  const std::string whole = file_of(rocksdb_records());
  for (std::size_t i = 0; i < whole.size() * 8; ++i) {
    std::string damaged = whole;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << i % 8));
    REQUIRE(read_manifest(damaged).fault);
  }
}

TEST_CASE("The text of ldb manifest_dump --json gives the same tree") {
  const std::string dump =
      "some line\n"
      R"({"EditNumber": 1, "Comparator": "leveldb.BytewiseComparator", "ColumnFamily": 0})"
      "\n"
      R"({"EditNumber": 2, "AddedFiles": [{"Level": 0, "FileNumber": 7, "FileSize": 900, )"
      R"("SmallestIKey": "'aa' seq:3, type:1", "LargestIKey": "'zz' seq:4, type:1"}], )"
      R"("ColumnFamily": 0, "LastSeq": 12})"
      "\n"
      R"({"EditNumber": 3, "DeletedFiles": [{"Level": 0, "FileNumber": 7}], "AddedFiles": )"
      R"([{"Level": 6, "FileNumber": 7, "FileSize": 900}], "ColumnFamily": 0})"
      "\n";
  REQUIRE(is_manifest_dump(dump));
  const Salvaged<Manifest> read = read_manifest_dump(dump);
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.history[1].edit.added[0].file.smallest_key == "aa");
  REQUIRE(read.value.history[2].kind == EditKind::kMove);
  REQUIRE(read.value.families.at(0).levels[6].at(7).bytes == 900);
  REQUIRE(read.value.last_sequence == 12);
  for (std::size_t size = 0; size < dump.size(); ++size) {
    static_cast<void>(read_manifest_dump(std::string_view(dump).substr(0, size)));
  }
  REQUIRE(read_manifest_dump(dump.substr(0, dump.size() - 5)).fault);
}

TEST_CASE("The text of ldb manifest_dump --verbose gives the same tree") {
  const std::string dump =
      "Processing Manifest file x\n"
      "VersionEdit {\n  Comparator: leveldb.BytewiseComparator\n  ColumnFamily: 1\n"
      "  ColumnFamilyAdd: uni [x]\n}\n"
      "VersionEdit {\n  LogNumber: 10\n  LastSeq: 12\n  AddFile: 0 11 900 'a b' seq:463, type:1 .. "
      "'c' seq:1395, type:1 oldest_ancester_time:1 file_creation_time:1795742163 file_checksum:\n"
      "  ColumnFamily: 1\n}\n"
      "VersionEdit {\n  DeleteFile: 0 11\n  AddFile: 6 12 700 'a b' seq:0, type:1 .. 'c' seq:0, "
      "type:1 oldest_ancester_time:1\n  ColumnFamily: 1\n}\n"
      "--------------- Column family \"uni [x]\"  (ID 1) --------------\n--- level 0 ---\n";
  REQUIRE(is_manifest_dump(dump));
  const Salvaged<Manifest> read = read_manifest_dump(dump);
  REQUIRE_FALSE(read.fault);
  REQUIRE(read.value.history.size() == 3);
  REQUIRE(read.value.history[1].edit.added[0].file.smallest_key == "a b");
  REQUIRE(read.value.history[1].edit.added[0].file.largest_key == "c");
  REQUIRE(read.value.history[1].edit.added[0].file.creation_seconds == 1795742163);
  REQUIRE(read.value.history[2].kind == EditKind::kMerge);
  REQUIRE(read.value.families.at(1).name == "uni [x]");
  REQUIRE(read.value.families.at(1).levels[6].at(12).bytes == 700);
  REQUIRE(read_manifest_dump(dump.substr(0, dump.find("AddFile: 6"))).fault);
  for (std::size_t size = 0; size < dump.size(); ++size) {
    const auto cut = read_manifest_dump(std::string_view(dump).substr(0, size));
    REQUIRE(cut.value.history.size() <= 3);
  }
}

}  // namespace
}  // namespace lsmlab::stores::manifest_test
