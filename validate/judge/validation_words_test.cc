#include "validate/judge/validation_words.h"

#include "testing/catch.h"

namespace lsmlab::validation_words_test {
namespace {

using Json = nlohmann::ordered_json;

TEST_CASE("a workload is shown with what differs from its own defaults") {
  REQUIRE(workload_words(Json::parse(R"({"name": "load", "parameters":
      {"entries": 10000000, "key_bytes": 16, "value_bytes": 112, "update_fraction": 0.0,
       "update_distribution": "uniform", "zipf_exponent": 0.99}})")) == "load");
  REQUIRE(workload_words(Json::parse(R"({"name": "load", "parameters":
      {"entries": 1000000, "value_bytes": 1000, "update_fraction": 0.5,
       "insert_distribution": "sequential"}})")) ==
          "load, entries 1000000, value_bytes 1000, update_fraction 0.5, "
          "insert_distribution sequential");
  // What is usual for one workload is not for another.
  REQUIRE(workload_words(Json::parse(R"({"name": "ycsb-a", "parameters":
      {"records": 5000, "operations": 10000, "value_bytes": 1000}})")) ==
          "ycsb-a, records 5000, operations 10000");
  REQUIRE(workload_words(Json::parse(R"({"name": "ycsb-a", "parameters":
      {"value_bytes": 112, "zipf_exponent": 0.5}})")) ==
          "ycsb-a, value_bytes 112, zipf_exponent 0.5");
}

TEST_CASE("a trace is shown with its path, a workload of a file with its name only") {
  REQUIRE(workload_words(Json::parse(R"({"name": "trace", "parameters": {"path": "a.trace"}})")) ==
          "trace, path a.trace");
  REQUIRE(workload_words(
              Json::parse(R"({"name": "mine", "parameters": {"phases[0].insert": 3}})")) == "mine");
  REQUIRE(workload_words(Json::parse(R"({"name": "load"})")) == "load");
}

}  // namespace
}  // namespace lsmlab::validation_words_test
