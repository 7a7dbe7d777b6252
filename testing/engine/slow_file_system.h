// A file system that sleeps before it passes appends and syncs of files to another one. It counts
// syncs of files.
//
// Threading: as the underlying file system; the pauses may be changed at any time.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/files/file_system.h"

namespace lsmlab::engine {

class SlowFileSystem final : public FileSystem {
 public:
  explicit SlowFileSystem(FileSystem& files) : files_(files) {}

  /// Sets how long each append and each sync of a file of this kind takes.
  void set_pause(WriteKind kind, std::chrono::microseconds append, std::chrono::microseconds sync) {
    of(kind).append_us = append.count();
    of(kind).sync_us = sync.count();
  }
  [[nodiscard]] std::uint64_t syncs(WriteKind kind) const {
    return kinds_[static_cast<std::size_t>(kind)].syncs;
  }

  Result<std::unique_ptr<WritableFile>> create(const std::string& path,
                                               const CreateOptions& options) override {
    auto file = BOOST_OUTCOME_TRYX(files_.create(path, options));
    return std::unique_ptr<WritableFile>(
        std::make_unique<SlowFile>(std::move(file), of(options.kind)));
  }
  Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override {
    return files_.open(path);
  }
  Result<std::vector<std::string>> list(const std::string& directory) override {
    return files_.list(directory);
  }
  Result<bool> exists(const std::string& path) override { return files_.exists(path); }
  Result<void> remove(const std::string& path) override { return files_.remove(path); }
  Result<void> rename(const std::string& from, const std::string& to) override {
    return files_.rename(from, to);
  }
  Result<void> link(const std::string& from, const std::string& to) override {
    return files_.link(from, to);
  }
  Result<void> create_directory(const std::string& path) override {
    return files_.create_directory(path);
  }
  Result<void> sync_directory(const std::string& path) override {
    return files_.sync_directory(path);
  }
  Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) override {
    return files_.lock(path);
  }
  Result<std::unique_ptr<DirectoryLock>> lock_to_read(const std::string& path) override {
    return files_.lock_to_read(path);
  }

 private:
  struct Kind {
    std::atomic<std::int64_t> append_us{0};
    std::atomic<std::int64_t> sync_us{0};
    std::atomic<std::uint64_t> syncs{0};
  };

  class SlowFile final : public WritableFile {
   public:
    SlowFile(std::unique_ptr<WritableFile> file, Kind& kind)
        : file_(std::move(file)), kind_(kind) {}
    Result<void> append(std::string_view bytes) override {
      pause(kind_.append_us);
      return file_->append(bytes);
    }
    Result<void> sync() override {
      pause(kind_.sync_us);
      ++kind_.syncs;
      return file_->sync();
    }
    Result<void> close() override { return file_->close(); }
    [[nodiscard]] std::uint64_t size() const override { return file_->size(); }

   private:
    static void pause(std::int64_t microseconds) {
      if (microseconds > 0) std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    }
    std::unique_ptr<WritableFile> file_;
    Kind& kind_;
  };

  [[nodiscard]] Kind& of(WriteKind kind) { return kinds_[static_cast<std::size_t>(kind)]; }

  FileSystem& files_;
  std::array<Kind, kWriteKinds> kinds_;
};

}  // namespace lsmlab::engine
