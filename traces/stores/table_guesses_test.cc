// What tables of statistics without options tell of the style of compaction and of their levels.
#include "traces/stores/table_guesses.h"

#include "testing/catch.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::table_guesses_test {
namespace {

// Of public reports of RocksDB, shortened.
const std::string kHeading =
    "** Compaction Stats [default] **\n"
    "Level Files Size Score Read(GB) Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp Rd(MB/s) "
    "Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt)\n";
const std::string kUniversal =
    "L0 0/0 0.00 KB 1.0 0.0 0.0 0.0 22.6 22.6 0.0 1.0 0.0 160.7 144.12 112.97 108\n"
    "L45 5/0 1.03 GB 0.0 36.9 10.9 26.1 36.6 10.6 0.0 3.4 194.1 192.5 194.95 181.28 40\n"
    "L46 16/0 3.83 GB 0.0 16.7 10.3 6.3 16.3 10.0 0.0 1.6 187.6 183.5 91.03 84.21 16\n"
    "L47 19/0 4.68 GB 0.0 15.4 10.5 4.9 14.7 9.8 0.0 1.4 192.4 183.9 82.02 77.52 8\n";
const std::string kBusyUniversal =
    "L0 5/2 300.00 MB 1.0 0.0 0.0 0.0 259.1 259.1 0.0 1.0 0.0 800.0 331.60 300.00 1200\n"
    "L33 1200/1200 18.83 GB 0.0 270.3 99.0 171.2 269.9 98.7 0.0 2.7 829.0 827.8 333.84 872.59 48\n"
    "L34 2616/2616 41.07 GB 0.0 373.2 150.1 223.1 372.5 149.4 0.0 2.5 994.2 992.2 384.38 1177.81 "
    "27\n"
    "L35 15301/15301 240.39 GB 0.0 1716.1 259.1 1457.0 1697.4 240.4 0.0 6.6 852.1 842.8 2062.27 "
    "6321.49 22\n"
    "L36 0/0 0.00 KB 0.0 15.2 0.0 15.2 27.6 12.4 0.0 2103.8 631.0 1147.4 24.63 86.06 2\n";
const std::string kCutDynamic =
    "Level Files Size Score Read(GB) Rn(GB) Rnp1(GB) Write(GB) Wnew(GB) Moved(GB) W-Amp Rd(MB/s) "
    "Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec)\n"
    "L0 0/0 0.00 KB 0.0 0.0 0.0 0.0 3.1 3.1 0.0 1.0 0.0 88.5 36.02 32.43 16\n"
    "L4 11/0 679.83 MB 1.0 7.7 3.1 4.6 6.2 1.5 0.0 2.0 87.6 69.7 90.54 64.85 8\n"
    "L5 45/0 1.77 GB 1.0 3.7 1.3 2.4 3.4 1.0 0.0 2.5 75.7 69.3 50.11 39.12 21\n";

FamilyFigures figures_of_rows(const std::string& rows) {
  Store store;
  REQUIRE(add_store_file(store, "table.txt", kHeading + rows).has_value());
  return figures_of(store, "default");
}

PolicySpec spec_of_rows(const std::string& rows) {
  Store store;
  REQUIRE(add_store_file(store, "table.txt", kHeading + rows).has_value());
  return policy_spec(store, figures_of(store, "default"));
}

std::string guess_of(const PolicySpec& policy, std::string_view parameter) {
  for (const auto& guess : policy.guesses) {
    if (guess.parameter == parameter) return guess.why;
  }
  return "";
}

// A row of a level with its size in MB and its score.
std::string row(int level, int files, double mebibytes, double score, int busy = 0) {
  return fmt::format(
      "L{} {}/{} {:.2f} MB {:.1f} 0.1 0.1 0.0 0.1 0.1 0.0 1.0 9.0 9.0 11.00 11.00 10\n", level,
      files, busy, mebibytes, score);
}

TEST_CASE("Large levels without a score above the last one are those of universal compaction") {
  const PolicySpec policy = spec_of_rows(kUniversal);
  REQUIRE(policy.spec.starts_with("rocksdb-universal:"));
  REQUIRE(policy.spec.find(",levels=48,") != std::string::npos);
  REQUIRE(guess_of(policy, "policy")
              .find("level 46 has 3.83 GiB and score 0.0, and level 47 is "
                    "below it") != std::string::npos);
  const PolicySpec busy = spec_of_rows(kBusyUniversal);
  REQUIRE(busy.spec.starts_with("rocksdb-universal:"));
  REQUIRE(guess_of(busy, "policy").starts_with("all files of levels 33 to 35 are in compactions"));
  REQUIRE(universal_by_scores(figures_of_rows(row(0, 2, 3, 0) + row(4, 1, 24.2, 0) +
                                              row(5, 1, 25.57, 0) + row(6, 2, 73.92, 0))));
}

TEST_CASE("Levels that leveled compaction may score 0.0 are taken as its own") {
  const std::string level0 = row(0, 2, 3, 0.5);
  for (const std::string& rows : {
           // The base of dynamic levels, and the last level.
           level0 + row(5, 2, 9, 0) + row(6, 40, 2000, 0),
           level0 + row(5, 1, 2, 0) + row(6, 1, 12, 0),
           // A level that compactions hold.
           level0 + row(5, 4, 200, 0, 4) + row(6, 40, 2000, 0),
           // Levels that do not change: the second is small beside its target of 2.5 GiB.
           level0 + row(1, 1, 6, 0) + row(2, 2, 60, 0),
           // One has a score.
           level0 + row(4, 4, 200, 0.8) + row(5, 4, 20, 0) + row(6, 40, 2000, 0),
           level0,
       }) {
    INFO(rows);
    REQUIRE_FALSE(universal_by_scores(figures_of_rows(rows)));
    REQUIRE(spec_of_rows(rows).spec.starts_with("rocksdb-leveled:"));
  }
}

TEST_CASE("A level with a score is not the last one, so a table that ends with it is cut") {
  const PolicySpec policy = spec_of_rows(kCutDynamic);
  REQUIRE(policy.spec.find(",levels=7,") != std::string::npos);
  REQUIRE(guess_of(policy, "levels")
              .find("level 5 has a score in the table, so it is not the "
                    "last level") != std::string::npos);
  Store store;
  REQUIRE(add_store_file(store, "table.txt", kHeading + kCutDynamic).has_value());
  REQUIRE(
      report_text(store, all_figures(store))
          .find(
              "the table is cut: it has no row Sum. At least one level below level 5 is missing") !=
      std::string::npos);
  // Levels that do not change end where the data ends.
  const std::string fixed = row(0, 2, 3, 0.5) + row(1, 4, 200, 0.8) + row(2, 4, 200, 0.1);
  REQUIRE(spec_of_rows(fixed).spec.find(",levels=7,") != std::string::npos);
  REQUIRE(figures_of_rows(fixed).table_is_cut);
  REQUIRE_FALSE(figures_of_rows(fixed + "Sum 10/0 403 MB 0.0 0.1 0.1 0.0\n").table_is_cut);
}

}  // namespace
}  // namespace lsmlab::stores::table_guesses_test
