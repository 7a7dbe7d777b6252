// Closed loops of clients on one scratch file.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "engine/calibrate_parts.h"
#include "engine/posix_handle.h"
#include "models/check.h"
#include "models/latency_histogram.h"
#include "traces/random.h"

namespace lsmlab::engine {
namespace {

using Clock = CalibrateClock;

constexpr std::array<std::uint64_t, 4> kRequestBytes{4 << 10, 16 << 10, 256 << 10, 1 << 20};
constexpr std::array<unsigned, 6> kDepths{1, 2, 4, 8, 16, 32};
constexpr std::uint64_t kStreamBytes = 256 << 10;  // a store's requests of flushes and merges
constexpr std::uint64_t kLargestBytes = kRequestBytes.back();
constexpr unsigned kDepthMax = kDepths.back();
// What direct I/O needs of addresses, offsets and lengths on every file system in use.
constexpr std::size_t kPageBytes = 4096;
constexpr std::uint64_t kLogBytesMax = 64 << 20;
constexpr std::int64_t kRounds = 5;
constexpr std::chrono::milliseconds kSliceMin{5};
constexpr std::chrono::milliseconds kSliceOfRounds{15};  // shorter ones are not worth repeating

// Every number below `count` once as `index` runs over them, in an order that looks random, then
// over again: a buffered read never meets what another one has brought into memory.
std::uint64_t scattered(std::uint64_t index, std::uint64_t count) {
  const auto bits = std::max(2U, static_cast<unsigned>(std::bit_width(count - 1)));
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t number = index % count;
  // Each step is reversible within the mask; numbers beyond the count go round once more.
  do {
    for (const std::uint64_t odd : {0x9e3779b97f4a7c15, 0xd1342543de82ef95}) {
      number = (number * odd + (odd >> 8)) & mask;
      number ^= number >> (bits / 2);
    }
  } while (number >= count);
  return number;
}

struct FreeBuffer {
  void operator()(char* buffer) const { std::free(buffer); }
};
using PageBuffer = std::unique_ptr<char, FreeBuffer>;

// Disks compress zeros and recognise pages that they have.
PageBuffer random_pages(std::uint64_t seed) {
  PageBuffer buffer(static_cast<char*>(std::aligned_alloc(kPageBytes, kLargestBytes)));
  if (!buffer) throw std::bad_alloc();
  SplitMix64 random(seed);
  for (std::size_t at = 0; at < kLargestBytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(buffer.get() + at, &word, sizeof word);
  }
  return buffer;
}

void stamp(char* buffer, std::uint64_t bytes, std::uint64_t number) {
  for (std::uint64_t at = 0; at < bytes; at += kPageBytes, ++number) {
    std::memcpy(buffer + at, &number, sizeof number);
  }
}

class ScratchFile {
 public:
  /// Makes it where it is not there. Errors: the system's. `is_direct`: false after a refusal.
  static Result<ScratchFile> open(const std::string& path, bool& is_direct) {
    const auto open_with = [&](int flags) {
      return retry(
          [&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | flags, 0600); });
    };
    int number = is_direct ? open_with(O_DIRECT) : -1;
    if (is_direct && number < 0 && errno != EINVAL) return call_error(path, "open");
    if (number < 0) {
      is_direct = false;
      number = open_with(0);
    }
    if (number < 0) return call_error(path, "open");
    return ScratchFile(Descriptor(number), path);
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
  [[nodiscard]] Result<void> truncate() const {
    if (retry([&] { return ::ftruncate(descriptor_.get(), 0); }) >= 0) return success();
    return call_error(path_, "ftruncate");
  }

 private:
  ScratchFile(Descriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}
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
};

// Clients at work on one row for a while.
class Slice {
 public:
  /// `other`: the same file, opened once more, as the system reads ahead for each on its own.
  Slice(const ScratchFile& file, const ScratchFile& other, const DiskRow& row,
        std::uint64_t file_bytes, const CalibrateOptions& options)
      : file_(file),
        other_(other),
        row_(row),
        blocks_(file_bytes / row.request_bytes),
        options_(options) {}

