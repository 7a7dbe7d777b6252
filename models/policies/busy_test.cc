// Policies during concurrent work: whichever files are inputs of running plans, a policy wants
// nothing, or a plan that can run concurrently with them.
#include <algorithm>
#include <random>
#include <set>

#include "models/policies/registry.h"
#include "models/policies/stack_policy.h"
#include "testing/catch.h"
#include "testing/oracles/mini_store.h"

namespace lsmlab::busy_test {
namespace {

using testing::MiniStore;

const char* const kSpecs[] = {
    "bigtable:k=4",
    "binomial:k=4",
    "constant:k=4",
    "exploring:k=6",
    "min-latency:k=4",
    "cassandra-ucs:flush_size_override=300,min_sstable_size=50,target_sstable_size=300",
    "cassandra-ucs:flush_size_override=300,min_sstable_size=0,target_sstable_size=300,"
    "scaling_parameters=N:L4,overlap_inclusion_method=single",
    "hyperleveldb:file_size=300",
    "pebblesdb:guard_bits=14,file_size=300",
    "blsm",
    "blsm:min_ratio=1",
    "none",
    "prefix:max_mergeable_bytes=2000,max_tolerance_files=3",
    "ratio-based:preset=accumulo,max_files=5,file_max=6",
    "ratio-based:preset=hbase,min_size=500",
    "tiered:size_ratio=3",
    "tiered:size_ratio=3,flush=separate",
    "tiered:size_ratio=3,tombstone_threshold=10%,tombstone_compaction_interval=20,"
    "unchecked_tombstone_compaction=true",
    "tiered:size_ratio=3,flush=separate,tombstone_threshold=10%,tombstone_compaction_interval=9",
    "tiered:size_ratio=3,gc_grace=60,tombstone_threshold=10%,tombstone_compaction_interval=9",
    "leveled-full:size_ratio=3",
    "leveled-full:size_ratio=3,flush=separate",
    "leveled:size_ratio=3,file_size=300",
    "leveled:size_ratio=3,file_size=300,level0_sstables=2",
    "leveldb:file_size=300,level_base=900,size_ratio=3",
    "ldc:file_size=300,level_base=900,size_ratio=3",
    "dcompaction:file_size=300,level_base=900,size_ratio=3,merge_threshold=5",
    "tarantool:range_size=600",
    "primitives:file_size=300,level_base=900,size_ratio=3,l0_trigger=2",
    "primitives:layout=1-leveling,trigger=sorted-runs+level-saturation,granularity=file,"
    "movement=round-robin,file_size=300,level_base=900,size_ratio=3",
    "primitives:layout=leveling,granularity=level,movement=none,file_size=300,level_base=900,"
    "size_ratio=3",
    "primitives:layout=tiering,trigger=sorted-runs+space-amplification,granularity=sorted-runs,"
    "movement=none,size_ratio=3,l0_trigger=3",
    "rocksdb-leveled:file_size=300,level_base=900,size_ratio=3",
    "rocksdb-leveled:file_size=300,level_base=900,size_ratio=3,priority=round-robin",
    "rocksdb-leveled:file_size=300,level_base=900,size_ratio=3,dynamic_levels=true",
    "rocksdb-leveled:file_size=300,level_base=900,size_ratio=3,mark_ratio=10%",
    "rocksdb-leveled:file_size=300,level_base=900,size_ratio=3,priority=round-robin,mark_ratio=10%",
    "rocksdb-leveled:file_size=300,level_base=900,size_ratio=3,periodic_age=20",
    "rocksdb-leveled:file_size=300,level_base=900,size_ratio=3,priority=round-robin,periodic_age=9",
    "silk:file_size=300,level_base=900,size_ratio=3",
    "delete-aware:file_size=300,level_base=900,size_ratio=3,del_ratio_base=0.1",
    "delete-aware:file_size=300,level_base=900,size_ratio=3,size_trigger=kept",
    "cassandra-stcs:min_sstable_size=0,min_threshold=3",
    "cassandra-stcs:min_sstable_size=0,tombstone_threshold=10%,tombstone_compaction_interval=20",
    "scylla-stcs:min_sstable_size=0",
    "scylla-stcs:enforce_min_threshold=true,min_sstable_age=0,tombstone_threshold=10%,"
    "tombstone_compaction_interval=20",
    "cassandra-twcs:compaction_window_size=60,ttl=400",
    "cassandra-twcs:compaction_window_size=100,min_threshold=2,min_sstable_size=0,"
    "tombstone_threshold=5%,tombstone_compaction_interval=9",
    "cassandra-lcs:sstable_size=900,fanout_size=3",
    "cassandra-lcs:sstable_size=300,fanout_size=3,max_threshold=5,single_sstable_uplevel=true,"
    "tombstone_threshold=10%,tombstone_compaction_interval=20",
    "cassandra-lcs:sstable_size=300,fanout_size=3,gc_grace=60,tombstone_threshold=5%,"
    "tombstone_compaction_interval=9,unchecked_tombstone_compaction=true",
    "scylla-lcs:sstable_size=900",
    "scylla-lcs:sstable_size=300,gc_grace=60,tombstone_threshold=5%,"
    "tombstone_compaction_interval=9",
    "scylla-lcs:sstable_size=300,tombstone_threshold=10%,tombstone_compaction_interval=20",
    "pebble:file_size=150,level_base=900,size_ratio=3",
    "pebble:file_size=150,level_base=900,size_ratio=3,multilevel=write-amp-from-level0,"
    "l0_compaction_threshold=8",
    "rocksdb-universal:l0_trigger=3",
    "rocksdb-universal:l0_trigger=3,levels=5,file_size=300",
    "scylla-ics:min_sstable_size=300,sstable_size=400",
    "scylla-ics:min_sstable_size=0,enforce_min_threshold=true,min_threshold=3,"
    "space_amplification_goal=1.5",
    "scylla-ics:min_sstable_size=0,tombstone_threshold=10%,tombstone_compaction_interval=30",
    "dostoevsky:size_ratio=3,level_base=700",
    "dostoevsky:size_ratio=4,k=2,z=2,level_base=900",
    "lsm-bush:t_min=2,level_base=250",
    "asterixdb-concurrent:max_component_count=8",
    "asterixdb-concurrent:max_component_size=3000,max_merge_component_count=5",
    "slimdb:sub_levels=3,level_base=250",
    "slimdb:sub_levels=2,leveled_from=1,level_base=250",
    "sifrdb:growth_factor=3,file_size=200",
    "sifrdb:growth_factor=2,file_size=100",
    "sifrdb:growth_factor=3,adopt_files=false",
    "lsbm:l0_size=300,size_ratio=3,file_size=150",
    "lsbm:l0_size=200,size_ratio=2,file_size=100,levels=3,l0_compaction_trigger=400",
    "x-engine:file_size=100,level0_file_num_compaction_trigger=6,level1_extents_major_compaction_"
    "trigger=12",
    "x-engine:file_size=80,level0_file_num_compaction_trigger=20,level0_layer_num_compaction_"
    "trigger=3,level1_extents_major_compaction_trigger=9,flush_level1_size=100,auto_task_interval="
    "90",
    "wiredtiger:merge_max=4,worker=4",
    "wiredtiger:merge_max=6,chunk_max=2000,aggressiveness=2",
};

Plan holding(std::uint32_t level, RunId run, FileId file) {
  return {PlanReason::kLevelSaturated, MovePlan{{{level, run, {file}}}, {level + 1, {}}}, {}};
}

// Marks about one in `one_in` files, or runs, as busy.
void make_busy(TreeState& tree, std::mt19937_64& random, std::uint64_t one_in) {
  std::vector<Plan> plans;
  for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
    for (const SortedRun& run : tree.levels()[level].runs) {
      const bool takes_run = random() % one_in == 0;
      for (const File& file : run.files) {
        if (file.busy || (!takes_run && random() % one_in != 0)) continue;
        plans.push_back(holding(level, run.id, file.id));
      }
    }
  }
  for (const Plan& plan : plans) REQUIRE(tree.reserve(plan).has_value());
}

// Checks that the runs which the plan takes whole are adjacent in age; the pending flush is the
// newest.
void require_neighbours(const TreeView& tree, const Plan& plan) {
  std::set<RunId> taken;
  for (const PlanInput& input : plan_inputs(plan)) taken.insert(input.run);
  std::vector<bool> by_age;
  if (tree.pending_flush()) by_age.push_back(takes_memtable(plan));
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) by_age.push_back(taken.contains(run.id));
  }
  const auto first = std::find(by_age.begin(), by_age.end(), true);
  const auto end = std::find(first, by_age.end(), false);
  REQUIRE(std::find(end, by_age.end(), true) == by_age.end());
}

