// Measures closed loops of clients on one scratch file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "engine/calibration/measure/disk_slices.h"

namespace lsmlab::engine {
namespace {

using Clock = CalibrateClock;

constexpr std::array<std::uint64_t, 4> kRequestBytes{kSmallRequestBytes, 16 << 10, 256 << 10,
                                                     1 << 20};
constexpr std::array<unsigned, 6> kDepths{1, 2, 4, 8, 16, 32};
constexpr std::array<unsigned, 3> kGrowingDepths{1, 2, 4};
constexpr std::uint64_t kStreamBytes = 256 << 10;  // request of a store's flush or merge
constexpr std::uint64_t kLargestBytes = kRequestBytes.back();
constexpr unsigned kDepthMax = kDepths.back();
constexpr std::int64_t kRounds = 5;
constexpr unsigned kTurnsBeside = 2;  // per round; each is with and without the other client
constexpr std::chrono::milliseconds kSliceMin{5};
constexpr std::chrono::milliseconds kSliceOfRounds{3};  // shorter ones are not worth repeating

// Share of the time for a row. Rows that the model is solved from get most.
std::int64_t share_of(const DiskRow& row) {
  constexpr std::int64_t kSolvedFrom = 4;
  switch (row.work) {
    case DiskWork::kRandomRead:
      return row.request_bytes == kSmallRequestBytes ? kSolvedFrom : 1;
    case DiskWork::kRandomWrite:
      return row.request_bytes == kSmallRequestBytes && row.depth == 1 ? kSolvedFrom : 1;
    case DiskWork::kSequentialWrite:
      return 1;
    case DiskWork::kMixedBeside:
      return 2 * kSolvedFrom;
    case DiskWork::kSequentialRead:
    case DiskWork::kTwoStreamRead:
    case DiskWork::kAppend:
    case DiskWork::kMixed25:
    case DiskWork::kMixed50:
    case DiskWork::kMixed75:
    case DiskWork::kSync:
      break;
  }
  const bool is_streamed = row.request_bytes == kStreamBytes && row.depth <= kGrowingDepths.back();
  const bool is_large = row.request_bytes == kLargestBytes && row.depth == 1;
  return is_streamed || is_large || row.work == DiskWork::kSync ? kSolvedFrom : 1;
}

class DiskMeter {
 public:
  DiskMeter(const std::string& directory, const CalibrateOptions& options)
      : directory_(directory),
        options_(options),
        file_bytes_(options.file_bytes.value() / kLargestBytes * kLargestBytes) {
    for (unsigned i = 0; i < kDepthMax; ++i) buffers_.push_back(random_pages(i, kLargestBytes));
    for (const DiskRow& row : planned_disk_rows()) rows_.push_back({row, {}, {}, {}, {}});
  }

  [[nodiscard]] Result<DiskMeasurement> run(Clock::duration whole, const BetweenRounds& between) {
    Clock::time_point deadline = Clock::now() + whole;
    BOOST_OUTCOME_TRYV(open_files());
    BOOST_OUTCOME_TRYV(fill());
    // Signed, as the deadline may have passed.
    std::int64_t shares = 0;
    for (const Measured& row : rows_) shares += share_of(row.row);
    const bool is_short = (deadline - Clock::now()) / (shares * kRounds) < kSliceOfRounds;
    const std::int64_t rounds = is_short ? 1 : kRounds;
    std::int64_t left = shares * rounds;
    for (std::int64_t round = 0; round < rounds; ++round) {
      for (Measured& row : rows_) {
        if (should_stop(options_)) return measurement();
        show_progress(options_, disk_work_name(row.row.work));
        // If an earlier slice took too long, later slices are shorter.
        const std::int64_t share = share_of(row.row);
        const Clock::duration length =
            std::max<Clock::duration>(kSliceMin, (deadline - Clock::now()) * share / left);
        left -= share;
        BOOST_OUTCOME_TRYV(measure(row, length));
      }
      const Clock::time_point begin = Clock::now();
      const bool goes_on = BOOST_OUTCOME_TRYX(between(1.0 / static_cast<double>(rounds)));
      if (!goes_on) return measurement();
      deadline += Clock::now() - begin;
    }
    return measurement();
  }

 private:
  struct Measured {
    DiskRow row;
    RoundFigures times;  // seconds per request of all clients
    RoundFigures alone;  // rate alone / rate concurrent with another client
    RoundFigures means_ns;
    LatencyHistogram latencies;
  };

  [[nodiscard]] bool is_buffered() const { return access_ != DiskAccess::kDirect; }

