// Files kept in a string, for tests of code that writes or reads files.
#pragma once

#include <algorithm>
#include <string>

#include "engine/files/file_system.h"

namespace lsmlab::engine::testing {

class MemoryWritableFile : public WritableFile {
 public:
  Result<void> append(std::string_view bytes) override {
    contents_ += bytes;
    return success();
  }
  Result<void> sync() override { return success(); }
  Result<void> close() override { return success(); }
  std::uint64_t size() const override { return contents_.size(); }
  [[nodiscard]] std::string& contents() { return contents_; }

 private:
  std::string contents_;
};

class MemoryReadableFile : public ReadableFile {
 public:
  MemoryReadableFile(std::string path, std::string contents)
      : path_(std::move(path)), contents_(std::move(contents)) {}
  Result<std::size_t> read(std::uint64_t offset, std::span<char> buffer) const override {
    if (offset >= contents_.size()) return std::size_t{0};
    const std::size_t count = std::min<std::size_t>(buffer.size(), contents_.size() - offset);
    std::copy_n(contents_.data() + offset, count, buffer.data());
    return count;
  }
  std::uint64_t size() const override { return contents_.size(); }
  const std::string& path() const override { return path_; }

 private:
  std::string path_;
  std::string contents_;
};

}  // namespace lsmlab::engine::testing
