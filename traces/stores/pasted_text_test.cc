#include "traces/stores/pasted_text.h"

#include "testing/catch.h"

namespace lsmlab::stores::pasted_text_test {
namespace {

TEST_CASE("A pasted line is read without what surrounds it") {
  REQUIRE(unquoted_line("  L0      5/0") == "  L0      5/0");
  REQUIRE(unquoted_line("> > Level    Files") == "Level    Files");
  REQUIRE(unquoted_line("|  L0  5/0 |") == "L0  5/0  ");
  REQUIRE(unquoted_line("   0   |     12 |  1.5") == "   0         12    1.5");
  REQUIRE(unquoted_line("L0&nbsp;&nbsp;5/0") == "L0  5/0");
  REQUIRE(unquoted_line("    \"\": \"  L0      5/0   249.16 MB\",") == "  L0      5/0   249.16 MB");
  REQUIRE(unquoted_line("\"open\": \"") == "\"open\": \"");
  REQUIRE(unquoted_line("2017/11/23-10:00:00.123456 7f00   L0      5/0") == "  L0      5/0");
  REQUIRE(unquoted_line("2017/11/23-10:00:00.123456").empty());
  REQUIRE(unquoted_line("").empty());
  REQUIRE(unquoted_line("> ").empty() == false);
}

}  // namespace
}  // namespace lsmlab::stores::pasted_text_test
