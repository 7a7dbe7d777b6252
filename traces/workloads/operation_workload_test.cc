#include "traces/workloads/operation_workload.h"

#include <algorithm>
#include <map>
#include <set>

#include "testing/catch.h"

namespace lsmlab::operation_workload_test {
namespace {

OperationWorkload make(const std::string& text) {
  auto workload = make_operation_workload(parse_spec(text).value());
  INFO((workload ? "" : workload.error().message));
  REQUIRE(workload.has_value());
  return std::move(workload).value();
}

std::string fault_of(const std::string& text) {
  const auto workload = make_operation_workload(parse_spec(text).value());
  return workload ? "" : workload.error().message;
}

std::vector<Operation> draw(const OperationWorkload& workload, std::uint64_t seed,
                            std::size_t step = 1000) {
  const auto source = workload.open(seed);
  std::vector<Operation> operations;
  std::vector<Operation> part(step);
  for (;;) {
    const std::size_t filled = source->fill(part).value();
    operations.insert(operations.end(), part.begin(),
                      part.begin() + static_cast<std::ptrdiff_t>(filled));
    if (filled < step) break;
  }
  REQUIRE(source->fill(part).value() == 0);
  return operations;
}

// FNV-1a over the fields, each as eight bytes, lowest byte first.
std::uint64_t hash_of(const std::vector<Operation>& operations) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Operation& o : operations) {
    for (const std::uint64_t field :
         {o.key, o.scan_last_key, std::uint64_t{o.scan_entries_max}, std::uint64_t{o.value_bytes},
          std::uint64_t{o.key_bytes}, static_cast<std::uint64_t>(o.kind)}) {
      for (unsigned shift = 0; shift < 64; shift += 8) {
        hash = (hash ^ (field >> shift & 0xff)) * 0x100000001b3;
      }
    }
  }
  return hash;
}

std::uint64_t count_kind(const std::vector<Operation>& operations, OperationKind kind) {
  return static_cast<std::uint64_t>(std::count_if(
      operations.begin(), operations.end(), [&](const Operation& o) { return o.kind == kind; }));
}

Phase mixed_phase() {
  Phase phase;
  phase.actions.values = {3000, 2000, 1500, 1000, 1000, 500, 700};
  phase.scan_entries = SizeDistribution::uniform(1, 9);
  phase.value_bytes = SizeDistribution::uniform(1, 300);
  return phase;
}

// Applies the operations to a set of keys: keys that must exist do, keys that must be absent are.
void check_against_oracle(const OperationWorkload& workload, std::uint64_t seed) {
  std::map<std::uint64_t, std::uint16_t> live;  // key to its size
  std::set<std::uint64_t> ever;
  ActionCounts counts;
  for (const Operation& o : draw(workload, seed)) {
    const auto found = live.find(o.key);
    const bool is_live = found != live.end();
    if (is_live) REQUIRE(found->second == o.key_bytes);
    switch (o.kind) {
      case OperationKind::kPut:
        ++counts[is_live ? Action::kUpdate : Action::kInsert];
        REQUIRE(ever.insert(o.key).second != is_live);  // a deleted key never comes back
        live.emplace(o.key, o.key_bytes);
        break;
      case OperationKind::kDelete:
        ++counts[Action::kDelete];
        REQUIRE(is_live);
        live.erase(found);
        break;
      case OperationKind::kGet:
        ++counts[is_live ? Action::kGetPresent : Action::kGetAbsent];
        if (!is_live) REQUIRE(ever.count(o.key) == 0);
        break;
      case OperationKind::kScan:
        ++counts[Action::kScan];
        REQUIRE(is_live);
        REQUIRE(o.scan_last_key >= o.key);
        break;
    }
  }
  ActionCounts expected;
  for (const Phase& phase : workload.phases) {
    const ActionCounts& actions = phase.actions;
    for (std::size_t a = 0; a < kActions; ++a) expected.values[a] += actions.values[a];
    expected[Action::kUpdate] += actions[Action::kReadModifyWrite];
    expected[Action::kGetPresent] += actions[Action::kReadModifyWrite];
  }
  expected[Action::kReadModifyWrite] = 0;
  REQUIRE(counts.values == expected.values);
}

struct Golden {
  const char* workload;
  std::uint64_t hash;
};

