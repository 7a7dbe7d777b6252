// Reads any bytes as what users of other tools have: a spec of Tectonic, properties or a command
// line of YCSB, a command line of db_bench. Reading must end with a workload, whose first
// operations can be drawn, or an error. The first byte chooses.
#include <vector>

#include "models/base/check.h"
#include "models/base/json_parse.h"
#include "testing/fuzz/fuzz.h"
#include "traces/tools/db_bench_model.h"
#include "traces/tools/db_bench_plan.h"
#include "traces/tools/tectonic_spec.h"
#include "traces/tools/ycsb_properties.h"

namespace lsmlab {
namespace {

enum class Tool : std::uint8_t { kTectonic, kYcsbProperties, kYcsbLine, kDbBench };
constexpr std::uint8_t kTools = 4;

void draw_first(const OperationWorkload& workload) {
  CHECK(workload.validate().empty());
  std::vector<Operation> operations(200);
  CHECK(workload.open(1)->fill(operations).has_value());
}

void read_tectonic(std::string_view text) {
  const auto json = parse_json(text, kConfigLimits);
  if (!json) return;
  const auto read = tools::read_tectonic_spec(json.value());
  // A workload with deletes has a bit for each key.
  constexpr std::uint64_t kInsertsDrawn = 10'000'000;
  if (read && read.value().workload.insert_count() <= kInsertsDrawn) {
    draw_first(read.value().workload);
  }
}

void read_ycsb(std::string_view text, bool is_line) {
  if (!is_line) {
    const auto read = tools::read_ycsb_properties(text);
    if (read) draw_first(read.value().workload);
    return;
  }
  const auto line = tools::parse_ycsb_line(text);
  if (!line) return;
  const auto read = tools::read_ycsb_line(line.value(), {{"file", "recordcount=100\n"}});
  if (read) draw_first(read.value().workload);
}

void read_db_bench(std::string_view text) {
  const auto lines = tools::parse_db_bench_lines(text);
  if (!lines) return;
  const auto plan = tools::plan_db_bench(lines.value(), {100});
  if (!plan) return;
  const auto model = tools::model_of(plan.value());
  if (model) CHECK(model.value().validate().empty());
}

std::string seed(Tool tool, const std::string& text) {
  return std::string(1, static_cast<char>(tool)) + text;
}

}  // namespace
}  // namespace lsmlab

std::vector<std::string> lsmlab::testing::fuzz_seeds() {
  return {
      seed(Tool::kTectonic,
           R"({"defaults":{"key":{"segmented":{"separator":":","segments":["t",{"uniform":{"len":)"
           R"(20,"character_set":"numeric"}}]}},"val":{"weighted":[{"weight":3,"value":"ab"},)"
           R"({"weight":1,"value":{"uniform":{"len":{"normal":{"mean":99,"std_dev":9}}}}}]}},)"
           R"("sections":[{"groups":[{"inserts":{"op_count":500}},{"updates":{"op_count":50,)"
           R"("selection":{"zipf":{"n":500,"s":0.99}}},"point_deletes":{"op_count":9,"selection":)"
           R"({"beta":{"alpha":0.1,"beta":5}}},"range_queries":{"op_count":7,"scan_length":)"
           R"({"pareto":{"scale":2,"shape":3}},"selection":{"latest":{"n":9,"s":1}}}}]},)"
           R"({"groups":[{"inserts":{"op_count":40},"merges":{"op_count":4}}]}]})"),
      seed(
          Tool::kTectonic,
          R"({"sections":[{"groups":[{"sorted":{"k":10,"l":{"poisson":{"lambda":3}}},)"
          R"("unique_inserts":{"op_count":90,"key":{"hot_range":{"len":9,"amount":3,)"
          R"("probability":0.01}},"val":"v"},"empty_point_queries":{"op_count":5,"key":"x"}}]}]})"),
      seed(Tool::kYcsbProperties,
           "recordcount=1000\noperationcount=500\nrequestdistribution=hotspot\nscanproportion=0.4\n"
           "insertproportion=0.1\nmaxscanlength=5\ninsertorder=ordered\nzeropadding=9\n"),
      seed(Tool::kYcsbLine,
           "bin/ycsb run rocksdb -s -P workloada -p operationcount=\"50\" \\\n -threads 4"),
      seed(Tool::kDbBench,
           "./db_bench --benchmarks=fillrandom,overwrite,readrandom --num=1000 --reads=10 "
           "--batch_size=2; ./db_bench --benchmarks=mixgraph --use_existing_db=1 --num=300")};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lsmlab;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (static_cast<Tool>(data[0] % kTools)) {
    case Tool::kTectonic:
      read_tectonic(text);
      break;
    case Tool::kYcsbProperties:
      read_ycsb(text, false);
      break;
    case Tool::kYcsbLine:
      read_ycsb(text, true);
      break;
    case Tool::kDbBench:
      read_db_bench(text);
      break;
  }
  return 0;
}
