// Whole runs with a simple executor that keeps every entry. Each combination of primitives settles
// after every flush, never makes an illegal plan, and never lets a lookup read an old value, even
// if several plans run concurrently and end in any order.
#include <fmt/format.h>

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <map>

#include "models/execution/output_cut.h"
#include "models/execution/tombstone_rule.h"
#include "testing/catch.h"
#include "testing/oracles/order_oracle.h"
#include "testing/tree_reader.h"

namespace lsmlab::primitives_run_test {
namespace {

struct Entry {
  std::uint64_t sequence = 0;
  bool is_tombstone = false;
};
using Contents = std::map<std::uint64_t, Entry>;  // by key

class NaiveStore {
 public:
  NaiveStore(const std::string& options, std::uint64_t seed)
      : policy_(testing::policy_of_text("primitives:" + options)), random_(seed) {
    tree_.keep(policy_->orderings());
  }

  // Fills one memtable with random writes to a changing part of the keys.
  void fill_memtable() {
    const std::uint64_t width = draw(10, kKeys);
    const std::uint64_t start = draw(0, kKeys - width);
    memtable_.clear();
    for (std::uint64_t count = draw(1, 40); count > 0; --count) {
      const std::uint64_t key = start + draw(0, width - 1);
      memtable_[key] = {++sequence_, draw(0, 9) < 3};
      newest_[key] = memtable_[key];
    }
    tree_.advance_now(Instant(sequence_));
    const std::vector<File> files = write(memtable_, {1, 0}, nullptr);
    REQUIRE(files.size() == 1);
    const File& file = files.front();
    flush_ = file;
    tree_.begin_flush({file.bytes, file.entries, file.keys, file.tombstones});
  }

  // Returns false if the policy wants nothing.
  bool begin_plan() {
    const auto plan = policy_->pick(tree_);
    if (!plan) return false;
    INFO(testing::plan_text(plan));
    require(tree_.reserve(*plan));
    ++plans_;
    TreeEdit edit = edit_of(*plan);
    edit.cursors = plan->cursors;
    under_way_.push_back({*plan, std::move(edit)});
    // Nothing may overtake a flush.
    if (takes_memtable(*plan)) end_plan(under_way_.size() - 1);
    return true;
  }

  void end_plan(std::size_t index) {
    const auto job = under_way_.begin() + static_cast<std::ptrdiff_t>(index);
    INFO(testing::plan_text(job->plan));
    require(tree_.apply(job->edit));
    REQUIRE(testing::order_fault(tree_).empty());
    for (const FileId id : job->edit.removed) contents_.erase(id);
    under_way_.erase(job);
  }

  void settle() {
    const std::uint64_t before = plans_;
    while (begin_plan()) {
      end_all();
      REQUIRE(plans_ - before < 2000);
    }
  }

  // Runs up to three plans concurrently; they end in any order.
  void churn() {
    for (std::uint64_t steps = draw(1, 8); steps > 0; --steps) {
      if (under_way_.size() < 3 && draw(0, 1) == 0) {
        begin_plan();
      } else if (!under_way_.empty()) {
        end_plan(draw(0, under_way_.size() - 1));
      }
    }
    while (tree_.pending_flush()) REQUIRE(begin_plan());
  }
  void end_all() {
    while (!under_way_.empty()) end_plan(0);
  }

  // Checks that every key reads as it was last written.
  void require_reads() const {
    for (const auto& [key, entry] : newest_) {
      const Entry* found = read(key);
      INFO("key " << key << " written as " << entry.sequence << ", read "
                  << (found == nullptr ? 0 : found->sequence));
      REQUIRE((found == nullptr ? entry.is_tombstone : found->sequence == entry.sequence));
    }
  }

  const TreeState& tree() const { return tree_; }

 private:
  static constexpr std::uint64_t kKeys = 400;
  struct Job {
    Plan plan;
    TreeEdit edit;
  };

  static void require(const Result<void>& result) {
    INFO((result ? "" : result.error().message));
    REQUIRE(result.has_value());
  }
  std::uint64_t draw(std::uint64_t min, std::uint64_t max) {
    return boost::random::uniform_int_distribution<std::uint64_t>(min, max)(random_);
  }

  const Entry* read(std::uint64_t key) const {
    for (const Level& level : tree_.levels()) {
      for (const SortedRun& run : level.runs) {
        for (const File& file : overlapping_files(run, {key, key})) {
          const Contents& entries = contents_.at(file.id);
          if (const auto found = entries.find(key); found != entries.end()) return &found->second;
        }
      }
    }
    return nullptr;
  }

  TreeEdit edit_of(const Plan& plan) {
    TreeEdit edit;
    if (std::holds_alternative<FlushPlan>(plan.action)) {
      edit.takes_memtable = true;
      File file = flush_;
      file.flushes = {tree_.flush_count() + 1, tree_.flush_count() + 1};
      edit.added.push_back({std::get<FlushPlan>(plan.action).target, {file}});
      return edit;
    }
    if (const auto* move = std::get_if<MovePlan>(&plan.action)) {
      for (const PlanInput& input : move->inputs) edit.moved.push_back({input.files, move->target});
      return edit;
    }
    const auto& merge = std::get<MergePlan>(plan.action);
    edit.is_merge = true;
    Contents merged;
    FlushSpan flushes{~std::uint64_t{0}, 0};
    for (const PlanInput& input : merge.inputs) {
      for (const FileId id : input.files) {
        const File& file = tree_.file_at(*tree_.find_file(id));
        flushes = {std::min(flushes.first, file.flushes.first),
                   std::max(flushes.last, file.flushes.last)};
        // Newest first: existing versions are newer.
        for (const auto& [key, entry] : contents_.at(id)) {
          const auto [at, is_new] = merged.emplace(key, entry);
          REQUIRE((is_new || at->second.sequence > entry.sequence));
        }
        edit.removed.push_back(id);
      }
    }
    TombstoneRule rule(tree_, merge);
    std::erase_if(merged,
                  [&](const auto& e) { return e.second.is_tombstone && rule.drops(e.first); });
    edit.added.push_back({merge.target, write(merged, flushes, &merge)});
    return edit;
  }

