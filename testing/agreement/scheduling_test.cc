// A scheduler of merges changes time, not plans: without a clock the plan logs of silk are those of
// rocksdb-leveled with the same options, in the simulator and in the engine.
#include <string>
#include <vector>

#include "testing/catch.h"
#include "testing/every_policy.h"
#include "testing/random_operations.h"
#include "testing/stepped_log.h"

namespace lsmlab::scheduling_test {
namespace {

std::vector<std::string> log_of(const std::string& spec, std::uint64_t seed, bool is_engine) {
  testing::RandomOperations source(seed, 1'500);
  const RunSetup setup = default_setup(testing::small_policy(parse_spec(spec).value()));
  return testing::stepped_log(setup, source, is_engine);
}

TEST_CASE("without a clock silk's plans are RocksDB's") {
  const std::string scheduled[] = {
      "", "plus=true,", "bandwidth=1MB,bandwidth_min=1000,bandwidth_step=1000,pause_above=1000,"};
  for (const std::string priority :
       {"by-compensated-size", "round-robin", "min-overlapping-ratio"}) {
    const std::string options =
        "l0_trigger=2,level_base=1400,version=6.12,dynamic_file_size=false,priority=" + priority;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      for (const bool is_engine : {false, true}) {
        INFO(priority << ", seed " << seed << ", " << (is_engine ? "engine" : "simulator"));
        const auto rocksdb = log_of("rocksdb-leveled:" + options, seed, is_engine);
        REQUIRE(rocksdb.size() > 50);
        for (const std::string& more : scheduled) {
          REQUIRE(log_of("silk:" + more + options, seed, is_engine) == rocksdb);
        }
      }
    }
  }
  // The defaults of silk are such options.
  REQUIRE(
      log_of("silk", 1, false) ==
      log_of("rocksdb-leveled:version=6.12,dynamic_file_size=false,priority=by-compensated-size", 1,
             false));
}

}  // namespace
}  // namespace lsmlab::scheduling_test
