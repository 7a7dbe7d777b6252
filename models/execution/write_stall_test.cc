#include "models/execution/write_stall.h"

#include "models/accounting/merge_time_samples.h"
#include "testing/catch.h"

namespace lsmlab::write_stall_test {
namespace {

Result<StallRules> changed_rules(const std::string& policy, const Parameters& changed) {
  return stall_rules_of(make_policy(parse_spec(policy).value()).value(), changed);
}

TEST_CASE("full memtables stop the write that fills another one, runs in level 0 every write") {
  const StallRules rules;
  REQUIRE(!stop_reason(rules, false, {2, 0}));
  REQUIRE(stop_reason(rules, false, {3, 0}) == StallReason::kFullMemtables);
  REQUIRE(!stop_reason(rules, true, {1, 35}));
  REQUIRE(stop_reason(rules, true, {2, 0}) == StallReason::kFullMemtables);
  REQUIRE(stop_reason(rules, false, {0, 36}) == StallReason::kLevel0Stop);
  REQUIRE(stop_reason(rules, true, {2, 36}) == StallReason::kFullMemtables);
}

TEST_CASE("LevelDB stops writes for its level 0 only where the memtable is full") {
  const StallRules rules = policy_family("leveldb")->stalls;
  REQUIRE(!stop_reason(rules, false, {1, 12}));
  REQUIRE(!stop_reason(rules, true, {0, 11}));
  REQUIRE(stop_reason(rules, true, {0, 12}) == StallReason::kLevel0Stop);
  REQUIRE(stop_reason(rules, true, {1, 0}) == StallReason::kFullMemtables);
}

TEST_CASE("where merges go first, what fills the memtable waits for them") {
  const StallRules rules = changed_rules("primitives", {{"merges_first", "true"}}).value();
  REQUIRE(!stop_reason(rules, false, {1, 0, 0, true}));
  REQUIRE(!stop_reason(rules, true, {0, 0, 0, false}));
  REQUIRE(stop_reason(rules, true, {1, 0, 0, true}) == StallReason::kMergesFirst);
  REQUIRE(stop_reason(rules, true, {2, 0, 0, true}) == StallReason::kFullMemtables);
  REQUIRE(!stop_reason(policy_family("primitives")->stalls, true, {1, 0, 0, true}));
}

TEST_CASE("where merges go first, runs in level 0 slow RocksDB's writers down as elsewhere") {
  const StallRules rules = changed_rules("rocksdb-leveled", {{"merges_first", "true"}}).value();
  WriteController controller(rules);
  controller.on_edit({0, rules.level0_slowdown_runs, 500, true});
  REQUIRE(controller.slowdown() == StallReason::kLevel0Slowdown);
}

TEST_CASE("a slowed write waits for its bytes at the rate, a millisecond or more at a time") {
  StallRules rules;
  rules.slowdown_bytes_per_second = Bytes(1'000'000);
  WriteController controller(rules);
  REQUIRE(controller.wait_ns(0, 10'000) == 0);
  controller.on_edit({0, rules.level0_slowdown_runs});
  REQUIRE(controller.slowdown() == StallReason::kLevel0Slowdown);
  REQUIRE(controller.wait_ns(0, 400) == 0);
  REQUIRE(controller.wait_ns(0, 599) == 0);
  REQUIRE(controller.wait_ns(0, 101) == 1'100'000);
  REQUIRE(controller.wait_ns(0, 2'000) == 2'000'000);
  REQUIRE(!controller.look_again_ns());
  controller.on_edit({0, rules.level0_slowdown_runs - 1});
  REQUIRE(!controller.slowdown());
  WriteController leveldb(policy_family("leveldb")->stalls);
  leveldb.on_edit({0, 8});
  REQUIRE(leveldb.wait_ns(0, 1) == 1'000'000);
}

// The rate of a RocksDB controller whose writers the runs of level 0 slow.
std::uint64_t rate_after(const std::vector<StoreLoad>& loads) {
  WriteController controller(policy_family("rocksdb-leveled")->stalls);
  for (const StoreLoad& load : loads) controller.on_edit(load);
  return controller.bytes_per_second();
}

TEST_CASE("RocksDB's rate falls while no less is left to merge, and rises when it is less") {
  constexpr std::uint64_t kMost = 16 << 20;
  REQUIRE(rate_after({{0, 20, 500}}) == kMost);
  // No pending bytes were known before, so the rate does not change.
  REQUIRE(rate_after({{0, 20, 0}, {0, 21, 500}}) == kMost);
  REQUIRE(rate_after({{0, 20, 500}, {0, 20, 500}}) == 13'421'772);                // * 0.8
  REQUIRE(rate_after({{0, 20, 500}, {0, 21, 501}, {0, 22, 600}}) == 10'737'417);  // twice
  REQUIRE(rate_after({{0, 20, 500}, {0, 21, 500}, {0, 20, 499}}) == 16'777'215);  // * 1.25
  REQUIRE(rate_after({{0, 20, 500}, {0, 20, 499}}) == kMost);
  // Two runs before the stop: the factor is 0.6, whatever the pending bytes.
  REQUIRE(rate_after({{0, 33, 500}, {0, 34, 400}}) == 10'066'329);
  // No slowdown any more: the factor is 1.4.
  REQUIRE(rate_after({{0, 33, 500}, {0, 34, 400}, {0, 3, 0}}) == 14'092'860);
  REQUIRE(rate_after({{0, 33, 500}, {0, 34, 400}, {0, 3, 0}, {0, 2, 0}}) == 14'092'860);
  // A stop ends the slowdown. The next slowdown begins with the previous rate.
  REQUIRE(rate_after({{0, 33, 500}, {0, 34, 400}, {0, 36, 900}, {0, 35, 950}}) == 10'066'329);
  std::vector<StoreLoad> many(100, {0, 25, 500});
  REQUIRE(rate_after(many) == 16 * 1024);
}

TEST_CASE("RocksDB looks at the memtable that stopped writes once, when that became full") {
  WriteController controller(policy_family("rocksdb-leveled")->stalls);
  controller.on_edit({0, 20, 500});
  controller.on_full_memtables(1);
  REQUIRE(!controller.slowdown());
  controller.on_edit({0, 21, 600});
  REQUIRE(controller.slowdown());
  controller.on_memtable_full({1, 21, 600});
  REQUIRE(controller.bytes_per_second() == 16 << 20);
  controller.on_memtable_full({1, 21, 600});
  REQUIRE(controller.bytes_per_second() == 13'421'772);
}

TEST_CASE("while full memtables stop writes, merges that end do not change the rate") {
  WriteController controller(policy_family("rocksdb-leveled")->stalls);
  for (const std::uint64_t pending : {500U, 600U, 700U}) controller.on_edit({0, 20, pending});
  const std::uint64_t rate = controller.bytes_per_second();
  REQUIRE(rate < 16 << 20);
  controller.on_full_memtables(1);
  for (const std::uint64_t pending : {600U, 500U, 400U}) controller.on_edit({1, 21, pending});
  REQUIRE(!controller.slowdown());
  REQUIRE(controller.bytes_per_second() == rate);
  // The edit of the flush begins a new slowdown, with the previous rate.
  controller.on_edit({0, 22, 300});
  REQUIRE(controller.slowdown() == StallReason::kLevel0Slowdown);
  REQUIRE(controller.bytes_per_second() == rate);
  controller.on_edit({0, 22, 200});
  REQUIRE(controller.bytes_per_second() > rate);
}

TEST_CASE("the rules of another system are one word, as far as they have an effect") {
  const auto rules = [](const std::string& policy, const std::string& stalls) {
    return changed_rules(policy, parse_stall_changes(stalls).value()).value();
  };
  const StallRules rocksdb = rules("rocksdb-leveled", "");
  REQUIRE(stall_options(rules("rocksdb-leveled", "rocksdb-defaults")) == stall_options(rocksdb));
  const StallRules leveldb = rules("leveldb", "rocksdb-defaults,level0_stop_runs=30");
  REQUIRE(leveldb.level0_slowdown_runs == rocksdb.level0_slowdown_runs);
  REQUIRE(leveldb.level0_stop_runs == 30);
  REQUIRE(leveldb.pending_stop_bytes == Bytes(0));
  REQUIRE(leveldb.slowdown_ns_per_write == 0);
  const StallRules stack = rules("binomial:k=4", "rocksdb-defaults");
  REQUIRE(stack.full_memtables_max == rocksdb.full_memtables_max);
  REQUIRE(stack.level0_stop_runs == rules("binomial:k=4", "").level0_stop_runs);
  REQUIRE(rules("primitives", "leveldb-defaults").slowdown_ns_per_write > 0);
  REQUIRE(parse_stall_changes("rocksdb-defaultss").error().message ==
          "--stalls: expected ',' or the end after rocksdb-defaults");
}

TEST_CASE("changes of the stalls are judged beside the policy's own rules") {
  const auto changes = parse_stall_changes("level0_stop_runs=12");
  REQUIRE(changes.has_value());
  REQUIRE(changed_rules("leveldb", changes.value()).has_value());
  const auto wrong = changed_rules("primitives", changes.value());
  REQUIRE(!wrong);
  REQUIRE(wrong.error().message.find("level0_slowdown_runs") != std::string::npos);
  REQUIRE(!parse_stall_changes("level0_stop_run=12"));
  // A change without effect is an error.
  const auto useless = changed_rules("leveldb", {{"pending_slowdown_bytes", "1MB"}});
  REQUIRE(!useless);
  REQUIRE(useless.error().message.find("rocksdb-leveled") != std::string::npos);
  for (const char* const runs : {"40", "2"}) {
    const auto stack = changed_rules("binomial:k=4", {{"level0_stop_runs", runs}});
    REQUIRE(!stack);
    REQUIRE(stack.error().message.find("binomial bounds its sorted runs itself") !=
            std::string::npos);
    // What has no effect need not fit.
    REQUIRE(stack.error().message.find("must be") == std::string::npos);
  }
  REQUIRE(changed_rules("binomial:k=4", {{"full_memtables_max", "3"}}).has_value());
  const Parameters rate{{"slowdown_bytes_per_second", "1MB"}};
  const auto fixed = changed_rules("leveldb", rate);
  REQUIRE(!fixed);
  REQUIRE(fixed.error().message.find("has no rate") != std::string::npos);
  REQUIRE(changed_rules("primitives", rate).has_value());
  const auto both = changed_rules("leveldb", {{"adapts_rate", "true"}});
  REQUIRE(!both);
  REQUIRE(both.error().message.find("slowdown_ns_per_write") != std::string::npos);
}

TEST_CASE("pending bytes slow writes down and stop them, as RocksDB's limits do") {
  StallRules rules = policy_family("rocksdb-leveled")->stalls;
  REQUIRE(rules.pending_slowdown_bytes == Bytes(std::uint64_t{64} << 30));
  rules.pending_slowdown_bytes = Bytes(1'000);
  rules.pending_stop_bytes = Bytes(2'000);
  WriteController controller(rules);
  controller.on_edit({0, 0, 999});
  REQUIRE(!controller.slowdown());
  controller.on_edit({0, 0, 1'000});
  REQUIRE(controller.slowdown() == StallReason::kPendingSlowdown);
  REQUIRE(controller.bytes_per_second() == 16 << 20);
  controller.on_edit({0, 0, 1'750});  // three quarters of the way
  REQUIRE(controller.bytes_per_second() == 13'421'772);
  controller.on_edit({0, 0, 1'751});
  REQUIRE(controller.bytes_per_second() == 8'053'063);
  REQUIRE(!stop_reason(rules, false, {0, 0, 1'999}));
  REQUIRE(stop_reason(rules, false, {0, 0, 2'000}) == StallReason::kPendingStop);
  controller.on_edit({0, 0, 2'000});
  REQUIRE(!controller.slowdown());
  REQUIRE(policy_family("primitives")->stalls.pending_stop_bytes == Bytes(0));
  const auto wrong = changed_rules(
      "rocksdb-leveled", {{"pending_slowdown_bytes", "3MB"}, {"pending_stop_bytes", "2MB"}});
  REQUIRE(!wrong);
  REQUIRE(wrong.error().message.find("pending_slowdown_bytes") != std::string::npos);
}

TEST_CASE("where many memtables may be full, the last but one slows RocksDB's writes down") {
  StallRules rules = policy_family("rocksdb-leveled")->stalls;
  rules.full_memtables_max = 3;
  WriteController controller(rules);
  controller.on_memtable_full({2});
  REQUIRE(!controller.slowdown());
  controller.on_memtable_full({3});
  REQUIRE(controller.slowdown() == StallReason::kMemtableSlowdown);
  rules.full_memtables_max = 2;
  WriteController few(rules);
  few.on_memtable_full({2});
  REQUIRE(!few.slowdown());
}

TEST_CASE("RocksDB's slowed writes have a millisecond's credit, and then wait one or more") {
  StallRules rules = policy_family("rocksdb-leveled")->stalls;
  rules.slowdown_bytes_per_second = Bytes(1'000'000);
  WriteController controller(rules);
  controller.on_edit({0, 20, 500});
  constexpr std::uint64_t kBegin = 5'000'000'000;
  REQUIRE(controller.wait_ns(kBegin, 600) == 0);
  REQUIRE(controller.wait_ns(kBegin, 400) == 0);
  // The next refill is a millisecond away, and 500 bytes take half a millisecond.
  REQUIRE(controller.wait_ns(kBegin, 500) == 1'500'000);
  REQUIRE(controller.look_again_ns() == 1'001'000);
  // After two milliseconds there is credit for these, and for one millisecond in advance.
  REQUIRE(controller.wait_ns(kBegin + 2'000'000, 1'500) == 0);
  REQUIRE(controller.wait_ns(kBegin + 2'000'000, 1) == 1'001'000);
}

TEST_CASE("as many writes pass without a wait as the controller says") {
  for (const bool adapts_rate : {false, true}) {
    StallRules rules = policy_family("rocksdb-leveled")->stalls;
    rules.adapts_rate = adapts_rate;
    for (const std::uint64_t rate : {1'000'000U, 1'234'567U, 16U << 20}) {
      for (const std::uint64_t bytes : {1U, 7U, 145U, 1'021U, 100'000U}) {
        rules.slowdown_bytes_per_second = Bytes(rate);
        WriteController single(rules);
        single.on_edit({0, 20, 500});
        WriteController many = single;
        std::uint64_t now_ns = 5'000'000'000;
        for (int waits = 0; waits < 20;) {
          const std::uint64_t writes = many.writes_without_wait(bytes);
          many.pass(writes, bytes);
          for (std::uint64_t i = 0; i < writes; ++i) REQUIRE(single.wait_ns(now_ns, bytes) == 0);
          const std::uint64_t wait_ns = single.wait_ns(now_ns, bytes);
          REQUIRE(many.wait_ns(now_ns, bytes) == wait_ns);
          // Credit may be filled up now without a wait.
          if (wait_ns == 0) REQUIRE(adapts_rate);
          now_ns += std::max<std::uint64_t>(wait_ns, 1'000);
          ++waits;
        }
      }
    }
  }
}

TEST_CASE("RocksDB runs one compaction at a time until level 0 or the pending bytes are behind") {
  StallRules rules = policy_family("rocksdb-leveled")->stalls;
  // Trigger 4, slowdown at 20: twice the trigger and a quarter of the way are both 8.
  REQUIRE(merges_at_a_time(rules, {0, 7, 0}, 4, 6) == 1);
  REQUIRE(merges_at_a_time(rules, {0, 8, 0}, 4, 6) == 6);
  // Trigger 2: twice the trigger is less. Trigger 12: the quarter is.
  REQUIRE(merges_at_a_time(rules, {0, 3, 0}, 2, 6) == 1);
  REQUIRE(merges_at_a_time(rules, {0, 4, 0}, 2, 6) == 6);
  REQUIRE(merges_at_a_time(rules, {0, 13, 0}, 12, 6) == 1);
  REQUIRE(merges_at_a_time(rules, {0, 14, 0}, 12, 6) == 6);
  const std::uint64_t quarter = rules.pending_slowdown_bytes.value() / 4;
  REQUIRE(merges_at_a_time(rules, {0, 0, quarter - 1}, 4, 6) == 1);
  REQUIRE(merges_at_a_time(rules, {0, 0, quarter}, 4, 6) == 6);
  // What a newer version derives from the tree.
  REQUIRE(merges_at_a_time(rules, {0, 0, 99, false, false, 100}, 4, 6) == 1);
  REQUIRE(merges_at_a_time(rules, {0, 0, 100, false, false, 100}, 4, 6) == 6);
  REQUIRE(merges_at_a_time(rules, {0, 0, 99, false, false, 0}, 4, 6) == 1);
  // Two memtables: a flush beside an open memtable is no reason, a writer that waits for it is.
  REQUIRE(merges_at_a_time(rules, {rules.full_memtables_max, 0, 0}, 4, 6) == 1);
  REQUIRE(merges_at_a_time(rules, {2, 0, 0, true, true}, 4, 6) == 6);
  // More than three: the last but one slows writers.
  rules.full_memtables_max = 3;
  REQUIRE(merges_at_a_time(rules, {2, 0, 0}, 4, 6) == 1);
  REQUIRE(merges_at_a_time(rules, {3, 0, 0}, 4, 6) == 6);
  // lsmlab's own rule, and a policy without a trigger.
  REQUIRE(merges_at_a_time(StallRules(), {0, 0, 0}, 4, 6) == 6);
  REQUIRE(merges_at_a_time(rules, {0, 0, 0}, std::nullopt, 6) == 6);
}

TEST_CASE(
    "one merge until behind needs a trigger, and a limit of pending bytes where they are "
    "estimated") {
  const ConfiguredPolicy leveled = make_policy(parse_spec("rocksdb-leveled").value()).value();
  REQUIRE(stall_rules_of(leveled, {}).value().one_merge_until_behind);
  REQUIRE(!stall_rules_of(leveled, {{"pending_slowdown_bytes", "0"}, {"pending_stop_bytes", "0"}})
               .value()
               .one_merge_until_behind);
  const ConfiguredPolicy universal = make_policy(parse_spec("rocksdb-universal").value()).value();
  REQUIRE(stall_rules_of(universal, {}).value().one_merge_until_behind);
  const ConfiguredPolicy leveldb = make_policy(parse_spec("leveldb").value()).value();
  REQUIRE(!stall_rules_of(leveldb, {{"defaults", "rocksdb"}}).value().one_merge_until_behind);
  REQUIRE(stall_rules_of(leveldb, {{"one_merge_until_behind", "true"}})
              .error()
              .message.find("begins no merge because of a number of runs in level 0") !=
          std::string::npos);
}

TEST_CASE("times of very many merges are thinned out evenly") {
  MergeTimeSamples samples;
  for (std::uint64_t i = 0; i < 100'000; ++i) samples.add({0, i, 0});
  const std::vector<MergeTime>& times = samples.times();
  REQUIRE(times.size() > 4'096);
  REQUIRE(times.size() < 8'192);
  const std::uint64_t distance = times[1].bytes_read;
  for (std::size_t i = 0; i < times.size(); ++i) REQUIRE(times[i].bytes_read == i * distance);
  REQUIRE(times.back().bytes_read + distance >= 100'000);
}

}  // namespace
}  // namespace lsmlab::write_stall_test
