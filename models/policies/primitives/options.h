// The four primitives of the compaction design space (design-space paper, Section 3.1) as options:
// when to merge (trigger), how data is organised (data layout), how much moves at a time
// (granularity), and which data (data movement). Triggers and movements are priority lists, as in
// Table 2 of the paper. A combination that leaves an option without effect is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/policies/delete_persistence.h"
#include "models/policies/level_options.h"
#include "models/sizes/store_options.h"

namespace lsmlab {

enum class Trigger {
  kLevelSaturation,
  kSortedRuns,
  kStaleness,
  kSpaceAmplification,
  kTombstoneTtl,
  kTombstoneDensity,
};

enum class DataLayout { kLeveling, kTiering, kOneLeveling, kLLeveling, kHybrid };

enum class Granularity {
  kLevel,       // all data of two consecutive levels
  kSortedRuns,  // all sorted runs of a level, and what they overlap if the level below is leveled
  kFile,
  kFiles,  // several adjacent files
};

enum class Movement {
  kRoundRobin,
  kLeastOverlapParent,
  kLeastOverlapGrandparent,
  kColdest,
  kOldest,
  kMostTombstones,
  kExpiredTtl,
  kNone,
};

/// The options after reading: what the policy works with.
struct Primitives {
  std::vector<Trigger> triggers;  // in order of priority
  DataLayout layout = DataLayout::kLeveling;
  std::vector<std::uint64_t> run_limits;  // of levels 1, 2, ... of a hybrid; the last one repeats
  std::uint64_t tier_runs = 0;            // number of runs at which a tiered level merges
  Granularity granularity = Granularity::kFile;
  std::uint64_t files_per_merge = 1;
  std::vector<Movement> movements;  // in order of priority; empty: none
  LevelOptions levels;
  std::uint64_t staleness = 0;  // operations in stepped mode, nanoseconds in timed mode
  std::uint64_t space_amplification_percent = 0;
  std::optional<DeletePersistence> delete_persistence;
  Decimal tombstone_density{0, 1};
  std::optional<Bytes> grandparent_bytes_max;  // used if single files move

  [[nodiscard]] bool has(Trigger trigger) const;
  [[nodiscard]] bool has(Movement movement) const;
  /// True if single files of leveled levels are merged.
  [[nodiscard]] bool is_partial() const {
    return granularity == Granularity::kFile || granularity == Granularity::kFiles;
  }
  /// The options that look at single files, as "granularity=file". The others decide by sizes and
  /// ages of sorted runs: where all runs overlap, key ranges make no difference to them.
  [[nodiscard]] std::vector<std::string> options_by_files() const;
  /// True if the share of tombstones among the file's entries reaches tombstone_density.
  [[nodiscard]] bool is_dense(const File& file) const;
};

/// Thresholds of triggers other than level size. Each belongs to one trigger, and is an error
/// without that trigger.
struct TriggerThresholds {
  std::optional<std::uint64_t> staleness;
  std::optional<std::uint64_t> space_amplification_percent;
  std::optional<std::uint64_t> delete_persistence;
  std::optional<Decimal> tombstone_density;
  void declare(OptionTable& table);
};

/// The sizes of levels and files.
struct PrimitiveSizes {
  std::uint64_t size_ratio = 10;
  Bytes file_size{8 << 20};
  std::optional<Bytes> level_base;
  std::optional<std::uint64_t> l0_trigger;
  std::optional<std::uint64_t> tier_runs;
  std::optional<std::uint64_t> grandparent_limit;
  void declare(OptionTable& table);
};

struct PrimitivesOptions {
  DataLayout layout = DataLayout::kLeveling;
  std::string trigger;
  std::string granularity;
  std::string movement;
  std::string runs;
  std::optional<std::uint64_t> files;
  PrimitiveSizes sizes;
  TriggerThresholds thresholds;

  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const;
  /// The faults within the lists of values, whatever the other options are.
  [[nodiscard]] std::vector<std::string> list_faults() const;
  /// Sets defaults for options that were not given. REQUIRES: validate() found no fault.
  void resolve(const StoreOptions& store);
  /// REQUIRES: resolved.
  [[nodiscard]] Primitives primitives() const;
};

}  // namespace lsmlab
