// Where a verb's --out and --log go: to standard output for "-", to a device or pipe directly, or
// to a regular file that gets its name only when it is complete and durable (ReplacingWriter).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/error.h"
#include "traces/io/byte_file.h"

namespace lsmlab {

class OutputFile {
 public:
  /// Opens the file before the work starts, so that an unwritable path is reported before a long
  /// run. Errors: a directory; a folder that does not exist or may not be written (input); any
  /// other error of the system (machine).
  [[nodiscard]] static Result<OutputFile> open(const std::string& path);
  OutputFile(OutputFile&&) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile() = default;  // a regular file that was not committed leaves nothing behind

  /// Writes text. An error is kept and returned by state() and commit().
  void write(std::string_view text);
  /// The state of the writes so far. Errors: disk full, closed pipe, ... (machine).
  [[nodiscard]] Result<void> state() const;
  /// Flushes the file, gives it its name, and makes both durable. Errors: those of state().
  [[nodiscard]] Result<void> commit();
  [[nodiscard]] bool is_standard_output() const { return path_ == "-"; }

 private:
  OutputFile(std::string path, std::unique_ptr<ByteSink> sink)
      : path_(std::move(path)), sink_(std::move(sink)) {}

  std::string path_;
  std::unique_ptr<ByteSink> sink_;
  Result<void> state_ = success();  // the error of the first failed write
};

/// True if both paths name one file, possibly through links, or are both standard output.
[[nodiscard]] bool is_same_output(const std::string& a, const std::string& b);

/// Every verb calls this before it opens its output. Errors: `out`, the value of the given option,
/// is one of the files that the verb reads, possibly through links (input). Empty paths and
/// standard output are not files.
[[nodiscard]] Result<void> check_not_overwritten(const std::string& option, const std::string& out,
                                                 const std::vector<std::string>& inputs);

/// Opens the file, writes the text and commits.
[[nodiscard]] Result<void> write_output(const std::string& path, std::string_view text);

}  // namespace lsmlab
