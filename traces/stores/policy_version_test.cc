// Whose version's rules the policy of a store has.
#include "testing/catch.h"
#include "traces/stores/policy_spec.h"

namespace lsmlab::stores::policy_version_test {
namespace {

std::string spec_of(const std::string& version,
                    const std::vector<std::pair<std::string, std::string>>& values) {
  Store store;
  store.system = StoreSystem::kRocksdb;
  store.version = version;
  FamilyOptions& family = store.options.emplace().add_family("default");
  for (const auto& [name, value] : values) family.values.insert_or_assign(name, value);
  FamilyFigures figures;
  figures.name = "default";
  return policy_spec(store, figures, "").spec;
}

TEST_CASE("A store's version decides whose rules its policy has") {
  for (const char* const style : {"kCompactionStyleLevel", "kCompactionStyleUniversal"}) {
    INFO(style);
    const auto version_of = [&](const std::string& version) {
      const std::string spec = spec_of(version, {{"compaction_style", style}});
      const std::size_t at = spec.find(",version=");
      return at == std::string::npos ? "" : spec.substr(at + 9, spec.find(',', at + 9) - at - 9);
    };
    REQUIRE(version_of("5.18.3") == "6.12");
    REQUIRE(version_of("6.12.7") == "6.12");
    REQUIRE(version_of("6.13.2") == "7.4");
    REQUIRE(version_of("7.4.5") == "7.4");
    REQUIRE(version_of("7.5.3").empty());
    REQUIRE(version_of("8.3.3").empty());
    REQUIRE(version_of("8.4.0") == "8.4");
    REQUIRE(version_of("8.6.7") == "8.4");
    REQUIRE(version_of("8.7.3") == "8.7");
    REQUIRE(version_of("8.10.2") == "8.7");
    REQUIRE(version_of("8.11.3") == "8.11");
    REQUIRE(version_of("9.0.0") == "9.0");
    REQUIRE(version_of("9.1.1") == "9.0");
    REQUIRE(version_of("9.5.2") == "9.2");
    REQUIRE(version_of("9.6.1") == "9.6");
    REQUIRE(version_of("9.7.4") == "9.6");
    REQUIRE(version_of("11.1.1") == "9.8");
    REQUIRE(version_of("").empty());
  }
}

TEST_CASE("A SPEC has the arena blocks of a store where they are not those of its version") {
  const auto block_of = [](const std::string& version, const std::string& memtable,
                           const std::string& block) {
    const std::string spec = spec_of(version, {{"compaction_style", "kCompactionStyleLevel"},
                                               {"write_buffer_size", memtable},
                                               {"arena_block_size", block}});
    const std::size_t at = spec.find(",arena_block=");
    return at == std::string::npos ? "" : spec.substr(at + 13, spec.find(',', at + 13) - at - 13);
  };
  REQUIRE(block_of("7.8.3", "67108864", "1048576").empty());
  REQUIRE(block_of("7.8.3", "67108864", "0").empty());
  REQUIRE(block_of("7.8.3", "67108864", "100") == "4KiB");
  REQUIRE(block_of("7.8.3", "67108864", "8388608") == "8MiB");
  REQUIRE(block_of("6.20.3", "67108864", "8388608") == "8MiB");
  // 6.12 and older have an eighth of any memtable.
  REQUIRE(block_of("5.18.3", "67108864", "8388608").empty());
  REQUIRE(block_of("5.18.3", "67108864", "1048576") == "1MiB");
  REQUIRE(block_of("7.8.3", "340992", "45056").empty());
}

TEST_CASE("A LOG that names jemalloc makes memtables that count its sizes") {
  const auto spec_with = [](const std::string& answer) {
    Store store;
    REQUIRE(add_store_file(store, "LOG",
                           "2026/11/27-01:16:03.511835 14582 RocksDB version: 9.8.4\n"
                           "2026/11/27-01:16:03.511840 14582 Jemalloc supported: " +
                               answer + "\n"));
    FamilyFigures figures;
    figures.name = "default";
    return policy_spec(store, figures, "").spec;
  };
  REQUIRE(spec_with("1").find(",allocator=jemalloc") != std::string::npos);
  REQUIRE(spec_with("0").find("allocator") == std::string::npos);
}

TEST_CASE("Universal compaction of a store knows where its writers stop") {
  const auto spec_with = [](const std::string& stop) {
    return spec_of("8.7.3", {{"compaction_style", "kCompactionStyleUniversal"},
                             {"level0_stop_writes_trigger", stop}});
  };
  REQUIRE(spec_with("36").find(",stop_style=total-size,version=8.7,") != std::string::npos);
  REQUIRE(spec_with("40").find(",level0_stop_runs=40,version=8.7,") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::stores::policy_version_test
