// Reads plan logs from files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/execution/plan_log.h"
#include "traces/io/byte_file.h"

namespace lsmlab {

class PlanLogReader {
 public:
  /// Errors: the file cannot be opened.
  [[nodiscard]] static Result<PlanLogReader> open(const std::string& path);

  /// The next line; nothing at the end. Errors: a line of more than 256 MiB; the file cannot be
  /// read.
  [[nodiscard]] Result<std::optional<std::string>> next_line();
  /// The record of the line that next_line() returned last. Errors: the line is not a record; the
  /// error has file and line number.
  [[nodiscard]] Result<PlanRecord> parse(const std::string& line) const;
  /// The record of the next line; nothing at the end. Errors: those of next_line() and parse().
  [[nodiscard]] Result<std::optional<PlanRecord>> next();

 private:
  PlanLogReader(std::string path, std::unique_ptr<ByteReader> file);
  std::string path_;
  std::unique_ptr<ByteReader> file_;
  std::uint64_t line_ = 0;
};

/// All records of a log. Errors: those of PlanLogReader.
[[nodiscard]] Result<std::vector<PlanRecord>> read_plan_log(const std::string& path);

}  // namespace lsmlab
