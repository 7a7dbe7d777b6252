#include "engine/calibration/calibrate.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "engine/calibration/measure/measure.h"
#include "engine/calibration/measure/removals.h"
#include "engine/calibration/measure/stops.h"
#include "engine/calibration/solve/derive.h"
#include "engine/files/posix_handle.h"
#include "models/base/check.h"
#include "models/base/quantity_text.h"
#include "traces/io/temporary_paths.h"

namespace lsmlab::engine {
namespace {

// A new directory within a user's directory. The destructor removes it.
class ScratchPlace {
 public:
  explicit ScratchPlace(const std::string& parent)
      : path_((parent.ends_with('/') ? parent : parent + "/") + "lsmlab-calibrate.XXXXXX"),
        is_made_(::mkdtemp(path_.data()) != nullptr) {
    if (is_made_) registered_.emplace(path_, TemporaryPath::Kind::kDirectory);
  }
  ~ScratchPlace() {
    std::error_code ignored;
    if (is_made_) std::filesystem::remove_all(path_, ignored);
  }
  ScratchPlace(const ScratchPlace&) = delete;
  ScratchPlace& operator=(const ScratchPlace&) = delete;

  /// False after the constructor: errno tells why the directory could not be created.
  [[nodiscard]] bool is_made() const { return is_made_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool is_made_;
  std::optional<TemporaryPath> registered_;
};

Result<void> check_directory(const std::string& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) < 0) {
    if (errno == ENOENT || errno == ENOTDIR || directory.empty()) {
      return input_error(fmt::format("{}: no such directory", directory));
    }
    return call_error(directory, "stat");
  }
  if (!S_ISDIR(status.st_mode)) return input_error(fmt::format("{}: not a directory", directory));
  return success();
}

Error unwritable(const std::string& directory, int number) {
  const std::string reason = std::generic_category().message(number);
  const std::string text =
      fmt::format("{}: cannot create a directory in it: {}", directory, reason);
  const bool is_input = number == EACCES || number == EPERM || number == EROFS || number == ENOENT;
  return is_input ? input_error(text) : machine_error(text);
}

Result<void> check_space(const std::string& directory, Bytes file_bytes) {
  struct statvfs status {};
  if (::statvfs(directory.c_str(), &status) < 0) return call_error(directory, "statvfs");
  const std::uint64_t free_bytes = std::uint64_t{status.f_bavail} * status.f_frsize;
  const std::uint64_t needed_bytes = file_bytes.value() + cpu_scratch_bytes(file_bytes).value() +
                                     removal_scratch_bytes(file_bytes).value();
  if (free_bytes >= needed_bytes) return success();
  return machine_error(fmt::format(
      "{}: {} are free, {} are needed: {} for the scratch file (a smaller --size needs less), the "
      "rest for stores",
      directory, bytes_text(free_bytes), bytes_text(needed_bytes), bytes_text(file_bytes.value())));
}

// Finds the directory's device in mountinfo. Fields of a line: id, parent, device, root, mount
// point, options, optional fields, "-", type, source.
std::string storage_of(const std::string& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) < 0) return {};
  const std::string device = fmt::format("{}:{}", major(status.st_dev), minor(status.st_dev));
  std::ifstream mounts("/proc/self/mountinfo");
  std::string line;
  while (std::getline(mounts, line)) {
    std::istringstream fields(line);
    std::string field;
    fields >> field >> field >> field;
    if (field != device) continue;
    while (fields >> field && field != "-") {
    }
    std::string type;
    std::string source;
    if (fields >> type >> source) return fmt::format("{} on {}", type, source);
  }
  return {};
}

// A store that has run for a while has its memory. A new store takes it from the system page by
// page: 2 us each, and up to 10 us on virtual machines that return free memory to the host. A merge
// of small entries then takes 1.5 times as long.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargestThreshold = 32 << 20;  // mallopt accepts no larger one
  constexpr int kNeverTrimmed = 1 << 30;
  ::mallopt(M_MMAP_THRESHOLD, kLargestThreshold);
  ::mallopt(M_TRIM_THRESHOLD, kNeverTrimmed);
#endif
}

// Inserts the rows of removals, in the order of CpuWork.
std::vector<CpuRow> with_removals(std::vector<CpuRow> rows, const RemovalFigures& removals) {
  const auto before = [](const CpuRow& a, const CpuRow& b) { return a.work < b.work; };
  for (const CpuRow& row : {removals.small, removals.large}) {
    rows.insert(std::lower_bound(rows.begin(), rows.end(), row, before), row);
  }
  return rows;
}

}  // namespace

Result<Calibration> calibrate(const CalibrateOptions& options) {
  CHECK(options.file_bytes >= kCalibrateFileBytesMin && options.seconds > 0);
  BOOST_OUTCOME_TRYV(check_directory(options.directory));
  const ScratchPlace scratch(options.directory);
  if (!scratch.is_made()) return unwritable(options.directory, errno);
  BOOST_OUTCOME_TRYV(check_space(options.directory, options.file_bytes));
  keep_freed_memory();
  Calibration calibration;
  calibration.storage = storage_of(scratch.path());

  const std::chrono::milliseconds whole(1'000 * options.seconds);
  constexpr int kRemovalParts = 5;  // a fifth of the time
  constexpr int kQuotaParts = 8;
  const std::chrono::milliseconds each =
      (whole - whole / kRemovalParts - whole / kQuotaParts) / 2;  // for disk and processor each
  RemovalMeasurement removal(scratch.path(), options);
  BOOST_OUTCOME_TRYV(removal.fill());
  // Disk and processor alternate, so that both are measured over the whole time.
  CpuMeasurement cpu(scratch.path(), options);
  const auto between = [&](double share) {
    const std::chrono::duration<double> length = share * each;
    return cpu.work(std::chrono::duration_cast<CalibrateClock::duration>(length));
  };
  DiskMeasurement disk = BOOST_OUTCOME_TRYX(measure_disk(scratch.path(), options, each, between));
  if (should_stop(options)) return calibration;
  const bool is_direct = disk.access == DiskAccess::kDirect;
  const RemovalFigures removals = BOOST_OUTCOME_TRYX(removal.measure(whole / kRemovalParts));
  if (should_stop(options)) return calibration;
  calibration.quota =
      BOOST_OUTCOME_TRYX(measure_quota(scratch.path(), options, whole / kQuotaParts, is_direct));
  if (should_stop(options)) return calibration;
  calibration.cpu = with_removals(cpu.rows(), removals);
  calibration.access = disk.access;
  calibration.disk = std::move(disk.rows);
  calibration.pauses = disk.pauses;
  calibration.model = derive_model(calibration, std::max(1U, std::thread::hardware_concurrency()));
  calibration.is_complete = true;
  return calibration;
}

}  // namespace lsmlab::engine
