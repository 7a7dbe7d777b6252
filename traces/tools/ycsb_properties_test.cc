#include "traces/tools/ycsb_properties.h"

#include "testing/catch.h"

namespace lsmlab::tools::ycsb_properties_test {
namespace {

YcsbWorkload ycsb_of(std::string_view text) {
  auto made = read_ycsb_properties(text);
  INFO((made ? "" : made.error().message));
  REQUIRE(made.has_value());
  return std::move(made).value();
}

std::string ycsb_fault(std::string_view text) {
  const auto made = read_ycsb_properties(text);
  return made ? "" : made.error().message;
}

}  // namespace

TEST_CASE("YCSB's own file of workload A is a load, then half reads and half updates") {
  const YcsbWorkload made = ycsb_of(
      "# Yahoo! Cloud System Benchmark\n\nrecordcount=1000\noperationcount=1000\n"
      "workload=site.ycsb.workloads.CoreWorkload\n\nreadallfields=true\n\nreadproportion=0.5\n"
      "updateproportion=0.5\nscanproportion=0\ninsertproportion=0\n\n"
      "requestdistribution=zipfian\n");
  const OperationWorkload& workload = made.workload;
  REQUIRE(workload.phases.size() == 2);
  REQUIRE(workload.phases[0].actions[Action::kInsert] == 1000);
  REQUIRE(workload.phases[1].actions[Action::kGetPresent] == 500);
  REQUIRE(workload.phases[1].actions[Action::kUpdate] == 500);
  REQUIRE(workload.phases[1].lookup_keys.kind == AccessKeyKind::kZipfian);
  REQUIRE(workload.phases[1].update_keys.zipf_exponent_or_default().as_double() == 0.99);
  REQUIRE(workload.phases[0].value_bytes.size == 1000);
  REQUIRE(workload.key_bytes.size == 24);
  REQUIRE(made.ignored == std::vector<std::string>{"workload=site.ycsb.workloads.CoreWorkload",
                                                   "readallfields=true"});
}

TEST_CASE("Properties of YCSB choose scans, hot keys, key order and sizes") {
  const OperationWorkload workload =
      ycsb_of(
          "recordcount = 100\noperationcount: 50\nreadproportion=0\nupdateproportion=0.2\n"
          "scanproportion=0.5\ninsertproportion=0.2\nreadmodifywriteproportion=0.1\n"
          "requestdistribution=hotspot\nhotspotdatafraction=0.1\nhotspotopnfraction=0.9\n"
          "maxscanlength=20\ninsertorder=ordered\nzeropadding=12\nfieldcount=4\n"
          "fieldlength=25")
          .workload;
  const Phase& mix = workload.phases[1];
  REQUIRE(mix.actions[Action::kScan] == 25);
  REQUIRE(mix.actions[Action::kReadModifyWrite] == 5);
  REQUIRE(mix.scan_entries->text() == "uniform(1..20)");
  REQUIRE(mix.lookup_keys.classes == std::vector<KeyClass>{{11, 900'000'000}, {99, 100'000'000}});
  REQUIRE(mix.insert_keys.kind == InsertKeyKind::kSequential);
  REQUIRE(workload.key_bytes.size == 16);
  REQUIRE(mix.value_bytes.size == 100);
  // 95 % reads and 5 % updates of uniform keys are the defaults.
  const OperationWorkload defaults = ycsb_of("recordcount=10\noperationcount=100").workload;
  REQUIRE(defaults.phases[1].actions[Action::kGetPresent] == 95);
  REQUIRE(defaults.phases[1].lookup_keys.kind == AccessKeyKind::kUniform);
  REQUIRE(ycsb_of("recordcount=10").workload.phases.size() == 1);
}

TEST_CASE("Properties that lsmlab cannot follow are refused by name") {
  REQUIRE(ycsb_fault("recordcount=10\nreadpropotion=1") ==
          "YCSB's core workload has no property 'readpropotion'; did you mean 'readproportion'?");
  REQUIRE(ycsb_fault("recordcount 10") ==
          "line 1: 'recordcount 10' is no property; expected name=value");
  REQUIRE(ycsb_fault("operationcount=10").find("recordcount=0: expected a whole number from 1") ==
          0);
  REQUIRE(ycsb_fault("recordcount=10\noperationcount=5\nreadproportion=1.5") ==
          "readproportion=1.5: expected a number from 0 to 1");
  REQUIRE(ycsb_fault("recordcount=10\noperationcount=5\nrequestdistribution=exponential") ==
          "requestdistribution=exponential: expected uniform, zipfian, latest, sequential or "
          "hotspot");
  REQUIRE(ycsb_fault("recordcount=10\nfieldlengthdistribution=zipfian") ==
          "fieldlengthdistribution=zipfian: expected constant; lsmlab knows no other");
  REQUIRE(ycsb_fault("recordcount=10\ninsertcount=5").find("insertcount=5: expected that of") == 0);
}

}  // namespace lsmlab::tools::ycsb_properties_test
