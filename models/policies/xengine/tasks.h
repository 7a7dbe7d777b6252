// X-Engine's options, and which task its picker wants (compaction_tasks_picker.cc). The defaults
// are those of its MySQL plugin (ha_xengine.cc). Without the plugin level 0 has triggers of 4
// extents and 16 layers, that of level 1 is fixed, and an extent has many deletes from 50 % on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/units.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct XEngineOptions {
  Bytes file_size{std::uint64_t{2} << 20};
  std::uint64_t level0_file_num_compaction_trigger = 64;
  std::uint64_t level0_layer_num_compaction_trigger = 8;
  std::uint64_t level1_extents_major_compaction_trigger = 1000;
  bool level_compaction_dynamic_level_bytes = true;
  std::uint64_t compaction_delete_percent = 70;
  std::uint64_t level2_usage_percent = 70;
  std::uint64_t compaction_task_extents_limit = 1000;
  Bytes flush_level1_size{std::uint64_t{128} << 20};
  std::uint64_t flush_delete_record_trigger = 700'000;
  std::uint64_t auto_task_interval = 900'000;

  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

enum class XTask {
  kIntra,        // the oldest layers become one
  kMinor,        // the oldest layers merge into level 1
  kMajor,        // level 1 merges into level 2
  kDeleteMajor,  // extents of level 1 with many deletes do
  kPack1,        // extents of a level that use little of their size are rewritten
  kPack2,
  kPurge2,  // extents of level 2 with deletes are rewritten
};

[[nodiscard]] std::uint64_t extents_of(const TreeView& tree, std::uint32_t level);
/// The layers of level 0, the newest first.
[[nodiscard]] const std::vector<SortedRun>& layers_of(const TreeView& tree);

class XEngineTasks {
 public:
  explicit XEngineTasks(const XEngineOptions& options) : options_(options) {}

  /// The task with the highest priority above 1; ties: the one that is listed first. Nothing if
  /// there is none. `deletes_leave`: extents of level 1 with many deletes are to leave it.
  /// `is_due`: tasks within levels 1 and 2 are looked at, too.
  [[nodiscard]] std::optional<XTask> next(const TreeView& tree, bool deletes_leave,
                                          bool is_due) const;
  /// Whether no priority is as much as 2. REQUIRES: level 0 is empty.
  [[nodiscard]] bool is_normal(const TreeView& tree) const;
  /// Whether a memtable with these counts makes merges go down (MemTable::update_delete_trigger).
  [[nodiscard]] bool are_many_deletes(std::uint64_t deletes, std::uint64_t entries) const;
  [[nodiscard]] bool has_many_deletes(const TreeView& tree) const;
  /// l1_pick_pos_ of a major task (fill_task_info).
  [[nodiscard]] std::uint64_t pick_position(const TreeView& tree) const;
  /// Used share of the extents' size, in whole percent. REQUIRES: extents > 0.
  [[nodiscard]] std::uint64_t usage_percent(std::uint64_t bytes, std::uint64_t extents) const;

 private:
  using Priority = Uint128;  // in 2^-64ths
  [[nodiscard]] std::uint64_t level1_trigger(const TreeView& tree) const;
  [[nodiscard]] std::uint64_t level0_trigger(const TreeView& tree) const;
  [[nodiscard]] Priority major_priority(const TreeView& tree) const;
  [[nodiscard]] Priority pack_priority(const TreeView& tree, std::uint32_t level) const;

  XEngineOptions options_;
};

}  // namespace lsmlab
