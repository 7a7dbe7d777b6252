#include "traces/stores/glued_cells.h"

#include "testing/catch.h"
#include "traces/stores/statistics_figures.h"
#include "traces/stores/store_reading.h"

namespace lsmlab::stores::glued_cells_test {
namespace {

using Cells = std::vector<std::string_view>;

TEST_CASE("a figure that is too wide for its column is taken off the one before") {
  const std::vector<std::string> headings{"Level", "W-Amp", "Avg(sec)", "Avg(ms)", "RecordIn"};
  REQUIRE((taken_apart({"L1", "2.3", "12.643", "0.002032745988"}, headings) ==
           Cells{"L1", "2.3", "12.643", "0.00", "2032745988"}));
  REQUIRE((taken_apart({"L1", "2.312.643", "0.00", "7"}, headings) ==
           Cells{"L1", "2.3", "12.643", "0.00", "7"}));
  // A row that is whole, and one that was cut.
  REQUIRE((taken_apart({"L1", "2.3", "12.643", "0.0012", "7"}, headings) ==
           Cells{"L1", "2.3", "12.643", "0.0012", "7"}));
  REQUIRE((taken_apart({"L1", "2.3", "12.643"}, headings) == Cells{"L1", "2.3", "12.643"}));
}

// Of a benchmark of RocksDB 3, with fewer columns.
TEST_CASE("an old table with more than a thousand million keys tells how many merges read") {
  Store store;
  REQUIRE(
      add_store_file(store, "table.txt",
                     "Level   Files   Size(MB) Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) "
                     "Wnew(GB) W-Amp Comp(sec) Comp(cnt) Avg(sec) Stall(sec) Stall(cnt) Avg(ms) "
                     "RecordIn RecordDrop\n"
                     "  L0     0/0          0   0.0      0.0     0.0      0.0    2130.8   2130.8 "
                     "  0.0      20002     25068    0.798      28.75     182059    0.16       0   "
                     "       0\n"
                     "  L1   142/0        509   1.0   4618.5  2036.5   2582.0    4602.1   2020.2 "
                     "  2.3      53466      4229   12.643       0.00          0    "
                     "0.002032745988  300688729\n"));
  REQUIRE(store.faults.empty());
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.levels.size() == 2);
  REQUIRE(figures.merge_input_entries == 2'032'745'988);
  REQUIRE(figures.merge_output_entries == 2'032'745'988 - 300'688'729);
}

}  // namespace
}  // namespace lsmlab::stores::glued_cells_test
