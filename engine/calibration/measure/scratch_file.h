// The file that a calibration reads and writes, and what it writes.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "engine/files/io_pages.h"
#include "engine/files/posix_handle.h"
#include "models/accounting/run_result.h"

namespace lsmlab::engine {

/// So many bytes by chance: disks compress zeros and recognise pages that they have.
[[nodiscard]] IoPages random_pages(std::uint64_t seed, std::uint64_t bytes);
/// Numbers the pages, so that no two requests write the same.
void stamp_pages(char* buffer, std::uint64_t bytes, std::uint64_t number);

class ScratchFile {
 public:
  /// Makes it where it is not there. Errors: the system's. `is_direct`: false after a refusal.
  static Result<ScratchFile> open(const std::string& path, bool& is_direct) {
    constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
    const auto open_with = [&](int flags) {
      return retry([&] { return ::open(path.c_str(), kFlags | flags, 0600); });
    };
    int number = is_direct ? open_with(O_DIRECT) : -1;
    if (is_direct && number < 0 && errno != EINVAL) return call_error(path, "open");
    if (number < 0) {
      is_direct = false;
      number = open_with(0);
    }
    if (number < 0) return call_error(path, "open");
    return ScratchFile(Descriptor(number), path, is_direct);
  }

  [[nodiscard]] Result<void> read(std::uint64_t offset, char* buffer, std::uint64_t bytes) const {
    const ssize_t count = retry(
        [&] { return ::pread(descriptor_.get(), buffer, bytes, static_cast<off_t>(offset)); });
    return whole_request("read", offset, bytes, count);
  }
  [[nodiscard]] Result<void> write(std::uint64_t offset, const char* buffer,
                                   std::uint64_t bytes) const {
    const ssize_t count = retry(
        [&] { return ::pwrite(descriptor_.get(), buffer, bytes, static_cast<off_t>(offset)); });
    return whole_request("write", offset, bytes, count);
  }
  [[nodiscard]] Result<void> sync() const {
    if (retry([&] { return ::fdatasync(descriptor_.get()); }) >= 0) return success();
    return call_error(path_, "fdatasync");
  }
  /// What is dirty stays in memory: sync() first.
  void drop_cache() const { ::posix_fadvise(descriptor_.get(), 0, 0, POSIX_FADV_DONTNEED); }
  /// The file is gone with its descriptor, even where the process is killed.
  void forget_name() const { ::unlink(path_.c_str()); }
  /// What is written next, as far as it fits, gets its room in one piece, as that of SSTables does;
  /// in the page cache neither does.
  void reserve(std::uint64_t bytes) const {
    if (is_direct_) static_cast<void>(reserve_room(descriptor_.get(), bytes));
  }
  [[nodiscard]] Result<void> truncate() const {
    if (retry([&] { return ::ftruncate(descriptor_.get(), 0); }) >= 0) return success();
    return call_error(path_, "ftruncate");
  }

 private:
  ScratchFile(Descriptor descriptor, std::string path, bool is_direct)
      : descriptor_(std::move(descriptor)), path_(std::move(path)), is_direct_(is_direct) {}
  [[nodiscard]] Result<void> whole_request(std::string_view call, std::uint64_t offset,
                                           std::uint64_t bytes, ssize_t count) const {
    if (count >= 0 && static_cast<std::uint64_t>(count) == bytes) return success();
    const std::string place = fmt::format("{} at byte {}", path_, offset);
    if (count < 0) return call_error(place, call);
    // A disk that is full writes what fits, and says so only to who asks for the rest.
    if (call == "write") return call_error(place, call, ENOSPC);
    return machine_error(fmt::format("{}: {} of {} bytes read", place, count, bytes));
  }

  Descriptor descriptor_;
  std::string path_;
  bool is_direct_;
};

}  // namespace lsmlab::engine