const std::vector<Golden> kGoldens{
    {"load:entries=20000", 0x45fe0f21f6340000},
    {"load:entries=20000,insert_distribution=sequential", 0xf0951e43d0ffdde5},
    {"load:entries=20000,insert_distribution=normal", 0xb93f08f7c2bdd07a},
    {"load:entries=20000,insert_distribution=prefix-zipf", 0x75aab3131b76b6d5},
    {"load:entries=20000,insert_distribution=near-sorted", 0x9ee884e178a42541},
    {"load:entries=20000,update_fraction=0.5,delete_fraction=0.1", 0xd93e1c7f59e78f33},
    {"load:entries=20000,update_fraction=0.5,update_distribution=zipfian", 0x816007c5e14a1aab},
    {"load:entries=20000,update_fraction=0.5,update_distribution=latest,zipf_exponent=2",
     0x663977194fd60c7b},
    {"ycsb-a:operations=5000", 0x95e8e8ac9f5b2a95},
    {"ycsb-b:operations=5000", 0xaf3ec88657204651},
    {"ycsb-c:operations=5000", 0x6277e166008358f1},
    {"ycsb-d:operations=5000", 0xb4f357c2ee352dd2},
    {"ycsb-e:operations=5000", 0xb70596b6f3b81a72},
    {"ycsb-f:operations=5000", 0x2c99aedbaa0466a2},
    {"ldc-wo:operations=5000", 0x1a2f4d55f42212b0},
    {"ldc-wh:operations=5000", 0xb2ff0ab2ed0fdf61},
    {"ldc-rwb:operations=5000", 0xa8decd6acf97d653},
    {"ldc-rh:operations=5000", 0x95697830a68d20b6},
    {"ldc-scn-wh:operations=5000", 0x96247f5062ff2308},
    {"ldc-scn-rwb:operations=5000", 0x538e41c7ad7311d1},
    {"ldc-scn-rh:operations=5000", 0x5340b0050da3afa5},
    {"ldc-ro:records=5000,operations=5000,lookup_distribution=zipfian", 0x14fbf6e04080d7a0},
    {"delete-aware:records=5000,operations=5000", 0xe3416be7ede41f92},
    {"merge-policies-load:entries=5000", 0x9c12b3d07208396c},
    {"merge-policies-updates:entries=5000", 0x97f0d2d005ab9b27},
    {"merge-policies-updates:entries=5000,insert_distribution=sequential", 0x2760e19e02aaf26d},
    {"design-space-base:entries=5000", 0x4262a9d39e2bb5d0},
    {"design-space-ingestion-count:entries=5000", 0x4262a9d39e2bb5d0},
    {"design-space-entry-size:entries=5000", 0x4262a9d39e2bb5d0},
    {"design-space-deletes:entries=5000", 0x6a25b49a8d353028},
    {"design-space-updates:entries=5000,updates_per_insert=8,lookups=500", 0xcd0cfc7ed29386af},
    {"design-space-queries:entries=5000,lookups=5000,empty_fraction=0.5", 0xfbd9f53616a04031},
    {"design-space-interleaved:entries=5000,lookups=5000,empty_fraction=0.5", 0x18fa5f3c9ca4b0cf},
    {"design-space-insert-distribution:entries=5000,lookups=5000,empty_fraction=0.5",
     0xec711a1b40f73960},
    {"design-space-lookup-distribution:entries=5000,lookups=5000,empty_fraction=0.5",
     0x129bd1c193598f3a},
    {"design-space-lookup-distribution:entries=5000,lookups=5000,lookup_distribution=normal",
     0xa1c4ce6d60253823},
};

}  // namespace

TEST_CASE("Every preset gives the operations that it always gave") {
  std::set<std::string> covered;
  for (const Golden& golden : kGoldens) {
    const OperationWorkload workload = make(golden.workload);
    covered.insert(workload.name);
    const auto operations = draw(workload, 42);
    REQUIRE(operations.size() == workload.operation_count());
    INFO(golden.workload << " gives 0x" << std::hex << hash_of(operations));
    REQUIRE((hash_of(operations) == golden.hash));
  }
  for (const OperationPreset& preset : operation_presets()) {
    INFO(preset.name);
    REQUIRE(covered.count(preset.name) == 1);
  }
}

TEST_CASE("Inserts before a phase of another kind only load, without one they are what counts") {
  const auto loading = [](const char* spec) {
    return make_operation_workload(parse_spec(spec).value()).value().open(1)->loading_operations();
  };
  REQUIRE(loading("ycsb-c:records=700,operations=50") == 700);
  REQUIRE(loading("ycsb-d:records=700,operations=50") == 700);
  REQUIRE(loading("ldc-rwb:operations=500") == 0);
  REQUIRE(loading("load:entries=500") == 0);
}

TEST_CASE("Operations do not depend on how many are asked for at once") {
  OperationWorkload workload;
  workload.phases = {mixed_phase(), mixed_phase()};
  REQUIRE(draw(workload, 1, 1) == draw(workload, 1, 997));
  REQUIRE(draw(workload, 1, 7) != draw(workload, 2, 7));
}

TEST_CASE("Present keys exist, absent ones do not, deleted ones stay away: all distributions") {
  for (const auto inserts :
       {InsertKeyKind::kUniform, InsertKeyKind::kNormal, InsertKeyKind::kPrefixZipf,
        InsertKeyKind::kSequential, InsertKeyKind::kNearSorted}) {
    for (const auto access :
         {AccessKeyKind::kUniform, AccessKeyKind::kNormal, AccessKeyKind::kZipfian,
          AccessKeyKind::kLatest, AccessKeyKind::kSequential}) {
      Phase phase = mixed_phase();
      phase.insert_keys.kind = inserts;
      phase.update_keys.kind = phase.delete_keys.kind = phase.lookup_keys.kind = access;
      OperationWorkload workload;
      workload.key_bytes = SizeDistribution::uniform(8, 32);
      workload.phases = {phase, phase};
      // Phases with different orders must not share a key either.
      workload.phases[1].insert_keys.kind = InsertKeyKind::kSequential;
      workload.phases[1].absent_keys = AbsentKeys::kNeighbour;
      check_against_oracle(workload, 5);
    }
  }
}

