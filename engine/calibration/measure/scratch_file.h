// The scratch file of a calibration, and the data that is written to it.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "engine/files/io_pages.h"
#include "engine/files/posix_handle.h"
#include "models/accounting/run_result.h"

namespace lsmlab::engine {

/// Random bytes, because disks compress zeros and recognise pages that they have already.
[[nodiscard]] IoPages random_pages(std::uint64_t seed, std::uint64_t bytes);
/// Writes a number into each page, so that no two requests write the same data.
void stamp_pages(char* buffer, std::uint64_t bytes, std::uint64_t number);

class ScratchFile {
 public:
  /// Opens the file, and creates it if it does not exist. Sets `is_direct` to false if the system
  /// refuses direct I/O. Errors: those of the system.
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
  /// Dirty pages stay in memory, so call sync() first.
  void drop_cache() const { ::posix_fadvise(descriptor_.get(), 0, 0, POSIX_FADV_DONTNEED); }
  /// Removes the name. The file itself goes with its descriptor, even if the process is killed.
  void forget_name() const { ::unlink(path_.c_str()); }
  /// Reserves blocks in one piece for the next bytes, as for SSTables. Neither happens for a file
  /// that goes through the page cache.
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
    // A full disk first writes what fits, and reports ENOSPC only for the next write.
    if (call == "write") return call_error(place, call, ENOSPC);
    return machine_error(fmt::format("{}: read only {} of {} bytes", place, count, bytes));
  }

  Descriptor descriptor_;
  std::string path_;
  bool is_direct_;
};

}  // namespace lsmlab::engine
