// What a LOG does not tell of a RocksDB: ingested files, blob files, where the LOG is.
#include "testing/catch.h"
#include "testing/traces/manifest_writer.h"
#include "testing/traces/sample_logs.h"
#include "testing/traces/trace_testing.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::unlogged_files_test {
namespace {

using lsmlab::testing::Scratch;
using lsmlab::testing::write_text;

std::string manifest_bytes() {
  using namespace lsmlab::testing;
  std::string bytes;
  append_record(bytes, varint(1) + slice("leveldb.BytewiseComparator"));
  append_record(bytes, new_file4(0, 11, 1000, "a", "f"));
  append_record(bytes, new_file4(2, 21, 5000, "x", "y"));
  append_record(bytes, new_file4(2, 22, 7000, "z", "zz"));
  return bytes;
}

void write_store(const Scratch& scratch, const std::string& database, const std::string& family) {
  write_text(scratch.path("CURRENT"), "MANIFEST-000004\n");
  write_text(scratch.path("MANIFEST-000004"), manifest_bytes());
  write_text(scratch.path("OPTIONS-000007"),
             "[Version]\nrocksdb_version=7.8.3\n[DBOptions]\n" + database +
                 "\n[CFOptions \"default\"]\ncompaction_style=kCompactionStyleLevel\n" + family +
                 "\n");
}

TEST_CASE("Files that the user ingested are told, and no other figure counts them") {
  const Scratch scratch;
  write_store(scratch, "max_background_jobs=2", "num_levels=4");
  write_text(scratch.path("LOG"), lsmlab::testing::sample_rocksdb_log());
  const Store store = read_store(scratch.path()).value();
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.source == HistorySource::kLog);
  REQUIRE(figures.ingested_files == 2);
  REQUIRE(figures.ingested_bytes == 12'000);
  REQUIRE(figures.write_amplification() == 3.7);
  const std::string text = report_text(store, all_figures(store));
  REQUIRE(text.find("ingested: 2 files, 11.72 KiB, by the MANIFEST") != std::string::npos);
  REQUIRE(text.find("blob") == std::string::npos);
}

TEST_CASE("Write amplification with blob files is told to be of SSTables alone") {
  const Scratch scratch;
  write_store(scratch, "max_background_jobs=2", "enable_blob_files=true");
  write_text(scratch.path("LOG"), lsmlab::testing::sample_rocksdb_log());
  const Store store = read_store(scratch.path()).value();
  REQUIRE(report_text(store, all_figures(store)).find("of SSTables alone; no figure counts") !=
          std::string::npos);
}

TEST_CASE("A LOG in another directory is named where it is missing") {
  const Scratch scratch;
  write_store(scratch, "db_log_dir=/var/log/app", "num_levels=4");
  const Store store = read_store(scratch.path()).value();
  REQUIRE(store.faults.empty());
  const char* const named = "db_log_dir=/var/log/app";
  REQUIRE(report_text(store, all_figures(store)).find(named) != std::string::npos);
  REQUIRE(with_faults_of(store, input_error("no workload")).message.find(named) !=
          std::string::npos);
  write_text(scratch.path("LOG"), lsmlab::testing::sample_rocksdb_log());
  REQUIRE(read_store(scratch.path()).value().log_directory.empty());
}

TEST_CASE("The time after the last flush is none of the rate of writes") {
  Store store;
  store.logs.emplace_back();
  InfoLog& log = store.logs.front().log;
  log.first_micros = 1'000'000;
  log.last_micros = 100'000'000;
  LoggedFlush flush;
  flush.family = "default";
  flush.micros = 3'000'000;
  flush.memtable_entries = 1000;
  flush.outputs.push_back({7, 100'000, 1000});
  flush.is_finished = true;
  log.flushes.push_back(flush);
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.seconds == 99);
  REQUIRE(figures.writes_per_second() == 500);
}

}  // namespace
}  // namespace lsmlab::stores::unlogged_files_test
