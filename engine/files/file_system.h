// The engine's only way to files: an interface, so that tests can fail any call and lose what was
// not synced. Implementations: posix_file_system.h and fault_file_system.h.
//
// Durability, as POSIX has it: what was appended survives a power cut only after sync() of the
// file, a name (creation, rename, removal) only after sync_directory() of its directory.
//
// Threading: a FileSystem may be used by many threads, a WritableFile by one at a time, a
// ReadableFile by many. Every error names the path, the call and the system's reason.
//
// Files are regular ones: what else has a file's name (a symbolic link, a directory, a FIFO, ...)
// is refused by every call that opens, neither followed nor waited for. remove(), rename() and
// link() take the name itself. A directory's path may lead over symbolic links.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"

namespace lsmlab::engine {

/// What bytes are written for; counted apart.
enum class WriteKind : std::uint8_t { kWal, kFlush, kMerge, kManifest, kOther };
inline constexpr std::size_t kWriteKinds = 5;

/// Bytes that reached files, by kind, counted where they are written.
class WriteCounters {
 public:
  void add(WriteKind kind, std::uint64_t bytes) {
    bytes_[static_cast<std::size_t>(kind)].fetch_add(bytes, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t of(WriteKind kind) const {
    return bytes_[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::uint64_t>, kWriteKinds> bytes_{};
};

class WritableFile {
 public:
  WritableFile() = default;
  WritableFile(const WritableFile&) = delete;
  WritableFile& operator=(const WritableFile&) = delete;
  /// Closes without syncing, errors unseen; close() tells them.
  virtual ~WritableFile() = default;
  /// All of it or an error; after an error a part may have been written.
  [[nodiscard]] virtual Result<void> append(std::string_view bytes) = 0;
  [[nodiscard]] virtual Result<void> sync() = 0;
  [[nodiscard]] virtual Result<void> close() = 0;
  /// Bytes appended so far.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
};

class ReadableFile {
 public:
  ReadableFile() = default;
  ReadableFile(const ReadableFile&) = delete;
  ReadableFile& operator=(const ReadableFile&) = delete;
  virtual ~ReadableFile() = default;
  /// Reads up to buffer.size() bytes from `offset`; returns how many there were, fewer only at the
  /// end of the file.
  [[nodiscard]] virtual Result<std::size_t> read(std::uint64_t offset,
                                                 std::span<char> buffer) const = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  [[nodiscard]] virtual const std::string& path() const = 0;
};

/// Held by who may use a directory; its destructor lets go.
class DirectoryLock {
 public:
  DirectoryLock() = default;
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  virtual ~DirectoryLock() = default;
};

struct CreateOptions {
  WriteKind kind = WriteKind::kOther;
  // Around the page cache, where the file system can; whole pages are written as they fill.
  bool direct = false;
  // How large the file is likely to get; 0: not known. Around the page cache every write asks for
  // its own place, so it is asked for ahead, where the file system can; what is left over is given
  // back when the file is closed. A file in the page cache gets its place when it is written back.
  std::uint64_t expected_bytes = 0;
};

class FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem() = default;

  /// A new, empty file; an existing one of that name loses it first.
  [[nodiscard]] virtual Result<std::unique_ptr<WritableFile>> create(
      const std::string& path, const CreateOptions& options) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<ReadableFile>> open(const std::string& path) = 0;
  /// Around the page cache, where the file system can; elsewhere as open().
  [[nodiscard]] virtual Result<std::unique_ptr<ReadableFile>> open_direct(const std::string& path) {
    return open(path);
  }
  /// The whole file. Errors: also, there is no memory for so much.
  [[nodiscard]] Result<std::string> read_file(const std::string& path);
  /// Names in a directory, without "." and "..", sorted.
  [[nodiscard]] virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;
  /// False where there is nothing of that name; a symbolic link is something, wherever it leads.
  [[nodiscard]] virtual Result<bool> exists(const std::string& path) = 0;
  [[nodiscard]] virtual Result<void> remove(const std::string& path) = 0;
  /// Replaces `to` where it exists, at once.
  [[nodiscard]] virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  /// A second name for a file.
  [[nodiscard]] virtual Result<void> link(const std::string& from, const std::string& to) = 0;
  /// With parents, and durable at once; nothing to do where it exists.
  [[nodiscard]] virtual Result<void> create_directory(const std::string& path) = 0;
  /// Makes names in the directory durable.
  [[nodiscard]] virtual Result<void> sync_directory(const std::string& path) = 0;
  /// For the one who may write in a directory. Makes the file where there is none; it stays.
  /// Errors: somebody else holds the lock (input error that says so).
  [[nodiscard]] virtual Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) = 0;
  /// For those who only read, any number of them, while nobody holds lock(). Makes no file: where
  /// there is none, nobody writes, and whoever begins to write is not kept from it. Errors:
  /// somebody holds lock() (input error that says so).
  [[nodiscard]] virtual Result<std::unique_ptr<DirectoryLock>> lock_to_read(
      const std::string& path) = 0;

  /// How many files this process may have open at a time; nothing where there is no limit.
  [[nodiscard]] virtual std::optional<std::uint64_t> open_files_max() const { return std::nullopt; }

  [[nodiscard]] WriteCounters& counters() { return counters_; }

 private:
  WriteCounters counters_;
};

}  // namespace lsmlab::engine
