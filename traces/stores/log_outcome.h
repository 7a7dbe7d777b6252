// The line "[family] compacted to: ..." that RocksDB writes when a compaction ends, before its
// event. It alone names the family in some versions, and what the compaction read.
// Source: LogFlushAndCompaction of RocksDB 3.5 to 11: db/db_impl.cc, db/compaction_job.cc,
// db/compaction/compaction_job.cc.
#pragma once

#include <optional>
#include <string_view>

#include "traces/stores/info_log.h"

namespace lsmlab::stores {

inline constexpr std::string_view kOutcomeMark = "] compacted to: ";

/// Whether the line says that the compaction failed, or was given up.
[[nodiscard]] bool has_failed(std::string_view outcome);

/// Sizes are known to 0.1 MiB. Levels of inputs are those of leveled compaction; of another style
/// the sum only is known. Nothing if the line is cut.
[[nodiscard]] std::optional<LoggedCompaction> compaction_of_outcome(std::string_view message);

}  // namespace lsmlab::stores