// Picks with more and more busy files.
void require_fitting_plans(const Policy& policy, const TreeState& tree, std::mt19937_64& random) {
  for (const std::uint64_t one_in : {20u, 5u, 2u, 1u}) {
    TreeState busy = tree;
    make_busy(busy, random, one_in);
    const std::optional<Plan> plan = policy.pick(busy);
    if (!plan) continue;
    TreeState reserved = busy;
    REQUIRE(reserved.reserve(*plan).has_value());
    if (policy.as_stack_policy() != nullptr) require_neighbours(busy, *plan);
  }
}

// A store whose plans run concurrently with one another and with flushes. Plans that do not take
// the memtable end some time after they began.
class BusyStore {
 public:
  BusyStore(const Policy& policy, std::uint64_t seed)
      : policy_(policy), random_(seed), store_(options_of(policy)) {
    store_.tree.keep(policy.orderings());
  }

  void write_some() {
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t key = random_() % 400;
      if (random_() % 8 == 0) {
        store_.remove(key);
      } else {
        store_.put(key);
      }
    }
    store_.begin_flush();
    while (store_.tree.pending_flush()) {
      require_fitting_plans(policy_, store_.tree, random_);
      const std::optional<Plan> plan = policy_.pick(store_.tree);
      if (!plan) {
        REQUIRE(!running_.empty());
        end_one();
        continue;
      }
      begin(*plan);
    }
    for (int i = 0; i < 2; ++i) {
      const std::optional<Plan> plan = policy_.pick(store_.tree);
      if (plan && random_() % 3 != 0) begin(*plan);
      require_fitting_plans(policy_, store_.tree, random_);
    }
    while (running_.size() > 3 || (!running_.empty() && random_() % 3 == 0)) end_one();
  }

  void settle() {
    for (int plans = 0;; ++plans) {
      REQUIRE(plans < 10'000);
      while (!running_.empty()) end_one();
      const std::optional<Plan> plan = policy_.pick(store_.tree);
      if (!plan) return;
      begin(*plan);
    }
  }

  [[nodiscard]] const TreeState& tree() const { return store_.tree; }
  [[nodiscard]] std::uint64_t overlapped() const { return overlapped_; }

 private:
  [[nodiscard]] static testing::StoreOracleOptions options_of(const Policy& policy) {
    testing::StoreOracleOptions options = testing::small_blocks();
    options.mark = policy.deletion_mark();
    options.gc_grace = policy.gc_grace();
    return options;
  }

  void begin(const Plan& plan) {
    const auto reserved = store_.tree.reserve(plan);
    INFO((reserved ? "" : reserved.error().message));
    REQUIRE(reserved.has_value());
    overlapped_ += !running_.empty();
    if (takes_memtable(plan)) {
      store_.run(plan);
    } else {
      running_.push_back(plan);
    }
  }

  // The files of a target run may all have gone to other levels meanwhile (fit_edit()). Another
  // plan for that level may have made a new run since.
  void follow_lost_run(Plan& plan) const {
    const OutputTarget target = plan_target(plan);
    if (!target.run || target.level >= store_.tree.levels().size()) return;
    const std::vector<SortedRun>& runs = store_.tree.levels()[target.level].runs;
    const auto is_target = [&](const SortedRun& run) { return run.id == *target.run; };
    if (std::any_of(runs.begin(), runs.end(), is_target)) return;
    const auto run = runs.empty() ? std::nullopt : std::optional(runs.front().id);
    if (auto* merge = std::get_if<MergePlan>(&plan.action)) merge->target.run = run;
    if (auto* move = std::get_if<MovePlan>(&plan.action)) move->target.run = run;
  }

  void end_one() {
    const auto at = running_.begin() + static_cast<std::ptrdiff_t>(random_() % running_.size());
    Plan plan = *at;
    running_.erase(at);
    follow_lost_run(plan);
    store_.run(plan);
  }

  const Policy& policy_;
  std::mt19937_64 random_;
  MiniStore store_;
  std::vector<Plan> running_;
  std::uint64_t overlapped_ = 0;  // plans that began while others ran
};

