// Files that lsmlab writes: standard output for "-", regular files such that they get their name
// when they are whole and durable (pending_file.h).
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
  /// Opens before the work starts, so that an unwritable path is known before a long run.
  /// Errors: a directory, a folder that is missing or may not be written (input); anything else of
  /// the system (machine).
  [[nodiscard]] static Result<OutputFile> open(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  // an output that was not committed leaves nothing behind

  /// Errors are kept until commit().
  void write(std::string_view text);
  /// Of what was written so far. Errors: disk full, closed pipe, ... (machine).
  [[nodiscard]] Result<void> state() const;
  /// Flushes, gives the file its name, and makes both durable. Errors: as state().
  [[nodiscard]] Result<void> commit();
  [[nodiscard]] bool is_standard_output() const { return path_ == "-"; }

 private:
  OutputFile(std::string path, int descriptor);
  OutputFile(std::string path, PendingFile pending);
  [[nodiscard]] static Result<OutputFile> open_direct(const std::string& path);

  std::string path_;
  std::optional<PendingFile> pending_;  // none where the path is written directly
  int descriptor_ = -1;
  std::unique_ptr<ByteWriter> writer_;
  Result<void> state_ = success();  // the first failed write's
};

/// True where both name one file, be it by links, or are both standard output.
[[nodiscard]] bool is_same_output(const std::string& a, const std::string& b);

/// Every verb asks before it opens what it writes. Errors: `out` (of an option, which the message
/// names) is one of the files that the verb reads, be it by links (input). Empty paths and standard
/// output are no file.
[[nodiscard]] Result<void> check_not_overwritten(const std::string& option, const std::string& out,
                                                 const std::vector<std::string>& inputs);

/// Opens, writes and commits.
[[nodiscard]] Result<void> write_output(const std::string& path, std::string_view text);

}  // namespace lsmlab
