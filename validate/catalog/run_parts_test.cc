#include "validate/catalog/run_parts.h"

#include "testing/catch.h"
#include "validate/catalog/catalog.h"

namespace lsmlab::run_parts_test {
namespace {

KeyWorkload workload_of(const std::string& spec) {
  return key_workload_of_spec(parse_spec(spec).value()).value();
}

std::string error_of(const std::string& from) {
  return run_parts(workload_of("load:entries=1000"), from).error().message;
}

TEST_CASE("the phases of a workload are the parts of its run") {
  REQUIRE(run_parts(workload_of("load:entries=1000"), "").value() ==
          std::vector<PartMark>{{"load", 1000}});
  const KeyWorkload ycsb = workload_of("ycsb-a:records=1000,operations=500");
  REQUIRE(run_parts(ycsb, "").value() ==
          std::vector<PartMark>{{"load", 1000}, {"mix", ycsb.operations}});
  const KeyWorkload bench =
      key_workload_of_spec(
          {"db_bench", {{"line", "--benchmarks=fillseq,overwrite,readrandom --num=100 --reads=7"}}})
          .value();
  REQUIRE(run_parts(bench, "").value() ==
          std::vector<PartMark>{{"fillseq", 100, PartEnd::kNothing, 1},
                                {"overwrite", 200, PartEnd::kNothing, 1},
                                {"readrandom", 207, PartEnd::kNothing, 1}});
}

TEST_CASE("a run is measured from an operation or a share of them on") {
  const KeyWorkload load = workload_of("load:entries=1000");
  const std::vector<PartMark> half{{"before", 500}, {"measured", 1000}};
  REQUIRE(run_parts(load, "50%").value() == half);
  REQUIRE(run_parts(load, "500").value() == half);
  REQUIRE(run_parts(load, "0%").value() == std::vector<PartMark>{{"measured", 1000}});
  KeyWorkload unknown = load;
  unknown.operations = 0;
  REQUIRE(run_parts(unknown, "500").value().front() == PartMark{"before", 500});
  REQUIRE(run_parts(unknown, "50%").error().message.find("nobody knows the length") !=
          std::string::npos);
}

TEST_CASE("a moment that cannot be is refused") {
  REQUIRE(error_of("100%").find("not before the end") != std::string::npos);
  REQUIRE(error_of("1001").find("not before the end") != std::string::npos);
  REQUIRE(error_of("101%").find("0% to 100%") != std::string::npos);
  REQUIRE(error_of("half").starts_with("--measure-from"));
}

}  // namespace
}  // namespace lsmlab::run_parts_test