  // Makes files of the entries, cut by the plan's rule; one file without a plan.
  std::vector<File> write(const Contents& entries, FlushSpan flushes, const MergePlan* plan) {
    std::vector<File> files;
    std::optional<OutputCutter> cutter;
    if (plan != nullptr) cutter.emplace(tree_, *plan);
    SstableSize size{SstableFormat{}};
    for (const auto& [key, entry] : entries) {
      const bool ends = files.empty() || (cutter && cutter->ends_after(size));
      const bool ends_by_grandparents = cutter && cutter->ends_before(key, size);
      if (ends || ends_by_grandparents) {
        size = SstableSize{SstableFormat{}};
        files.emplace_back();
        files.back().id = tree_.allocate_file_id();
        files.back().flushes = flushes;
        files.back().keys.smallest = key;
        files.back().sequences = {entry.sequence, entry.sequence};
        files.back().created = files.back().level_since = tree_.now();
        files.back().last_access = tree_.now();
      }
      File& file = files.back();
      size.add(8, entry.is_tombstone ? 0 : 8);
      contents_[file.id][key] = entry;
      file.keys.largest = key;
      file.bytes = size.file_bytes();
      file.entries += Entries(1);
      file.sequences = {std::min(file.sequences.first, entry.sequence),
                        std::max(file.sequences.last, entry.sequence)};
      if (!entry.is_tombstone) continue;
      file.tombstones += Entries(1);
      if (!file.oldest_tombstone || *file.oldest_tombstone > Instant(entry.sequence)) {
        file.oldest_tombstone = Instant(entry.sequence);
      }
    }
    return files;
  }

  std::shared_ptr<const Policy> policy_;
  boost::random::mt19937_64 random_;
  TreeState tree_;
  std::map<FileId, Contents> contents_;
  Contents memtable_;
  Contents newest_;
  File flush_;
  std::vector<Job> under_way_;
  std::uint64_t sequence_ = 0;
  std::uint64_t plans_ = 0;
};

std::vector<std::string> strategies() {
  const std::string sizes = "size_ratio=3,file_size=600,";
  const std::string partial = sizes + "level_base=3000,";
  const std::string all_triggers =
      "trigger=tombstone-ttl+tombstone-density+sorted-runs+level-saturation+staleness+"
      "space-amplification,delete_persistence=700,staleness=500,";
  std::vector<std::string> list = {
      sizes + "layout=tiering",
      sizes + "layout=tiering,trigger=sorted-runs+space-amplification",
      partial +
          "layout=tiering,trigger=level-saturation+sorted-runs+staleness+tombstone-ttl,"
          "staleness=300,delete_persistence=200",
      partial + "layout=tiering,l0_trigger=3," + all_triggers + "tier_runs=2",
      partial + "granularity=level",
      partial + "granularity=level," + all_triggers + "layout=leveling",
      partial + "layout=l-leveling,tier_runs=2",
      partial + "layout=l-leveling,granularity=level," + all_triggers + "tier_runs=4",
      partial + "layout=hybrid,runs=4/2/1",
      partial + "layout=hybrid,runs=1/3/1/2," + all_triggers + "granularity=level",
      partial + "layout=hybrid,runs=3/2/1,granularity=file",
      partial + "layout=hybrid,runs=3/1,granularity=files,movement=oldest," + all_triggers +
          "files=2",
      partial + "layout=1-leveling",
      partial + "layout=1-leveling,granularity=files," + all_triggers + "files=3",
      partial + "granularity=files,movement=none,grandparent_limit=1",
      partial +
          "trigger=tombstone-ttl+level-saturation,delete_persistence=300,"
          "movement=expired-ttl+least-overlap-parent",
      partial + "trigger=tombstone-density+level-saturation,movement=most-tombstones",
  };
  for (const char* movement : {"round-robin", "least-overlap-parent", "least-overlap-grandparent",
                               "coldest", "oldest", "most-tombstones", "none"}) {
    list.push_back(partial + "grandparent_limit=3,movement=" + movement);
  }
  return list;
}

TEST_CASE("every combination settles after every flush and reads the newest values") {
  for (const std::string& options : strategies()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      INFO(options << " seed " << seed);
      NaiveStore store(options, seed);
      for (int flush = 0; flush < 120; ++flush) {
        store.fill_memtable();
        store.settle();
      }
      store.require_reads();
      REQUIRE(*deepest_level(store.tree()) < 12);
    }
  }
}

TEST_CASE("so it does with several plans under way") {
  for (const std::string& options : strategies()) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      INFO(options << " seed " << seed);
      NaiveStore store(options, seed);
      for (int flush = 0; flush < 80; ++flush) {
        store.fill_memtable();
        store.churn();
        if (flush % 10 == 0) store.require_reads();
      }
      store.end_all();
      store.settle();
      store.require_reads();
    }
  }
}

}  // namespace
}  // namespace lsmlab::primitives_run_test
