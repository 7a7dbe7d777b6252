// What a table of statistics tells of a RocksDB store's version and file size, where no file names
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/stores/store_figures.h"

namespace lsmlab::stores {

/// The newest version whose tables have exactly such columns, as of version_number(); 0: newer ones
/// have them, too, or the heading is cut.
/// Source: db/internal_stats.cc of RocksDB 3.5 to 10.0. CompMergeCPU(sec) came in 6.0, Rblob(GB) in
/// 6.19.
[[nodiscard]] unsigned newest_version_of(const std::vector<std::string>& headings);

/// The oldest version whose tables have one of the columns; 0: the columns of all versions.
/// Source: HISTORY.md of 10.3 (WPreComp(GB)).
[[nodiscard]] unsigned oldest_version_of(const std::vector<std::string>& headings);

/// Whether the levels of a store without options are dynamic, as they are by default since 8.4: not
/// if a table's last level is above RocksDB's last, which dynamic levels fill first.
[[nodiscard]] bool has_dynamic_levels(const FamilyFigures& figures, unsigned version);

/// Why a table of statistics is one of universal compaction, as the words of a guess; nothing:
/// leveled compaction could have it. Leveled compaction scores each level but the last by its bytes
/// that no compaction has over a target, universal compaction scores level 0 only.
/// Source: VersionStorageInfo::ComputeCompactionScore() of RocksDB 5 to 11.
[[nodiscard]] std::optional<std::string> universal_by_scores(const FamilyFigures& figures);

/// Whether a table of leveled compaction ends with a level that has a score: it is not the last
/// one.
[[nodiscard]] bool lacks_last_level(const FamilyFigures& figures);

struct GuessedLevels {
  std::size_t levels = 0;
  std::string why;
};
/// Nothing: the table leaves RocksDB's default open.
[[nodiscard]] std::optional<GuessedLevels> levels_of_table(const FamilyFigures& figures,
                                                           bool is_universal);

/// What a memtable of the mean flush holds, without compression.
[[nodiscard]] std::uint64_t mean_memtable_bytes(const FamilyFigures& figures);

struct MeanFile {
  std::size_t level = 0;
  std::uint64_t bytes = 0;
};
/// Of the deepest level with enough files; nothing if there is none, or if it is near what
/// RocksDB's default of 64 MiB makes.
[[nodiscard]] std::optional<MeanFile> file_size_of_levels(const FamilyFigures& figures);

}  // namespace lsmlab::stores
