// Tarantool's vinyl: cases worked out from vy_range_update_compaction_priority, random runs
// compared with plain loops over lists of sizes, and what must hold of its ranges.
#include <cmath>
#include <map>
#include <random>

#include "models/execution/plan_execution.h"
#include "models/tree/tree_query.h"
#include "testing/oracles/map_store.h"
#include "testing/pick_on.h"
#include "testing/tree_text.h"

namespace lsmlab::tarantool_test {
namespace {

using testing::configured;
using testing::MapStore;
using testing::plan_text;
using testing::require_applied;

// A range of slices with these bytes, newest first as vinyl lists them. Each slice has all keys.
// Before compression the oldest one has `oldest_times` as many.
TreeState range_of(const std::vector<std::uint64_t>& sizes, std::uint64_t first_id,
                   std::uint64_t oldest_times = 1) {
  TreeState tree;
  PlanInput input{0, RunId(1), {}};
  TreeEdit flushes;
  std::uint64_t id = first_id;
  std::uint64_t flush = 1;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    File file;
    file.id = FileId(id++);
    file.keys = {0, 1000};
    file.bytes = Bytes(*size);
    file.value_bytes = Bytes(size == sizes.rbegin() ? *size * oldest_times : *size);
    file.flushes = {flush, flush};
    ++flush;
    flushes.added.push_back({{0, std::nullopt}, {file}});
  }
  require_applied(tree, flushes);
  ReferPlan refer;
  refer.target = {1, std::nullopt};
  for (const SortedRun& run : tree.levels()[0].runs) {
    refer.inputs.push_back(input_of(0, run, run.files));
  }
  const Plan plan{PlanReason::kMemtableFull, refer, {}};
  TreeEdit edit = begin_edit(tree, plan);
  const VirtualFileSource source{[&](FileId file, const KeyRange&) -> Result<Bytes> {
                                   return tree.file_at(*tree.find_file(file)).bytes;
                                 },
                                 [&] { return tree.allocate_file_id(); }};
  REQUIRE(add_virtual_files(tree, refer, source, edit).has_value());
  require_applied(tree, edit);
  return tree;
}

// Whether a slice lets its level have one more run: a tenth of all do.
bool defers(std::uint64_t id, std::uint64_t key) {
  std::uint64_t x = id * 0x9E3779B97F4A7C15 ^ key;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return (x ^ x >> 31) < ~std::uint64_t{0} / 10;
}

// Ids of slices from which on none of `count` defers.
std::uint64_t quiet_ids(std::uint64_t count) {
  for (std::uint64_t first = 1;; ++first) {
    bool is_quiet = true;
    for (std::uint64_t i = 0; i < count; ++i) is_quiet = is_quiet && !defers(first + i, 0);
    if (is_quiet) return first;
  }
}

std::string merged_of(const std::string& options, const std::vector<std::uint64_t>& sizes,
                      std::uint64_t oldest_times = 1) {
  const TreeState tree = range_of(sizes, quiet_ids(sizes.size()), oldest_times);
  const auto plan = testing::pick_on(*configured("tarantool:range_size=1," + options).policy, tree);
  if (!plan) return "nothing";
  const auto& merge = std::get<MergePlan>(plan->action);
  REQUIRE(merge.drops_tombstones == (merge.newest_slices == sizes.size()));
  return fmt::format("{} {}", *merge.newest_slices, reason_name(plan->reason));
}

TEST_CASE("vinyl merges a level of too many runs with all newer ones, and keeps one last run") {
  struct Row {
    std::string why;
    std::vector<std::uint64_t> sizes;
    std::string merged;
  };
  for (const Row& row : std::vector<Row>{
           {"one run has nothing to merge with", {100}, "nothing"},
           {"two runs of one size are both in the last level", {100, 100}, "2 space-amplification"},
           {"a newer run of less than the ratio is in the level above", {20, 100}, "nothing"},
           // 100 / 3.5 = 29: the first target. 30 is above it, so it is of the last level.
           {"one of more than a ratio's part is not", {30, 100}, "2 space-amplification"},
           {"two runs in a level are allowed", {20, 20, 100}, "nothing"},
           // 9 is the first target.
           {"three are not", {5, 5, 5, 100}, "3 sorted-run-count"},
           // The three make 60, which is above 29: it would be a second run of the last level.
           {"nor an output beside the last run", {20, 20, 20, 100}, "4 space-amplification"},
           // 1000, 286, 82, 24: targets. 20 20 are of the first level, 60 60 60 of the second.
           {"a lower level takes all newer runs with it",
            {20, 20, 60, 60, 60, 1000},
            "5 sorted-run-count"},
           // 191 is the first target. The three make 240 and so belong to the level of 200 200.
           {"an output that belongs to the next level counts there",
            {80, 80, 80, 200, 200, 100'000},
            "5 sorted-run-count"},
       }) {
    INFO(row.why);
    REQUIRE(merged_of("run_count_per_level=2", row.sizes) == row.merged);
  }
  REQUIRE(merged_of("run_count_per_level=3", {20, 20, 20, 100}) == "nothing");
  REQUIRE(merged_of("run_count_per_level=1", {20, 20, 100}) == "3 sorted-run-count");
  REQUIRE(merged_of("run_count_per_level=1", {5, 5, 100}) == "2 sorted-run-count");
  REQUIRE(merged_of("run_size_ratio=10", {2, 2, 2, 100}) == "3 sorted-run-count");
  REQUIRE(merged_of("run_size_ratio=10", {20, 100}) == "2 space-amplification");
}

TEST_CASE("vinyl compares the sizes of slices before compression") {
  const std::string compressed = "run_count_per_level=2,compression=none:zstd@0.2";
  // 500 / 3.5 = 143: the newest run is of the level above.
  REQUIRE(merged_of(compressed, {100, 100}, 5) == "nothing");
  REQUIRE(merged_of(compressed, {100, 100}) == "2 space-amplification");
  REQUIRE(merged_of("run_count_per_level=2", {100, 100}, 5) == "2 space-amplification");
}

// vinyl's loop, in doubles, over sizes and seeds, newest first.
std::size_t naive_priority(const std::vector<double>& sizes, const std::vector<bool>& deferring,
                           std::uint32_t count_max, double ratio) {
  if (sizes.size() <= 1) return 0;
  std::size_t priority = 0;
  double target = 0;
  double size = std::max(1.0, sizes.back());
  do {
    target = size;
    size = std::ceil(target / ratio);
  } while (size > std::max(1.0, sizes.front()));
  double total = 0;
  double merged = 0;
  std::uint32_t in_level = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ++in_level;
    total += sizes[i];
    while (sizes[i] > target) {
      in_level = 1;
      if (merged > target) ++in_level;
      target = std::floor(target * ratio);
    }
    if (in_level > count_max + (deferring[i] ? 1 : 0)) {
      priority = i + 1;
      merged = total;
    }
  }
  return in_level > 1 ? sizes.size() : priority;
}

struct Watch {
  std::uint32_t count_max;
  double ratio;
  std::uint64_t range_size;
  std::uint64_t splits = 0;
  std::uint64_t joins = 0;
  std::uint64_t merges = 0;
};

std::size_t naive_priority_of(const File& range, const Watch& watch) {
  std::vector<double> sizes;
  std::vector<bool> deferring;
  for (std::size_t i = range.slices.size(); i-- > 0;) {
    const Slice& slice = range.slices[i];
    sizes.push_back(static_cast<double>(slice.bytes.value()));
    deferring.push_back(defers(slice.frozen_file.value(), slice.keys.smallest));
  }
  return naive_priority(sizes, deferring, watch.count_max, watch.ratio);
}

void follow(const TreeView& tree, const std::optional<Plan>& plan, Watch& watch) {
  if (tree.levels().size() < 2 || tree.levels()[1].runs.empty()) return;
  REQUIRE(tree.levels()[1].runs.size() == 1);
  std::size_t highest = 0;
  for (const File& range : tree.levels()[1].runs[0].files) {
    REQUIRE(range.is_virtual);
    highest = std::max(highest, naive_priority_of(range, watch));
  }
  if (!plan) REQUIRE(highest == 0);
  if (!plan || tree.pending_flush() || !tree.levels()[0].runs.empty()) return;
  const File& first = tree.file_at(*tree.find_file(plan_inputs(*plan)[0].files[0]));
  if (const auto* merge = std::get_if<MergePlan>(&plan->action)) {
    REQUIRE(naive_priority_of(first, watch) == highest);
    REQUIRE(*merge->newest_slices == highest);
    ++watch.merges;
    return;
  }
  const auto& refer = std::get<ReferPlan>(plan->action);
  if (!refer.file_begins.empty()) {
    REQUIRE(naive_priority_of(first, watch) == highest);
    REQUIRE(3 * first.slices.front().bytes.value() >= 4 * watch.range_size - 3);
    ++watch.splits;
    return;
  }
  std::uint64_t joined = 0;
  REQUIRE(refer.inputs[0].files.size() > 1);
  for (const FileId id : refer.inputs[0].files) {
    joined += tree.file_at(*tree.find_file(id)).data_bytes().value();
  }
  REQUIRE(joined <= watch.range_size / 2);
  ++watch.joins;
}

TEST_CASE("vinyl's plans are those of its loop over plain lists, and no key is lost") {
  std::uint64_t splits = 0;
  std::uint64_t joins = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::mt19937_64 random(seed);
    Watch watch{static_cast<std::uint32_t>(1 + random() % 3),
                static_cast<double>(4 + random() % 6) / 2, 60 + random() % 200};
    const std::string spec =
        fmt::format("tarantool:buffer=20,run_count_per_level={},run_size_ratio={},range_size={}",
                    watch.count_max, watch.ratio, watch.range_size);
    const std::uint64_t keys = 300 + random() % 3000;
    INFO("seed " << seed << ": " << spec << ", keys " << keys);
    MapStore store(spec, [&](const TreeView& tree, const std::optional<Plan>& plan) {
      follow(tree, plan, watch);
    });
    for (int i = 0; i < 6000; ++i) {
      // Every other thousand of writes mostly deletes, so that ranges become small.
      const bool deletes = i / 1500 % 2 == 1;
      store.write(random() % keys, random() % 8 < (deletes ? 7 : 1));
      const std::uint64_t sought = random() % keys;
      REQUIRE(store.lookup(sought) == store.expected(sought));
    }
    store.flush();
    for (std::uint64_t key = 0; key < keys; ++key) {
      REQUIRE(store.lookup(key) == store.expected(key));
    }
    REQUIRE(watch.merges > 0);
    splits += watch.splits;
    joins += watch.joins;
  }
  REQUIRE(splits > 20);
  REQUIRE(joins > 0);
}