  [[nodiscard]] Result<void> open_files() {
    bool is_direct = !options_.is_buffered;
    access_ = is_direct ? DiskAccess::kDirect : DiskAccess::kBuffered;
    file_.emplace(BOOST_OUTCOME_TRYX(ScratchFile::open(directory_ + "/data", is_direct)));
    if (is_direct && !file_->write(0, buffers_.front().data(), kLargestBytes) && errno == EINVAL) {
      // Some file systems accept the flag O_DIRECT but refuse its requests.
      is_direct = false;
      file_.emplace(BOOST_OUTCOME_TRYX(ScratchFile::open(directory_ + "/data", is_direct)));
    }
    other_.emplace(BOOST_OUTCOME_TRYX(ScratchFile::open(directory_ + "/data", is_direct)));
    file_->forget_name();
    if (!is_direct && access_ == DiskAccess::kDirect) access_ = DiskAccess::kBufferedForWant;
    for (unsigned i = 0; i < kGrowingDepths.back(); ++i) {
      grown_.push_back(BOOST_OUTCOME_TRYX(
          ScratchFile::open(fmt::format("{}/grown-{}", directory_, i), is_direct)));
    }
    return success();
  }

  // Writes every block, because blocks that were never written are read without the disk.
  [[nodiscard]] Result<void> fill() {
    for (std::uint64_t at = 0; at < file_bytes_ && !should_stop(options_); at += kLargestBytes) {
      show_progress(options_, "writing the scratch file");
      char* const buffer = buffers_[at / kLargestBytes % kDepthMax].data();
      stamp_pages(buffer, kLargestBytes, at);
      BOOST_OUTCOME_TRYV(file_->write(at, buffer, kLargestBytes));
    }
    return file_->sync();
  }

  [[nodiscard]] Result<void> measure(Measured& measured, Clock::duration length) {
    if (measured.row.work == DiskWork::kSync) return measure_sync(measured, length);
    if (measured.row.work == DiskWork::kMixedBeside) return measure_beside(measured, length);
    return is_growing(measured.row.work) ? measure_growing(measured, length)
                                         : measure_in_place(measured, length);
  }

  // Pauses are parameters of their own, so they are subtracted here. Only rows that write meet
  // them. Long requests of many clients are no pauses.
  void note(Measured& measured, const ClientLoop& loop, double sync_seconds, bool writes) {
    const unsigned clients = measured.row.depth;
    measured.latencies.merge(loop.latencies);
    StoodStill still;
    if (writes && !is_buffered() && clients <= kGrowingDepths.back()) {
      // A slice with pauses may have few requests, so the median is that of all rounds.
      still = stood_still(loop.latencies, measured.latencies.percentile(50, 100), clients);
      pauses_.seconds += loop.seconds();
      pauses_.pauses += still.pauses;
      pauses_.paused_seconds += still.seconds;
    }
    const auto requests = static_cast<double>(loop.latencies.count());
    const double seconds = loop.seconds() + sync_seconds - still.seconds;
    if (requests == 0 || seconds <= 0) return;
    measured.times.add(seconds / requests);
    measured.means_ns.add(loop.latencies.mean() -
                          still.seconds * kNsPerSecond * clients / requests);
  }

  // Writes to the page cache take their time at the end, in a sync.
  [[nodiscard]] Result<double> sync_seconds(std::span<const ScratchFile> files) {
    if (!is_buffered()) return 0.0;
    const Clock::time_point asked = Clock::now();
    for (const ScratchFile& file : files) {
      BOOST_OUTCOME_TRYV(file.sync());
    }
    return std::chrono::duration<double>(Clock::now() - asked).count();
  }

  [[nodiscard]] Result<void> measure_in_place(Measured& measured, Clock::duration length) {
    const bool is_read = reads_of_four(measured.row.work) > 0;
    Slice slice(*file_, *other_, measured.row, file_bytes_, options_);
    slice.set_begin(next_ / 4 * 4);
    slice.set_length(is_buffered() && !is_read ? length / 4 : length);
    if (is_buffered()) {
      file_->drop_cache();
      slice.set_once();
    }
    const ClientLoop loop = BOOST_OUTCOME_TRYX(slice.run(buffers_));
    next_ = slice.next();
    double sync = 0;
    if (!is_read) sync = BOOST_OUTCOME_TRYX(sync_seconds({&*file_, 1}));
    note(measured, loop, sync, !is_read);
    return success();
  }

  [[nodiscard]] Result<void> measure_growing(Measured& measured, Clock::duration length) {
    GrowingSlice slice(*file_, grown_, measured.row, file_bytes_, options_, growing_next_);
    if (is_buffered()) file_->drop_cache();
    const ClientLoop loop =
        BOOST_OUTCOME_TRYX(slice.run(buffers_, is_buffered() ? length / 4 : length));
    note(measured, loop, BOOST_OUTCOME_TRYX(sync_seconds(grown_)), true);
    return success();
  }

