#include "models/policies/leveldb/flush_versions.h"

#include "models/policies/registry.h"
#include "testing/catch.h"

namespace lsmlab::flush_versions_test {
namespace {

TEST_CASE("systems that are built on LevelDB flush overwritten entries too, unless told not to") {
  for (const std::string family :
       {"leveldb", "hyperleveldb", "pebblesdb", "dcompaction", "sifrdb", "lsbm"}) {
    INFO(family);
    const auto own = make_policy(parse_spec(family).value());
    REQUIRE(own.has_value());
    REQUIRE(own.value().policy->flush_keeps_overwritten());
    const auto told = make_policy(parse_spec(family + ":flush_keeps_overwritten=false").value());
    REQUIRE(told.has_value());
    REQUIRE(!told.value().policy->flush_keeps_overwritten());
    // A memtable that replaces entries has one version of each key to flush.
    const auto in_place = make_policy(parse_spec(family + ":memtable=in-place").value());
    REQUIRE(in_place.has_value());
    REQUIRE(flush_keeps_overwritten(*own.value().policy, own.value().store));
    REQUIRE(!flush_keeps_overwritten(*in_place.value().policy, in_place.value().store));
  }
}

}  // namespace
}  // namespace lsmlab::flush_versions_test
