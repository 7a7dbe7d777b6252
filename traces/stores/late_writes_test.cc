// What a store's writes do lately.
#include "traces/stores/late_writes.h"

#include "testing/catch.h"
#include "traces/stores/store_workload.h"

namespace lsmlab::late_writes_test {
namespace {

using stores::FamilyFigures;

// Of a RocksDB that put 300,000 different keys in random order, and then 300,000 random ones of
// them. Entries have 100 bytes here.
FamilyFigures load_then_overwrites() {
  FamilyFigures figures;
  figures.source = stores::HistorySource::kLog;
  figures.flushes.flushes = 266;
  figures.flushes.memtable_entries = 599'544;
  figures.flushes.entries = 598'527;
  figures.flushes.bytes = 59'852'700;
  figures.flushes.raw_key_bytes = 16 * figures.flushes.entries;
  figures.flushes.raw_value_bytes = 80 * figures.flushes.entries;
  figures.merge_input_entries = 2'000'000;
  figures.merge_output_entries = 2'000'000 - 134'804;
  for (const std::uint64_t entries : {0U, 9424U, 36361U, 161304U, 256691U}) {
    figures.levels.emplace_back();
    figures.levels.back().bytes = 100 * entries;
  }
  figures.late = stores::LateFigures{299'777, 0, 624'055'000, 298'760, 134'804};
  return figures;
}

TEST_CASE("after a load that has ended, writes only overwrite") {
  const stores::StoreWorkload workload = stores::store_workload(load_then_overwrites()).value();
  REQUIRE(workload.is_whole_history);
  REQUIRE_FALSE(workload.drawn_keys);
  REQUIRE(workload.update_fraction < 0.65);
  REQUIRE(workload.lately);
  REQUIRE(workload.lately->update_fraction == 1);
  REQUIRE(workload.lately->records > 290'000);
  REQUIRE(workload.lately->records < 310'000);
  REQUIRE_FALSE(workload.lately->zipf_exponent);
}

TEST_CASE("a later half that is like the first one tells nothing") {
  FamilyFigures figures = load_then_overwrites();
  figures.flushes.entries -= 1017;
  figures.flushes.bytes -= 101'700;
  figures.late->merge_dropped = 67'402;
  const stores::StoreWorkload workload = stores::store_workload(figures).value();
  REQUIRE_FALSE(workload.lately);
}

TEST_CASE("many duplicates in memtables are of popular keys") {
  FamilyFigures figures = load_then_overwrites();
  figures.flushes.entries -= 60'000;
  figures.flushes.bytes -= 6'000'000;
  figures.merge_output_entries += 60'000;
  figures.late->entries -= 60'000;
  figures.late->merge_dropped -= 60'000;
  const stores::StoreWorkload workload = stores::store_workload(figures).value();
  REQUIRE(workload.lately);
  REQUIRE(workload.lately->zipf_exponent);
  REQUIRE(*workload.lately->zipf_exponent > 0.5);
  REQUIRE(*workload.lately->zipf_exponent < 1.1);
}

TEST_CASE("where as many keys come back as are deleted, the store keeps its size") {
  FamilyFigures figures = load_then_overwrites();
  figures.flushes.memtable_deletes = figures.late->memtable_deletes = 59'955;
  const stores::StoreWorkload workload = stores::store_workload(figures).value();
  REQUIRE(workload.lately);
  REQUIRE(workload.lately->delete_fraction == Approx(0.2).margin(0.001));
  REQUIRE(workload.lately->update_fraction == Approx(0.6).margin(0.001));
  REQUIRE(workload.lately->records < 250'000);
}

TEST_CASE("files that the user ingested are no growth by writes") {
  FamilyFigures figures = load_then_overwrites();
  figures.ingested_files = 3;
  REQUIRE_FALSE(stores::store_workload(figures).value().lately);
}

TEST_CASE("Zipf's law gives the number of different keys") {
  // Nearly uniform draws of few keys hit all of them; one draw hits one.
  REQUIRE(stores::distinct_keys(10'000, 100, 0.01) == Approx(100).margin(0.1));
  REQUIRE(stores::distinct_keys(1, 1'000'000, 0.99) == Approx(1).margin(0.06));
  // 1000 draws of 1000 keys hit a share of 1 - 1/e.
  REQUIRE(stores::distinct_keys(1000, 1000, 0.01) == Approx(632).margin(2));
  REQUIRE(stores::distinct_keys(1000, 1000, 1) < stores::distinct_keys(1000, 1000, 0.5));
}

TEST_CASE("the last flushes with half of the writes, and the merges since, are late") {
  stores::Store store;
  store.logs.emplace_back();
  const auto flush = [&](std::uint64_t micros, std::uint64_t entries, std::uint64_t written) {
    stores::LoggedFlush one;
    one.family = "default";
    one.micros = micros;
    one.memtable_entries = entries;
    one.outputs.push_back({micros, 100 * written, written});
    one.is_finished = true;
    store.logs.front().log.flushes.push_back(one);
  };
  flush(10, 100, 100);
  flush(20, 100, 100);
  flush(30, 110, 90);
  flush(40, 100, 80);
  for (const std::uint64_t micros : {15U, 35U}) {
    stores::LoggedCompaction merge;
    merge.family = "default";
    merge.micros = micros;
    merge.input_entries = 200;
    merge.output_entries = 200 - micros;
    merge.is_finished = true;
    store.logs.front().log.compactions.push_back(merge);
  }
  const stores::StoreEvents events(store);
  const auto late = stores::late_figures(events.of("default"));
  REQUIRE(late);
  REQUIRE(late->memtable_entries == 210);
  REQUIRE(late->entries == 170);
  REQUIRE(late->memtable_squares == 22'100);
  REQUIRE(late->merge_dropped == 35);
  REQUIRE_FALSE(stores::late_figures(events.of("other")));
}

}  // namespace
}  // namespace lsmlab::late_writes_test
