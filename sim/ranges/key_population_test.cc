#include "sim/ranges/key_population.h"

#include <cmath>
#include <set>

#include "testing/catch.h"
#include "traces/workloads/operation_generator.h"

namespace lsmlab::key_population_test {
namespace {

OperationWorkload loaded(const std::string& text) {
  Result<Spec> spec = parse_spec("load:" + text);
  REQUIRE(spec.has_value());
  Result<OperationWorkload> workload = make_operation_workload(spec.value());
  REQUIRE(workload.has_value());
  return std::move(workload).value();
}

// What memtables of so many writes hold, if the operations are drawn one by one.
struct Counted {
  double entries = 0;
  double oldest = 0;
  double tombstones = 0;
};
std::vector<Counted> counted_memtables(const OperationWorkload& workload, std::uint64_t writes) {
  OperationGenerator generator(workload, 5);
  std::vector<Counted> memtables;
  std::set<std::uint64_t> known;
  std::set<std::uint64_t> keys;
  std::set<std::uint64_t> deleted;
  std::set<std::uint64_t> fresh;
  std::vector<Operation> one(1);
  for (std::uint64_t i = 1; generator.fill(one).value() == 1; ++i) {
    const std::uint64_t key = one[0].key;
    keys.insert(key);
    if (one[0].kind == OperationKind::kDelete) deleted.insert(key);
    if (known.insert(key).second) fresh.insert(key);
    if (i % writes != 0) continue;
    memtables.push_back({double(keys.size()), double(fresh.size()), double(deleted.size())});
    keys.clear();
    deleted.clear();
    fresh.clear();
  }
  return memtables;
}

// The same by the population.
std::vector<Counted> modelled_memtables(const OperationWorkload& workload, std::uint64_t writes) {
  Result<KeyPopulation> population = KeyPopulation::make(workload);
  REQUIRE(population.has_value());
  const ActionCounts& actions = workload.phases[0].actions;
  const std::uint64_t all = workload.operation_count();
  std::vector<Counted> memtables;
  const auto done = [&](Action action, std::uint64_t operations) {
    return actions[action] * operations / all;
  };
  for (std::uint64_t end = writes; end <= all; end += writes) {
    const auto count = [&](Action action) {
      return done(action, end) - done(action, end - writes);
    };
    population.value().write(count(Action::kInsert), count(Action::kUpdate),
                             count(Action::kDelete));
    const ClassCounts sum = sum_of(population.value().take_memtable());
    static_cast<void>(population.value().age());
    const auto entries = [](FixedCount fixed) { return static_cast<double>(fixed) / kCountUnits; };
    memtables.push_back({entries(sum.entries), entries(sum.oldest), entries(sum.tombstones)});
  }
  return memtables;
}

TEST_CASE("key population: memtables hold as many keys as operations drawn one by one") {
  constexpr std::uint64_t kWrites = 5'000;
  for (const std::string text :
       {"entries=200000", "entries=200000,update_fraction=50%",
        "entries=200000,update_fraction=60%,update_distribution=zipfian",
        "entries=200000,update_fraction=30%,delete_fraction=15%",
        "entries=200000,update_fraction=40%,update_distribution=zipfian,delete_fraction=10%",
        "entries=200000,update_fraction=50%,update_distribution=latest",
        "entries=200000,update_fraction=95%,update_distribution=latest",
        "entries=200000,update_fraction=60%,update_distribution=latest,zipf_exponent=1.2",
        "entries=200000,update_fraction=40%,update_distribution=latest,delete_fraction=10%",
        "entries=200000,update_fraction=40%,delete_fraction=20%,update_distribution=latest;"
        "latest"}) {
    INFO(text << ", seed 5");
    OperationWorkload workload = loaded(text.substr(0, text.find(';')));
    if (text.find(';') != std::string::npos) {
      workload.phases.front().delete_keys.kind = AccessKeyKind::kLatest;
    }
    const std::vector<Counted> counted = counted_memtables(workload, kWrites);
    const std::vector<Counted> modelled = modelled_memtables(workload, kWrites);
    REQUIRE(counted.size() == modelled.size());
    for (std::size_t i = 0; i < counted.size(); ++i) {
      INFO("memtable " << i);
      // Three and a half deviations of a count of 5,000 writes, and half a percent for the model.
      REQUIRE(std::abs(counted[i].entries - modelled[i].entries) < 150);
      REQUIRE(std::abs(counted[i].oldest - modelled[i].oldest) < 150);
      REQUIRE(std::abs(counted[i].tombstones - modelled[i].tombstones) < 150);
    }
    double sums[2] = {0, 0};
    for (const Counted& each : counted) sums[0] += each.entries;
    for (const Counted& each : modelled) sums[1] += each.entries;
    // Deletes of the latest keys leave others of their part to the updates: the model spreads
    // updates over all of them.
    const bool are_deletes_latest =
        workload.phases.front().delete_keys.kind == AccessKeyKind::kLatest;
    REQUIRE(std::abs(sums[1] / sums[0] - 1) < (are_deletes_latest ? 0.01 : 0.005));
  }
}

TEST_CASE("key population: access without ranks is refused by name") {
  OperationWorkload workload = loaded("entries=1000,update_fraction=50%");
  workload.phases.front().update_keys.kind = AccessKeyKind::kSequential;
  const Result<KeyPopulation> population = KeyPopulation::make(workload);
  REQUIRE(!population);
  REQUIRE(population.error().message.find("update_keys") != std::string::npos);
}

// The newest keys of a loaded store: one memtable of updates.
TEST_CASE("key population: updates of the latest keys hit few of a loaded store") {
  OperationWorkload workload = loaded("entries=100000");
  Phase updates = workload.phases.front();
  updates.actions = {};
  updates.actions[Action::kUpdate] = 20'000;
  updates.update_keys.kind = AccessKeyKind::kLatest;
  workload.phases.push_back(updates);
  Result<KeyPopulation> made = KeyPopulation::make(workload);
  REQUIRE(made.has_value());
  KeyPopulation& population = made.value();
  population.begin_phase(0);
  population.write(100'000, 0, 0);
  static_cast<void>(population.take_memtable());
  static_cast<void>(population.age());
  population.begin_phase(1);
  population.write(0, 20'000, 0);
  const double modelled =
      static_cast<double>(total_entries(population.take_memtable())) / kCountUnits;
  OperationGenerator generator(workload, 5);
  std::vector<Operation> all(120'000);
  REQUIRE(generator.fill(all).value() == all.size());
  std::set<std::uint64_t> keys;
  for (std::size_t i = 100'000; i < all.size(); ++i) keys.insert(all[i].key);
  INFO("seed 5: counted " << keys.size() << ", modelled " << modelled);
  REQUIRE(std::abs(modelled / static_cast<double>(keys.size()) - 1) < 0.02);
}

TEST_CASE("key population: classes that age stay few, and reads know all of their keys") {
  Result<KeyPopulation> made =
      KeyPopulation::make(loaded("entries=2000000,update_fraction=50%,update_distribution=latest"));
  REQUIRE(made.has_value());
  KeyPopulation& population = made.value();
  std::size_t merged = 0;
  for (int memtable = 0; memtable < 1'000; ++memtable) {
    population.write(1'000, 1'000, 0);
    REQUIRE(population.take_memtable().size() <= 66);
    const std::optional<ClassMerges> merges = population.age();
    merged += merges.has_value();
    double keys = 0;
    double updated = 0;
    for (const KeyPopulation::Readable& each : population.readable()) {
      keys += each.keys;
      updated += each.updated;
    }
    REQUIRE(std::abs(keys - 1'000.0 * (memtable + 1)) < 0.01);
    REQUIRE(std::abs(updated - 1) < 1e-6);
  }
  REQUIRE(merged > 10);
  REQUIRE(merged < 100);
}

}  // namespace
}  // namespace lsmlab::key_population_test
