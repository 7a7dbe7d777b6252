// Text files line by line, in bounded memory: plain, or compressed by gzip or zstd (unpacking.h).
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
  /// Longer lines are refused before more of them is read.
  static constexpr std::size_t kLineBytesMax = std::size_t{16} << 20;

  /// A byte order mark of UTF-8 is passed over. Errors: as those of open_unpacked(); text in UTF-16
  /// or UTF-32 (input).
  [[nodiscard]] static Result<std::unique_ptr<LineReader>> open(const std::string& path,
                                                                StopFlag stop = nullptr);

  /// The next line without its end, LF or CR LF, valid until the next call; none after the last.
  /// Errors: a line that is too long (input), each with path and number; what reading meets.
  [[nodiscard]] Result<std::optional<std::string_view>> next();
  /// Of the line that next() gave, from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// "PATH: line 7: ".
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
