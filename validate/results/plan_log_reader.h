// Plan logs as files.
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

  /// Nothing at the end. Errors: a line of more than 256 MiB; of the system.
  [[nodiscard]] Result<std::optional<std::string>> next_line();
  /// The record of the line that came last. Errors: it is none, with file and line.
  [[nodiscard]] Result<PlanRecord> parse(const std::string& line) const;
  /// Both at once.
  [[nodiscard]] Result<std::optional<PlanRecord>> next();

 private:
  PlanLogReader(std::string path, std::unique_ptr<ByteReader> file);
  std::string path_;
  std::unique_ptr<ByteReader> file_;
  std::uint64_t line_ = 0;
};

/// A whole log. Errors: as above.
[[nodiscard]] Result<std::vector<PlanRecord>> read_plan_log(const std::string& path);

}  // namespace lsmlab