  /// Requests wander over the file from slice to slice.
  void set_begin(std::uint64_t index) {
    begin_ = index;
    next_.store(index, std::memory_order_relaxed);
  }
  /// No block is asked for twice.
  void set_once() { end_ = begin_ + blocks_; }
  void set_length(Clock::duration length) { length_ = length; }

  void run(std::span<const PageBuffer> buffers) {
    clients_ = std::vector<Client>(row_.depth);
    std::latch start(row_.depth);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < row_.depth; ++i) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        work(clients_[i], buffers[i].get());
      });
    }
    for (std::thread& thread : threads) thread.join();
    begin_time_ = clients_.front().begin;
    end_time_ = clients_.front().end;
    for (const Client& client : clients_) {
      begin_time_ = std::min(begin_time_, client.begin);
      end_time_ = std::max(end_time_, client.end);
    }
  }

  [[nodiscard]] Result<void> outcome() const {
    return error_ ? Result<void>(*error_) : Result<void>(success());
  }
  [[nodiscard]] std::uint64_t next() const { return next_.load(std::memory_order_relaxed); }
  [[nodiscard]] LatencyHistogram latencies() const {
    LatencyHistogram all;
    for (const Client& client : clients_) all.merge(client.latencies);
    return all;
  }
  /// From the first request to the end of the last: a client on its own would count for too much
  /// where all begin at once and each has few.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(end_time_ - begin_time_).count();
  }

 private:
  struct Client {
    LatencyHistogram latencies;
    Clock::time_point begin;
    Clock::time_point end;
  };

  [[nodiscard]] std::uint64_t block_of(std::uint64_t index) const {
    if (is_sequential(row_.work)) return index % blocks_;
    if (row_.work != DiskWork::kTwoStreamRead) return scattered(index, blocks_);
    const std::uint64_t half = blocks_ / 2;
    return index % 2 * half + index / 2 % half;
  }
  [[nodiscard]] const ScratchFile& file_of(std::uint64_t index) const {
    return row_.work == DiskWork::kTwoStreamRead && index % 2 == 1 ? other_ : file_;
  }

  void work(Client& client, char* buffer) {
    const Clock::time_point begin = Clock::now();
    Clock::time_point now = begin;
    while (now - begin < length_ && !should_stop(options_) &&
           !has_error_.load(std::memory_order_relaxed)) {
      const std::uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= end_) break;
      const bool is_read = index % 4 < reads_of_four(row_.work);
      const std::uint64_t offset = block_of(index) * row_.request_bytes;
      if (!is_read) stamp(buffer, row_.request_bytes, index);
      const Clock::time_point asked = Clock::now();
      const Result<void> done = is_read ? file_of(index).read(offset, buffer, row_.request_bytes)
                                        : file_.write(offset, buffer, row_.request_bytes);
      now = Clock::now();
      client.latencies.add(static_cast<std::uint64_t>((now - asked).count()));
      if (!done) set_error(done.error());
    }
    client.begin = begin;
    client.end = now;
  }

  void set_error(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    has_error_.store(true, std::memory_order_relaxed);
  }

  const ScratchFile& file_;
  const ScratchFile& other_;
  const DiskRow& row_;
  std::uint64_t blocks_;
  const CalibrateOptions& options_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = ~std::uint64_t{0};
  Clock::duration length_{};
  Clock::time_point begin_time_;
  Clock::time_point end_time_;
  std::atomic<std::uint64_t> next_{0};
  std::vector<Client> clients_;
  std::atomic<bool> has_error_{false};
  std::mutex mutex_;
  std::optional<Error> error_;
};

class DiskMeter {
 public:
  DiskMeter(const std::string& directory, const CalibrateOptions& options)
      : directory_(directory),
        options_(options),
        file_bytes_(options.file_bytes.value() / kLargestBytes * kLargestBytes) {
    for (unsigned i = 0; i < kDepthMax; ++i) buffers_.push_back(random_pages(i));
    for (const DiskRow& row : planned_disk_rows()) rows_.push_back({row, {}, {}, {}});
  }

