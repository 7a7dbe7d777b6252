#include "validate/runs/result_directory.h"

#include <fstream>
#include <set>

#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"

namespace lsmlab::result_directory_test {
namespace {

ResolvedRun run_of(RunSource source, const std::string& policy) {
  RunSpec spec;
  spec.policy = parse_spec(policy).value();
  spec.workload = parse_spec("load:entries=1k").value();
  spec.options.source = source;
  return resolve(spec).value();
}

// Another value of the option than the one it has.
std::string other_value(const OptionInfo& option) {
  if (option.range == "false|true") return option.default_text == "true" ? "false" : "true";
  const std::size_t bar = option.range.rfind('|');
  return bar == std::string::npos ? "7" : option.range.substr(bar + 1);
}

TEST_CASE("a kept result has another name if any declared option of its run differs") {
  const engine::testing::ScratchDirectory scratch;
  const ResultDirectory results = ResultDirectory::open(scratch.path() + "/runs").value();
  const ResolvedRun plain = run_of(RunSource::kEngine, "tiered");
  std::set<std::string> names{results.name_of(plain, 1)};
  REQUIRE(names.contains(results.name_of(plain, 1)));
  REQUIRE(names.insert(results.name_of(plain, 2)).second);
  RunOptions defaults;
  OptionTable declared;
  defaults.declare(declared);
  for (const OptionInfo& option : declared.describe()) {
    ResolvedRun changed = plain;
    OptionTable table;
    changed.setup.options.declare(table);
    REQUIRE(table.assign({{option.name, other_value(option)}}).has_value());
    INFO(option.name);
    REQUIRE(names.insert(results.name_of(changed, 1)).second);
  }
  REQUIRE(names.size() == declared.describe().size() + 2);
}

TEST_CASE("the contents of input files are part of a kept result's name") {
  const engine::testing::ScratchDirectory scratch;
  const ResultDirectory results = ResultDirectory::open(scratch.path() + "/runs").value();
  const std::string path = scratch.path() + "/mine.json";
  const auto name_with = [&](const char* more) {
    std::ofstream(path) << R"({"policy": "tiered")" << more << "}";
    return results.name_of(run_of(RunSource::kSimulator, path), 1);
  };
  const std::string name = name_with("");
  REQUIRE(name == name_with(""));
  REQUIRE(name != name_with(R"(, "description": "d")"));
}

}  // namespace
}  // namespace lsmlab::result_directory_test
