#include "engine/calibration/measure/removals.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "engine/files/posix_file_system.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kSmallFileBytes = 256 << 10;
constexpr std::uint64_t kLargeFileBytes = 8 << 20;
constexpr std::uint64_t kPieceBytes = 256 << 10;

std::uint64_t files_kept(Bytes file_bytes) {
  return std::max<std::uint64_t>(2, file_bytes.value() / kLargeFileBytes * 3 / 2);
}

}  // namespace

// Files of one size. Each is in one piece, as those of flushes and merges.
class RemovalMeasurement::Turnover {
 public:
  Turnover(std::string prefix, std::uint64_t file_bytes, bool is_direct)
      : prefix_(std::move(prefix)), file_bytes_(file_bytes), is_direct_(is_direct) {}
  ~Turnover() {
    std::error_code ignored;
    for (const std::string& path : live_) std::filesystem::remove(path, ignored);
  }
  Turnover(const Turnover&) = delete;
  Turnover& operator=(const Turnover&) = delete;

  [[nodiscard]] Result<void> write() {
    std::string path = fmt::format("{}-{}", prefix_, written_);
    const auto file =
        BOOST_OUTCOME_TRYX(system_.create(path, {WriteKind::kMerge, is_direct_, file_bytes_}));
    live_.push_back(std::move(path));
    ++written_;
    for (std::uint64_t size = 0; size < file_bytes_; size += kPieceBytes) {
      BOOST_OUTCOME_TRYV(file->append(piece_));
    }
    // A file that is only in memory would have no blocks on the disk.
    if (!is_direct_) {
      BOOST_OUTCOME_TRYV(file->sync());
    }
    return file->close();
  }

  /// Reads a file and then removes it, as merges do.
  [[nodiscard]] Result<void> remove(std::size_t which) {
    std::swap(live_[which], live_.back());
    const std::string& path = live_.back();
    BOOST_OUTCOME_TRYV(read(path));
    const auto wall_begin = CalibrateClock::now();
    const double begin = thread_ns();
    BOOST_OUTCOME_TRYV(system_.remove(path));
    cpu_ns_ += thread_ns() - begin;
    const std::chrono::duration<double, std::nano> taken = CalibrateClock::now() - wall_begin;
    removals_ns_.push_back(taken.count());
    live_.pop_back();
    return success();
  }

  [[nodiscard]] std::size_t live() const { return live_.size(); }
  [[nodiscard]] std::size_t removed() const { return removals_ns_.size(); }
  void count_from_now() { counted_from_ = written_; }
  [[nodiscard]] RemovalTimes times() const {
    return removal_times(removals_ns_, written_ - counted_from_);
  }
  [[nodiscard]] CpuRow row(CpuWork work) const {
    CpuRow row;
    row.work = work;
    row.kib = static_cast<double>(file_bytes_) / 1024;
    row.nanoseconds = cpu_ns_ / static_cast<double>(std::max<std::size_t>(1, removed()));
    return row;
  }

 private:
  [[nodiscard]] Result<void> read(const std::string& path) {
    const auto file =
        BOOST_OUTCOME_TRYX(is_direct_ ? system_.open_direct(path) : system_.open(path));
    for (std::uint64_t at = 0; at < file_bytes_; at += kPieceBytes) {
      const std::size_t count = BOOST_OUTCOME_TRYX(file->read(at, piece_));
      CHECK(count == kPieceBytes);
    }
    return success();
  }

  std::string prefix_;
  std::uint64_t file_bytes_;
  bool is_direct_;
  PosixFileSystem system_;
  std::string piece_ = std::string(kPieceBytes, 'r');
  std::vector<std::string> live_;
  std::uint64_t written_ = 0;
  std::uint64_t counted_from_ = 0;
  std::vector<double> removals_ns_;
  double cpu_ns_ = 0;
};

RemovalTimes removal_times(std::span<const double> removals_ns, std::uint64_t files_written) {
  CHECK(files_written >= removals_ns.size());
  constexpr double kUsualMost = 10;  // times the median
  RemovalTimes times;
  if (removals_ns.empty()) return times;
  RoundFigures all;
  for (const double taken : removals_ns) all.add(taken);
  const double most = kUsualMost * all.median();
  for (const double taken : removals_ns) {
    times.usual_ns += std::min(taken, most);
    times.longer_ns += std::max(0.0, taken - most);
  }
  times.usual_ns /= static_cast<double>(removals_ns.size());
  times.longer_ns /= static_cast<double>(files_written);
  return times;
}

RemovalMeasurement::RemovalMeasurement(const std::string& directory,
                                       const CalibrateOptions& options)
    : options_(options),
      small_(std::make_unique<Turnover>(directory + "/removed-small", kSmallFileBytes,
                                        !options.is_buffered)),
      large_(std::make_unique<Turnover>(directory + "/removed-large", kLargeFileBytes,
                                        !options.is_buffered)) {}

RemovalMeasurement::~RemovalMeasurement() = default;

Result<void> RemovalMeasurement::fill() {
  const std::uint64_t files = files_kept(options_.file_bytes);
  while (large_->live() < files && !should_stop(options_)) {
    show_progress(options_, "writing files to remove");
    BOOST_OUTCOME_TRYV(large_->write());
    BOOST_OUTCOME_TRYV(small_->write());
  }
  return success();
}

Result<RemovalFigures> RemovalMeasurement::measure(CalibrateClock::duration length) {
  constexpr std::size_t kRemovedLeast = 4;
  // About the pace of merges. At a faster pace, more files would be removed before a host writes
  // them back.
  constexpr std::chrono::milliseconds kEach{20};
  constexpr std::uint64_t kSeed = 1;
  std::mt19937_64 random(kSeed);
  large_->count_from_now();
  small_->count_from_now();
  const auto end = CalibrateClock::now() + length;
  while (CalibrateClock::now() < end || large_->removed() < kRemovedLeast) {
    if (should_stop(options_)) break;
    show_progress(options_, "removing files");
    const auto next = CalibrateClock::now() + kEach;
    BOOST_OUTCOME_TRYV(large_->write());
    BOOST_OUTCOME_TRYV(small_->write());
    const std::size_t which = random() % large_->live();
    BOOST_OUTCOME_TRYV(large_->remove(which));
    BOOST_OUTCOME_TRYV(small_->remove(which));
    std::this_thread::sleep_until(next);
  }
  RemovalFigures figures{small_->row(CpuWork::kRemoveSmall), large_->row(CpuWork::kRemoveLarge)};
  const RemovalTimes of_large = large_->times();
  const RemovalTimes of_small = small_->times();
  figures.small.wall_ns = of_small.usual_ns;
  figures.large.wall_ns = of_large.usual_ns + of_large.longer_ns + of_small.longer_ns;
  return figures;
}

Bytes removal_scratch_bytes(Bytes file_bytes) {
  return Bytes((files_kept(file_bytes) + 1) * (kLargeFileBytes + kSmallFileBytes));
}

}  // namespace lsmlab::engine