TEST_CASE("policies want only plans that can run beside those that are running") {
  std::uint64_t overlapped = 0;
  for (const char* const text : kSpecs) {
    CAPTURE(text);
    const auto spec = parse_spec(text);
    REQUIRE(spec.has_value());
    const auto configured = make_policy(spec.value());
    INFO((configured ? "" : configured.error().message));
    REQUIRE(configured.has_value());
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      CAPTURE(seed);
      BusyStore store(*configured.value().policy, seed);
      for (int flush = 0; flush < 120; ++flush) store.write_some();
      store.settle();
      overlapped += store.overlapped();
    }
  }
  REQUIRE(overlapped > 1000);
}

TEST_CASE("a full tier below, and one that flushes overfilled, merge from the oldest on") {
  const auto configured = make_policy(parse_spec("tiered:size_ratio=3").value());
  REQUIRE(configured.has_value());
  const StackPolicy* policy = configured.value().policy->as_stack_policy();
  REQUIRE(policy != nullptr);
  const auto decide = [&](const std::vector<std::uint32_t>& tiers) {
    std::vector<StackTable> tables;
    for (const std::uint32_t tier : tiers) tables.push_back({1, tables.size() + 1, tier});
    return policy->decide({tables, tables.size(), tables.size()});
  };
  const auto same = [](const StackDecision& a, const StackDecision& b) {
    return a.action == b.action && a.first == b.first && a.count == b.count && a.level == b.level;
  };
  REQUIRE(same(decide({0, 0, 0}), StackDecision::merge(0, 3, 1)));
  REQUIRE(same(decide({1, 0, 0}), StackDecision::none()));
  REQUIRE(same(decide({1, 1, 0, 0, 0, 0, 0}), StackDecision::merge(2, 3, 1)));
  REQUIRE(same(decide({2, 1, 1, 1, 1, 0}), StackDecision::merge(1, 3, 2)));
  REQUIRE(same(decide({2, 1, 1, 1, 0, 0, 0}), StackDecision::merge(1, 3, 2)));
  REQUIRE(same(decide({2, 2, 1, 1, 0, 0}), StackDecision::none()));
}

}  // namespace
}  // namespace lsmlab::busy_test
