// Streams of bytes from files and to files. Every failure is a value that names the file. One
// thread per object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "traces/io/pending_file.h"
#include "traces/io/stop_flag.h"
#include "traces/io/temporary_paths.h"

namespace lsmlab {

/// A source of bytes, from front to end.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Fills some of the span from its front, and returns how many bytes; 0 only at the end. Errors
  /// name the file. REQUIRES: the span is not empty.
  [[nodiscard]] virtual Result<std::size_t> read_some(std::span<std::uint8_t> bytes) = 0;
};

/// The bytes of a file or a pipe, unchanged. A set flag ends the wait for a pipe's next bytes.
/// Errors: a directory; a file that does not exist or may not be read (input).
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_byte_source(const std::string& path,
                                                                   StopFlag stop = nullptr);

/// Reads a source through a buffer.
class ByteReader {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

  /// Errors: those of open_byte_source().
  static Result<std::unique_ptr<ByteReader>> open(const std::string& path, StopFlag stop = nullptr);
  /// `path` is used in messages.
  ByteReader(std::string path, std::unique_ptr<ByteSource> source,
             std::size_t buffer_bytes = kBufferBytes);

  /// Fills the span from its front, and returns the number of bytes; it is smaller than the span
  /// only at the file's end.
  [[nodiscard]] Result<std::size_t> read(std::span<std::uint8_t> bytes);
  /// Reads until at least `least` bytes are buffered, and returns all buffered bytes; fewer than
  /// `least` only at the end. REQUIRES: `least` fits into the buffer.
  [[nodiscard]] Result<std::span<const std::uint8_t>> peek(std::size_t least = 1);
  /// Removes bytes that peek() returned.
  void consume(std::size_t bytes);
  /// Number of bytes read or consumed so far.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<ByteSource> source_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
};

/// Bytes that all ByteWriters of this process have passed to write calls so far.
[[nodiscard]] std::uint64_t output_bytes_written();

/// Writes to an open file through a buffer. The bytes of one write() reach the file together: a
/// reader that follows a plan log through a pipe sees whole lines.
class ByteWriter {
 public:
  /// `name` is used in messages. REQUIRES: the descriptor stays open.
  ByteWriter(std::string name, int descriptor, std::size_t buffer_bytes = std::size_t{1} << 18);
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;

  /// Errors: the disk is full, a limit of the system, ... (machine). After an error, every later
  /// call fails with the same error.
  [[nodiscard]] Result<void> write(std::span<const std::uint8_t> bytes);
  /// Writes all buffered bytes to the file.
  [[nodiscard]] Result<void> flush();
  /// Number of bytes written so far, including buffered ones.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  [[nodiscard]] Error fail();
  [[nodiscard]] Result<void> write_through(std::span<const std::uint8_t> bytes);

  std::string name_;
  int descriptor_;
  const std::size_t buffer_bytes_;  // this many bytes are collected before they are written
  std::vector<std::uint8_t> buffer_;
  std::uint64_t size_ = 0;
  int fault_ = 0;  // errno of the first failure
};

/// A destination of bytes, from front to end.
class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;

  [[nodiscard]] virtual Result<void> write(std::span<const std::uint8_t> bytes) = 0;
  /// Completes the output, so that readers see all of it. REQUIRES: no write() follows.
  [[nodiscard]] virtual Result<void> finish() = 0;
};

/// Writes a file that appears under its name only when it is complete. An unfinished file leaves
/// nothing behind (pending_file.h).
class ReplacingWriter final : public ByteSink {
 public:
  /// Errors: the path names something other than a regular file, or no file can be created there.
  static Result<std::unique_ptr<ReplacingWriter>> create(const std::string& path);

  [[nodiscard]] Result<void> write(std::span<const std::uint8_t> bytes) override {
    return writer_.write(bytes);
  }
  [[nodiscard]] Result<void> write(const std::string& text) {
    return write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  /// Makes the file durable and gives it its name. REQUIRES: no write() follows.
  [[nodiscard]] Result<void> finish() override;

 private:
  explicit ReplacingWriter(PendingFile file);

  PendingFile file_;
  ByteWriter writer_;
};

/// A temporary directory that is removed, with its contents, when the object is destroyed.
class TemporaryDirectory {
 public:
  /// Creates the directory inside `parent`; empty: inside the system's directory for temporary
  /// files.
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
