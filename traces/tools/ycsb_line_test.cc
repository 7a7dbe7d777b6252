#include "testing/catch.h"
#include "traces/tools/ycsb_properties.h"

namespace lsmlab::tools::ycsb_line_test {
namespace {

YcsbLine line_of(std::string_view text) {
  auto line = parse_ycsb_line(text);
  INFO((line ? "" : line.error().message));
  REQUIRE(line.has_value());
  return std::move(line).value();
}

std::string line_fault(std::string_view text) {
  const auto line = parse_ycsb_line(text);
  return line ? "" : line.error().message;
}

}  // namespace

TEST_CASE("A line of YCSB is properties, or a command with files and properties") {
  const YcsbLine properties = line_of("recordcount=10  readproportion=0.5\nupdateproportion=0.5");
  REQUIRE(properties.properties == "recordcount=10\nreadproportion=0.5\nupdateproportion=0.5\n");
  const YcsbLine command = line_of(
      "./bin/ycsb.sh run rocksdb -s -P workloads/workloada -p rocksdb.dir='/tmp/a b' \\\n"
      "  -threads 4 -p recordcount=5 -P \"other file\"");
  REQUIRE(command.files == std::vector<std::string>{"workloads/workloada", "other file"});
  REQUIRE(command.properties == "rocksdb.dir=/tmp/a b\nrecordcount=5\n");
  REQUIRE(command.other_words == std::vector<std::string>{"rocksdb", "-s", "-threads 4"});
  REQUIRE_FALSE(command.only_loads);
  REQUIRE(line_of("ycsb load basic -p recordcount=5").only_loads);
  REQUIRE(line_of("-load -p recordcount=5").only_loads);
}

TEST_CASE("Properties of the line replace those of files, and load leaves the run out") {
  const std::vector<YcsbText> files{{"a", "recordcount=10\noperationcount=20\nthreads=1\n"},
                                    {"b", "operationcount=30\n"}};
  const auto run = read_ycsb_line(line_of("ycsb run x -P a -P b -p recordcount=40"), files);
  REQUIRE(run.has_value());
  REQUIRE(run.value().workload.insert_count() == 40);
  REQUIRE(run.value().workload.operation_count() == 70);
  REQUIRE(run.value().ignored == std::vector<std::string>{"threads=1", "x"});
  const auto load = read_ycsb_line(line_of("ycsb load x -P a -P b"), files);
  REQUIRE(load.value().workload.operation_count() == 10);
  const auto bad = read_ycsb_line(line_of("-P a"), {{"a", "recordcount 10"}});
  REQUIRE(bad.error().message == "a: line 1: 'recordcount 10' is no property; expected name=value");
}

TEST_CASE("Words that YCSB does not know are refused") {
  REQUIRE(line_fault("recordcount") == "'recordcount' is no property; expected name=value");
  REQUIRE(line_fault("ycsb") == "expected load or run after ycsb");
  REQUIRE(line_fault("ycsb shell basic") == "expected load or run after ycsb");
  REQUIRE(line_fault("run x -p") == "-p has no value");
  REQUIRE(line_fault("run x -p name") == "'name' is no property; expected name=value");
  REQUIRE(line_fault("-threds 4") == "YCSB has no flag '-threds'; did you mean '-threads'?");
  REQUIRE(line_fault("-P 'a") == "a quote does not end: a");
}

}  // namespace lsmlab::tools::ycsb_line_test
