// Stack-based policies at both resolutions: they do the same if keys are unique.
#include <fmt/format.h>

#include "sim/keys/simulate_keys.h"
#include "testing/runs.h"

namespace lsmlab::resolutions_test {
namespace {

constexpr std::uint64_t kEntriesAFlush = 16;

// Unique keys of one size in an order without a pattern.
class UniquePuts : public OperationSource {
 public:
  explicit UniquePuts(std::uint64_t count) : count_(count) {}
  [[nodiscard]] Result<std::size_t> fill(std::span<Operation> operations) override {
    std::size_t filled = 0;
    for (; filled < operations.size() && next_ < count_; ++filled, ++next_) {
      constexpr std::uint64_t kOddFactor = 0x9E3779B97F4A7C15;  // a permutation of 64-bit numbers
      operations[filled] = {};
      operations[filled].key = next_ * kOddFactor;
      operations[filled].key_bytes = 16;
      operations[filled].value_bytes = 1000;
    }
    return filled;
  }

 private:
  std::uint64_t count_;
  std::uint64_t next_ = 0;
};

// The policy's decisions: one line per plan, without sizes and ids.
std::string decision_of(const PlanRecord& record) {
  std::string line =
      fmt::format("{} {} at {}{}:", plan_kind_name(record.plan), reason_name(record.reason),
                  record.flush, record.takes_memtable ? " with memtable" : "");
  for (const PlanRecord::Input& input : record.inputs) line += fmt::format(" L{}", input.level);
  return line + fmt::format(" -> L{}", record.target_level);
}

TEST_CASE("stack-based policies decide alike at both resolutions where keys are unique") {
  constexpr std::uint64_t kFlushes = 400;
  // Accumulo's policy is excluded: it orders runs by size. Runs of the same number of flushes tie
  // at resolution flush, but differ here by the frames that merges saved.
  for (const char* text :
       {"binomial:k=4", "binomial:k=6,flush=separate", "min-latency:k=5", "constant:k=4",
        "bigtable:k=4", "bigtable:k=6", "exploring:k=4", "exploring:k=6", "tiered:size_ratio=4",
        "tiered:size_ratio=3,flush=separate", "leveled-full:size_ratio=4", "none",
        "ratio-based:min_size=0", "prefix"}) {
    INFO(text);
    const auto spec = parse_spec(text);
    REQUIRE(spec.has_value());
    Spec with_store = spec.value();
    with_store.parameters.emplace_back(
        "buffer", std::to_string(kEntriesAFlush * buffered_entry_bytes(16, 1000)));
    const auto policy = make_policy(with_store);
    REQUIRE(policy.has_value());
    std::vector<std::string> by_keys;
    std::uint64_t flush_bytes = 0;
    RunSetup setup = default_setup(policy.value());
    setup.log = [&](const PlanRecord& record) {
      by_keys.push_back(decision_of(record));
      if (record.takes_memtable) flush_bytes = record.memtable_bytes.value();
    };
    UniquePuts source(kFlushes * kEntriesAFlush);
    RunControl control;
    const auto run = simulate_keys(setup, source, control);
    REQUIRE(run.has_value());
    REQUIRE(run.value().totals.flushes == kFlushes);
    REQUIRE(run.value().totals.entries_dropped == 0);

    std::vector<std::string> by_sizes;
    const auto flushes =
        testing::flushes_of(fmt::format("count={},size={}", kFlushes, flush_bytes));
    const FlushRun sizes = testing::run_tree(text, flushes, 1, [&](const PlanRecord& record) {
      by_sizes.push_back(decision_of(record));
    });
    REQUIRE(by_keys == by_sizes);
    REQUIRE(run.value().runs == sizes.runs);
    // A merge writes less than its inputs' bytes, by the frames of the files that it joins.
    const auto exact = static_cast<double>(run.value().totals.merge_bytes_written);
    const auto additive = static_cast<double>(sizes.totals.merge_bytes_written);
    REQUIRE(exact <= additive);
    REQUIRE(exact >= additive * 0.97);
  }
}

TEST_CASE("at resolution key a flush is as large as its format says") {
  const auto policy = make_policy(
      parse_spec(fmt::format("none:buffer={}", kEntriesAFlush * buffered_entry_bytes(16, 1000)))
          .value());
  REQUIRE(policy.has_value());
  UniquePuts source(5 * kEntriesAFlush);
  RunControl control;
  const auto run = simulate_keys(default_setup(policy.value()), source, control);
  REQUIRE(run.has_value());
  const std::uint64_t each =
      uniform_sstable_bytes(policy.value().store.format(), kEntriesAFlush, 16, 1000).value();
  REQUIRE(run.value().totals.flush_bytes_written == 5 * each);
  REQUIRE(run.value().keys->final.file_bytes == 5 * each);
  REQUIRE(run.value().totals.user_bytes == 5 * kEntriesAFlush * 1016);
}

}  // namespace
}  // namespace lsmlab::resolutions_test