TEST_CASE("a dump adds a slice to each range that it meets and to no other") {
  MapStore store("tarantool:buffer=10,range_size=50");
  std::mt19937_64 random(3);
  for (int i = 0; i < 4000; ++i) store.write(random() % 1000);
  store.flush();
  const RunFiles before = store.tree().levels()[1].runs[0].files;
  REQUIRE(before.size() > 4);
  const std::uint64_t last = before.back().keys.largest;
  MapStore::Counts counts = store.counts();
  for (std::uint64_t i = 0; i < 10; ++i) store.write(last - 20 + i);
  REQUIRE(store.counts().links == counts.links + 1);
  const RunFiles& after = store.tree().levels()[1].runs[0].files;
  REQUIRE(after.front().slices.size() == before.front().slices.size());
}

// vy_range.c: space amplification stays below 2 where run_count_per_level is at most
// run_size_ratio - 1. Each slice of the deferring tenth lets a level have one run more.
TEST_CASE("vinyl's ranges hold less than twice the live data") {
  constexpr std::uint64_t kKeys = 4000;
  MapStore store("tarantool:buffer=40,range_size=1000");
  std::mt19937_64 random(5);
  for (std::uint64_t key = 0; key < kKeys; ++key) store.write(key);
  std::uint64_t held = 0;
  std::uint64_t samples = 0;
  for (int i = 0; i < 40'000; ++i) {
    store.write(random() % kKeys);
    if (i % 400 != 399) continue;
    held += level_bytes(store.tree(), 1).value();
    ++samples;
    REQUIRE(level_bytes(store.tree(), 1).value() < 2 * kKeys);
  }
  INFO(static_cast<double>(held) / static_cast<double>(samples * kKeys));
  REQUIRE(10 * held > 11 * samples * kKeys);  // there is something to merge
}

TEST_CASE("tarantool refuses bad options") {
  for (const std::string bad :
       {"tarantool:run_count_per_level=0", "tarantool:run_size_ratio=1", "tarantool:range_size=0",
        "tarantool:size_ratio=4", "tarantool:file_size=1MiB"}) {
    INFO(bad);
    REQUIRE(!make_policy(parse_spec(bad).value()).has_value());
  }
}

}  // namespace
}  // namespace lsmlab::tarantool_test
