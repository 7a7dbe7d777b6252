#include "validate/stores/store_changes.h"

#include "models/base/spec_parameters.h"
#include "testing/catch.h"

namespace lsmlab::store_changes_test {
namespace {

// RocksDB 7.8.3 with some options of its own.
struct Case {
  stores::FamilyFigures reported;
  TodaysOptions today;

  Case() {
    reported.name = "default";
    stores::Store store;
    store.version = "7.8.3";
    stores::FamilyOptions& family = store.options.emplace().add_family("default");
    family.values = {{"write_buffer_size", "1048576"},
                     {"max_bytes_for_level_multiplier", "8.000000"},
                     {"max_bytes_for_level_base", "4194304"},
                     {"target_file_size_base", "1048576"},
                     {"level0_file_num_compaction_trigger", "4"},
                     {"max_write_buffer_number", "2"},
                     {"compression", "kNoCompression"},
                     {"num_levels", "7"}};
    store.options->database = {{"max_background_jobs", "4"}, {"max_open_files", "-1"}};
    today.policy = parse_spec(stores::policy_spec(store, reported, "").spec).value();
    today.store = store;
    today.reported = &reported;
  }

  [[nodiscard]] ChangedPolicy changed(const std::string& change) const {
    const auto policies = changed_policies(today, change);
    INFO(change << ": " << (policies ? "" : policies.error().message));
    REQUIRE(policies.has_value());
    REQUIRE(policies.value().size() == 1);
    return policies.value().front();
  }
  [[nodiscard]] std::string error_of(const std::string& change) const {
    const auto policies = changed_policies(today, change);
    return policies ? "" : policies.error().message;
  }
};

std::string value_of(const ChangedPolicy& changed, const char* name) {
  const std::string* const value = stated_value(changed.policy.parameters, name);
  return value == nullptr ? "" : *value;
}

TEST_CASE("another policy keeps the memtable, unless it names its own") {
  const Case asked;
  const std::string buffer = value_of(asked.changed("size_ratio=6"), "buffer");
  REQUIRE_FALSE(buffer.empty());
  const ChangedPolicy tiered = asked.changed("policy=tiered");
  REQUIRE(value_of(tiered, "buffer") == buffer);
  REQUIRE(tiered.text == "policy=tiered:buffer=" + buffer);
  const ChangedPolicy own = asked.changed("policy=tiered:buffer=3MiB");
  REQUIRE(value_of(own, "buffer") == "3MiB");
  REQUIRE(own.text == "policy=tiered:buffer=3MiB");
  REQUIRE(value_of(asked.changed("policy=rocksdb-defaults"), "buffer").empty());
}

TEST_CASE("a number that lsmlab would round is refused") {
  const Case asked;
  REQUIRE(asked.error_of("max_bytes_for_level_multiplier=6.5")
              .find("RocksDB's max_bytes_for_level_multiplier=6.5; lsmlab needs a whole number") ==
          0);
  REQUIRE(asked.error_of("num_levels=5000").find("outside of lsmlab's range") != std::string::npos);
}

TEST_CASE("options of RocksDB change what they are here, and nothing else") {
  const Case asked;
  const auto same_but = [&](const std::string& rocksdb, const std::string& ours) {
    INFO(rocksdb);
    const ChangedPolicy changed = asked.changed(rocksdb);
    REQUIRE(changed.text == rocksdb);
    REQUIRE(spec_text(changed.policy) == spec_text(asked.changed(ours).policy));
    REQUIRE(!changed.merge_threads);
  };
  same_but("write_buffer_size=4194304", "buffer=4MiB");
  same_but("write_buffer_size=4MiB", "buffer=4MiB");
  same_but("max_bytes_for_level_multiplier=6", "size_ratio=6");
  same_but("level0_file_num_compaction_trigger=2,num_levels=5", "l0_trigger=2,levels=5");
  same_but("level_compaction_dynamic_level_bytes=true", "dynamic_levels=true");
  // Both kinds of names in one change.
  same_but("write_buffer_size=2MiB,size_ratio=4", "size_ratio=4,buffer=2MiB");
}

TEST_CASE("a number as RocksDB's ttl is in seconds, as in its OPTIONS file") {
  const Case asked;
  REQUIRE(value_of(asked.changed("ttl=3600"), "ttl") == "1h");
  REQUIRE(value_of(asked.changed("ttl=2h"), "ttl") == "2h");
}

TEST_CASE("memtables, limits of level 0 and background jobs change stalls and merge threads") {
  const Case asked;
  const ChangedPolicy memtables = asked.changed("max_write_buffer_number=6");
  REQUIRE(spec_text(memtables.policy) == spec_text(asked.today.policy));
  REQUIRE(memtables.stalls == Parameters{{"full_memtables_max", "5"}});
  REQUIRE(memtables.needs_clock == "max_write_buffer_number");
  const ChangedPolicy limits =
      asked.changed("level0_slowdown_writes_trigger=8,level0_stop_writes_trigger=12");
  REQUIRE(limits.stalls == Parameters{{"level0_slowdown_runs", "8"}, {"level0_stop_runs", "12"}});
  const ChangedPolicy jobs = asked.changed("max_background_jobs=8");
  REQUIRE(jobs.merge_threads == 6);
  REQUIRE(jobs.stalls.empty());
  // A memtable counts without a clock.
  REQUIRE(asked.changed("max_background_jobs=8,write_buffer_size=8MiB").needs_clock.empty());
}

TEST_CASE("another style is another policy, with that style's defaults") {
  const Case asked;
  const ChangedPolicy changed = asked.changed("compaction_style=universal");
  REQUIRE(changed.policy.name == "rocksdb-universal");
  REQUIRE(value_of(changed, "buffer") == "1MiB");
  REQUIRE(stated_value(changed.stalls, "full_memtables_max") != nullptr);
  REQUIRE(stated_value(changed.stalls, "pending_stop_bytes") == nullptr);
}

TEST_CASE("what changes nothing, or is not modelled, is told") {
  const Case asked;
  REQUIRE(asked.error_of("max_open_files=100").find("changes nothing here") != std::string::npos);
  REQUIRE(asked.error_of("write_buffer_size=1MiB").find("changes nothing") != std::string::npos);
  REQUIRE(asked.error_of("merge_operator=PutOperator").find("is not modelled") !=
          std::string::npos);
  REQUIRE(asked.error_of("size_ratio").find("expected OPTION=VALUE") != std::string::npos);
  // A name that nobody has is left to the policy, whose error has the nearest one.
  REQUIRE(value_of(asked.changed("size_rato=4"), "size_rato") == "4");
  // Without a store's options, RocksDB's names are no options.
  Case without;
  without.today.store.reset();
  REQUIRE(value_of(without.changed("write_buffer_size=4MiB"), "write_buffer_size") == "4MiB");
}

TEST_CASE("a list of RocksDB's values is a change for each, and changes add up") {
  const Case asked;
  const auto list = changed_policies(asked.today, "max_write_buffer_number=4|8").value();
  REQUIRE(list.size() == 2);
  REQUIRE(list[1].text == "max_write_buffer_number=8");
  REQUIRE(list[1].stalls == Parameters{{"full_memtables_max", "7"}});
  const auto all = policy_of_all(asked.today, {"write_buffer_size=2MiB", "size_ratio=4",
                                               "max_background_jobs=8"})
                       .value();
  REQUIRE(all.has_value());
  REQUIRE(value_of(*all, "buffer") == "2MiB");
  REQUIRE(value_of(*all, "size_ratio") == "4");
  REQUIRE(all->merge_threads == 6);
  REQUIRE(!policy_of_all(asked.today, {"size_ratio=4|6", "buffer=2MiB"}).value().has_value());
  REQUIRE(!policy_of_all(asked.today, {"policy=none", "buffer=2MiB"}).value().has_value());
}

}  // namespace
}  // namespace lsmlab::store_changes_test
