// What a store's logs hold that its SSTables do not, and whether all of it can be had. The one
// place that tells damage from what a crash leaves: opening a store and checking one follow it.
//
// Logs are read in order, up to the first record that is not whole or the first gap in sequence
// numbers. What cannot be recovered is
//
//   a fault   where it was durable: a mark says that the record was synced (wal.h); a log that the
//             manifest or another log names is missing or does not even begin; synced logs have a
//             gap, or repeat writes
//   a tear    where it may never have been durable: the torn end that a power cut leaves, and any
//             loss in logs that were not synced
//
// Nothing tells when the newest log is cut behind its begin mark: it reads as torn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/files/file_system.h"

namespace lsmlab::engine {

/// Which losses in its logs a store opens with; RocksDB's words.
enum class RecoveryMode : std::uint8_t {
  kAbsolute,          // none: neither faults nor tears
  kTolerateTornTail,  // tears. What was synced is never dropped
  kPointInTime,       // both: the state before the first loss; damaged logs are set aside
};
inline constexpr std::string_view kRecoveryModes[] = {"absolute", "tolerate-torn-tail",
                                                      "point-in-time"};

/// What a manifest says of the logs.
struct ExpectedLogs {
  std::uint64_t first = 0;          // logs from this number on hold what is not in SSTables
  std::uint64_t last_sequence = 0;  // of what is in SSTables
  bool are_synced = false;
  bool have_marks = false;  // false: of a store from before there were marks
};

struct SurveyedLog {
  std::uint64_t number = 0;
  std::uint64_t usable_bytes = 0;  // records that begin before this byte are recovered
  // It is damaged, or has whole batches that are not recovered: it is kept under another name
  // (set_aside_name()).
  bool is_kept = false;
};

struct LogSurvey {
  std::vector<SurveyedLog> logs;  // rising
  std::uint64_t next_number = 0;  // of a log that is begun now: no file has or is said to have it
  std::uint64_t batches = 0;      // that recovery brings back
  std::uint64_t dropped_batches = 0;  // whole ones that it does not
  std::uint64_t dropped_bytes = 0;    // of these and of what is not whole
  std::vector<std::string> faults;    // each names file and offset
  std::vector<std::string> tears;
};

/// `names`: of all files in the directory. Changes nothing. Errors: a log cannot be read.
[[nodiscard]] Result<LogSurvey> survey_logs(FileSystem& files, const std::string& directory,
                                            const std::vector<std::string>& names,
                                            const ExpectedLogs& expected);

/// Errors: the store does not open in this mode; names the file and tells which mode would do.
[[nodiscard]] Result<void> check_mode(const LogSurvey& survey, RecoveryMode mode);

}  // namespace lsmlab::engine
