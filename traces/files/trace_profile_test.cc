#include "traces/files/trace_profile.h"

#include <algorithm>
#include <cmath>

#include "testing/catch.h"

namespace lsmlab::trace_profile_test {
namespace {

ActionCounts actions(std::initializer_list<std::pair<Action, std::uint64_t>> counts) {
  ActionCounts actions;
  for (const auto& [action, count] : counts) actions[action] = count;
  return actions;
}

OperationWorkload workload_of(const std::vector<Phase>& phases) {
  OperationWorkload workload;
  workload.phases = phases;
  return workload;
}

std::vector<Operation> operations_of(const OperationWorkload& workload) {
  REQUIRE(workload.validate().empty());
  std::vector<Operation> operations(workload.operation_count());
  REQUIRE(workload.open(9)->fill(operations).value() == operations.size());
  return operations;
}

Operation put(std::uint64_t key, std::uint32_t value_bytes = 100) {
  return {.key = key, .value_bytes = value_bytes, .key_bytes = 16, .kind = OperationKind::kPut};
}
Operation get(std::uint64_t key) {
  return {.key = key, .key_bytes = 16, .kind = OperationKind::kGet};
}
Operation remove(std::uint64_t key) {
  return {.key = key, .key_bytes = 16, .kind = OperationKind::kDelete};
}

OperationWorkload profile_of(const std::vector<Operation>& operations,
                             std::size_t keys_max = TraceProfile::kSampledKeysMax) {
  TraceProfile profile(keys_max);
  profile.add(operations);
  auto workload = profile.workload();
  INFO((workload ? "" : workload.error().message));
  REQUIRE(workload.has_value());
  return workload.value();
}

ActionCounts sum_over_phases(const OperationWorkload& workload) {
  ActionCounts sum;
  for (const Phase& phase : workload.phases) {
    for (std::size_t a = 0; a < kActions; ++a) sum.values[a] += phase.actions.values[a];
  }
  return sum;
}

}  // namespace

TEST_CASE("a profile counts what each operation does") {
  const OperationWorkload profile = profile_of({put(1), put(2), put(3), put(1), get(1), get(9),
                                                remove(2), remove(2), get(2), put(2), put(2)});
  REQUIRE(profile.phases.size() == 2);
  REQUIRE(profile.phases[0].actions.values == actions({{Action::kInsert, 3}}).values);
  REQUIRE(profile.phases[1].actions.values == actions({{Action::kInsert, 1},
                                                       {Action::kUpdate, 2},
                                                       {Action::kDelete, 1},
                                                       {Action::kGetPresent, 1},
                                                       {Action::kGetAbsent, 2}})
                                                  .values);
}

TEST_CASE("a profile says what it leaves out") {
  TraceProfile profile;
  const Operation scan{.key = 1, .scan_last_key = 5, .key_bytes = 16, .kind = OperationKind::kScan};
  profile.add(std::vector<Operation>{put(1), scan, remove(1), remove(1), put(1)});
  const OperationWorkload workload = profile.workload().value();
  const auto omissions = profile.omissions(workload, profile.independent(workload));
  REQUIRE(omissions ==
          std::vector<std::string>{"1 scans that end at a key are left out.",
                                   "1 deletes of keys that are not alive are left out.",
                                   "1 inserts of deleted keys count as inserts of new keys."});
}

TEST_CASE("a trace without puts has no profile, one put is enough") {
  TraceProfile profile;
  REQUIRE(!profile.workload());
  profile.add(std::vector<Operation>{get(1), remove(1)});
  REQUIRE(profile.workload().error().message == "a profile needs puts, and the trace has none");
  profile.add(std::vector<Operation>{put(1), remove(1)});
  REQUIRE(profile.workload().value().insert_count() == 1);
}

TEST_CASE("the profile of a generated trace has the numbers of its actions") {
  Phase load;
  load.actions = actions({{Action::kInsert, 5'000}});
  Phase mix;
  mix.actions = actions({{Action::kInsert, 5'000},
                         {Action::kUpdate, 10'000},
                         {Action::kDelete, 2'000},
                         {Action::kGetPresent, 4'000},
                         {Action::kGetAbsent, 1'000},
                         {Action::kScan, 500}});
  mix.scan_entries = SizeDistribution::uniform(1, 20);
  const OperationWorkload profile = profile_of(operations_of(workload_of({load, mix})));
  // The generator takes its first insert of the mix into the load at times.
  REQUIRE(profile.phases.size() == 2);
  REQUIRE(sum_over_phases(profile).values == sum_over_phases(workload_of({load, mix})).values);
}

TEST_CASE("phases follow a mix that changes, and only that") {
  Phase one;
  one.actions = actions({{Action::kInsert, 30'000}, {Action::kUpdate, 10'000}});
  Phase two;
  two.actions = actions({{Action::kInsert, 2'000}, {Action::kUpdate, 38'000}});
  const OperationWorkload profile = profile_of(operations_of(workload_of({one, two, two})));
  const std::size_t count = profile.phases.size();
  INFO(count << " phases");
  // A few operations of the first phase are inserts only, and windows have a thousand.
  REQUIRE((count == 3 || count == 4));
  const ActionCounts& last = profile.phases.back().actions;
  REQUIRE(last[Action::kInsert] > 3'500);
  REQUIRE(last[Action::kInsert] < 5'000);
  REQUIRE(last[Action::kUpdate] > 75'000);
}

TEST_CASE("orders of inserts are told apart") {
  for (const InsertKeyKind kind :
       {InsertKeyKind::kUniform, InsertKeyKind::kSequential, InsertKeyKind::kNearSorted}) {
    Phase load;
    load.actions = actions({{Action::kInsert, 20'000}});
    load.insert_keys.kind = kind;
    const InsertKeys found = profile_of(operations_of(workload_of({load}))).phases[0].insert_keys;
    REQUIRE(found.kind == kind);
    if (kind != InsertKeyKind::kNearSorted) continue;
    // The defaults: 10 % out of order, by up to 5 %.
    REQUIRE(std::abs(found.displaced->as_double() - 0.1) < 0.02);
    REQUIRE(std::abs(found.displacement_max->as_double() - 0.05) < 0.02);
  }
}

TEST_CASE("sizes keep their mean") {
  std::vector<Operation> operations;
  double sum = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const auto bytes = static_cast<std::uint32_t>(mix_bits(i) % 3'000);
    operations.push_back(put(mix_bits(i), bytes));
    sum += bytes;
  }
  const SizeDistribution sizes = profile_of(operations).phases[0].value_bytes;
  double mean = 0;
  double weights = 0;
  for (const WeightedSize& each : sizes.sizes) {
    mean += static_cast<double>(each.size) * static_cast<double>(each.weight);
    weights += static_cast<double>(each.weight);
  }
  REQUIRE(weights == 10'000);
  REQUIRE(std::abs(mean / weights - sum / 10'000) < 1e-6);
  REQUIRE(profile_of({put(1, 7), put(2, 7)}).phases[0].value_bytes.text() == "7");
}

TEST_CASE("popular keys are the oldest or the newest, a sample of the keys finds that too") {
  for (const AccessKeyKind kind :
       {AccessKeyKind::kUniform, AccessKeyKind::kZipfian, AccessKeyKind::kLatest}) {
    Phase load;
    load.actions = actions({{Action::kInsert, 20'000}});
    Phase mix;
    mix.actions = actions({{Action::kInsert, 20'000}, {Action::kUpdate, 60'000}});
    mix.update_keys.kind = kind;
    const std::vector<Operation> trace = operations_of(workload_of({load, mix}));
    for (const std::size_t keys_max : {std::size_t{1} << 20, std::size_t{8'000}}) {
      const OperationWorkload profile = profile_of(trace, keys_max);
      const AccessKeys& keys = profile.phases.back().update_keys;
      INFO("sample of " << keys_max << " keys");
      REQUIRE(profile.operation_count() == 100'000);
      REQUIRE(std::abs(static_cast<double>(profile.insert_count()) / 40'000 - 1) < 0.05);
      REQUIRE((keys.kind == AccessKeyKind::kClasses) == (kind != AccessKeyKind::kUniform));
      REQUIRE(keys.newest_first.value_or(false) == (kind == AccessKeyKind::kLatest));
      if (kind == AccessKeyKind::kUniform) continue;
      std::uint64_t sum = 0;
      for (const KeyClass& each : keys.classes) sum += each.keys;
      REQUIRE(sum == profile.insert_count());
    }
  }
}

TEST_CASE("any trace with puts has a profile that can be drawn, also of a tiny sample") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    SplitMix64 random(derive_seed(seed, 0));
    const std::uint64_t keys = 1 + random.below(60);
    const std::uint64_t kinds = 1 + random.below(4);
    std::vector<Operation> operations(1 + random.below(3'000));
    bool has_puts = false;
    for (Operation& operation : operations) {
      operation = put(random.below(keys), static_cast<std::uint32_t>(random.below(500)));
      operation.kind = static_cast<OperationKind>(random.below(kinds));
      const bool is_scan = operation.kind == OperationKind::kScan;
      if (is_scan) operation.scan_entries_max = static_cast<std::uint32_t>(random.below(3));
      has_puts = has_puts || operation.kind == OperationKind::kPut;
    }
    TraceProfile profile(2 + random.below(100));
    profile.add(operations);
    const auto workload = profile.workload();
    REQUIRE(has_puts == workload.has_value());
    if (!workload) continue;
    std::vector<Operation> drawn(operations.size() + 1'000);
    const std::size_t count = workload.value().open(seed)->fill(drawn).value();
    REQUIRE(count == workload.value().operation_count());
    static_cast<void>(profile.omissions(workload.value(), profile.independent(workload.value())));
  }
}

TEST_CASE("update distances: writes in turn do not look independent, drawn ones do") {
  for (const bool is_in_turn : {false, true}) {
    Phase load;
    load.actions = actions({{Action::kInsert, 10'000}});
    Phase mix;
    mix.actions = actions({{Action::kUpdate, 40'000}});
    if (is_in_turn) mix.update_keys.kind = AccessKeyKind::kSequential;
    TraceProfile profile;
    profile.add(operations_of(workload_of({load, mix})));
    const OperationWorkload workload = profile.workload().value();
    const auto omissions = profile.omissions(workload, profile.independent(workload));
    REQUIRE(omissions.size() == (is_in_turn ? 1 : 0));
    if (is_in_turn) REQUIRE(omissions[0].find("do not look independent") != std::string::npos);
  }
}

}  // namespace lsmlab::trace_profile_test
