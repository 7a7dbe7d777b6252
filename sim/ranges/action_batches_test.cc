#include "sim/ranges/action_batches.h"

#include <cmath>

#include "models/base/random.h"
#include "testing/catch.h"

namespace lsmlab::action_batches_test {
namespace {

TEST_CASE("batches of actions of any size add up, and mix evenly all the time") {
  Phase phase;
  phase.actions.values = {1'000, 333, 77, 501, 13, 7, 200};
  SplitMix64 random(1);
  EvenMix mix(phase);
  const std::uint64_t all = mix.total().actions();
  ActionBatch sum;
  while (mix.left() > 0) {
    const std::uint64_t count = std::min(mix.left(), 1 + random.below(5));
    const ActionBatch batch = mix.take(count);
    REQUIRE(batch.actions() == count);
    sum.add(batch);
    const double part = static_cast<double>(all - mix.left()) / static_cast<double>(all);
    REQUIRE(std::abs(static_cast<double>(sum.reads.present) - 501 * part) < 3);
    REQUIRE(std::abs(static_cast<double>(sum.updates) - 533 * part) < 4);
  }
  REQUIRE(sum.inserts == 1'000);
  REQUIRE(sum.updates == 533);
  REQUIRE(sum.deletes == 77);
  REQUIRE(sum.reads.present == 501);
  REQUIRE(sum.reads.absent == 13);
  REQUIRE(sum.reads.scans == 7);
  REQUIRE(sum.reads.modified == 200);
}

TEST_CASE("drawn deletes scatter as in a random order of actions, and are exact in all") {
  Phase phase;
  phase.actions.values = {60'000, 30'000, 0, 0, 0, 0, 0};
  phase.actions[Action::kDelete] = 10'000;
  constexpr std::uint64_t kBatch = 1'000;
  double squares = 0;
  int batches = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    EvenMix mix(phase, seed);
    REQUIRE(mix.draws_deletes());
    REQUIRE(mix.total().deletes == 10'000);
    ActionBatch sum;
    while (mix.left() > 0) {
      const ActionBatch batch = mix.take(kBatch);
      REQUIRE(batch.actions() == kBatch);
      // Other actions mix evenly.
      REQUIRE(std::abs(static_cast<double>(batch.inserts) -
                       2 * static_cast<double>(batch.updates)) < 5);
      const double deviation = static_cast<double>(batch.deletes) - 100;
      squares += deviation * deviation;
      ++batches;
      sum.add(batch);
    }
    REQUIRE(sum.deletes == 10'000);
    REQUIRE(sum.inserts == 60'000);
    REQUIRE(sum.updates == 30'000);
  }
  // Of a draw without replacement: n p (1 - p) (N - n) / (N - 1).
  const double variance = 1'000 * 0.1 * 0.9 * 99'000 / 99'999;
  REQUIRE(std::abs(squares / batches / variance - 1) < 0.06);
}

TEST_CASE("deletes are not drawn where there is nothing else, or none") {
  Phase phase;
  phase.actions[Action::kInsert] = 50;
  REQUIRE_FALSE(EvenMix(phase, 1).draws_deletes());
  Phase only;
  only.actions[Action::kDelete] = 50;
  EvenMix mix(only, 1);
  REQUIRE_FALSE(mix.draws_deletes());
  REQUIRE(mix.take(20).deletes == 20);
  REQUIRE(mix.take(30).deletes == 30);
}

}  // namespace
}  // namespace lsmlab::action_batches_test
