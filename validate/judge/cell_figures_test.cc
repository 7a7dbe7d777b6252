#include "validate/judge/cell_figures.h"

#include <cmath>
#include <fstream>

#include "models/execution/plan_log.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "validate/judge/regression.h"

namespace lsmlab::cell_figures_test {
namespace {

using Json = nlohmann::ordered_json;

TEST_CASE("a result's compared figures stand where results have them") {
  const Json result{
      {"amplification", {{"write", 4.5}}},
      {"totals", {{"merge_bytes_read", 10}, {"merge_bytes_written", 20}, {"merges", 3}}},
      {"final", {{"file_bytes", 77}}}};
  REQUIRE(figures_of(result) == std::vector<double>{4.5, 10, 20, 3, 77});
  REQUIRE(compared_figures().front().name == "write");
  REQUIRE(figures_of(Json::object()) == std::vector<double>(5));
}

TEST_CASE("entries and bytes of a log are those that flushes and merges wrote") {
  const engine::testing::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/log.jsonl";
  PlanRecord record;
  record.sequence = 1;
  record.plan = PlanKind::kFlush;
  record.reason = PlanReason::kMemtableFull;
  record.outputs = {{FileId(1), Bytes(1'000)}};
  record.entries_out = Entries(10);
  PlanRecord move = record;
  move.plan = PlanKind::kMove;
  PlanRecord merge = record;
  merge.plan = PlanKind::kMerge;
  merge.outputs = {{FileId(2), Bytes(700)}, {FileId(3), Bytes(800)}};
  merge.entries_out = Entries(15);
  std::ofstream(path) << plan_record_line(record) << "\n"
                      << plan_record_line(move) << "\n"
                      << plan_record_line(merge) << "\n";
  const WrittenEntries written = written_entries(path).value();
  REQUIRE(written.entries == 25);
  REQUIRE(written.bytes == 2'500);
  std::ofstream(path, std::ios::app) << "not a record\n";
  const auto damaged = written_entries(path);
  REQUIRE(!damaged);
  REQUIRE(damaged.error().message.find(":4:") != std::string::npos);
  std::string line = plan_record_line(record);
  line.replace(line.find("memtable-full"), 13, "memtable-ful");
  std::ofstream(path) << line << "\n";
  const auto unknown = written_entries(path);
  REQUIRE(!unknown);
  REQUIRE(unknown.error().message.find(path + ":1: ") != std::string::npos);
  REQUIRE(unknown.error().message.find("did you mean 'memtable-full'?") != std::string::npos);
  REQUIRE(!written_entries(scratch.path() + "/none"));
}

TEST_CASE("a cost model's figure stands beside the means of what runs came to") {
  const auto result = [](const char* name, const Json& run) {
    return Json{{"cost_model",
                 {{{"name", name},
                   {"value", 4.0},
                   {"unit", "bytes/byte"},
                   {"source", "log"},
                   {"run_figure", "write"},
                   {"run", run}}}}};
  };
  const Json simulated = result("write_amplification", 3.0);
  const std::vector<Json> measured{result("write_amplification", 2.5),
                                   result("write_amplification", 4.5)};
  REQUIRE(cell_costs(simulated, measured) == Json{{{"name", "write_amplification"},
                                                   {"model", 4.0},
                                                   {"simulated", 3.0},
                                                   {"measured", 3.5},
                                                   {"unit", "bytes/byte"},
                                                   {"run_figure", "write"},
                                                   {"source", "log"}}});
  // Rates have the harmonic mean.
  const std::vector<Json> rates{result("bytes_per_second", 100.0),
                                result("bytes_per_second", 300.0)};
  REQUIRE(cell_costs(rates.front(), rates).at(0).at("measured") == 150.0);
  REQUIRE(cell_costs(rates.front(), {}).at(0).at("measured").is_null());
  const std::vector<Json> without{result("write_amplification", nullptr), Json::object()};
  REQUIRE(cell_costs(simulated, without).at(0).at("measured").is_null());
  REQUIRE(cell_costs(Json::object(), measured).is_null());
}

TEST_CASE("a curve is read between its points and held against another") {
  const Curve measured{{100, 200, 300, 400}, {1, 2, 3, 4}};
  REQUIRE(value_at(measured, 50) == 1);
  REQUIRE(value_at(measured, 250) == 2.5);
  REQUIRE(value_at(measured, 900) == 4);
  const Curve simulated{{100, 400}, {1, 4.4}};
  const CurveError error = curve_error(simulated, measured);
  REQUIRE(error.at_operations == 400);
  REQUIRE(std::abs(error.largest - 0.1) < 1e-12);
  // The first tenth of the operations does not count.
  const Curve late{{10, 1'000}, {1, 2}};
  const Curve off{{10, 200, 1'000}, {9, 1.19, 2}};
  REQUIRE(std::abs(curve_error(off, late).largest) < 0.01);
}

TEST_CASE("several measured curves are averaged at the first one's points") {
  const Curve mean = mean_of({{{10, 20}, {1, 2}}, {{10, 30}, {3, 5}}});
  REQUIRE(mean.operations == std::vector<double>{10, 20});
  REQUIRE(mean.write == std::vector<double>{2, 3});
}

}  // namespace
}  // namespace lsmlab::cell_figures_test
