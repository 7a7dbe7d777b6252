// Runs every policy and preset on random small workloads. The brute-force store oracle
// (testing/oracles/store_oracle.h) follows each plan.
#include <fmt/format.h>

#include <random>
#include <string>

#include "sim/keys/simulate_keys.h"
#include "testing/catch.h"
#include "testing/every_policy.h"
#include "testing/oracles/store_oracle.h"
#include "testing/random_operations.h"
#include "traces/workloads/operation.h"

namespace lsmlab::key_oracle_test {
namespace {

using testing::every_policy;
using testing::small_policy;
using testing::StoreOracle;

// Writes that cause many overlaps: few keys, runs of rising keys, deletes of existing keys, several
// sizes.
class RandomWrites : public OperationSource {
 public:
  RandomWrites(std::uint64_t seed, std::uint64_t count) : random_(seed), left_(count) {
    key_range_ = std::uint64_t{1} << (4 + draw(9));
    delete_percent_ = draw(4) * 12;
    value_bytes_ = static_cast<std::uint32_t>(draw(3) * 20);
    has_mixed_sizes_ = draw(2) == 1;
    is_sequential_ = draw(5) == 0;
  }

  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override {
    std::size_t filled = 0;
    for (; filled < operations.size() && left_ > 0; ++filled, --left_) {
      Operation& operation = operations[filled];
      operation = {};
      operation.key = is_sequential_ ? next_key_++ : draw(key_range_);
      operation.key_bytes = 16;
      operation.kind = draw(100) < delete_percent_ ? OperationKind::kDelete : OperationKind::kPut;
      operation.value_bytes =
          has_mixed_sizes_ ? static_cast<std::uint32_t>(draw(200)) : value_bytes_;
    }
    return filled;
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  std::mt19937_64 random_;
  std::uint64_t left_;
  std::uint64_t next_key_ = 0;
  std::uint64_t key_range_ = 0;
  std::uint64_t delete_percent_ = 0;
  std::uint32_t value_bytes_ = 0;
  bool has_mixed_sizes_ = false;
  bool is_sequential_ = false;
};

testing::StoreTotals totals_of(const Totals& totals) {
  testing::StoreTotals sums;
  sums.flushes = totals.flushes;
  sums.merges = totals.merges;
  sums.moves = totals.moves;
  sums.links = totals.links;
  sums.drops = totals.drops;
  sums.refers = totals.refers;
  sums.trims = totals.trims;
  sums.bytes_dropped = static_cast<std::uint64_t>(totals.bytes_dropped);
  sums.flush_bytes_written = static_cast<std::uint64_t>(totals.flush_bytes_written);
  sums.merge_bytes_written = static_cast<std::uint64_t>(totals.merge_bytes_written);
  sums.merge_bytes_read = static_cast<std::uint64_t>(totals.merge_bytes_read);
  sums.entries_dropped = totals.entries_dropped;
  sums.tombstones_dropped = totals.tombstones_dropped;
  return sums;
}

void run_against_oracle(const ConfiguredPolicy& policy, std::uint64_t seed, std::uint64_t writes,
                        Totals& seen) {
  INFO(policy.label << " seed " << seed);
  testing::StoreOracleOptions oracle_options;
  oracle_options.store = policy.store;
  oracle_options.keeps_age_order = policy.policy->keeps_age_order();
  oracle_options.mark = policy.policy->deletion_mark();
  oracle_options.gc_grace = policy.policy->gc_grace();
  oracle_options.flush_keeps_overwritten = flush_keeps_overwritten(*policy.policy, policy.store);
  oracle_options.keys_read = 20;
  StoreOracle oracle(oracle_options);
  RunSetup setup = default_setup(policy);
  std::uint64_t logged_drops = 0;
  setup.log = [&](const PlanRecord& record) {
    if (record.plan == PlanKind::kDrop) return;
    logged_drops += record.entries_in.value() - record.entries_out.value();
  };
  RandomWrites source(seed, writes);
  RunControl control;
  const auto run = simulate_keys(setup, source, control, &oracle);
  REQUIRE(run.has_value());
  INFO(oracle.fault());
  REQUIRE(oracle.fault().empty());
  const testing::StoreTotals expected = oracle.totals();
  const testing::StoreTotals reported = totals_of(run.value().totals);
  REQUIRE(expected.flushes == reported.flushes);
  REQUIRE(expected.merges == reported.merges);
  REQUIRE(expected.moves == reported.moves);
  REQUIRE(expected.links == reported.links);
  REQUIRE(expected.drops == reported.drops);
  REQUIRE(expected.refers == reported.refers);
  REQUIRE(expected.trims == reported.trims);
  REQUIRE(expected.bytes_dropped == reported.bytes_dropped);
  REQUIRE(expected.flush_bytes_written == reported.flush_bytes_written);
  REQUIRE(expected.merge_bytes_written == reported.merge_bytes_written);
  REQUIRE(expected.merge_bytes_read == reported.merge_bytes_read);
  REQUIRE(expected.entries_dropped == reported.entries_dropped);
  REQUIRE(expected.tombstones_dropped == reported.tombstones_dropped);
  // A link's output is its input, as for a move.
  REQUIRE(logged_drops == reported.entries_dropped);
  seen.merges += run.value().totals.merges;
  seen.moves += run.value().totals.moves;
  seen.links += run.value().totals.links;
  seen.drops += run.value().totals.drops;
  seen.refers += run.value().totals.refers;
  seen.tombstones_dropped += run.value().totals.tombstones_dropped;
}

TEST_CASE("every policy and preset does what the oracle does, plan by plan") {
  // LSMLAB_ORACLE_SEEDS=2000 runs that many workloads for each policy, beginning with these.
  const std::uint64_t seeds = testing::seeds_wanted("LSMLAB_ORACLE_SEEDS", 24);
  constexpr std::uint64_t kWrites = 600;
  for (const Spec& spec : every_policy(testing::PolicyShare::kSecond)) {
    const ConfiguredPolicy policy = small_policy(spec);
    Totals seen;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      run_against_oracle(policy, seed, kWrites, seen);
    }
    INFO(policy.label);
    const bool drops = testing::drops_data(policy);
    REQUIRE((seen.drops > 0) == drops);
    if (!drops) REQUIRE(seen.merges > 0);
    if (!drops) REQUIRE((seen.tombstones_dropped > 0) == !testing::keeps_deletes(policy));
    if (spec.name == "ldc") REQUIRE(seen.links > 0);
    if (policy.family == "dcompaction" || policy.family == "tarantool") REQUIRE(seen.refers > 0);
  }
}

}  // namespace
}  // namespace lsmlab::key_oracle_test