  [[nodiscard]] Result<void> measure_beside(Measured& measured, Clock::duration length) {
    GrowingSlice slice(*file_, grown_, measured.row, file_bytes_, options_, growing_next_);
    const Clock::duration turn = length / (2 * kTurnsBeside) / (is_buffered() ? 4 : 1);
    double seconds[2] = {0, 0};  // with and without the other client
    double requests[2] = {0, 0};
    LatencyHistogram small;
    for (unsigned i = 0; i < kTurnsBeside; ++i) {
      if (is_buffered()) file_->drop_cache();
      const GrowingSlice::Beside beside = BOOST_OUTCOME_TRYX(slice.run_beside(buffers_, turn));
      seconds[0] += beside.large.seconds() + BOOST_OUTCOME_TRYX(sync_seconds(grown_));
      requests[0] += static_cast<double>(beside.large.latencies.count());
      small.merge(beside.small.latencies);
      const ClientLoop alone = BOOST_OUTCOME_TRYX(slice.run(buffers_, turn));
      seconds[1] += alone.seconds() + BOOST_OUTCOME_TRYX(sync_seconds(grown_));
      requests[1] += static_cast<double>(alone.latencies.count());
    }
    const double rate = requests[0] / seconds[0];
    measured.times.add(1 / rate);
    measured.alone.add(requests[1] / seconds[1] / rate);
    measured.means_ns.add(small.mean());
    measured.latencies.merge(small);
    return success();
  }

  // Syncs of appends to an empty file, so that each sync also makes the file's size durable.
  [[nodiscard]] Result<void> measure_sync(Measured& measured, Clock::duration length) {
    const ScratchFile& log = grown_.front();
    BOOST_OUTCOME_TRYV(log.truncate());
    const std::uint64_t bytes = measured.row.request_bytes;
    const std::uint64_t log_bytes_max = std::min(file_bytes_, kGrownBytesMax);
    ClientLoop loop;
    const Clock::time_point begin = Clock::now();
    for (std::uint64_t size = 0; size == 0 || Clock::now() - begin < length; size += bytes) {
      if (size + bytes > log_bytes_max || should_stop(options_)) break;
      stamp_pages(buffers_.front().data(), bytes, next_++);
      BOOST_OUTCOME_TRYV(log.write(size, buffers_.front().data(), bytes));
      BOOST_OUTCOME_TRYV(timed_request(loop, [&] { return log.sync(); }));
    }
    measured.times.add(loop.latencies.mean() / kNsPerSecond);
    measured.means_ns.add(loop.latencies.mean());
    measured.latencies.merge(loop.latencies);
    return success();
  }

  [[nodiscard]] DiskMeasurement measurement() const {
    DiskMeasurement measurement;
    measurement.access = access_;
    measurement.pauses = pauses_;
    for (const Measured& measured : rows_) {
      DiskRow row = measured.row;
      const double time = measured.times.usual_mean();
      row.requests_per_second = time > 0 ? 1 / time : 0;
      row.spread = measured.times.spread();
      row.alone_per_second = row.requests_per_second * measured.alone.usual_mean();
      row.mean_ns = measured.means_ns.usual_mean();
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
  std::vector<IoPages> buffers_;
  std::vector<Measured> rows_;
  std::optional<ScratchFile> file_;
  std::optional<ScratchFile> other_;
  std::vector<ScratchFile> grown_;
  DiskPauses pauses_;
  std::uint64_t next_ = 0;
  std::atomic<std::uint64_t> growing_next_{0};
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
  for (const DiskWork work :
       {DiskWork::kAppend, DiskWork::kMixed25, DiskWork::kMixed50, DiskWork::kMixed75}) {
    for (const std::uint64_t bytes : {kStreamBytes, kLargestBytes}) {
      for (const unsigned depth : kGrowingDepths) add(work, bytes, depth);
    }
  }
  add(DiskWork::kMixedBeside, kStreamBytes, 1);
  add(DiskWork::kTwoStreamRead, kStreamBytes, 1);
  add(DiskWork::kSync, kSmallRequestBytes, 1);
  add(DiskWork::kSync, kStreamBytes, 1);
  return rows;
}

Result<DiskMeasurement> measure_disk(const std::string& directory, const CalibrateOptions& options,
                                     CalibrateClock::duration length,
                                     const BetweenRounds& between) {
  return DiskMeter(directory, options).run(length, between);
}

}  // namespace lsmlab::engine