  [[nodiscard]] Result<DiskMeasurement> run(Clock::time_point deadline) {
    BOOST_OUTCOME_TRYV(open_files());
    BOOST_OUTCOME_TRYV(fill());
    // Signed, as the deadline may have passed.
    const auto slices = static_cast<std::int64_t>(rows_.size());
    const bool is_short = (deadline - Clock::now()) / (slices * kRounds) < kSliceOfRounds;
    const std::int64_t rounds = is_short ? 1 : kRounds;
    std::int64_t left = slices * rounds;
    for (std::int64_t round = 0; round < rounds; ++round) {
      for (Measured& row : rows_) {
        if (should_stop(options_)) return measurement();
        show_progress(options_, disk_work_name(row.row.work));
        // What an earlier slice took too long is made up for.
        const Clock::duration length =
            std::max<Clock::duration>(kSliceMin, (deadline - Clock::now()) / left--);
        const bool is_log = row.row.work == DiskWork::kSync || row.row.work == DiskWork::kAppend;
        BOOST_OUTCOME_TRYV(is_log ? measure_growing(row, length) : measure(row, length));
      }
    }
    return measurement();
  }

 private:
  struct Measured {
    DiskRow row;
    RoundFigures rates;
    RoundFigures means_ns;
    LatencyHistogram latencies;
  };

  [[nodiscard]] bool is_buffered() const { return access_ != DiskAccess::kDirect; }

  [[nodiscard]] Result<void> open_files() {
    bool is_direct = !options_.is_buffered;
    access_ = is_direct ? DiskAccess::kDirect : DiskAccess::kBuffered;
    file_.emplace(BOOST_OUTCOME_TRYX(ScratchFile::open(directory_ + "/data", is_direct)));
    if (is_direct && !file_->write(0, buffers_.front().get(), kLargestBytes) && errno == EINVAL) {
      // Some take the flag and not the requests.
      is_direct = false;
      file_.emplace(BOOST_OUTCOME_TRYX(ScratchFile::open(directory_ + "/data", is_direct)));
    }
    other_.emplace(BOOST_OUTCOME_TRYX(ScratchFile::open(directory_ + "/data", is_direct)));
    file_->forget_name();
    if (!is_direct && access_ == DiskAccess::kDirect) access_ = DiskAccess::kBufferedForWant;
    log_.emplace(BOOST_OUTCOME_TRYX(ScratchFile::open(directory_ + "/log", is_direct)));
    return success();
  }

  // Blocks that were never written are read without the disk.
  [[nodiscard]] Result<void> fill() {
    for (std::uint64_t at = 0; at < file_bytes_ && !should_stop(options_); at += kLargestBytes) {
      show_progress(options_, "writing the scratch file");
      char* const buffer = buffers_[at / kLargestBytes % kDepthMax].get();
      stamp(buffer, kLargestBytes, at);
      BOOST_OUTCOME_TRYV(file_->write(at, buffer, kLargestBytes));
    }
    return file_->sync();
  }

  [[nodiscard]] Result<void> measure(Measured& measured, Clock::duration length) {
    const std::uint64_t reads = reads_of_four(measured.row.work);
    Slice slice(*file_, *other_, measured.row, file_bytes_, options_);
    slice.set_begin(next_ / 4 * 4);
    slice.set_length(length);
    if (is_buffered()) {
      file_->drop_cache();
      slice.set_once();
      // What is written in memory takes its time at the end.
      if (reads < 4) slice.set_length(length / 4);
    }
    slice.run(buffers_);
    BOOST_OUTCOME_TRYV(slice.outcome());
    next_ = slice.next();
    double seconds = slice.seconds();
    if (is_buffered() && reads < 4) {
      const Clock::time_point asked = Clock::now();
      BOOST_OUTCOME_TRYV(file_->sync());
      seconds += std::chrono::duration<double>(Clock::now() - asked).count();
    }
    const LatencyHistogram latencies = slice.latencies();
    measured.rates.add(static_cast<double>(latencies.count()) / seconds);
    measured.means_ns.add(latencies.mean());
    measured.latencies.merge(latencies);
    return success();
  }

