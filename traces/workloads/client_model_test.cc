// When operations arrive.
#include "traces/workloads/client_model.h"

#include "testing/catch.h"

namespace lsmlab::client_model_test {
namespace {

TEST_CASE("paced clients wait for their last operation and for the rate, and make up for nothing") {
  ClientModel model;
  model.arrivals = Arrivals::kPaced;
  model.rate = 1000;
  ArrivalTimes times(model, 1);
  REQUIRE(times.next_from(5, OperationKind::kPut) == 5);
  REQUIRE(times.next_from(6, OperationKind::kGet) == 1'000'005);
  REQUIRE(times.next_from(9'000'000, OperationKind::kPut) == 9'000'000);  // after a stall
  REQUIRE(times.next_from(9'000'001, OperationKind::kPut) == 10'000'000);
}

TEST_CASE(
    "paced clients with a period of refills send those of a period at once, as RocksDB's limiter") {
  constexpr std::uint64_t kMs = 1'000'000;
  ClientModel model;
  model.arrivals = Arrivals::kPaced;
  model.rate = 25;
  model.refill_ms = 100;  // two and a half operations
  ArrivalTimes times(model, 1);
  const auto next = [&](std::uint64_t now_ns) {
    return times.next_from(now_ns, OperationKind::kPut);
  };
  REQUIRE(next(5) == 5);
  REQUIRE(next(6) == 6);
  // Half of one is left, and the next period has two and a half: three go.
  REQUIRE(next(7) == 100 * kMs + 5);
  REQUIRE(next(8) == 100 * kMs + 5);  // asked before the refill, but after it in turn
  REQUIRE(next(150 * kMs) == 150 * kMs);
  REQUIRE(next(150 * kMs + 1) == 200 * kMs + 5);
  // After a stall the next period begins when it is needed; what is left counts with it.
  REQUIRE(next(201 * kMs) == 201 * kMs);
  REQUIRE(next(900 * kMs) == 900 * kMs);
  REQUIRE(next(900 * kMs) == 900 * kMs);
  REQUIRE(next(900 * kMs) == 900 * kMs);
  REQUIRE(next(900 * kMs) == 1'000 * kMs);
}

TEST_CASE("an operation that takes more than a period of the limiter waits for several") {
  ClientModel model;
  model.arrivals = Arrivals::kPaced;
  model.rate = 4;
  model.refill_ms = 100;  // two fifths of an operation
  ArrivalTimes times(model, 1);
  const auto next = [&](std::uint64_t now_ns) {
    return times.next_from(now_ns, OperationKind::kPut);
  };
  REQUIRE(next(0) == 200'000'000);  // the third period gives a fifth too much
  REQUIRE(next(200'000'000) == 400'000'000);
  REQUIRE(next(5'000'000'000) == 5'200'000'000);
  model.rate = 1;
  model.refill_ms = 1;
  REQUIRE(ArrivalTimes(model, 1).next_from(0, OperationKind::kPut) == 999'000'000);
}

TEST_CASE("bursts and the time between them lose no part of an operation") {
  ClientModel model;
  model.arrivals = Arrivals::kBursty;
  const auto arrivals_within_a_second = [&](std::uint64_t rate, std::uint64_t on, std::uint64_t off,
                                            std::uint64_t off_rate) {
    model.rate = rate;
    model.on_ms = on;
    model.off_ms = off;
    model.off_rate = off_rate;
    ArrivalTimes times(model, 1);
    std::uint64_t count = 0;
    std::uint64_t last = 0;
    for (std::uint64_t at = times.next_ns(); at < 1'100'000'000; at = times.next_ns(), ++count) {
      REQUIRE(at >= last);
      last = at;
    }
    return count;
  };
  // 1.1 s are ten rounds of 10 and 100 ms: 10 and 0.9 operations each.
  REQUIRE(arrivals_within_a_second(1'000, 10, 100, 9) == 109);
  REQUIRE(arrivals_within_a_second(1'000, 10, 100, 11) == 111);
  REQUIRE(arrivals_within_a_second(1'000, 10, 100, 0) == 100);
  REQUIRE(arrivals_within_a_second(1'500, 1, 1, 1'500) == 1'650);
  REQUIRE(arrivals_within_a_second(1'500, 1, 1, 0) == 825);
}

TEST_CASE("where the rate is that of puts, other operations neither wait for it nor take of it") {
  ClientModel model;
  model.arrivals = Arrivals::kPaced;
  model.rate = 1000;
  model.paced = PacedOperations::kPuts;
  ArrivalTimes times(model, 1);
  REQUIRE(times.next_from(5, OperationKind::kPut) == 5);
  for (const OperationKind kind :
       {OperationKind::kGet, OperationKind::kScan, OperationKind::kDelete}) {
    REQUIRE(times.next_from(6, kind) == 6);
  }
  REQUIRE(times.next_from(7, OperationKind::kPut) == 1'000'005);
  REQUIRE(times.next_from(8, OperationKind::kDelete) == 8);
}

}  // namespace
}  // namespace lsmlab::client_model_test
