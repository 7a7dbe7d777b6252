// Measures what single system calls cost the thread that makes them.
#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/calibration/measure/measure.h"
#include "engine/files/posix_file_system.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kFiles = 64;
constexpr std::uint64_t kTinyFileBytes = 4 << 10;
constexpr std::uint64_t kLargeRequestBytes = 256 << 10;

// The path of a file. The destructor removes the file.
class SystemFile {
 public:
  explicit SystemFile(const std::string& directory) : path_(directory + "/system") {}
  ~SystemFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  SystemFile(const SystemFile&) = delete;
  SystemFile& operator=(const SystemFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

double clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace

double thread_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }
double process_ns() { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

Result<double> measure_log_write_ns(const std::string& directory, std::uint64_t piece_bytes,
                                    std::uint64_t pieces) {
  CHECK(pieces > 0);
  PosixFileSystem files;
  const SystemFile scratch(directory);
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

Result<double> measure_large_request_ns(const std::string& directory, bool is_direct) {
  constexpr std::uint64_t kRequests = 24;
  PosixFileSystem files;
  const SystemFile scratch(directory);
  std::string piece(kLargeRequestBytes, 'q');
  const double begin = thread_ns();
  {
    const auto file = BOOST_OUTCOME_TRYX(files.create(
        scratch.path(), {WriteKind::kMerge, is_direct, kRequests * kLargeRequestBytes}));
    for (std::uint64_t i = 0; i < kRequests; ++i) {
      BOOST_OUTCOME_TRYV(file->append(piece));
    }
    BOOST_OUTCOME_TRYV(file->close());
  }
  const auto file = BOOST_OUTCOME_TRYX(is_direct ? files.open_direct(scratch.path())
                                                 : files.open(scratch.path()));
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    const std::size_t count = BOOST_OUTCOME_TRYX(file->read(i * kLargeRequestBytes, piece));
    CHECK(count == kLargeRequestBytes);
  }
  return (thread_ns() - begin) / static_cast<double>(2 * kRequests);
}

double measure_sleep_ns() {
  constexpr int kSleeps = 50;
  constexpr std::chrono::milliseconds kSleep{1};
  const CalibrateClock::time_point begin = CalibrateClock::now();
  for (int i = 0; i < kSleeps; ++i) std::this_thread::sleep_for(kSleep);
  const auto taken = CalibrateClock::now() - begin - kSleeps * kSleep;
  return static_cast<double>(std::chrono::nanoseconds(taken).count()) / kSleeps;
}

Result<double> measure_file_ns(const std::string& directory) {
  PosixFileSystem files;
  const SystemFile scratch(directory);
  const std::string page(kTinyFileBytes, 'f');
  const double begin = thread_ns();
  for (std::uint64_t i = 0; i < kFiles; ++i) {
    const auto file =
        BOOST_OUTCOME_TRYX(files.create(scratch.path(), {WriteKind::kMerge, true, kTinyFileBytes}));
    BOOST_OUTCOME_TRYV(file->append(page));
    BOOST_OUTCOME_TRYV(file->close());
    BOOST_OUTCOME_TRYV(files.remove(scratch.path()));
  }
  return (thread_ns() - begin) / static_cast<double>(kFiles);
}

}  // namespace lsmlab::engine
