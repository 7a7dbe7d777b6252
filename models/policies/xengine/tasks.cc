#include "models/policies/xengine/tasks.h"

#include <algorithm>

#include "models/policies/xengine/extents.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kCountMax = std::uint64_t{1} << 32;
constexpr std::uint64_t kMultiplier = 10;          // target_file_size_multiplier
constexpr std::uint64_t kFlushDeletePercent = 70;  // flush_delete_percent

constexpr Uint128 whole(std::uint64_t number) { return Uint128{number} << 64; }
constexpr std::uint64_t excess(std::uint64_t count, std::uint64_t most) {
  return count > most ? count - most : 0;
}

}  // namespace

void XEngineOptions::declare(OptionTable& table) {
  const CountRange extents{1, kCountMax};
  table.bytes("file_size", file_size, {1, std::uint64_t{1} << 40},
              "size at which an extent ends, and of which low usage is a share");
  table.count("level0_file_num_compaction_trigger", level0_file_num_compaction_trigger, extents,
              "extents",
              "extents of level 0 above which they merge into level 1; more: fewer rewrites of "
              "level 1, but more layers for a read to visit");
  table.count("level0_layer_num_compaction_trigger", level0_layer_num_compaction_trigger, extents,
              "layers", "layers of level 0 above which the oldest become one");
  table.count("level1_extents_major_compaction_trigger", level1_extents_major_compaction_trigger,
              extents, "extents",
              "extents of level 1 above which most of them merge into an empty level 2; into a "
              "larger one, later; more: fewer rewrites of level 2, but more of level 1");
  table.flag(
      "level_compaction_dynamic_level_bytes", level_compaction_dynamic_level_bytes,
      "true: the trigger of level 1 is an 11th of all extents, if that is less, but at least "
      "that of level 0");
  table.count("compaction_delete_percent", compaction_delete_percent, {1, 100}, "%",
              "share of deletes with which an extent is rewritten into level 2");
  table.count("level2_usage_percent", level2_usage_percent, {0, 100}, "%",
              "used share of a level's extents below which some are rewritten");
  table.count(
      "compaction_task_extents_limit", compaction_task_extents_limit, extents, "extents",
      "a task ends its outputs after so many extents, and reuses extents of level 2 if more "
      "overlap in one piece");
  table.bytes("flush_level1_size", flush_level1_size, {0, std::uint64_t{1} << 50},
              "a memtable above this size merges with level 1 at once if level 0 is empty; larger: "
              "more layers for a read to visit, but level 1 is rewritten less often");
  table.count("flush_delete_record_trigger", flush_delete_record_trigger, {1, kCountMax}, "deletes",
              "a memtable with so many deletes, or with so many entries of which 70% are deletes, "
              "makes merges go down to level 2; lower: deletes go sooner, for more merges");
  table.count("auto_task_interval", auto_task_interval, {1, std::uint64_t{1} << 62}, "writes",
              "writes between rewrites because of low usage or deletes; X-Engine's is 900 seconds, "
              "which is this default at 1,000 writes a second");
}

std::uint64_t extents_of(const TreeView& tree, std::uint32_t level) {
  return level < tree.levels().size() ? tree.levels()[level].sums.files : 0;
}

const std::vector<SortedRun>& layers_of(const TreeView& tree) {
  static const std::vector<SortedRun> kNone;
  return tree.levels().empty() ? kNone : tree.levels()[0].runs;
}

// get_level1_file_num_compaction_trigger.
std::uint64_t XEngineTasks::level1_trigger(const TreeView& tree) const {
  const std::uint64_t trigger = options_.level1_extents_major_compaction_trigger;
  if (!options_.level_compaction_dynamic_level_bytes) return trigger;
  const std::uint64_t all = extents_of(tree, 0) + extents_of(tree, 1) + extents_of(tree, 2);
  return std::max(std::min(all / (kMultiplier + 1), trigger),
                  options_.level0_file_num_compaction_trigger);
}

