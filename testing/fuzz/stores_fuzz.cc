// Reads any bytes as a file of a store of RocksDB, LevelDB, Pebble or Cassandra. Reading must end
// with a report or an error. Mutations rarely keep a checksum valid, so an input's first byte
// chooses: the file itself, or records that get their checksums here (for each, 2 bytes with its
// size, and its bytes).
#include "models/base/check.h"
#include "testing/fuzz/fuzz.h"
#include "testing/traces/manifest_writer.h"
#include "testing/traces/sample_logs.h"
#include "traces/stores/cassandra_history.h"
#include "traces/stores/cassandra_schema.h"
#include "traces/stores/store_description.h"
#include "traces/stores/store_report.h"

namespace lsmlab {
namespace {

constexpr char kAsItIs = 0;
constexpr char kSealed = 1;

std::string with_size(const std::string& record) {
  return testing::fixed(record.size(), 2) + record;
}

std::string sealed_records(std::string_view input) {
  std::string file;
  while (input.size() >= 2) {
    const std::size_t size = static_cast<std::uint8_t>(input[0]) |
                             static_cast<std::size_t>(static_cast<std::uint8_t>(input[1])) << 8;
    const std::string_view record = input.substr(2, size);
    testing::append_record(file, record);
    input.remove_prefix(2 + record.size());
  }
  return file;
}

}  // namespace
}  // namespace lsmlab

std::vector<std::string> lsmlab::testing::fuzz_seeds() {
  const std::string options =
      "[Version]\nrocksdb_version=7.8.3\n[CFOptions \"default\"]\nnum_levels=7\n"
      "compaction_options_universal={size_ratio=1;}\nmax_bytes_for_level_base=100\n"
      "max_bytes_for_level_multiplier=10\nfilter_policy=bloomfilter:10:false\n";
  const std::string records =
      with_size(varint(1) + slice("comparator")) +
      with_size(varint(200) + varint(3) + varint(201) + slice("other")) +
      with_size(new_file4(0, 10, 1000, "a", "f",
                          varint(5) + slice(varint(9)) + varint(6) + slice(varint(9)))) +
      with_size(new_file(0, 11, 1000, "b", "g")) +
      with_size(deleted_file(0, 10) + new_file4(2, 10, 1000, "a", "f") + varint(300) + varint(0));
  const std::string dump =
      R"({"EditNumber": 2, "AddedFiles": [{"Level": 0, "FileNumber": 7, "FileSize": 900}]})";
  const std::string text_dump =
      "VersionEdit {\n  LastSeq: 12\n  AddFile: 0 11 900 'a' seq:1, type:1 .. 'c' seq:2, type:1 "
      "file_creation_time:9\n  ColumnFamily: 1\n}\nVersionEdit {\n  DeleteFile: 0 11\n}\n";
  const std::string pebble_options =
      "[Version]\n  pebble_version=0.1\n[Options]\n  lbase_max_bytes=100\n"
      "  mem_table_size=4194304\n  l0_compaction_threshold=4\n[Level \"0\"]\n"
      "  target_file_size=2097152\n  compression=Snappy\n";
  const std::string time = varint(6) + slice(varint(9));
  const std::string pebble_records =
      with_size(varint(1) + slice("comparator")) +
      with_size(varint(2) + varint(4) + new_file4(0, 5, 100, "a", "f", time)) +
      with_size(varint(104) + varint(6) + varint(7) + varint(90) + varint(1) + internal_key("a") +
                internal_key("b") + internal_key("c") + internal_key("d") + varint(1) + varint(2) +
                time + varint(66) + varint(5) + varint(69) + varint(1) + varint(1) + varint(2) +
                varint(3) + varint(1)) +
      with_size(varint(105) + varint(5) + varint(90) + varint(106) + varint(5) + varint(107) +
                varint(1) + varint(2) + varint(3) + varint(4) + varint(5) + varint(108) +
                varint(1) + varint(2));
  const std::string history_json =
      R"({"CompactionHistory":[{"bytes_in":3,"rows_merged":"{1:2}","keyspace_name":"k",)"
      R"("columnfamily_name":"t","compacted_at":"2026-11-28T10:30:00.500","bytes_out":2}]})";
  const std::string history_yaml =
      "CompactionHistory:\n- bytes_in: 3\n  keyspace_name: k\n  columnfamily_name: t\n"
      "  compacted_at: '2026-11-28T10:30'\n  rows_merged: '{1:2,\n    4:5}'\n  bytes_out: 2\n";
  const std::string prefixed_table =
      "host app[1]: ** Compaction Stats [default] **\nhost app[1]: Level Files Size Score Read(GB) "
      "Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) Comp(cnt) "
      "Avg(sec) KeyIn KeyDrop\n\"  L0 2/0 11.89 MB 0.5 0.0 0.0 0.0 0.8 0.8 0.0 1.0 0.0 96.7 8.73 "
      "142 "
      "0.061 0 0\\n\" +\nhost app[1]: L4 4/0 29.96 MB 0.9 1.7 0.8 0.9 1.0 0.2 0.0 1.3 121.0 74.8 "
      "14.22 "
      "35 0.406 14M 5649K\n// Flush(GB): cumulative 0.824, interval 0.1\nAddFile(L0 Files): "
      "cumulative 3, interval 0\nCumulative writes: 0 writes, 8000K keys, ingest: 0.98 GB, 1 "
      "MB/s\n";
  const std::string plain(1, kAsItIs);
  return {plain + options,
          plain + sample_rocksdb_log(),
          plain + sample_leveldb_log(),
          plain + dump,
          plain + text_dump,
          plain + sealed_records(records),
          plain + pebble_options,
          plain + sample_pebble_metrics(),
          plain + sample_pebble_split_tables(),
          plain + hosted_log(sample_rocksdb_log(), true),
          plain + hosted_log(sample_rocksdb_log(), false),
          plain + prefixed_table,
          plain + sample_cassandra_history(),
          plain + sample_cassandra_schema(),
          plain + history_json,
          plain + history_yaml,
          plain + sealed_records(pebble_records),
          std::string(1, kSealed) + pebble_records,
          std::string(1, kSealed) + records};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lsmlab;
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string file =
      data[0] == static_cast<std::uint8_t>(kSealed) ? sealed_records(input) : std::string(input);
  // Each reader takes any bytes, whatever their kind is.
  static_cast<void>(stores::read_options_file(file));
  static_cast<void>(stores::read_rocksdb_log(file));
  static_cast<void>(stores::read_leveldb_log(file));
  static_cast<void>(stores::read_manifest(file));
  static_cast<void>(stores::read_manifest_dump(file));
  static_cast<void>(stores::read_pebble_metrics(file));
  static_cast<void>(stores::read_compaction_history(file));
  static_cast<void>(stores::read_table_schema(file));
  stores::Store store;
  store.path = "fuzzed";
  if (!stores::add_store_file(store, "file", file)) return 0;
  if (!store.options && !store.logs.empty()) store.options = store.logs.front().log.options;
  const auto families = stores::all_figures(store);
  CHECK(!stores::report_text(store, families).empty());
  CHECK(!stores::report_json(store, families).dump().empty());
  CHECK(!stores::describe(store, families).dump().empty());
  return 0;
}
