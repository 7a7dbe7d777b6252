#include "traces/stores/pasted_text.h"

#include "testing/catch.h"

namespace lsmlab::stores::pasted_text_test {
namespace {

TEST_CASE("A pasted line is read without what surrounds it") {
  REQUIRE(unquoted_line("  L0      5/0") == "  L0      5/0");
  REQUIRE(unquoted_line("> > Level    Files") == "Level    Files");
  REQUIRE(unquoted_line("|  L0  5/0 |") == "L0  5/0");
  REQUIRE(unquoted_line("   0   |     12 |  1.5") == "   0         12    1.5");
  REQUIRE(unquoted_line("L0&nbsp;&nbsp;5/0") == "L0  5/0");
  REQUIRE(unquoted_line("    \"\": \"  L0      5/0   249.16 MB\",") == "  L0      5/0   249.16 MB");
  REQUIRE(unquoted_line("\"open\": \"") == "\"open\":");
  REQUIRE(unquoted_line("2017/11/23-10:00:00.123456 7f00   L0      5/0") == "  L0      5/0");
  REQUIRE(unquoted_line("2017/11/23-10:00:00.123456").empty());
  REQUIRE(unquoted_line("").empty());
  REQUIRE(unquoted_line("> ").empty() == false);
}

TEST_CASE("A line of a table is read behind a host, a container, a comment or a quote") {
  REQUIRE(unquoted_line("Dec 22 11:14:53 ceph2 bash[475]:   L0      1/0") == "L0      1/0");
  REQUIRE(unquoted_line("osd.0 | Level    Files   Size") == "Level    Files   Size");
  REQUIRE(unquoted_line("[pod/tikv-0] ** Compaction Stats [default] **") ==
          "** Compaction Stats [default] **");
  REQUIRE(unquoted_line("// Sum    27/3   85.53 MB") == "Sum    27/3   85.53 MB");
  REQUIRE(unquoted_line("- Flush(GB): cumulative 0.824, interval 0.725") ==
          "Flush(GB): cumulative 0.824, interval 0.725");
  REQUIRE(unquoted_line("\t\t\"  L0      9/7        788   0.5 \",") ==
          "  L0      9/7        788   0.5");
  REQUIRE(unquoted_line("\" Low      0/0    0.00 KB\\n\" +") == " Low      0/0    0.00 KB");
  REQUIRE(unquoted_line("Uptime(secs): 294000.2 total, 600.0 interval\\") ==
          "Uptime(secs): 294000.2 total, 600.0 interval");
  // No row of a table.
  REQUIRE(unquoted_line("see L0 of it") == "see L0 of it");
}

}  // namespace
}  // namespace lsmlab::stores::pasted_text_test
