// Options that the scores in a table of statistics tell: a level's bytes that no compaction has,
// over its score, are its target (RocksDB, VersionStorageInfo::ComputeCompactionScore). Scores
// above 1 of dynamic levels tell no target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "traces/stores/store_figures.h"

namespace lsmlab::stores {

/// Whether the table has no row of level 1, because RocksDB chose a deeper level as the base of
/// dynamic levels.
[[nodiscard]] bool has_deeper_base_level(const FamilyFigures& figures);

struct ScoredRatio {
  std::uint64_t ratio = 0;  // of the targets of neighbouring levels
  std::size_t first = 0;    // the levels that tell it
  std::size_t last = 0;
};

/// The base of dynamic levels tells no ratio. Nothing: fewer than two levels have a score that
/// tells their target, RocksDB's default of 10 agrees with them as far as their busy files leave it
/// open, or the ratio is none from 2 to 1024.
[[nodiscard]] std::optional<ScoredRatio> ratio_of_scores(const FamilyFigures& figures);

struct ScoredBase {
  std::uint64_t bytes = 0;  // the target of level 1, or of the base of dynamic levels
  std::size_t level = 0;    // that tells it
};

/// Scores have one decimal, and leave out busy files, whose bytes no table tells. So a range of
/// targets agrees with them: the power of two in it that is nearest to its middle, or the middle.
/// Nothing: no level has a score that tells its target, or RocksDB's default of 256 MiB is
/// in the range.
[[nodiscard]] std::optional<ScoredBase> base_of_scores(const FamilyFigures& figures,
                                                       std::uint64_t size_ratio);

}  // namespace lsmlab::stores
