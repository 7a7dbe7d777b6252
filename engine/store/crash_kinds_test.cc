// Stops the machine at every call that changes the disk, for each kind of plan and each member of
// files and edits that only some policies use: each must survive where it is made, where it is used
// and where it ends. crash_test.cc stops longer workloads, at some calls.
// LSMLAB_CRASH_STEP=1 tries every loss mode at each call, not one of them;
// LSMLAB_CRASH_KINDS_STEP=13 stops at every 13th call only.
#include <map>
#include <set>

#include "testing/engine/crash_run.h"

namespace lsmlab::engine::crash_kinds_test {
namespace {

using testing::calls_of;
using testing::crash_once;
using testing::CrashRun;

// What plans of a run did, by name.
class Sightings : public StoreObserver {
 public:
  void on_write(const StoredEntry& /*entry*/, Instant /*now*/) override {}
  void on_plan(const TreeView& tree, const Plan& plan) override {
    ++seen_[std::string(plan_kind_name(kind_of_plan(plan)))];
    if (!plan.cursors.empty()) ++seen_["cursor"];
    if (plan.adaptation) ++seen_["adaptation"];
    if (const auto* const merge = std::get_if<MergePlan>(&plan.action)) note(tree, *merge);
    if (const auto* const move = std::get_if<MovePlan>(&plan.action)) note(tree, *move);
    if (const auto* const trim = std::get_if<TrimPlan>(&plan.action)) {
      if (!trim->copies.empty()) ++seen_["trimmed copies"];
    }
    if (const auto* const refer = std::get_if<ReferPlan>(&plan.action)) note(tree, *refer);
  }
  void on_edit(const TreeView& tree, const Plan& plan, const TreeEdit& edit,
               const Contents& /*contents*/) override {
    for (const TreeEdit::Added& added : edit.added) {
      if (kind_of_plan(plan) == PlanKind::kFlush && added.files.size() > 1) ++seen_["cut flush"];
      if (added.target.level == 0 && kind_of_plan(plan) == PlanKind::kMerge) ++seen_["level 0"];
    }
    for (const FrozenFile& frozen : tree.frozen_files()) {
      if (frozen.references > 1) ++seen_["frozen file of several"];
    }
  }
  [[nodiscard]] std::uint64_t count(const std::string& name) const {
    const auto found = seen_.find(name);
    return found == seen_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [name, count] : seen_) text += fmt::format("{} {}, ", count, name);
    return text;
  }

 private:
  void note(const TreeView& tree, const MergePlan& merge) {
    if (merge.newest_slices) ++seen_["newest slices"];
    if (merge.takes_memtable) ++seen_["eager merge"];
    if (merge.cut.file_begins) ++seen_["file begins"];
    if (merge.copies_max > 0) ++seen_["copies"];
    for (const File* file : files_of(tree, merge.inputs)) {
      if (file->is_virtual && !merge.newest_slices) ++seen_["merge of a virtual file"];
      if (file->is_rewritten && !file->copies.empty()) ++seen_["copies handed on"];
    }
  }
  void note(const TreeView& tree, const MovePlan& move) {
    for (const File* file : files_of(tree, move.inputs)) {
      if (!file->copies.empty()) ++seen_["copies moved"];
    }
    std::set<RunId> runs;
    for (const PlanInput& input : move.inputs) runs.insert(input.run);
    if (runs.size() > 1) ++seen_["move of several runs"];
    if (move.target.run) ++seen_["move into a run"];
  }
  void note(const TreeView& tree, const ReferPlan& refer) {
    if (!refer.file_begins.empty()) ++seen_["cut virtual file"];
    for (const File* file : files_of(tree, refer.inputs)) {
      if (file->is_virtual) ++seen_["slices handed on"];
    }
  }
  [[nodiscard]] static std::vector<const File*> files_of(const TreeView& tree,
                                                         const std::vector<PlanInput>& inputs) {
    std::vector<const File*> files;
    for (const PlanInput& input : inputs) {
      for (const FileId id : input.files) files.push_back(&tree.file_at(*tree.find_file(id)));
    }
    return files;
  }