// get_level0_file_num_compaction_trigger.
std::uint64_t XEngineTasks::level0_trigger(const TreeView& tree) const {
  const std::uint64_t trigger = options_.level0_file_num_compaction_trigger;
  if (!options_.level_compaction_dynamic_level_bytes) return trigger;
  return std::max(std::min(level1_trigger(tree) / kMultiplier, trigger), trigger / 5);
}

bool XEngineTasks::is_normal(const TreeView& tree) const { return major_priority(tree) < whole(2); }

bool XEngineTasks::are_many_deletes(std::uint64_t deletes, std::uint64_t entries) const {
  const std::uint64_t trigger = options_.flush_delete_record_trigger;
  const bool is_share_high =
      entries >= trigger && Uint128{deletes} * 100 >= Uint128{entries} * kFlushDeletePercent;
  return deletes >= trigger || is_share_high;
}

bool XEngineTasks::has_many_deletes(const TreeView& tree) const {
  return std::any_of(layers_of(tree).begin(), layers_of(tree).end(), [&](const SortedRun& layer) {
    return are_many_deletes(layer.files.sums().tombstones, layer.files.sums().entries);
  });
}

std::uint64_t XEngineTasks::pick_position(const TreeView& tree) const {
  const std::uint64_t level1 = extents_of(tree, 1);
  if (level1 < level0_trigger(tree)) return 0;
  return std::min(level1 * 2 / 5, level1_trigger(tree));
}

std::uint64_t XEngineTasks::usage_percent(std::uint64_t bytes, std::uint64_t extents) const {
  return static_cast<std::uint64_t>(Uint128{bytes} * 100 /
                                    (Uint128{extents} * options_.file_size.value()));
}

Uint128 XEngineTasks::major_priority(const TreeView& tree) const {
  const std::uint64_t level1 = extents_of(tree, 1);
  if (level1 == 0) return 0;
  const Priority gain = whole(level1) / level1_trigger(tree) + whole(excess(level1, 5000));
  const Priority cost = whole(extents_of(tree, 2)) / level1 / 10;
  return gain > cost ? gain - cost : 0;
}

Uint128 XEngineTasks::pack_priority(const TreeView& tree, std::uint32_t level) const {
  const std::uint64_t used =
      usage_percent(tree.levels()[level].sums.bytes, extents_of(tree, level));
  return whole(excess(options_.level2_usage_percent + 10, used)) / 10 + whole(excess(50, used));
}

// CompactionTasksPicker::pick_one_task.
std::optional<XTask> XEngineTasks::next(const TreeView& tree, bool deletes_leave,
                                        bool is_due) const {
  std::optional<XTask> best;
  Priority highest = whole(1);
  const auto offer = [&](XTask task, Priority priority) {
    if (priority <= highest) return;
    best = task;
    highest = priority;
  };
  const std::uint64_t level0 = extents_of(tree, 0);
  const std::uint64_t layers_max = options_.level0_layer_num_compaction_trigger;
  if (level0 >= layers_max) {
    const std::uint64_t layers = layers_of(tree).size();
    offer(XTask::kIntra, whole(layers) / layers_max + whole(excess(layers, 200)));
    offer(XTask::kMinor, whole(level0) / options_.level0_file_num_compaction_trigger +
                             whole(excess(level0, 1000)));
  }
  offer(XTask::kMajor, major_priority(tree));
  if (has_many_deletes(tree)) {
    offer(XTask::kMinor, whole(200));
  } else if (deletes_leave && extents_of(tree, 1) > 0) {
    offer(XTask::kDeleteMajor, whole(2000));
  }
  if (!is_due) return best;
  if (extents_of(tree, 1) > 64) offer(XTask::kPack1, pack_priority(tree, 1));
  if (extents_of(tree, 2) > 128) offer(XTask::kPack2, pack_priority(tree, 2));
  if (const std::uint64_t count = extents_with_deletes(tree).size(); count > 0) {
    offer(XTask::kPurge2, whole(count) / 100 + whole(1));
  }
  return best;
}

}  // namespace lsmlab
