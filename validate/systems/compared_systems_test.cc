#include "validate/systems/compared_systems.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "testing/catch.h"
#include "validate/catalog/catalog.h"

namespace lsmlab::compared_systems_test {
namespace {

TEST_CASE("every system is compared with the same memtable, and all but RocksDB's FIFO are there") {
  const Bytes memtable(std::uint64_t{1} << 20);
  const auto systems = compared_systems(memtable, {});
  REQUIRE(systems.has_value());
  std::set<std::string> families;
  for (const ComparedSystem& system : systems.value()) {
    INFO(system.name);
    const auto policy = policy_of_spec(system.policy);
    REQUIRE(policy.has_value());
    REQUIRE(policy.value().store.buffer == memtable);
    REQUIRE_FALSE(policy.value().store.compression.compresses());
    families.insert(policy.value().family);
  }
  for (const PolicyFamily& family : make_policy_families()) {
    INFO(family.name);
    if (family.fidelity.empty() || family.name == "rocksdb-fifo") continue;
    REQUIRE(families.contains(family.name) == !family.is_idealised);
  }
  REQUIRE_FALSE(families.contains("rocksdb-fifo"));
}

TEST_CASE("a comparison has a row by system, by write amplification, and a picture of them") {
  SystemsQuestion question;
  question.memtable = Bytes(20'000);
  question.workload =
      parse_spec("load:entries=20000,update_fraction=50%,delete_fraction=5%").value();
  question.device = parse_spec("sata-ssd").value();
  question.names = {"leveldb-defaults", "rocksdb-defaults", "scylla-stcs-defaults"};
  const auto figures = compare_systems(question, {});
  REQUIRE(figures.has_value());
  REQUIRE(figures.value().size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const SystemFigures& row = figures.value()[i];
    REQUIRE(row.complete);
    REQUIRE(std::all_of(row.values.begin(), row.values.end(),
                        [](const auto& value) { return value.has_value(); }));
    if (i > 0) REQUIRE(*figures.value()[i - 1].values[0] <= *row.values[0]);
  }
  question.names = {"sifrdb-defaults"};
  const auto keeper = compare_systems(question, {});
  REQUIRE(keeper.has_value());
  for (std::size_t i = 0; i < kSystemFigureCount; ++i) {
    const bool is_age = std::string(kSystemFigures[i].path).starts_with("deletes.gone_after");
    REQUIRE(keeper.value()[0].values[i].has_value() != is_age);  // SifrDB keeps every delete
  }
  const std::string text = systems_text(question, figures.value());
  REQUIRE(text.find("\nscylla-stcs ") != std::string::npos);
  const auto json = systems_json(question, figures.value());
  REQUIRE(json["systems"].size() == 3);
  REQUIRE(json["systems"][0]["figures"]["amplification.write"] == *figures.value()[0].values[0]);
  const auto svg = systems_svg(question, figures.value());
  REQUIRE(svg.has_value());
  REQUIRE(svg.value().find("scylla-stcs") != std::string::npos);
}

TEST_CASE("runs that were stopped have no figures, and come last") {
  SystemsQuestion question;
  question.workload = parse_spec("load:entries=20000").value();
  question.names = {"leveldb-defaults"};
  const std::atomic<bool> stop = true;
  BatchOptions options;
  options.stop = &stop;
  const auto figures = compare_systems(question, options);
  REQUIRE(figures.has_value());
  REQUIRE_FALSE(figures.value()[0].complete);
  for (const auto& value : figures.value()[0].values) REQUIRE_FALSE(value.has_value());
}

TEST_CASE("a fault of workload or device names no system") {
  SystemsQuestion question;
  question.workload = parse_spec("lod:entries=20000").value();
  REQUIRE(compare_systems(question, {}).error().message.starts_with("unknown workload 'lod'"));
  question.workload = parse_spec("load:entries=20000").value();
  question.device = parse_spec("nvm").value();
  REQUIRE(compare_systems(question, {}).error().message.starts_with("unknown device 'nvm'"));
}

TEST_CASE("systems have operations, and the names that the table shows") {
  SystemsQuestion question;
  question.workload = parse_spec("flushes:count=100,size=4MiB").value();
  REQUIRE(compare_systems(question, {}).error().message.find("consists of flush sizes") !=
          std::string::npos);
  const std::vector<std::string> names{"rocksdb", "pebble-defaults"};
  const auto systems = compared_systems(Bytes(1 << 20), names).value();
  REQUIRE(systems.size() == 2);
}

TEST_CASE("a system that does not exist is named with its nearest") {
  const std::vector<std::string> names{"rocksdb-default"};
  const auto systems = compared_systems(Bytes(1 << 20), names);
  REQUIRE_FALSE(systems.has_value());
  REQUIRE(systems.error().message.find("did you mean 'rocksdb-defaults'") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::compared_systems_test
