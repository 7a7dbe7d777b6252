// Exploring with HBase's own rules, by hand and compared with a plain rewriting of
// ExploringCompactionPolicy. sim/flushes/oracle_test.cc compares the paper's.
#include <fmt/format.h>

#include <algorithm>

#include "models/base/random.h"
#include "models/policies/stack_policy.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::exploring_test {
namespace {

// `bytes`: of the SSTables, oldest first; the last one is the memtable.
std::string pick(const std::string& options, std::vector<std::uint64_t> bytes) {
  const std::uint64_t memtable = bytes.back();
  bytes.pop_back();
  std::vector<DrawnFile> files;
  for (std::size_t i = bytes.size(); i-- > 0;) files.push_back({0, i + 1, 0, 9, bytes[i]});
  DrawnTree drawn(files);
  drawn.state().begin_flush({Bytes(memtable), Entries(1), {0, 9}});
  return plan_text(pick_of("exploring", options, drawn.view()));
}

TEST_CASE("exploring: a window below min_size may be merged whatever its SSTables are") {
  const std::string three = "min_files=3,max_files=3,k=6";
  REQUIRE(pick(three, {100, 10, 10}) == "flush");  // 100 > 1.2 * 20
  REQUIRE(pick(three + ",min_size=120", {100, 10, 10}) == "flush");
  REQUIRE(pick(three + ",min_size=121", {100, 10, 10}) == "merge L0 2,1 to L0");
}

TEST_CASE("exploring: with too many SSTables HBase prefers older and shorter windows") {
  const std::string paper = "min_files=3,max_files=4,k=3";
  const std::string hbase = paper + ",stuck=hbase";
  // The mean of the newest three is the least, but only by 3 %. The oldest three do not take the
  // memtable, so that it is flushed first.
  REQUIRE(pick(paper, {10, 10, 10, 9}) == "merge L0 3,2 to L0");
  REQUIRE(pick(hbase, {10, 10, 10, 9}) == "flush");
  // Four SSTables of 38 bytes are 1.053 times as many a byte as the oldest three, and the newest
  // three only 1.018 times as many as these four.
  REQUIRE(pick(paper, {10, 10, 10, 8}) == "merge L0 3,2 to L0");
  REQUIRE(pick(hbase, {10, 10, 10, 8}) == "merge L0 3,2,1 to L0");
  REQUIRE(pick(hbase, {20, 10, 10, 1}) == "merge L0 3,2 to L0");
  // Nothing is in ratio: the least three.
  REQUIRE(pick(hbase, {1000, 100, 10, 1}) == "merge L0 3,2 to L0");
}

TEST_CASE("exploring: with deletes_go_with=all only a merge of all SSTables drops deletes") {
  const auto drops = [](const std::string& options, std::uint64_t newest) {
    DrawnTree drawn({{0, 3, 0, 9, 10}, {0, 2, 0, 9, 10}, {0, 1, 0, 9, 10}});
    drawn.state().begin_flush({Bytes(newest), Entries(1), {0, 9}});
    TreeEdit flush;
    flush.takes_memtable = true;
    flush.added.push_back({{0, std::nullopt}, {drawn_file({0, 4, 0, 9, newest}, 200)}});
    REQUIRE(drawn.state().apply(flush).has_value());
    const auto plan = pick_of("exploring", "min_files=3,k=6," + options, drawn.view());
    REQUIRE(plan.has_value());
    const auto& merge = std::get<MergePlan>(plan->action);
    REQUIRE(merge.inputs.size() == (newest == 10 ? 4 : 3));
    return merge.drops_tombstones;
  };
  // 100 bytes are out of ratio: the three oldest merge without the newest.
  REQUIRE(drops("deletes_go_with=oldest", 100));
  REQUIRE(!drops("deletes_go_with=all", 100));
  REQUIRE(drops("deletes_go_with=all", 10));
}

struct Window {
  std::size_t first = 0;
  std::size_t count = 0;
};

// ExploringCompactionPolicy.applyCompactionPolicy over a list of sizes, oldest first.
Window hbase_window(const std::vector<std::uint64_t>& sizes, std::size_t min_files,
                    std::size_t max_files, std::size_t blocking, double min_size) {
  const bool may_be_stuck = sizes.size() >= blocking;
  Window best;
  double best_size = 0;
  Window smallest;
  double smallest_size = 1e300;
  for (std::size_t start = 0; start < sizes.size(); ++start) {
    for (std::size_t end = start + min_files; end <= sizes.size(); ++end) {
      const std::vector<std::uint64_t> files(sizes.begin() + static_cast<std::ptrdiff_t>(start),
                                             sizes.begin() + static_cast<std::ptrdiff_t>(end));
      if (files.size() > max_files) continue;
      double size = 0;
      for (const std::uint64_t one : files) size += static_cast<double>(one);
      if (may_be_stuck && size < smallest_size) {
        smallest = {start, files.size()};
        smallest_size = size;
      }
      const bool in_ratio = std::all_of(files.begin(), files.end(), [&](std::uint64_t one) {
        return static_cast<double>(one) * 5 <= (size - static_cast<double>(one)) * 6;
      });
      if (size >= min_size && !in_ratio) continue;
      const auto count = static_cast<double>(files.size());
      const auto best_count = static_cast<double>(best.count);
      const bool is_better = may_be_stuck && best_size > 0
                                 ? best_count / best_size * 1.05 < count / size
                                 : count > best_count || (count == best_count && size < best_size);
      if (is_better) {
        best = {start, files.size()};
        best_size = size;
      }
    }
  }
  return best.count == 0 && may_be_stuck ? smallest : best;
}

TEST_CASE("exploring: a plain rewriting of HBase's loop chooses the same SSTables") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    INFO("seed " << seed);
    SplitMix64 random(seed);
    const std::size_t min_files = 2 + random.below(3);
    const std::size_t max_files = min_files + random.below(6);
    const std::size_t k = min_files + random.below(6);
    const std::uint64_t min_size = random.below(2) * random.below(2'000);
    std::vector<std::uint64_t> sizes;
    std::vector<StackTable> tables;
    std::uint64_t total = 0;
    const std::size_t depth = 1 + random.below(k + 3);
    for (std::size_t i = 0; i < depth; ++i) {
      sizes.push_back(1 + random.below(random.below(3) == 0 ? 5'000 : 97));
      tables.push_back({sizes.back(), i + 1, 0});
      total += sizes.back();
    }
    const auto made = make_policy(
        parse_spec(fmt::format("exploring:stuck=hbase,min_files={},max_files={},k={},min_size={}",
                               min_files, max_files, k, min_size))
            .value());
    REQUIRE(made.has_value());
    const StackDecision decision =
        made.value().policy->as_stack_policy()->decide({tables, total, depth});
    const Window expected =
        hbase_window(sizes, min_files, max_files, k + 1, static_cast<double>(min_size));
    REQUIRE(decision.count == expected.count);
    if (expected.count > 0) REQUIRE(decision.first == expected.first);
  }
}

}  // namespace
}  // namespace lsmlab::exploring_test
