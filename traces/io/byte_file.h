// Streams of bytes, from files and to files, with every failure a value that names the file. One
// thread each.
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

/// Where bytes come from, front to end.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Fills some of the span from its front and returns how much: 0 only at the end. Errors name the
  /// file. REQUIRES: a span that is not empty.
  [[nodiscard]] virtual Result<std::size_t> read_some(std::span<std::uint8_t> bytes) = 0;
};

/// A file, or a pipe, as it is. A set flag ends the wait for a pipe's next bytes. Errors: a
/// directory, a file that is missing or may not be read (input).
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_byte_source(const std::string& path,
                                                                   StopFlag stop = nullptr);

/// Reads a source through a buffer.
class ByteReader {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

  /// Errors: as those of open_byte_source().
  static Result<std::unique_ptr<ByteReader>> open(const std::string& path, StopFlag stop = nullptr);
  /// `path` is for messages.
  ByteReader(std::string path, std::unique_ptr<ByteSource> source,
             std::size_t buffer_bytes = kBufferBytes);

  /// Fills the span from its front and returns how many bytes came: fewer only at the file's end.
  [[nodiscard]] Result<std::size_t> read(std::span<std::uint8_t> bytes);
  /// The bytes that are buffered, after reading until there are `least`: fewer only at the end.
  /// REQUIRES: `least` fits the buffer.
  [[nodiscard]] Result<std::span<const std::uint8_t>> peek(std::size_t least = 1);
  /// Takes bytes that peek() showed.
  void consume(std::size_t bytes);
  /// How many bytes were taken so far.
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

/// Writes to an open file through a buffer. What is written at once reaches the file at once: who
/// follows a plan log in a pipe sees whole lines.
class ByteWriter {
 public:
  /// `name` is for messages. REQUIRES: the descriptor stays open.
  ByteWriter(std::string name, int descriptor, std::size_t buffer_bytes = std::size_t{1} << 18);
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;

  /// Errors: the disk is full, a limit of the system's, ... (machine). After an error, every later
  /// call fails with it.
  [[nodiscard]] Result<void> write(std::span<const std::uint8_t> bytes);
  /// Everything reaches the file.
  [[nodiscard]] Result<void> flush();
  /// Bytes written so far, those in the buffer included.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  [[nodiscard]] Error fail();
  [[nodiscard]] Result<void> write_through(std::span<const std::uint8_t> bytes);

  std::string name_;
  int descriptor_;
  const std::size_t buffer_bytes_;  // as many are gathered before they are written
  std::vector<std::uint8_t> buffer_;
  std::uint64_t size_ = 0;
  int fault_ = 0;  // errno of the first failure
};

/// Where bytes go, front to end.
class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;

  [[nodiscard]] virtual Result<void> write(std::span<const std::uint8_t> bytes) = 0;
  /// All is there for readers. Nothing may follow.
  [[nodiscard]] virtual Result<void> finish() = 0;
};

/// Writes a file that appears under its name only when it is whole. An unfinished one leaves
/// nothing behind (pending_file.h).
class ReplacingWriter final : public ByteSink {
 public:
  /// Errors: the path names something else than a regular file, or no file can be made there.
  static Result<std::unique_ptr<ReplacingWriter>> create(const std::string& path);

  [[nodiscard]] Result<void> write(std::span<const std::uint8_t> bytes) override {
    return writer_.write(bytes);
  }
  [[nodiscard]] Result<void> write(const std::string& text) {
    return write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  /// The file stands under its name, on the device. Nothing may follow.
  [[nodiscard]] Result<void> finish() override;

 private:
  explicit ReplacingWriter(PendingFile file);

  PendingFile file_;
  ByteWriter writer_;
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
