#include "traces/files/recorded_keys.h"

#include <fmt/format.h>

#include "testing/catch.h"

namespace lsmlab::recorded_keys_test {
namespace {

TEST_CASE("recorded keys come back from a provenance, and other provenances have none") {
  const RecordedKeys keys{1'000, {430, 417, 32, 0}};
  nlohmann::ordered_json provenance{{"imported_from", "a.txt"}};
  provenance[kRecordedKeysMember] = recorded_keys_json(keys);
  REQUIRE(provenance[kRecordedKeysMember]["shared_bytes"][0] == 13.4375);
  REQUIRE(recorded_keys_of(provenance.dump()).value() == keys);
  for (const char* other : {"", "made by hand", "[1]", "{\"imported_from\":\"a.txt\"}"}) {
    REQUIRE(!recorded_keys_of(other).value().has_value());
  }
}

TEST_CASE("recorded keys that nobody wrote are refused") {
  for (const char* member :
       {"1", "{}", "{\"count\":0,\"shared_bytes\":[1]}", "{\"count\":-5,\"shared_bytes\":[1]}",
        "{\"count\":5,\"shared_bytes\":[]}", "{\"count\":5,\"shared_bytes\":[-1]}",
        "{\"count\":5,\"shared_bytes\":[1e9]}", "{\"count\":5,\"shared_bytes\":[null]}",
        "{\"count\":5,\"shared_bytes\":{}}"}) {
    INFO(member);
    const auto keys = recorded_keys_of(fmt::format("{{\"recorded_keys\":{}}}", member));
    REQUIRE(!keys.has_value());
    REQUIRE(keys.error().message.starts_with("the provenance's recorded_keys: expected "));
  }
}

}  // namespace
}  // namespace lsmlab::recorded_keys_test
