// When the runs of a batch begin and end.
#include "validate/runs/batch.h"

#include "models/base/spec.h"
#include "testing/catch.h"

namespace lsmlab::batch_test {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<ResolvedRun> runs_of(const std::string& workload, std::size_t count) {
  RunSpec spec;
  spec.policy = parse_spec("tiered").value();
  spec.workload = parse_spec(workload).value();
  return std::vector<ResolvedRun>(count, resolve(spec).value());
}

TEST_CASE("runs that may begin in time are whole, others do not begin") {
  const auto runs = runs_of("flushes:count=100,size=1MiB", 3);
  BatchOptions options;
  options.begin_before = Clock::now() + std::chrono::hours(1);
  const std::vector<RunResult> whole = run_simulations(runs, options).value();
  for (const RunResult& one : whole) REQUIRE(one.complete);
  options.begin_before = Clock::now();
  const std::vector<RunResult> none = run_simulations(runs, options).value();
  for (const RunResult& one : none) {
    REQUIRE_FALSE(one.complete);
    REQUIRE(one.totals.flushes == 0);
  }
}

TEST_CASE("a time ends runs that have begun") {
  const auto runs = runs_of("flushes:count=4G,size=1MiB", 1);
  BatchOptions options;
  options.end_by = Clock::now();
  const auto results = run_simulations(runs, options).value();
  REQUIRE_FALSE(results.front().complete);
}

}  // namespace
}  // namespace lsmlab::batch_test
