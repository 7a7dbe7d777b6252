#include "validate/stores/todays_logs.h"

#include "testing/catch.h"

namespace lsmlab::todays_logs_test {
namespace {

stores::Store store_with(const std::vector<std::string>& styles) {
  stores::Store store;
  for (const std::string& style : styles) {
    stores::NamedLog named;
    named.name = "LOG." + std::to_string(store.logs.size());
    named.log.options.add_family("default").values["compaction_style"] = style;
    stores::LoggedFlush flush;
    flush.family = "default";
    flush.is_finished = true;
    named.log.flushes.push_back(flush);
    store.logs.push_back(std::move(named));
  }
  return store;
}

TEST_CASE("logs under another compaction style are left out, and named") {
  const std::string level = "kCompactionStyleLevel";
  const std::string universal = "kCompactionStyleUniversal";
  const TodaysLogs found = todays_logs(store_with({level, universal, level, level}), "default");
  REQUIRE(found.store);
  REQUIRE(found.store->logs.size() == 2);
  REQUIRE(found.store->logs.front().name == "LOG.2");
  REQUIRE(found.note ==
          "LOG.1 had compaction_style=kCompactionStyleUniversal; only what the newer logs tell is "
          "compared");
  const TodaysLogs same = todays_logs(store_with({level, level}), "default");
  REQUIRE_FALSE(same.store);
  REQUIRE(same.note.empty());
}

TEST_CASE("a store that has flushed nothing since its options changed keeps its history") {
  stores::Store store = store_with({"kCompactionStyleUniversal", "kCompactionStyleLevel"});
  store.logs.back().log.flushes.clear();
  const TodaysLogs found = todays_logs(store, "default");
  REQUIRE_FALSE(found.store);
  REQUIRE(found.note.find("newer logs have no flush") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::todays_logs_test
