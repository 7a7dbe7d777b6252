// The events of many column families.
#include "traces/stores/store_events.h"

#include <string>

#include "testing/catch.h"
#include "testing/traces/trace_testing.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::store_events_test {
namespace {

using lsmlab::testing::Scratch;
using lsmlab::testing::write_text;

std::string log_of_tables(int tables) {
  std::string log;
  for (int i = 0; i < tables; ++i) {
    log += "INFO 10:05:27,246 Compacted 4 sstables to [/data/ks/t" + std::to_string(i) +
           "-59e76ce0/me-1-big-Data.db,].  68MB to 61MB (~89% of original) in 2319ms.\n";
  }
  return log;
}

TEST_CASE("a log of many tables gives each its own compactions") {
  const Scratch scratch;
  write_text(scratch.path("log"), log_of_tables(2'000));
  const auto families = all_figures(read_store(scratch.path("log")).value());
  REQUIRE(families.size() == 2'000);
  for (const FamilyFigures& figures : families) {
    REQUIRE(figures.merges == 1);
    REQUIRE(figures.merge_written_bytes == 61'000'000);
  }
}

TEST_CASE("each log keeps its own events of a family") {
  Store store;
  store.logs.resize(2);
  for (NamedLog& named : store.logs) {
    LoggedCompaction merge;
    merge.family = "a";
    merge.outputs.push_back({static_cast<std::uint64_t>(&named - store.logs.data()), 100});
    named.log.compactions.push_back(merge);
  }
  store.logs[1].log.stalls.push_back({"b", 0});
  const StoreEvents events(store);
  REQUIRE(events.of("a").logs.size() == 2);
  REQUIRE(events.of("a").logs[1].compactions.front() == &store.logs[1].log.compactions.front());
  REQUIRE(events.of("b").logs.size() == 1);
  REQUIRE(events.of("c").logs.empty());
  REQUIRE(events.file_bytes(1) == 100);
  REQUIRE_FALSE(events.file_bytes(2));
}

}  // namespace
}  // namespace lsmlab::stores::store_events_test