  std::map<std::string, std::uint64_t> seen_;
};

void crash_everywhere(CrashRun run, const std::vector<std::string>& expected) {
  run.batches_joined = 8;
  Sightings sightings;
  run.observer = &sightings;
  const std::uint64_t calls = calls_of(run);
  INFO(run.policy << ": " << calls << " calls, " << sightings.text());
  if (std::getenv("LSMLAB_CRASH_STEP") != nullptr)
    WARN(run.policy << ": " << calls << " calls, " << sightings.text());
  for (const std::string& name : expected) {
    INFO(name);
    REQUIRE(sightings.count(name) > 0);
  }
  run.observer = nullptr;
  const std::uint64_t step = testing::number_from("LSMLAB_CRASH_KINDS_STEP", 1);
  const bool takes_all = testing::number_from("LSMLAB_CRASH_STEP", 0) == 1;
  for (std::uint64_t call = 1; call <= calls; call += step) {
    for (const LossMode mode : testing::modes_at(call / step, takes_all))
      crash_once(run, call, mode);
  }
}

CrashRun run_of(std::string policy, std::uint64_t operations) {
  CrashRun run;
  run.policy = std::move(policy);
  run.operations = operations;
  return run;
}

TEST_CASE("crash at every call: virtual merges, and real merges of virtual files") {
  CrashRun run = run_of("dcompaction:merge_threshold=7,read_threshold=3", 24);
  run.lookups = 3;
  crash_everywhere(run, {"refer", "slices handed on", "merge of a virtual file"});
}

TEST_CASE("crash at every call: ranges that split and join, and merges of newest slices") {
  crash_everywhere(
      run_of("tarantool:range_size=3000", 24),
      {"refer", "cut virtual file", "slices handed on", "newest slices", "frozen file of several"});
}

TEST_CASE("crash at every call: trees that adopt files of several trees") {
  CrashRun run = run_of("sifrdb:growth_factor=3", 30);
  run.keys_rise = true;
  crash_everywhere(run, {"move of several runs", "move into a run", "file begins", "cursor"});
}

TEST_CASE("crash at every call: extents that are reused, and memtables that merge at once") {
  crash_everywhere(run_of("x-engine:level0_file_num_compaction_trigger=3,"
                          "level1_extents_major_compaction_trigger=8,flush_level1_size=300",
                          24),
                   {"move", "eager merge"});
}

TEST_CASE("crash at every call: levels that move as a whole") {
  crash_everywhere(run_of("lsbm:l0_size=1800,l0_compaction_trigger=1200,levels=3", 16),
                   {"move", "merge"});
}

TEST_CASE("crash at every call: copies that stay, move and are trimmed") {
  CrashRun run = run_of(
      "lsbm:l0_size=700,l0_compaction_trigger=400,levels=4,size_ratio=2,compaction_buffer=on,"
      "trim_flushes=2",
      40);
  crash_everywhere(run, {"copies", "trim", "trimmed copies", "copies handed on", "copies moved"});
}

TEST_CASE("crash at every call: guards") {
  crash_everywhere(run_of("pebblesdb:guard_bits=18", 16), {"file begins"});
}

TEST_CASE("crash at every call: flushes that are cut, and sublevels") {
  crash_everywhere(run_of("pebble:level_base=2800,flush_split_bytes=240", 24), {"cut flush"});
}

TEST_CASE("crash at every call: slices that wait in the files below") {
  crash_everywhere(run_of("ldc:slice_threshold=2", 24), {"link", "frozen file of several"});
}

TEST_CASE("crash at every call: what a policy decided at run time") {
  CrashRun run = run_of("delete-aware:adapt_flushes=3,pre_remove=blocks,range_bytes=200", 16);
  run.lookups = 3;
  crash_everywhere(run, {"adaptation"});
}

TEST_CASE("crash at every call: shards, and runs of fragments") {
  crash_everywhere(run_of("cassandra-ucs:flush_size_override=700,target_sstable_size=700,"
                          "min_sstable_size=100",
                          24),
                   {"file begins", "level 0"});
  CrashRun adapting = run_of(
      "cassandra-ucs:flush_size_override=700,target_sstable_size=700,min_sstable_size=100,"
      "adapt_flushes=2",
      14);
  adapting.lookups = 3;
  crash_everywhere(adapting, {"cut flush", "adaptation"});
  crash_everywhere(run_of("scylla-ics:min_sstable_size=0,sstable_size=900", 14), {"level 0"});
}

TEST_CASE("crash at every call: time windows, generations, and merges by the load of clients") {
  crash_everywhere(run_of("cassandra-twcs:compaction_window_size=60", 14), {"level 0"});
  crash_everywhere(run_of("wiredtiger:merge_max=4", 14), {"merge"});
  crash_everywhere(run_of("silk:l0_trigger=2", 14), {"merge", "move"});
}

}  // namespace
}  // namespace lsmlab::engine::crash_kinds_test
