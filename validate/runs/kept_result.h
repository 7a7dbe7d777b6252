// A kept run: its result and its plan log, each with a checksum, so that a file that was cut,
// emptied or altered is never mistaken for what the run wrote.
//
// The result's last members are "plan_log" ("plans", "bytes", "xxh3_128" of the log's bytes) and
// "xxh3_128" of the text before that line.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "models/base/error.h"
#include "models/execution/plan_log.h"
#include "traces/io/output_file.h"
#include "validate/results/digest.h"

namespace lsmlab {

struct LogSeal {
  std::uint64_t plans = 0;  // lines
  std::uint64_t bytes = 0;
  std::string digest;
};

/// A plan log that is written during the run. It gets its name once it is complete.
class SealedLog {
 public:
  /// Opens the log. Errors: as OutputFile::open().
  [[nodiscard]] static Result<SealedLog> open(const std::string& path);
  [[nodiscard]] PlanLogSink sink();
  /// Completes the log and gives it its name. Errors: as OutputFile::commit().
  [[nodiscard]] Result<LogSeal> commit();

 private:
  explicit SealedLog(OutputFile file) : file_(std::move(file)) {}
  OutputFile file_;
  Digest digest_;
  std::uint64_t plans_ = 0;
  std::uint64_t bytes_ = 0;
};

/// The text of a result (results_text() of one result) with its seals added.
[[nodiscard]] std::string sealed_result(std::string text, const LogSeal& log);

/// The result in a sealed file. Errors: unreadable; not made by sealed_result(); not a result. Each
/// names the file.
[[nodiscard]] Result<nlohmann::ordered_json> read_sealed_result(const std::string& path);

/// Error if the kept run is damaged: as read_sealed_result(), or a plan log other than the one that
/// the result was sealed with.
[[nodiscard]] Result<void> check_kept_run(const std::string& result_path,
                                          const std::string& log_path);

}  // namespace lsmlab