  // What grows from nothing: appends, or their syncs, in which the size becomes durable as well.
  [[nodiscard]] Result<void> measure_growing(Measured& measured, Clock::duration length) {
    BOOST_OUTCOME_TRYV(log_->truncate());
    LatencyHistogram latencies;
    const bool is_sync = measured.row.work == DiskWork::kSync;
    const std::uint64_t bytes = measured.row.request_bytes;
    // No more than stores take later, so that there is space for it.
    const std::uint64_t log_bytes_max = std::min(file_bytes_, kLogBytesMax);
    const Clock::time_point begin = Clock::now();
    for (std::uint64_t size = 0; size == 0 || Clock::now() - begin < length; size += bytes) {
      if (size + bytes > log_bytes_max || should_stop(options_)) break;
      stamp(buffers_.front().get(), bytes, next_++);
      Clock::time_point asked = Clock::now();
      BOOST_OUTCOME_TRYV(log_->write(size, buffers_.front().get(), bytes));
      if (is_sync) {
        asked = Clock::now();
        BOOST_OUTCOME_TRYV(log_->sync());
      }
      latencies.add(static_cast<std::uint64_t>((Clock::now() - asked).count()));
    }
    measured.rates.add(1e9 / latencies.mean());
    measured.means_ns.add(latencies.mean());
    measured.latencies.merge(latencies);
    return success();
  }

  [[nodiscard]] DiskMeasurement measurement() const {
    DiskMeasurement measurement;
    measurement.access = access_;
    for (const Measured& measured : rows_) {
      DiskRow row = measured.row;
      row.requests_per_second = measured.rates.median();
      row.spread = measured.rates.spread();
      row.mean_ns = measured.means_ns.median();
      row.p50_ns = measured.latencies.percentile(50, 100);
      row.p99_ns = measured.latencies.percentile(99, 100);
      measurement.rows.push_back(row);
    }
    return measurement;
  }

  std::string directory_;
  const CalibrateOptions& options_;
  std::uint64_t file_bytes_;
  DiskAccess access_ = DiskAccess::kDirect;
  std::vector<PageBuffer> buffers_;
  std::vector<Measured> rows_;
  std::optional<ScratchFile> file_;
  std::optional<ScratchFile> other_;
  std::optional<ScratchFile> log_;
  std::uint64_t next_ = 0;
};

}  // namespace

std::vector<DiskRow> planned_disk_rows() {
  std::vector<DiskRow> rows;
  const auto add = [&](DiskWork work, std::uint64_t bytes, unsigned depth) {
    DiskRow& row = rows.emplace_back();
    row.work = work;
    row.request_bytes = bytes;
    row.depth = depth;
  };
  for (const DiskWork work : {DiskWork::kRandomRead, DiskWork::kSequentialRead,
                              DiskWork::kRandomWrite, DiskWork::kSequentialWrite}) {
    for (const std::uint64_t bytes : kRequestBytes) {
      for (const unsigned depth : kDepths) add(work, bytes, depth);
    }
  }
  for (const DiskWork work : {DiskWork::kMixed25, DiskWork::kMixed50, DiskWork::kMixed75}) {
    for (const std::uint64_t bytes : {kStreamBytes, kLargestBytes}) {
      for (const unsigned depth : kDepths) add(work, bytes, depth);
    }
  }
  add(DiskWork::kTwoStreamRead, kStreamBytes, 1);
  for (const std::uint64_t bytes : {kStreamBytes, kLargestBytes}) add(DiskWork::kAppend, bytes, 1);
  add(DiskWork::kSync, kRequestBytes.front(), 1);
  add(DiskWork::kSync, kStreamBytes, 1);
  return rows;
}

Result<DiskMeasurement> measure_disk(const std::string& directory, const CalibrateOptions& options,
                                     CalibrateClock::time_point deadline) {
  return DiskMeter(directory, options).run(deadline);
}

}  // namespace lsmlab::engine
