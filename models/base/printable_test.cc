#include "models/base/printable.h"

#include "testing/catch.h"

namespace lsmlab::printable_test {
namespace {

TEST_CASE("printable text of any script is shown unchanged") {
  for (const char* text :
       {"", "binomial k=6", "Zürich → 東京 🗄", "two\nlines\tand a tab"}) {
    REQUIRE(printable(text) == text);
  }
}

TEST_CASE("control characters are shown escaped") {
  REQUIRE(printable("\x1B[31mred") == "\\x1B[31mred");
  REQUIRE(printable("a\rb") == "a\\x0Db");
  REQUIRE(printable(std::string_view("\0\x7F", 2)) == "\\x00\\x7F");
  REQUIRE(printable("\xC2\x9B"
                    "31m") == "\\xC2\\x9B31m");                   // C1: CSI
  REQUIRE(printable("\xE2\x80\xAEgpj") == "\\xE2\\x80\\xAEgpj");  // right-to-left override
  REQUIRE(printable("\xE2\x81\xA6x") == "\\xE2\\x81\\xA6x");      // left-to-right isolate
  REQUIRE(printable("\xE2\x80\xA9x") == "\\xE2\\x80\\xA9x");      // paragraph separator
}

TEST_CASE("bytes that are not UTF-8 are shown escaped") {
  REQUIRE(printable("\xFF") == "\\xFF");
  REQUIRE(printable("\x9B") == "\\x9B");
  REQUIRE(printable("\xC0\xAF") == "\\xC0\\xAF");                    // overlong
  REQUIRE(printable("\xE0\x80\x9B") == "\\xE0\\x80\\x9B");           // overlong C1
  REQUIRE(printable("\xED\xA0\x80") == "\\xED\\xA0\\x80");           // a surrogate
  REQUIRE(printable("\xF4\x90\x80\x80") == "\\xF4\\x90\\x80\\x80");  // above U+10FFFF
  REQUIRE(printable("cut \xE6\x9D") == "cut \\xE6\\x9D");
  REQUIRE(printable("\xE6\xE6\x9D\xB1") == "\\xE6\xE6\x9D\xB1");  // goes on with the next
}

}  // namespace
}  // namespace lsmlab::printable_test
