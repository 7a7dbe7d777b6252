// What single calls of the system cost the thread that makes them.
#include <algorithm>
#include <filesystem>

#include "engine/calibrate_parts.h"
#include "engine/posix_file_system.h"
#include "models/check.h"
#include "traces/random.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kFiles = 64;
constexpr std::uint64_t kReads = 512;
constexpr std::uint64_t kPageBytes = 4 << 10;

// A file of the calibration, gone with this.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& directory) : path_(directory + "/system") {}
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

Result<double> measure_log_write_ns(const std::string& directory, std::uint64_t piece_bytes,
                                    std::uint64_t pieces) {
  CHECK(pieces > 0);
  PosixFileSystem files;
  const ScratchFile scratch(directory);
  const auto file = BOOST_OUTCOME_TRYX(files.create(scratch.path(), {WriteKind::kWal, false}));
  const std::string piece(piece_bytes, 'l');
  const double begin = thread_ns();
  for (std::uint64_t i = 0; i < pieces; ++i) {
    BOOST_OUTCOME_TRYV(file->append(piece));
  }
  const double taken = thread_ns() - begin;
  BOOST_OUTCOME_TRYV(file->close());
  return taken / static_cast<double>(pieces);
}

Result<double> measure_file_ns(const std::string& directory) {
  PosixFileSystem files;
  const ScratchFile scratch(directory);
  const std::string page(kPageBytes, 'f');
  const double begin = thread_ns();
  for (std::uint64_t i = 0; i < kFiles; ++i) {
    const auto file = BOOST_OUTCOME_TRYX(files.create(scratch.path(), {WriteKind::kMerge, true}));
    BOOST_OUTCOME_TRYV(file->append(page));
    BOOST_OUTCOME_TRYV(file->close());
    BOOST_OUTCOME_TRYV(files.remove(scratch.path()));
  }
  return (thread_ns() - begin) / static_cast<double>(kFiles);
}

Result<double> measure_read_ns(const std::string& directory, Bytes file_bytes) {
  PosixFileSystem files;
  const ScratchFile scratch(directory);
  const std::uint64_t pages = std::max<std::uint64_t>(1, file_bytes.value() / kPageBytes);
  {
    const auto file = BOOST_OUTCOME_TRYX(files.create(scratch.path(), {WriteKind::kOther, true}));
    const std::string page(kPageBytes, 'r');
    for (std::uint64_t i = 0; i < pages; ++i) {
      BOOST_OUTCOME_TRYV(file->append(page));
    }
    BOOST_OUTCOME_TRYV(file->sync());
    BOOST_OUTCOME_TRYV(file->close());
  }
  const auto file = BOOST_OUTCOME_TRYX(files.open_direct(scratch.path()));
  std::string page(kPageBytes, '\0');
  const double begin = thread_ns();
  for (std::uint64_t i = 0; i < kReads; ++i) {
    const std::uint64_t at = mix_bits(i) % pages;
    const std::size_t count = BOOST_OUTCOME_TRYX(file->read(at * kPageBytes, page));
    CHECK(count == kPageBytes);
  }
  return (thread_ns() - begin) / static_cast<double>(kReads);
}

}  // namespace lsmlab::engine
