// Files that a verb writes: standard output for "-", regular files by a temporary neighbour and a
// rename, so that a reader never sees half a result. A run that is killed leaves the old file as it
// was, and its own FILE.tmp.*.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "models/error.h"

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
  /// Flushes and gives the file its name. Errors: disk full, closed pipe, ... (machine).
  [[nodiscard]] Result<void> commit();
  [[nodiscard]] bool is_standard_output() const { return path_ == "-"; }

 private:
  OutputFile(std::string path, std::string temporary_path, int descriptor)
      : path_(std::move(path)),
        temporary_path_(std::move(temporary_path)),
        descriptor_(descriptor) {}
  [[nodiscard]] static Result<OutputFile> open_direct(const std::string& path);
  void drain();

  std::string path_;
  std::string temporary_path_;  // empty where the path is written directly
  int descriptor_ = -1;
  std::string buffer_;
  int error_number_ = 0;  // of the first failed write
};

/// True where both name one file, or are both standard output.
[[nodiscard]] bool is_same_output(const std::string& a, const std::string& b);

/// Opens, writes and commits.
[[nodiscard]] Result<void> write_output(const std::string& path, std::string_view text);

}  // namespace lsmlab
