// Files that lsmlab writes: standard output for "-", regular files by a temporary neighbour that is
// made durable and then renamed. So a reader never sees half a file, and after a power cut the name
// stands for the old file or for all of the new one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/error.h"
#include "traces/temporary_paths.h"

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
  OutputFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  [[nodiscard]] static Result<OutputFile> open_direct(const std::string& path);
  void drain();

  std::string path_;
  std::string temporary_path_;  // empty where the path is written directly
  std::optional<TemporaryPath> temporary_;
  int descriptor_ = -1;
  std::string buffer_;
  int error_number_ = 0;  // of the first failed write
};

/// Gives a file that is whole and closed its name, which it keeps through a power cut. Returns 0 or
/// the system's error. REQUIRES: the file's bytes are durable; both paths are in one directory.
[[nodiscard]] int rename_durably(const std::string& from, const std::string& to);

/// True where both name one file, or are both standard output.
[[nodiscard]] bool is_same_output(const std::string& a, const std::string& b);

/// Opens, writes and commits.
[[nodiscard]] Result<void> write_output(const std::string& path, std::string_view text);

}  // namespace lsmlab
