// The schedule of merges by the load of clients, against values worked out by hand from
// LongPeakTest in SILK's tools/db_bench_tool.cc, and against the definition of a rate.
#include "models/execution/merge_scheduler.h"

#include <fmt/format.h>

#include <vector>

#include "models/base/random.h"
#include "models/execution/request_class.h"
#include "testing/catch.h"

namespace lsmlab::merge_scheduler_test {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::uint64_t kLookNs = 10 * kMillion;

TEST_CASE("deeper merges get what clients leave, and pause at a peak") {
  struct Look {
    std::uint64_t client_mb;  // a second, in the interval before the look
    std::uint64_t left_mb;    // a second, for deeper merges
    bool is_paused;
    const char* why;
  };
  const Look looks[] = {
      {0, 200, false, "all of it"},
      {9, 200, false, "191 differs by less than 10"},
      {10, 190, false, "190 differs by 10"},
      {19, 190, false, "181 differs from 190 by 9"},
      {100, 100, false, "half"},
      {150, 50, false, "a peak is more than 150"},
      {151, 50, true, "a peak; 49 differs by 1"},
      {185, 15, true, "still"},
      {300, 15, true, "clients leave nothing, the least is 10, which differs by 5"},
      {100, 100, false, "the peak is over"},
      {300, 10, true, "the least"},
      {0, 200, false, "all of it again"},
  };
  MergeScheduler scheduler(MergeScheduling{});
  REQUIRE(scheduler.interval_ns() == kLookNs);
  REQUIRE(scheduler.bytes_per_second() == 200 * kMillion);
  std::uint64_t now_ns = 0;
  std::uint64_t bytes = 0;
  for (const Look& look : looks) {
    INFO(look.client_mb << ": " << look.why);
    const bool was_paused = scheduler.is_paused();
    bytes += look.client_mb * kMillion / 100;
    const bool lets_more = scheduler.look(now_ns += kLookNs, bytes);
    REQUIRE(scheduler.bytes_per_second() == look.left_mb * kMillion);
    REQUIRE(scheduler.is_paused() == look.is_paused);
    REQUIRE(scheduler.may_begin_deeper() == !look.is_paused);
    REQUIRE(scheduler.holds_deeper() == look.is_paused);
    REQUIRE(lets_more == (was_paused && !look.is_paused));
  }
}

TEST_CASE("the rate of clients is that of the time between two looks, however long") {
  MergeScheduler scheduler(MergeScheduling{});
  scheduler.look(kLookNs, 0);
  scheduler.look(3 * kLookNs, 2 * kMillion);  // 2 MB in 20 ms
  REQUIRE(scheduler.bytes_per_second() == 100 * kMillion);
  REQUIRE_FALSE(scheduler.look(3 * kLookNs, 500 * kMillion));  // no time has passed
  REQUIRE(scheduler.bytes_per_second() == 100 * kMillion);
}

// Brute force: in no stretch of time are more bytes written than the rate allows, one write aside.
TEST_CASE("deeper writes keep to their rate") {
  const std::uint64_t seed = 11;
  INFO("seed " << seed);
  SplitMix64 random(seed);
  MergeScheduling rules;
  rules.bandwidth = rules.bandwidth_min = Bytes(20 * kMillion);
  MergeScheduler scheduler(rules);
  struct Write {
    std::uint64_t at_ns;
    std::uint64_t bytes;
  };
  std::vector<Write> writes;
  std::uint64_t now_ns = 0;
  for (int i = 0; i < 300; ++i) {
    now_ns += random.next() % (40 * kMillion);
    const std::uint64_t bytes = 1 + random.next() % (1 << 20);
    const std::uint64_t slot_ns = scheduler.write_slot_ns(now_ns, bytes);
    REQUIRE(slot_ns >= now_ns);
    now_ns = slot_ns;
    writes.push_back({slot_ns, bytes});
  }
  for (std::size_t first = 0; first < writes.size(); ++first) {
    Uint128 bytes = 0;
    for (std::size_t last = first + 1; last < writes.size(); ++last) {
      bytes += writes[last - 1].bytes;
      const Uint128 passed_ns = writes[last].at_ns - writes[first].at_ns;
      REQUIRE(bytes * 1'000'000'000 <= passed_ns * 20 * kMillion);
    }
  }
}

TEST_CASE("what flushes and merges of level 0 write is taken from deeper merges, for an interval") {
  MergeScheduler scheduler(MergeScheduling{});  // 200 bytes a microsecond
  scheduler.note_urgent_write(0, 1'000'000);    // 5 ms
  REQUIRE(scheduler.write_slot_ns(0, 200'000) == 5 * kMillion);
  REQUIRE(scheduler.write_slot_ns(0, 200'000) == 6 * kMillion);
  scheduler.note_urgent_write(7 * kMillion, 1'000 * kMillion);  // 5 s
  REQUIRE(scheduler.write_slot_ns(7 * kMillion, 200'000) == 17 * kMillion);
  // A deeper write of its own is owed in full, and an urgent one does not shorten that.
  REQUIRE(scheduler.write_slot_ns(18 * kMillion, 40 * kMillion) == 18 * kMillion);
  scheduler.note_urgent_write(18 * kMillion, 1);
  REQUIRE(scheduler.write_slot_ns(19 * kMillion, 1) == 218 * kMillion);
}

TEST_CASE("deeper merges for which level 0 waits are neither held nor slow") {
  MergeScheduler scheduler(MergeScheduling{});
  scheduler.look(kLookNs, 5 * kMillion);  // 500 MB/s
  REQUIRE(scheduler.holds_deeper());
  REQUIRE(scheduler.write_slot_ns(kLookNs, kMillion) == kLookNs);
  REQUIRE(scheduler.write_slot_ns(kLookNs, kMillion) == kLookNs + 100 * kMillion);  // 10 MB/s
  REQUIRE(scheduler.note_level0_waits(true));
  REQUIRE_FALSE(scheduler.holds_deeper());
  REQUIRE_FALSE(scheduler.may_begin_deeper());
  REQUIRE(scheduler.write_slot_ns(kLookNs, 1'000 * kMillion) == kLookNs);
  REQUIRE_FALSE(scheduler.note_level0_waits(false));
  REQUIRE(scheduler.holds_deeper());
}

TEST_CASE("without a dynamic rate deeper merges pause, but have no limit") {
  MergeScheduling rules;
  rules.limits_rate = false;
  MergeScheduler scheduler(rules);
  scheduler.look(kLookNs, 5 * kMillion);
  REQUIRE(scheduler.holds_deeper());
  REQUIRE(scheduler.look(2 * kLookNs, 5 * kMillion));
  REQUIRE(scheduler.write_slot_ns(2 * kLookNs, 1'000 * kMillion) == 2 * kLookNs);
  REQUIRE(scheduler.write_slot_ns(2 * kLookNs, 1'000 * kMillion) == 2 * kLookNs);
}

TEST_CASE("without rules nothing waits") {
  const MergeScheduler scheduler(std::nullopt);
  REQUIRE_FALSE(scheduler.is_given());
  REQUIRE(scheduler.may_begin_deeper());
  REQUIRE_FALSE(scheduler.holds_deeper());
}

TEST_CASE("a plan is as urgent as its shallowest file") {
  const auto merge = [](std::uint32_t level, bool takes_memtable = false) {
    MergePlan plan{takes_memtable, {{level, RunId(7), {FileId(1)}}}, {level + 1, std::nullopt}};
    plan.inputs.push_back({level + 1, RunId(8), {FileId(2)}});
    return Plan{PlanReason::kLevelSaturated, std::move(plan), {}};
  };
  const MovePlan move{{{0, RunId(7), {FileId(1)}}}, {1, std::nullopt}};
  REQUIRE(urgency_of({PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}}) == PlanUrgency::kFlush);
  REQUIRE(urgency_of(merge(3, true)) == PlanUrgency::kFlush);
  REQUIRE(urgency_of(merge(0)) == PlanUrgency::kLevel0);
  REQUIRE(urgency_of({PlanReason::kLevelSaturated, move, {}}) == PlanUrgency::kLevel0);
  REQUIRE(urgency_of(merge(1)) == PlanUrgency::kDeeper);
}

TEST_CASE("requests are classed by the way that they take and by their size") {
  REQUIRE(request_class(OperationKind::kPut, 99, 100) == RequestClass::kSmallWrite);
  REQUIRE(request_class(OperationKind::kPut, 100, 100) == RequestClass::kLargeWrite);
  REQUIRE(request_class(OperationKind::kDelete, 16, 100) == RequestClass::kSmallWrite);
  REQUIRE(request_class(OperationKind::kGet, 1'000, 100) == RequestClass::kLookup);
  REQUIRE(request_class(OperationKind::kScan, 0, 100) == RequestClass::kScan);
  REQUIRE(clients_of_class_max(4) == 1);
  REQUIRE(clients_of_class_max(8) == 5);
  REQUIRE(clients_of_class_max(15) == 12);
  REQUIRE(clients_of_class_max(64) == 40);
}

}  // namespace
}  // namespace lsmlab::merge_scheduler_test
