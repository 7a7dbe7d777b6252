// Compares the stack simulator with the tree simulator, and checks properties that hold for any
// sizes.
#include <algorithm>
#include <thread>

#include "models/execution/plan_log.h"
#include "testing/catch.h"
#include "testing/runs.h"

namespace lsmlab::simulators_test {
namespace {

using testing::flushes_of;
using testing::run_fast;
using testing::run_tree;

const std::vector<std::string> kPolicies{"bigtable:k=1",
                                         "bigtable:k=5",
                                         "constant:k=4",
                                         "min-latency:k=2",
                                         "min-latency:k=6",
                                         "binomial:k=3",
                                         "binomial:k=8",
                                         "exploring:k=3",
                                         "exploring:k=7",
                                         "exploring:k=5,lambda=0.4,min_files=2,max_files=4",
                                         "tiered:size_ratio=2",
                                         "tiered:size_ratio=5",
                                         "leveled-full:size_ratio=2",
                                         "leveled-full:size_ratio=6",
                                         "leveled-full:size_ratio=3,level_base=5000",
                                         "prefix:max_mergeable_bytes=30000",
                                         "ratio-based",
                                         "ratio-based:k=5",
                                         "none"};

std::string separately_flushed(const std::string& policy) {
  if (policy == "none") return policy;
  return policy + (policy.find(':') == std::string::npos ? ":" : ",") + "flush=separate";
}

std::vector<std::string> workloads(std::uint64_t count) {
  const std::string n = "count=" + std::to_string(count);
  return {n + ",size=1000", n + ",size=1000,distribution=exponential",
          n + ",size=1000,distribution=lognormal,sigma=2"};
}

void require_same(const FlushRun& compact, const FlushRun& general) {
  REQUIRE(compact.totals == general.totals);
  REQUIRE(compact.runs == general.runs);
  REQUIRE(compact.transient == general.transient);
  REQUIRE(compact.series == general.series);
  REQUIRE(compact.stacks == general.stacks);
  REQUIRE(compact.final_levels == general.final_levels);
  REQUIRE(compact.complete);
  REQUIRE(general.complete);
}

// A comparator for std::is_sorted, which with <= accepts only strictly rising points.
bool is_not_after(const SeriesPoint& a, const SeriesPoint& b) { return a.flushes <= b.flushes; }

TEST_CASE("the compact and the general executor agree on everything") {
  for (const std::string& policy : kPolicies) {
    for (const std::string& text : {policy, separately_flushed(policy)}) {
      for (const std::uint64_t count : {100u, 1500u}) {
        for (const std::string& workload : workloads(count)) {
          INFO(text << " on " << workload);
          require_same(run_fast(text, flushes_of(workload), 5),
                       run_tree(text, flushes_of(workload), 5));
        }
      }
    }
  }
}

TEST_CASE("depth stays within the bound and sizes are conserved") {
  for (const std::string& policy : kPolicies) {
    for (const std::string& workload : workloads(5000)) {
      INFO(policy << " on " << workload);
      const FlushRun run = run_fast(policy, flushes_of(workload), 9);
      const auto bound = testing::policy_of(policy).policy->depth_max();
      if (bound) REQUIRE(run.runs.max <= *bound);
      Uint128 live = 0;
      for (const LevelSummary& level : run.final_levels) live += level.bytes;
      REQUIRE(live == run.totals.bytes_flushed);
      REQUIRE(run.transient.disk_bytes <= Uint128{2} * run.transient.flushed_bytes);
    }
  }
}

TEST_CASE("runs stay ordered by age and cover every flush once") {
  for (const std::string& policy : kPolicies) {
    const ConfiguredPolicy configured = testing::policy_of(policy);
    TreeState tree;
    const FlushWorkload workload = flushes_of("count=400,size=1000,distribution=exponential");
    run_tree(policy, workload, 3, [&](const PlanRecord& record) {
      if (record.takes_memtable) tree.begin_flush({record.memtable_bytes, Entries(0), KeyRange{}});
      const auto edit = edit_of_record(tree, record);
      REQUIRE(edit.has_value());
      REQUIRE(tree.apply(edit.value()).has_value());
      std::uint64_t expected_last = tree.flush_count();
      for (const Level& level : tree.levels()) {
        for (const SortedRun& run : level.runs) {
          REQUIRE(run.flushes.last == expected_last);
          expected_last = run.flushes.first - 1;
        }
      }
      REQUIRE(expected_last == 0);
    });
    REQUIRE(tree.flush_count() == 400);
  }
}

TEST_CASE("a plan log, written and read back, replays to the same tree") {
  std::vector<std::string> policies = kPolicies;
  policies.push_back("ratio-based:preset=accumulo,file_max=6");
  policies.push_back("bigtable:k=5,flush=separate");
  for (const std::string& policy : policies) {
    INFO(policy);
    std::vector<std::string> lines;
    const FlushWorkload workload = flushes_of("count=700,size=1000,distribution=lognormal,sigma=1");
    const FlushRun run = run_tree(policy, workload, 4, [&](const PlanRecord& record) {
      lines.push_back(plan_record_line(record));
    });
    TreeState tree;
    Totals totals;
    for (const std::string& line : lines) {
      const auto record = parse_plan_record(line);
      REQUIRE(record.has_value());
      REQUIRE(plan_record_line(record.value()) == line);
      if (record.value().takes_memtable) {
        tree.begin_flush({record.value().memtable_bytes, Entries(0), KeyRange{}});
        ++totals.flushes;
      }
      if (record.value().plan == PlanKind::kMerge) ++totals.merges;
      if (record.value().plan == PlanKind::kMove) ++totals.moves;
      const auto edit = edit_of_record(tree, record.value());
      REQUIRE(edit.has_value());
      REQUIRE(tree.apply(edit.value()).has_value());
    }
    REQUIRE(totals.flushes == run.totals.flushes);
    REQUIRE(totals.merges == run.totals.merges);
    REQUIRE(totals.moves == run.totals.moves);
    for (std::size_t l = 0; l < run.final_levels.size(); ++l) {
      Uint128 bytes = 0;
      for (const SortedRun& sorted_run : tree.levels()[l].runs) bytes += sorted_run.bytes().value();
      REQUIRE(bytes == run.final_levels[l].bytes);
      REQUIRE(tree.levels()[l].runs.size() == run.final_levels[l].runs);
    }
  }
}

TEST_CASE("a stopped run keeps what it has and says so") {
  std::atomic<bool> stop{false};
  RunControl control;
  control.stop = &stop;
  const ConfiguredPolicy policy = testing::policy_of("binomial:k=4");
  std::jthread watcher([&] {
    while (control.units_done.load() == 0) std::this_thread::yield();
    stop.store(true);
  });
  const auto run =
      simulate_stack(*policy.policy->as_stack_policy(), flushes_of("count=1T,size=1"), 1, control);
  REQUIRE(run.has_value());
  REQUIRE(!run.value().complete);
  const FlushRun& kept = run.value();
  REQUIRE(kept.totals.flushes > 0);
  REQUIRE(kept.totals.flushes == control.units_done.load());
  REQUIRE(kept.series.back().flushes == kept.totals.flushes);
  REQUIRE(std::is_sorted(kept.series.begin(), kept.series.end(), is_not_after));
}

TEST_CASE("series end with the last flush and stay small") {
  const FlushRun run = run_fast("tiered:size_ratio=10", flushes_of("count=3M"));
  REQUIRE(run.series.back().flushes == 3'000'000);
  REQUIRE(run.series.size() < 1000);
  REQUIRE(std::is_sorted(run.series.begin(), run.series.end(), is_not_after));
}

}  // namespace
}  // namespace lsmlab::simulators_test
