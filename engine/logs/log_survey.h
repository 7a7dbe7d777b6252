// Finds what a store's logs contain beyond its SSTables, and whether all of it can be recovered.
// This is the only place that distinguishes damage from what a crash leaves; opening and checking a
// store both use it.
//
// Logs are read in order, up to the first incomplete record or the first gap in sequence numbers. A
// loss is
//
//   a fault   if the lost data was durable: a mark says that the record was synced (wal.h); a log
//             that the manifest or another log names is missing or lacks its begin mark; synced
//             logs have a gap or repeat writes
//   a tear    if it may never have been durable: the torn end that a power cut leaves, and any loss
//             in logs that were not synced
//
// If the newest log is cut behind its begin mark, nothing proves it: the loss counts as a tear.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/files/file_system.h"

namespace lsmlab::engine {

/// Which losses in its logs a store accepts when it opens. The names are RocksDB's.
enum class RecoveryMode : std::uint8_t {
  kAbsolute,          // none: neither faults nor tears
  kTolerateTornTail,  // tears only: synced writes are never dropped
  kPointInTime,       // both: recovers the state before the first loss; keeps damaged logs
};
inline constexpr std::string_view kRecoveryModes[] = {"absolute", "tolerate-torn-tail",
                                                      "point-in-time"};

/// What the manifest records about the logs.
struct ExpectedLogs {
  std::uint64_t first = 0;          // logs from this number on hold writes that are not in SSTables
  std::uint64_t last_sequence = 0;  // the last write that is in SSTables
  bool are_synced = false;
  bool have_marks = false;  // false: a store made before logs had marks
};

struct SurveyedLog {
  std::uint64_t number = 0;
  std::uint64_t usable_bytes = 0;  // records that begin before this byte are recovered
  // The log is damaged or has whole batches that are not recovered; it is kept under another name
  // (set_aside_name()).
  bool is_kept = false;
};

struct LogSurvey {
  std::vector<SurveyedLog> logs;      // by rising number
  std::uint64_t next_number = 0;      // for a new log: no file has it, and no record names it
  std::uint64_t batches = 0;          // batches that recovery restores
  std::uint64_t dropped_batches = 0;  // whole batches that it does not
  std::uint64_t dropped_bytes = 0;    // bytes of these and of incomplete records
  std::vector<std::string> faults;    // each names file and offset
  std::vector<std::string> tears;
};

/// Surveys the logs of a directory; `names` lists all its files. Changes nothing. Errors: a log
/// cannot be read.
[[nodiscard]] Result<LogSurvey> survey_logs(FileSystem& files, const std::string& directory,
                                            const std::vector<std::string>& names,
                                            const ExpectedLogs& expected);

/// Error if the store does not open in this mode. It names the file and the mode that would open
/// it.
[[nodiscard]] Result<void> check_mode(const LogSurvey& survey, RecoveryMode mode);

}  // namespace lsmlab::engine
