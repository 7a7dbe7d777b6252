// Files that lsmlab writes: standard output for "-", or regular files that get their name only when
// they are complete and durable (pending_file.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "traces/io/byte_file.h"
#include "traces/io/pending_file.h"

namespace lsmlab {

class OutputFile {
 public:
  /// Opens the file before the work starts, so that an unwritable path is reported before a long
  /// run. Errors: a directory; a folder that does not exist or may not be written (input); any
  /// other error of the system (machine).
  [[nodiscard]] static Result<OutputFile> open(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  // an output that was not committed leaves nothing behind

  /// Writes text. An error is kept and returned by state() and commit().
  void write(std::string_view text);
  /// The state of the writes so far. Errors: disk full, closed pipe, ... (machine).
  [[nodiscard]] Result<void> state() const;
  /// Flushes the file, gives it its name, and makes both durable. Errors: those of state().
  [[nodiscard]] Result<void> commit();
  [[nodiscard]] bool is_standard_output() const { return path_ == "-"; }

 private:
  OutputFile(std::string path, int descriptor);
  OutputFile(std::string path, PendingFile pending);
  [[nodiscard]] static Result<OutputFile> open_direct(const std::string& path);

  std::string path_;
  std::optional<PendingFile> pending_;  // nothing if the path is written directly
  int descriptor_ = -1;
  std::unique_ptr<ByteWriter> writer_;
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
