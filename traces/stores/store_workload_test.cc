#include "traces/stores/store_workload.h"

#include <algorithm>

#include "testing/catch.h"

namespace lsmlab::store_workload_test {
namespace {

using stores::FamilyFigures;
using stores::store_workload;
using stores::StoreWorkload;

// Entries of 100 bytes: keys of 16, values of 80, and 4 of the file. `levels`: entries in the tree.
FamilyFigures figures_of(std::uint64_t writes, std::uint64_t flushed,
                         std::uint64_t dropped_in_merges,
                         const std::vector<std::uint64_t>& levels) {
  FamilyFigures figures;
  figures.flushes.flushes = 10;
  figures.flushes.memtable_entries = writes;
  figures.flushes.entries = flushed;
  figures.flushes.bytes = 100 * flushed;
  figures.flushes.raw_key_bytes = 16 * flushed;
  figures.flushes.raw_value_bytes = 80 * flushed;
  figures.merge_input_entries = 5 * flushed;
  figures.merge_output_entries = 5 * flushed - dropped_in_merges;
  for (const std::uint64_t entries : levels) {
    figures.levels.emplace_back();
    figures.levels.back().bytes = 100 * entries;
  }
  return figures;
}

TEST_CASE("a history that wrote the whole tree without dropping anything only inserts") {
  const StoreWorkload workload =
      store_workload(figures_of(1'000'000, 1'000'000, 0, {50'000, 150'000, 800'000})).value();
  REQUIRE(workload.is_whole_history);
  REQUIRE(workload.measure_from.empty());
  REQUIRE(workload.spec == "load:entries=1000000,key_bytes=16,value_bytes=80");
}

TEST_CASE("what a whole history dropped, and a part of the tree, was overwritten") {
  // Half of the writes hit one of 500,000 keys. Of the older versions those are left that lie below
  // a newer one: 160,000 / 2 * 380,952 / 500,000 + 40,000 / 2 = 80,952. So 419,048 are gone.
  const StoreWorkload workload =
      store_workload(figures_of(1'000'000, 970'000, 389'048, {0, 40'000, 160'000, 380'952}))
          .value();
  REQUIRE(workload.is_whole_history);
  REQUIRE(workload.update_fraction == Approx(0.5).margin(0.001));
}

TEST_CASE("duplicates in memtables tell how many keys writes draw from") {
  // 1,000,000 writes of 500,000 keys in 100 memtables of 10,000: 10,000 * 1,000,000 / 1,000,000
  // duplicates. 432,332 keys were hit. Four of five entries of the newer level have an older one.
  const auto figures = [](std::uint64_t oldest) {
    FamilyFigures drawn = figures_of(1'000'000, 990'000, 0, {0, 100'000, oldest});
    drawn.flushes.flushes = 100;
    drawn.merge_output_entries =
        drawn.merge_input_entries - (990'000 - 100'000 - std::min<std::uint64_t>(890'000, oldest));
    return drawn;
  };
  const StoreWorkload workload = store_workload(figures(400'000)).value();
  REQUIRE(workload.spec ==
          "db_bench:\"--benchmarks=fillrandom --num=500000 --writes=1000000 --key_size=16 "
          "--value_size=80\"");
  REQUIRE(workload.guesses.front().parameter == "number of keys");
  // Another number of live entries: not all keys are hit alike, or new ones keep coming.
  REQUIRE(store_workload(figures(200'000)).value().spec.starts_with("load:entries=1000000"));
  REQUIRE(store_workload(figures(700'000)).value().spec.starts_with("load:entries=1000000"));
  FamilyFigures with_deletes = figures(400'000);
  with_deletes.flushes.memtable_deletes = 10;
  REQUIRE(store_workload(with_deletes).value().spec.starts_with("load:entries=1000000"));
}

TEST_CASE("a history that begins with data loads as much first, and measures the rest") {
  FamilyFigures figures = figures_of(100'000, 90'000, 85'000, {5'000, 50'000, 945'000});
  figures.flushes.memtable_deletes = 1000;
  figures.seconds = 50;
  const StoreWorkload workload = store_workload(figures).value();
  REQUIRE_FALSE(workload.is_whole_history);
  // In the tree before: 1,000,000 less the 5,000 that the history added; fewer live ones.
  REQUIRE(workload.records < 995'000);
  REQUIRE(workload.records > 900'000);
  REQUIRE(workload.delete_fraction == Approx(0.01));
  // 5,000 entries more, and as many as were deleted: 6,000 inserts.
  REQUIRE(workload.update_fraction == Approx(0.93).margin(0.001));
  REQUIRE(workload.writes_per_second == 2000);
  REQUIRE(workload.measure_from == std::to_string(2 * workload.records));
  REQUIRE(workload.guesses.size() == 4);
}

TEST_CASE("of a history that wrote its tree many times over, a part is simulated at rest") {
  // 20,000 memtables of 50,000 entries. The tree holds a thousandth of them.
  FamilyFigures figures =
      figures_of(1'000'000'000, 990'000'000, 989'000'000, {0, 100'000, 900'000});
  figures.flushes.flushes = 20'000;
  figures.flushes.memtable_deletes = 10'000'000;
  const StoreWorkload workload = store_workload(figures).value();
  REQUIRE(workload.is_whole_history);
  REQUIRE(workload.begins_at_rest());
  REQUIRE(workload.writes == 1'000'000'000);
  REQUIRE(workload.simulated_writes() == 250'000'000);  // 5,000 memtables
  REQUIRE(workload.delete_fraction == Approx(0.01));
  REQUIRE(workload.update_fraction == Approx(0.98));
  // Those of the newer level that hide one of the 900,000, 0.9 of 100,000, less for deletes.
  REQUIRE(workload.records == 910'000);
  REQUIRE(workload.measure_from == std::to_string(910'000 + 125'000'000));
  REQUIRE(workload.spec ==
          "load:records=910000,entries=250000000,key_bytes=16,value_bytes=80,"
          "update_fraction=0.9800,delete_fraction=0.0100");
  REQUIRE(std::any_of(workload.guesses.begin(), workload.guesses.end(),
                      [](const auto& one) { return one.parameter == "writes"; }));
  // Fewer flushes are simulated in whole, and so is a tree that was written ten times.
  FamilyFigures few = figures;
  few.flushes.flushes = 9'000;
  REQUIRE_FALSE(store_workload(few).value().steady_writes);
  FamilyFigures large = figures;
  large.levels.back().bytes = 100 * std::uint64_t{60'000'000};
  large.merge_output_entries = large.merge_input_entries - 930'000'000;
  REQUIRE_FALSE(store_workload(large).value().steady_writes);
}

TEST_CASE("a slow rate keeps four digits, and a fast one is a whole number") {
  const std::pair<double, const char*> rates[] = {
      {0.018341, "0.01834"}, {1.4, "1.4"},           {0.5, "0.5"},
      {12.3456, "12.35"},    {999.95, "1000"},       {1234.5678, "1235"},
      {5200, "5200"},        {0, "0.000000001"},     {1.23456e-8, "0.000000012"},
      {5e9, "5000000000"},   {1e30, "1000000000000"}};
  for (const auto& [rate, text] : rates) {
    INFO(text);
    REQUIRE(stores::stated_rate(rate).text() == text);
  }
  FamilyFigures figures = figures_of(1'000'000, 1'000'000, 0, {50'000, 150'000, 800'000});
  figures.seconds = 80'000'000;
  const StoreWorkload workload = store_workload(figures).value();
  REQUIRE(workload.spec ==
          "load:entries=1000000,key_bytes=16,value_bytes=80,operations_per_second=0.0125");
  const auto rate = std::find_if(workload.guesses.begin(), workload.guesses.end(),
                                 [](const auto& guess) { return guess.parameter == "rate"; });
  REQUIRE(rate->why.starts_with("0.0125 writes a second"));
}

TEST_CASE("without the number of entries nothing can be said, and what would do is") {
  REQUIRE(store_workload(FamilyFigures()).error().message.find("give the workload with -w") !=
          std::string::npos);
}

TEST_CASE("figures that contradict each other give a workload that can run") {
  for (const std::uint64_t dropped : {std::uint64_t{0}, std::uint64_t{5'000'000}}) {
    for (const std::uint64_t in_tree :
         {std::uint64_t{0}, std::uint64_t{10}, std::uint64_t{1} << 40}) {
      FamilyFigures figures = figures_of(1'000'000, 1'000'000, dropped, {in_tree});
      figures.flushes.memtable_deletes = 1'000'000;
      const StoreWorkload workload = store_workload(figures).value();
      INFO(workload.spec);
      REQUIRE(workload.update_fraction >= 0);
      REQUIRE(workload.update_fraction + workload.delete_fraction <= 1);
    }
  }
}

}  // namespace
}  // namespace lsmlab::store_workload_test
