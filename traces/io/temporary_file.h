// A temporary file without a name: it disappears with the process, however that ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "models/base/error.h"
#include "traces/io/byte_file.h"

namespace lsmlab {

/// The file is written from front to end through its descriptor, and read at any offset. One
/// thread.
class TemporaryFile {
 public:
  /// Creates the file in the directory; empty: in the system's directory for temporary files.
  /// Errors: no file can be created there (input if another directory helps, otherwise machine).
  [[nodiscard]] static Result<std::shared_ptr<TemporaryFile>> create(const std::string& directory);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// For messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Fills some of the span from its front, and returns how many bytes; 0 at the end. Errors:
  /// machine.
  [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset,
                                            std::span<std::uint8_t> bytes) const;
  /// Tells the file system that it may free these bytes, because nobody needs them any more.
  void discard(std::uint64_t begin, std::uint64_t end);

 private:
  TemporaryFile(std::string name, int descriptor)
      : name_(std::move(name)), descriptor_(descriptor) {}

  std::string name_;
  int descriptor_;
};

/// A source of the bytes from `begin` to before `end`.
[[nodiscard]] std::unique_ptr<ByteSource> part_of(std::shared_ptr<TemporaryFile> file,
                                                  std::uint64_t begin, std::uint64_t end);

/// Writes to the end of the file through a buffer.
class TemporarySink final : public ByteSink {
 public:
  explicit TemporarySink(std::shared_ptr<TemporaryFile> file)
      : file_(std::move(file)), writer_(file_->name(), file_->descriptor()) {}
  [[nodiscard]] Result<void> write(std::span<const std::uint8_t> bytes) override {
    return writer_.write(bytes);
  }
  [[nodiscard]] Result<void> finish() override { return writer_.flush(); }

 private:
  std::shared_ptr<TemporaryFile> file_;
  ByteWriter writer_;
};

}  // namespace lsmlab
