#include "engine/foreign/foreign_ledger.h"

#include "models/execution/plan_log.h"
#include "testing/catch.h"

namespace lsmlab::engine::foreign_ledger_test {
namespace {

ForeignFile file_of(std::uint64_t number, std::uint32_t level, KeyRange keys,
                    std::uint64_t entries) {
  return {number, level, entries * 100, keys, entries, 0, entries * 16, entries * 84};
}

struct Logged {
  std::vector<PlanRecord> records;
  ForeignLedger ledger{[this](const PlanRecord& record) { records.push_back(record); }};
};

TEST_CASE("jobs of a foreign store become plans with ids in the order in which files come up") {
  Logged logged;
  ForeignLedger& ledger = logged.ledger;
  ledger.add_operation(10'000);
  ledger.flushed(file_of(12, 0, {0, 50}, 40));
  ledger.flushed(file_of(17, 0, {20, 90}, 60));
  ledger.merged(PlanReason::kSortedRunCount, {17, 12},
                {file_of(21, 1, {60, 90}, 30), file_of(20, 1, {0, 55}, 60)}, 1);
  ledger.moved(PlanReason::kLevelSaturated, {20}, 2);
  REQUIRE(ledger.state());
  REQUIRE(logged.records.size() == 4);
  const PlanRecord& merge = logged.records[2];
  REQUIRE(merge.plan == PlanKind::kMerge);
  REQUIRE(merge.inputs.size() == 2);
  REQUIRE(merge.inputs[0].id == FileId(2));  // the newer flush
  REQUIRE(merge.entries_in == Entries(100));
  REQUIRE(merge.entries_out == Entries(90));
  REQUIRE(merge.outputs[0].bytes ==
          Bytes(6'000));  // outputs are sorted by key, not in the order of the report
  REQUIRE(logged.records[3].plan == PlanKind::kMove);
  ledger.with_state([&] {
    const Totals& totals = ledger.ledger().totals();
    REQUIRE(totals.flushes == 2);
    REQUIRE(totals.flush_bytes_written == 10'000);
    REQUIRE(totals.merge_bytes_written == 9'000);
    REQUIRE(totals.merge_bytes_read == 10'000);
    REQUIRE(totals.entries_dropped == 10);
    REQUIRE(totals.moves == 1);
    REQUIRE(totals.user_bytes == 10'000);
    REQUIRE(ledger.tree().levels()[1].runs[0].files.size() == 1);
    REQUIRE(ledger.tree().levels()[2].runs[0].files.size() == 1);
    REQUIRE(ledger.ledger().file_bytes() == 9'000);
  });
}

TEST_CASE("a job that takes what no job made is an error that stays") {
  Logged logged;
  logged.ledger.flushed(file_of(3, 0, {0, 9}, 10));
  logged.ledger.merged(PlanReason::kSizeRatio, {3, 4}, {file_of(5, 1, {0, 9}, 10)}, 1);
  REQUIRE(!logged.ledger.state());
  REQUIRE(logged.ledger.state().error().message.find("file 4") != std::string::npos);
  logged.ledger.flushed(file_of(6, 0, {0, 9}, 10));
  REQUIRE(logged.records.size() == 1);
}

TEST_CASE("outputs that overlap each other are refused: the books would be wrong") {
  Logged logged;
  logged.ledger.flushed(file_of(3, 0, {0, 90}, 10));
  logged.ledger.merged(PlanReason::kSizeRatio, {3},
                       {file_of(5, 1, {0, 50}, 5), file_of(6, 1, {40, 90}, 5)}, 1);
  REQUIRE(!logged.ledger.state());
}

TEST_CASE("a merge that leaves nothing is one") {
  Logged logged;
  logged.ledger.flushed(file_of(3, 0, {0, 90}, 10));
  logged.ledger.merged(PlanReason::kSortedRunCount, {3}, {}, 1);
  REQUIRE(logged.ledger.state());
  logged.ledger.with_state([&] { REQUIRE(logged.ledger.ledger().file_bytes() == 0); });
}

}  // namespace
}  // namespace lsmlab::engine::foreign_ledger_test