TEST_CASE("A phase may delete every key, and waits for inserts where none lives") {
  OperationWorkload workload;
  Phase phase;
  phase.actions[Action::kInsert] = 2000;
  phase.actions[Action::kDelete] = 2000;
  workload.phases = {phase};
  for (std::uint64_t seed = 0; seed < 20; ++seed) check_against_oracle(workload, seed);
  workload.phases[0].actions[Action::kDelete] = 1999;
  workload.phases[0].actions[Action::kUpdate] = 100;
  for (std::uint64_t seed = 0; seed < 20; ++seed) check_against_oracle(workload, seed);
}

TEST_CASE("Fractions are exact shares of all operations") {
  const auto operations =
      draw(make("load:entries=10000,update_fraction=70%,delete_fraction=0.05"), 3);
  REQUIRE(count_kind(operations, OperationKind::kDelete) == 500);
  std::set<std::uint64_t> keys;
  for (const Operation& o : operations) {
    if (o.kind == OperationKind::kPut) keys.insert(o.key);
  }
  REQUIRE(keys.size() == 2500);
  const OperationWorkload updates = make("design-space-updates:entries=9000,updates_per_insert=8");
  REQUIRE(updates.phases[0].actions[Action::kInsert] == 1000);
  REQUIRE(updates.phases[0].actions[Action::kUpdate] == 8000);
}

TEST_CASE("Latest updates meet young keys, selective scans cover their share of the keys") {
  const auto operations =
      draw(make("load:entries=20000,insert_distribution=sequential,update_fraction=0.5,"
                "update_distribution=latest"),
           3);
  std::uint64_t newest = 0;
  std::uint64_t near = 0;
  std::uint64_t updates = 0;
  for (const Operation& o : operations) {
    if (o.key > newest) {
      newest = o.key;
    } else {
      ++updates;
      near += newest - o.key < 100 * 256 ? 1 : 0;
    }
  }
  REQUIRE(near > updates / 3);
  const auto scans = draw(make("design-space-queries:entries=50000,lookups=0,scans=200,"
                               "scan_selectivity=0.01"),
                          3);
  std::set<std::uint64_t> keys;
  double covered = 0;
  for (const Operation& o : scans) {
    if (o.kind == OperationKind::kPut) keys.insert(o.key);
    if (o.kind != OperationKind::kScan) continue;
    covered += static_cast<double>(
        std::distance(keys.lower_bound(o.key), keys.upper_bound(o.scan_last_key)));
  }
  REQUIRE(covered / 200 == Approx(500).epsilon(0.03));
}

TEST_CASE("A scan of no selectivity visits its first key, also where that is 0") {
  const auto operations = draw(make("design-space-queries:entries=1,lookups=0,scans=5,"
                                    "insert_distribution=sequential,scan_selectivity=0"),
                               3);
  for (const Operation& o : operations) {
    REQUIRE(o.key == 0);
    REQUIRE(o.scan_last_key == 0);
  }
}

TEST_CASE("Wrong workloads are refused with every fault named") {
  REQUIRE(fault_of("laod") == "unknown workload 'laod'; did you mean 'load'?");
  const std::string fault = fault_of("load:entris=5,value_bytes=x");
  REQUIRE(fault.find("workload 'load': unknown parameter 'entris'; did you mean 'entries'?") == 0);
  REQUIRE(fault.find("value_bytes: ") != std::string::npos);
  REQUIRE(fault_of("load:update_fraction=0.7,delete_fraction=0.4") ==
          "workload 'load': update_fraction plus delete_fraction is above 1");
  REQUIRE(fault_of("delete-aware:read_fraction=0.7,delete_fraction=0.4") ==
          "workload 'delete-aware': read_fraction plus delete_fraction is above 1");
  REQUIRE(fault_of("load:entries=100,update_fraction=1").find("none is left") != std::string::npos);
  REQUIRE(fault_of("load:entries=100,delete_fraction=0.6").find("60 deletes so far, but only 40") !=
          std::string::npos);
  OperationWorkload workload;
  REQUIRE(workload.validate().size() == 1);
  workload.phases = {Phase(), mixed_phase()};
  workload.phases[1].scan_entries.reset();
  workload.phases[1].insert_keys.prefixes = 5;
  REQUIRE(workload.validate() ==
          std::vector<std::string>{"phases[0] has no operations",
                                   "phases[1].insert_keys: prefixes applies only to prefix-zipf",
                                   "phases[1]: scans need scan_entries or scan_selectivity"});
}

}  // namespace lsmlab::operation_workload_test
