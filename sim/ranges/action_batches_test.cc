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
    sum.inserts += batch.inserts;
    sum.updates += batch.updates;
    sum.deletes += batch.deletes;
    sum.reads.present += batch.reads.present;
    sum.reads.absent += batch.reads.absent;
    sum.reads.scans += batch.reads.scans;
    sum.reads.modified += batch.reads.modified;
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

}  // namespace
}  // namespace lsmlab::action_batches_test
