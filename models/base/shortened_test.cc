#include "models/base/shortened.h"

#include "testing/catch.h"

namespace lsmlab::shortened_test {
namespace {

TEST_CASE("short values are quoted whole") {
  REQUIRE(excerpt("") == "");
  REQUIRE(excerpt("binomial") == "binomial");
  REQUIRE(excerpt(std::string(120, 'x')) == std::string(120, 'x'));
}

TEST_CASE("long values are quoted by their beginning and size") {
  REQUIRE(excerpt(std::string(1 << 20, 'x')) ==
          std::string(59, 'x') + "\xE2\x80\xA6 (1048576 bytes)");
  // Bytes that continue no character.
  REQUIRE(excerpt(std::string(1 << 20, '\x80')).size() < 300);
}

}  // namespace
}  // namespace lsmlab::shortened_test
