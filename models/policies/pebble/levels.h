// Pebble's targets and scores of levels (compaction_picker.go, 2.1.7 and, with `version`, 1.1.5).
//
// Targets (initLevelMaxBytes): the last level is to hold all but 1/size_ratio of the data. Divided
// by size_ratio once for each level above, up to the first level that has files, that is the size
// of this level; while it exceeds level_base, the level above is taken, and the first level that is
// then taken is the base level. Levels above it are empty. The base level's target is level_base,
// and the targets below grow by equal factors to that of the last level.
//
// Fill factors: of level 0 twice its depth over l0_compaction_threshold, or its files over
// l0_compaction_file_threshold, whichever is greater; of another level its bytes over its target,
// also with its bytes compensated for tombstones. A level is merged if its compensated factor is at
// least 1, and stays so when it is divided by the plain factor of the level that it merges into (at
// least 0.01). The level whose plain factor, so divided, is the greatest comes first.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/policies/pebble/sublevels.h"
#include "models/tree/tree.h"

namespace lsmlab {

inline constexpr std::uint32_t kPebbleLevels = 7;

enum class PebbleVersion {
  // Before commit 730159ff3 of June 2020: the deepest level's bytes stand for what the last level
  // is to hold, and factors are not divided.
  k2020_05,
  // Before commit 87ed4d3bc of February 2023 and 1.0: outputs end at no begin of a grandparent.
  k2023_01,
  k1_1,  // a factor below 1 is not divided, but ranks as it is
  k2_1,
};

struct PebbleShape {
  std::uint64_t level_base = 0;
  std::uint64_t size_ratio = 10;
  std::uint64_t l0_threshold = 4;
  std::uint64_t l0_file_threshold = 500;
  Bytes file_size;  // of level 0
  std::uint64_t file_size_multiplier = 2;
  PebbleVersion version = PebbleVersion::k2_1;
};

/// How many bytes the tombstones of some entries are expected to free (pointDeletionsBytesEstimate)
struct PebbleTombstones {
  std::uint64_t bytes = 0;  // of files
  std::uint64_t entries = 0;
  std::uint64_t tombstones = 0;
  std::uint64_t key_bytes = 0;
  std::uint64_t value_bytes = 0;

  [[nodiscard]] static PebbleTombstones of(const File& file);
  [[nodiscard]] static PebbleTombstones of(const RunSums& sums);
  /// Whether their own values tell the size of what they delete: at most a tenth are tombstones.
  [[nodiscard]] bool are_few() const { return tombstones <= entries / 10; }
  [[nodiscard]] std::uint64_t freed_bytes(double mean_value_bytes) const;
  [[nodiscard]] std::uint64_t freed_bytes() const;
};

class PebbleLevels {
 public:
  PebbleLevels(const TreeView& tree, const PebbleShape& shape);

  struct Candidate {
    std::uint32_t level = 0;
    std::uint32_t output_level = 0;
    double score = 0;
  };

  [[nodiscard]] const TreeView& tree() const { return tree_; }
  [[nodiscard]] std::uint32_t base_level() const { return base_level_; }
  /// The largest number where a level has no target.
  [[nodiscard]] std::uint64_t target(std::uint32_t level) const { return targets_[level]; }
  [[nodiscard]] const SortedRun* run(std::uint32_t level) const { return runs_[level]; }
  /// The files of a level below 0 that overlap the keys.
  [[nodiscard]] FileSpan overlapping(std::uint32_t level, const KeyRange& keys) const;
  /// The size limit of files that are written into a level.
  [[nodiscard]] std::uint64_t file_bytes(std::uint32_t level) const;
  /// Levels that are to be merged, the first one first.
  [[nodiscard]] std::vector<Candidate> candidates(const PebbleSublevels& level0) const;
  /// Of values of entries in this level and below.
  [[nodiscard]] double mean_value_bytes(std::uint32_t level) const;

 private:
  struct Fill {
    double plain = 0;
    double compensated = 0;
  };
  using Fills = std::array<Fill, kPebbleLevels>;
  void set_targets();
  [[nodiscard]] Fills fills(const PebbleSublevels& level0) const;
  [[nodiscard]] std::uint64_t leaving_bytes(std::uint32_t level) const;
  [[nodiscard]] std::uint64_t bytes(std::uint32_t level) const;

  const TreeView& tree_;
  PebbleShape shape_;
  std::array<const SortedRun*, kPebbleLevels> runs_{};
  std::array<std::uint64_t, kPebbleLevels> targets_{};
  std::uint32_t base_level_ = kPebbleLevels - 1;
};

}  // namespace lsmlab
