#include <algorithm>

#include "models/base/foreign_options.h"
#include "testing/catch.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab::foreign_workload_options_test {
namespace {

std::string fault_of(const std::string& spec) {
  const auto made = make_operation_workload(parse_spec(spec).value());
  REQUIRE(!made);
  return made.error().message;
}

TEST_CASE("workloads of operations have what foreign options of workloads are called here") {
  const std::vector<OperationPreset> presets = operation_presets();
  std::size_t places = 0;
  for (const ForeignOption& option : foreign_options()) {
    for (std::size_t i = 0; i < option.place_count(); ++i) {
      if (option.places[i].owner != kWorkload) continue;
      ++places;
      const std::string_view name = option.places[i].option;
      INFO(name);
      REQUIRE(std::any_of(presets.begin(), presets.end(), [&](const OperationPreset& preset) {
        return std::any_of(preset.options.begin(), preset.options.end(),
                           [&](const OptionInfo& info) { return info.name == name; });
      }));
    }
  }
  REQUIRE(places >= 5);
}

TEST_CASE("a foreign option of a workload is answered with ours, one of a policy with its place") {
  REQUIRE(fault_of("load:num=1000000").ends_with("db_bench's num=1000000 is entries=1000000 here"));
  REQUIRE(fault_of("ycsb-a:recordcount=7").ends_with("YCSB's recordcount=7 is records=7 here"));
  REQUIRE(fault_of("load:recordcount=7").ends_with("YCSB's recordcount=7 is entries=7 here"));
  REQUIRE(fault_of("load:write_buffer_size=67108864")
              .ends_with("LevelDB's write_buffer_size=67108864 is buffer=64MiB of every policy"));
}

}  // namespace
}  // namespace lsmlab::foreign_workload_options_test
