// The engine's only access to files. It is an interface, so tests can make any call fail and lose
// data that was not synced. Implementations: posix_file_system.h and fault_file_system.h.
//
// Durability is that of POSIX. Appended bytes survive a power cut only after sync() of the file. A
// name (creation, rename, removal) survives only after sync_directory() of its directory.
//
// Threading: many threads may use a FileSystem or a ReadableFile at a time, one thread a
// WritableFile. Every error names the path, the call and the system's reason.
//
// Only regular files are opened. Every call that opens refuses anything else (a symbolic link, a
// directory, a FIFO, ...): it neither follows it nor waits for it. remove(), rename() and link()
// act on the name itself. The path of a directory may contain symbolic links.
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

/// The purpose of written bytes; each is counted separately.
enum class WriteKind : std::uint8_t { kWal, kFlush, kMerge, kManifest, kOther };
inline constexpr std::size_t kWriteKinds = 5;
/// The name in results: "wal", "flush", "merge", "manifest", "other".
[[nodiscard]] std::string write_kind_name(WriteKind kind);

/// Bytes written to files, by kind. The code that writes them counts them.
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
  /// Closes without syncing and ignores errors; close() returns them.
  virtual ~WritableFile() = default;
  /// Writes all bytes or returns an error. After an error some of them may have been written.
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
  /// Reads buffer.size() bytes from `offset` and returns how many it read: fewer only at the end of
  /// the file.
  [[nodiscard]] virtual Result<std::size_t> read(std::uint64_t offset,
                                                 std::span<char> buffer) const = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  [[nodiscard]] virtual const std::string& path() const = 0;
};

/// The right to use a directory; the destructor releases it.
class DirectoryLock {
 public:
  DirectoryLock() = default;
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  virtual ~DirectoryLock() = default;
};

struct CreateOptions {
  WriteKind kind = WriteKind::kOther;
  // Bypass the page cache if the file system can. Whole pages are written as they fill.
  bool direct = false;
  // How large the file will probably become; 0: not known. A direct write allocates disk space at
  // once, so this much is allocated ahead if the file system can; close() frees the excess. A file
  // in the page cache gets its disk space at write-back.
  std::uint64_t expected_bytes = 0;
};

class FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem() = default;

  /// Creates a new, empty file. An existing file loses this name first.
  [[nodiscard]] virtual Result<std::unique_ptr<WritableFile>> create(
      const std::string& path, const CreateOptions& options) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<ReadableFile>> open(const std::string& path) = 0;
  /// As open(), but bypasses the page cache if the file system can.
  [[nodiscard]] virtual Result<std::unique_ptr<ReadableFile>> open_direct(const std::string& path) {
    return open(path);
  }
  /// Reads the whole file. Errors: those of open() and read(); not enough memory.
  [[nodiscard]] Result<std::string> read_file(const std::string& path);
  /// The names in a directory, sorted, without "." and "..".
  [[nodiscard]] virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;
  /// Whether the name exists. A symbolic link exists whatever it points to.
  [[nodiscard]] virtual Result<bool> exists(const std::string& path) = 0;
  [[nodiscard]] virtual Result<void> remove(const std::string& path) = 0;
  /// Renames atomically; an existing `to` is replaced.
  [[nodiscard]] virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  /// Gives a file a second name.
  [[nodiscard]] virtual Result<void> link(const std::string& from, const std::string& to) = 0;
  /// Creates the directory and its parents, and makes them durable. Does nothing if it exists.
  [[nodiscard]] virtual Result<void> create_directory(const std::string& path) = 0;
  /// Makes names in the directory durable.
  [[nodiscard]] virtual Result<void> sync_directory(const std::string& path) = 0;
  /// The exclusive lock of a writer. Creates the lock file if there is none; the file stays.
  /// Errors: somebody else holds a lock (an input error that says so).
  [[nodiscard]] virtual Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) = 0;
  /// The shared lock of a reader. Creates no file: if there is none, nobody writes, and this lock
  /// then does not keep a later writer out. Errors: somebody holds lock() (an input error that says
  /// so).
  [[nodiscard]] virtual Result<std::unique_ptr<DirectoryLock>> lock_to_read(
      const std::string& path) = 0;

  /// The most files that this process may have open; nothing if there is no limit.
  [[nodiscard]] virtual std::optional<std::uint64_t> open_files_max() const { return std::nullopt; }

  [[nodiscard]] WriteCounters& counters() { return counters_; }

 private:
  WriteCounters counters_;
};

}  // namespace lsmlab::engine
