// Files as streams of bytes, with every failure a value that names the path. One thread each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/error.h"
#include "traces/temporary_paths.h"

namespace lsmlab {

/// Reads a file, or a pipe, from front to end through a buffer.
class ByteReader {
 public:
  /// Errors: as open_input(), named pipes taken.
  static Result<std::unique_ptr<ByteReader>> open(const std::string& path,
                                                  std::size_t buffer_bytes = std::size_t{1} << 18);
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;
  ~ByteReader();

  /// Fills the span from its front and returns how many bytes came: fewer only at the file's end.
  [[nodiscard]] Result<std::size_t> read(std::span<std::uint8_t> bytes);
  /// The bytes that are buffered, after reading more if there were none: empty only at the end.
  [[nodiscard]] Result<std::span<const std::uint8_t>> peek();
  /// Takes bytes that peek() showed.
  void consume(std::size_t bytes);
  /// How many bytes were taken so far.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  ByteReader(std::string path, int descriptor, std::size_t buffer_bytes);
  Result<std::size_t> read_some(std::span<std::uint8_t> bytes);

  std::string path_;
  int descriptor_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
};

/// Writes a new file through a buffer. The file is unlinked again unless it was closed without an
/// error; a signal unlinks it while the writer is there.
class ByteWriter {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
  /// `name` is for messages; empty: the path. Errors: the file exists, its directory is missing or
  /// may not be written (input).
  static Result<std::unique_ptr<ByteWriter>> create(const std::string& path,
                                                    std::size_t buffer_bytes = kBufferBytes,
                                                    const std::string& name = "");
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;
  ~ByteWriter();

  /// After an error, every later call fails with it.
  [[nodiscard]] Result<void> write(std::span<const std::uint8_t> bytes);
  /// Everything reaches the file and, where asked, the device. No write() may follow.
  [[nodiscard]] Result<void> close(bool durable);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  ByteWriter(std::string path, std::string name, int descriptor, std::size_t buffer_bytes);
  Result<void> flush();
  Error fail();

  std::string path_;
  std::string name_;
  int descriptor_;
  TemporaryPath unfinished_;
  std::vector<std::uint8_t> buffer_;
  std::size_t buffered_ = 0;
  int fault_ = 0;  // errno of the first failure
};

/// Writes a file that appears under its name only when it is whole: to a neighbour, then renamed.
/// An unfinished one leaves nothing behind.
class ReplacingWriter {
 public:
  /// Errors: the path names something else than a regular file, or the neighbour cannot be made.
  static Result<std::unique_ptr<ReplacingWriter>> create(const std::string& path);

  [[nodiscard]] Result<void> write(std::span<const std::uint8_t> bytes) {
    return writer_->write(bytes);
  }
  [[nodiscard]] Result<void> write(const std::string& text) {
    return write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  /// The file stands under its name, on the device. Nothing may follow.
  [[nodiscard]] Result<void> finish();

 private:
  ReplacingWriter(std::string path, std::unique_ptr<ByteWriter> writer);

  std::string path_;
  std::unique_ptr<ByteWriter> writer_;
};

/// A directory of its own that goes, with all that it holds, when the object goes.
class TemporaryDirectory {
 public:
  /// Inside `parent`; empty: inside the system's directory for temporary files.
  static Result<std::unique_ptr<TemporaryDirectory>> create(const std::string& parent);
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path)
      : path_(std::move(path)), registered_(path_, TemporaryPath::Kind::kDirectory) {}
  std::string path_;
  TemporaryPath registered_;
};

}  // namespace lsmlab
