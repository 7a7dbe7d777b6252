// Which files Pebble merges next (compaction_picker.go, 2.1.7). One object makes one pick:
//
//  1. Levels are tried by score (models/policies/pebble/levels.h). From level 0, the files of its
//     deepest interval go to the base level (models/policies/pebble/sublevels.h). From another
//     level, the file goes down whose overlap with the next level, divided by its own bytes,
//     compensated for tombstones, is the least (pickCompactionSeedFile).
//  2. All files of the output level that overlap these join. Then more files of the start level
//     join if that adds no file of the output level and all stay below 25 files of the output level
//     (setupInputs, grow, growL0ForBase).
//  3. With multilevel, the files of one more level below join if that lowers the bytes written for
//     each byte from above, plus multilevel_propensity (WriteAmpHeuristic).
//  4. If level 0 is blocked, its newest files merge among themselves.
//  5. If no level is due, a file of the last level is rewritten of whose entries more than a tenth
//     are tombstones, the one written first (pickElisionOnlyCompaction).
//
// A single file that overlaps nothing in the output level moves there, unless it overlaps more than
// 10 files' bytes in the level below that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/policies/pebble/levels.h"
#include "models/policies/pebble/sublevels.h"
#include "models/tree/file_order.h"
#include "models/tree/plan.h"

namespace lsmlab {

/// Which merges may take a third level.
enum class PebbleMultilevel { kOfVersion, kNone, kBelowLevel0, kAll };

struct PebblePicking {
  PebbleMultilevel multilevel = PebbleMultilevel::kBelowLevel0;
  double propensity = 0;
  PebbleVersion version = PebbleVersion::k2_1;
};

struct PebbleJob {
  struct LevelFiles {
    std::uint32_t level = 0;
    FileSpan files;
  };
  PlanReason reason = PlanReason::kLevelSaturated;
  std::optional<PebbleLevel0Pick> level0;  // of a merge from level 0
  std::vector<LevelFiles> levels;          // below level 0, the deepest one last
  std::uint32_t start_level = 0;
  std::uint32_t output_level = 0;
  // Whose file size the outputs have: a third level that joins does not change it.
  std::uint32_t size_level = 0;
  KeyRange keys;
  bool is_move = false;
};

/// The orderings that the picker asks for.
[[nodiscard]] std::vector<FileOrdering> pebble_orderings();

class PebblePicker {
 public:
  /// The levels' tree keeps pebble_orderings().
  PebblePicker(const PebbleLevels& levels, const PebbleSublevels& level0,
               const PebblePicking& options)
      : levels_(levels), level0_(level0), options_(options) {}

  [[nodiscard]] std::optional<PebbleJob> pick() const;

 private:
  [[nodiscard]] std::optional<PebbleJob> pick_from_level0() const;
  [[nodiscard]] std::optional<PebbleJob> pick_within_level0() const;
  [[nodiscard]] std::optional<PebbleJob> pick_from(std::uint32_t level) const;
  [[nodiscard]] std::optional<PebbleJob> pick_for_tombstones() const;
  [[nodiscard]] std::optional<std::size_t> seed_file(std::uint32_t level) const;
  [[nodiscard]] bool is_free(std::uint32_t level, const File& file) const;
  /// Whether a running merge may be about to make the first run of an empty level.
  [[nodiscard]] bool is_being_opened(std::uint32_t level) const;
  /// Adds the output level's files, and grows the level above. False if a running merge is in the
  /// way.
  [[nodiscard]] bool set_up(std::uint32_t output_level, PebbleJob& job) const;
  void grow(PebbleJob& job) const;
  void grow_level0(PebbleJob& job) const;
  [[nodiscard]] PebbleJob with_third_level(PebbleJob job) const;
  [[nodiscard]] bool can_move(const PebbleJob& job) const;
  [[nodiscard]] std::uint64_t expanded_bytes_max(std::uint32_t level) const;

  const PebbleLevels& levels_;
  const PebbleSublevels& level0_;
  PebblePicking options_;
};

}  // namespace lsmlab
