#include "traces/io/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "traces/io/pending_file.h"

namespace lsmlab {
namespace {

class PartSource final : public ByteSource {
 public:
  PartSource(std::shared_ptr<TemporaryFile> file, std::uint64_t begin, std::uint64_t end)
      : file_(std::move(file)), at_(begin), end_(end) {}
  Result<std::size_t> read_some(std::span<std::uint8_t> bytes) override {
    const auto wanted = std::min<std::uint64_t>(bytes.size(), end_ - at_);
    if (wanted == 0) return std::size_t{0};
    auto count =
        BOOST_OUTCOME_TRYX(file_->read_at(at_, bytes.first(static_cast<std::size_t>(wanted))));
    at_ += count;
    return count;
  }

 private:
  std::shared_ptr<TemporaryFile> file_;
  std::uint64_t at_;
  std::uint64_t end_;
};

}  // namespace

Result<std::shared_ptr<TemporaryFile>> TemporaryFile::create(const std::string& directory) {
  std::error_code fault;
  const std::string folder =
      directory.empty() ? std::filesystem::temp_directory_path(fault).string() : directory;
  if (fault) return machine_error("no directory for temporary files: " + fault.message());
  const std::string name = fmt::format("{}: a temporary file", folder);
  int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    // For file systems without unnamed files: the file loses its name at once.
    std::string path = (std::filesystem::path(folder) / "lsmlab-XXXXXX").string();
    descriptor = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0) return creation_error(name, errno);
    ::unlink(path.c_str());
  }
  return std::shared_ptr<TemporaryFile>(new TemporaryFile(name, descriptor));
}

TemporaryFile::~TemporaryFile() { ::close(descriptor_); }

Result<std::size_t> TemporaryFile::read_at(std::uint64_t offset,
                                           std::span<std::uint8_t> bytes) const {
  for (;;) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    return machine_error(
        fmt::format("{}: cannot be read at byte {}: {}", name_, offset, std::strerror(errno)));
  }
}

void TemporaryFile::discard(std::uint64_t begin, std::uint64_t end) {
  // If the file system does not support this, the file only stays larger.
  static_cast<void>(::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                static_cast<off_t>(begin), static_cast<off_t>(end - begin)));
}

std::unique_ptr<ByteSource> part_of(std::shared_ptr<TemporaryFile> file, std::uint64_t begin,
                                    std::uint64_t end) {
  return std::make_unique<PartSource>(std::move(file), begin, end);
}

}  // namespace lsmlab
