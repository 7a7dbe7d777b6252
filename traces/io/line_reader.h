// Reads text files line by line, in bounded memory. Files are plain or compressed with gzip or zstd
// (unpacking.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "traces/io/byte_file.h"

namespace lsmlab {

class LineReader {
 public:
  /// A longer line is an error, before the rest of it is read.
  static constexpr std::size_t kLineBytesMax = std::size_t{16} << 20;

  /// Skips a byte order mark of UTF-8. Errors: those of open_unpacked(); text in UTF-16 or UTF-32
  /// (input).
  [[nodiscard]] static Result<std::unique_ptr<LineReader>> open(const std::string& path,
                                                                StopFlag stop = nullptr);

  /// The next line without its end (LF or CR LF), valid until the next call; nothing after the last
  /// line. Errors: a line that is too long (input, with path and number); those of reading.
  [[nodiscard]] Result<std::optional<std::string_view>> next();
  /// The number of the line that next() returned, from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// The current line as a text for messages, such as "PATH: line 7: ".
  [[nodiscard]] std::string place() const;

 private:
  explicit LineReader(std::unique_ptr<ByteReader> file) : file_(std::move(file)) {}
  [[nodiscard]] Result<void> pass_byte_order_mark();
  std::optional<std::string_view> whole_line();

  std::unique_ptr<ByteReader> file_;
  std::string line_;
  std::uint64_t number_ = 0;
};

}  // namespace lsmlab
