// A temporary file without a name: it goes with the process, however that ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "models/base/error.h"
#include "traces/io/byte_file.h"

namespace lsmlab {

/// Written from front to end through its descriptor, read anywhere. One thread.
class TemporaryFile {
 public:
  /// In the directory; empty: in the system's for temporary files. Errors: no file can be made
  /// there: the user's where another directory helps (input), the system's otherwise (machine).
  [[nodiscard]] static Result<std::shared_ptr<TemporaryFile>> create(const std::string& directory);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// For messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Fills some of the span from its front and returns how much: 0 at the end. Errors: machine.
  [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset,
                                            std::span<std::uint8_t> bytes) const;
  /// What is between is not needed any more: the disk may take it back.
  void discard(std::uint64_t begin, std::uint64_t end);

 private:
  TemporaryFile(std::string name, int descriptor)
      : name_(std::move(name)), descriptor_(descriptor) {}

  std::string name_;
  int descriptor_;
};

/// The bytes from `begin` to `end`.
[[nodiscard]] std::unique_ptr<ByteSource> part_of(std::shared_ptr<TemporaryFile> file,
                                                  std::uint64_t begin, std::uint64_t end);

/// Writes to the file's end through a buffer.
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
