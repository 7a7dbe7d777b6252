// Measures the processor time of one thread that runs a store.
#include <algorithm>
#include <array>
#include <memory>
#include <thread>
#include <utility>

#include "engine/calibration/measure/cpu_table.h"
#include "engine/calibration/measure/measure.h"
#include "engine/calibration/measure/side_by_side.h"
#include "engine/calibration/measure/work_store.h"
#include "models/base/check.h"
#include "models/sizes/sstable_size.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint32_t kSmallValueBytes = 16;
constexpr std::uint64_t kScans = 2'000;
constexpr std::uint64_t kShortScanEntries = 10;
constexpr std::uint64_t kLongScanEntries = 100;
constexpr unsigned kTurnsPerWholeRound = 5;
constexpr unsigned kTurns = 2;  // of puts and merges, in each round
constexpr std::uint64_t kLogPieces = 128;
constexpr std::uint64_t kLookupsAlone = 200;

constexpr double kThreadedMemtables = 8;  // memtables of puts into a store with threads
constexpr double kTimedMemtables = 2;     // further memtables, whose puts are timed one by one

// A policy that merges so many runs at once.
Spec merging_policy(unsigned runs) {
  return {"tiered", {{"size_ratio", std::to_string(runs)}, {"flush", "separate"}}};
}

Bytes cpu_buffer(Bytes file_bytes) {
  // Small if the scratch file is small, because there may be little space.
  return Bytes(std::min<std::uint64_t>(kCalibrateBuffer.value(), file_bytes.value() / 32));
}

}  // namespace

class CpuMeasurement::Meter {
 public:
  Meter(const std::string& directory, const CalibrateOptions& options)
      : directory_(directory), options_(options), buffer_(cpu_buffer(options.file_bytes)) {}

  /// Measures every row. False: the run was stopped.
  [[nodiscard]] Result<bool> round() {
    BOOST_OUTCOME_TRYV(take_memory());
    show_progress(options_, "puts");
    BOOST_OUTCOME_TRYV(put(CpuWork::kPutSmall, {no_merges(), Bytes(buffer_.value() / 2)}));
    BOOST_OUTCOME_TRYV(
        put(CpuWork::kPutLarge, {no_merges(), Bytes(buffer_.value() * kLargeFactor)}));
    BOOST_OUTCOME_TRYV(
        put(CpuWork::kPutUngathered, {no_merges(), buffer_, kCalibrateValueBytes, Bytes(0)}));
    BOOST_OUTCOME_TRYV(call_system());
    if (should_stop(options_)) return false;
    show_progress(options_, "lookups and scans");
    BOOST_OUTCOME_TRYV(read_cached());
    BOOST_OUTCOME_TRYV(scan_wide());
    if (should_stop(options_)) return false;
    const bool goes_on = BOOST_OUTCOME_TRYX(short_round());
    if (!goes_on) return false;
    show_progress(options_, "slow puts");
    BOOST_OUTCOME_TRYV(slow_put_beside());
    BOOST_OUTCOME_TRYV(log_beside());
    return !should_stop(options_);
  }

  /// Measures the rows on which throughput depends most: puts, merges, and lookups on the disk.
  /// False: the run was stopped.
  [[nodiscard]] Result<bool> short_round() {
    show_progress(options_, "lookups on the disk");
    StoreShape shape{no_merges(), buffer_};
    shape.is_direct = shape.is_uncached = true;
    WorkStore looked_up(store_directory(), shape);
    BOOST_OUTCOME_TRYV(read_disk(looked_up));
    show_progress(options_, "merges");
    {
      const Sample few = BOOST_OUTCOME_TRYX(merge_alone(kSmallValueBytes, kCalibrateRuns));
      const Sample many = BOOST_OUTCOME_TRYX(merge_alone(kSmallValueBytes, kCalibrateManyRuns));
      table_.note(CpuWork::kMergeSmall, few);
      table_.note_ratio(CpuWork::kMergeSmallMany, many, few);
    }
    for (unsigned turn = 0; turn < kTurns; ++turn) {
      show_progress(options_, "puts, alone and concurrent with flushes and merges");
      BOOST_OUTCOME_TRYV(put_in_turn());
      if (should_stop(options_)) return false;
      show_progress(options_, "merges");
      BOOST_OUTCOME_TRYV(merge_in_turn(looked_up));
      if (should_stop(options_)) return false;
    }
    return true;
  }

  [[nodiscard]] std::vector<CpuRow> rows() const { return table_.rows(); }

 private:
  // Makes the process take most of the memory that merges need.
  [[nodiscard]] Result<void> take_memory() {
    if (has_memory_) return success();
    show_progress(options_, "allocating memory");
    for (const std::uint32_t value_bytes : {kSmallValueBytes, kCalibrateLargeValueBytes}) {
      BOOST_OUTCOME_TRYV(merge_alone(value_bytes, kCalibrateRuns));
    }
    has_memory_ = true;
    return success();
  }

  // As for the disk's rows: the time of work then includes what the system does for a request.
  [[nodiscard]] bool is_direct() const { return !options_.is_buffered; }
  [[nodiscard]] std::string store_directory() const { return directory_ + "/store"; }
  [[nodiscard]] std::string turn_directory() const { return directory_ + "/in-turn"; }

  [[nodiscard]] Result<void> put(CpuWork work, const StoreShape& shape) {
    WorkStore store(turn_directory(), shape);
    BOOST_OUTCOME_TRYV(store.open());
    Sample sample = BOOST_OUTCOME_TRYX(store.fill(kCalibrateFullShare));
    sample.kib = kib_of(shape.value_bytes);
    table_.note(work, sample);
    return success();
  }

  [[nodiscard]] Result<void> client(CpuWork work, std::uint32_t value_bytes) {
    Sample sample;
    sample.nanoseconds = BOOST_OUTCOME_TRYX(measure_client_ns(value_bytes));
    sample.kib = static_cast<double>(value_bytes) / 1024;
    table_.note(work, sample);
    return success();
  }

  [[nodiscard]] Result<void> call_system() {
    Sample sample;
    sample.nanoseconds = BOOST_OUTCOME_TRYX(
        measure_log_write_ns(directory_, kCalibrateWalBuffer.value(), kLogPieces));
    sample.kib = static_cast<double>(kCalibrateWalBuffer.value()) / 1024;
    table_.note(CpuWork::kLogWrite, sample);
    sample.nanoseconds = BOOST_OUTCOME_TRYX(measure_file_ns(directory_));
    sample.kib = 0;
    table_.note(CpuWork::kFile, sample);
    sample.nanoseconds = measure_sleep_ns();
    table_.note(CpuWork::kSleep, sample);
    sample.nanoseconds = BOOST_OUTCOME_TRYX(measure_large_request_ns(directory_, is_direct()));
    table_.note(CpuWork::kLargeRequest, sample);
    return success();
  }

  [[nodiscard]] static double kib_of(std::uint32_t value_bytes) {
    return static_cast<double>(kCalibrateKeyBytes + value_bytes) / 1024;
  }

  // All lookups have a memtable half full, so that they differ only in tables and blocks.
  [[nodiscard]] Result<void> read_cached() {
    constexpr double kHalf = 0.5;
    StoreShape shape{no_merges(), buffer_};
    shape.is_direct = is_direct();
    WorkStore store(store_directory(), shape);
    BOOST_OUTCOME_TRYV(store.open());
    for (unsigned run = 0; run < kCalibrateRuns; ++run) {
      if (run <= 1) {
        BOOST_OUTCOME_TRYV(store.fill(kHalf));
      }
      if (run == 0) table_.note(CpuWork::kGetMemtable, BOOST_OUTCOME_TRYX(store.look_up(false)));
      if (run == 1) {
        BOOST_OUTCOME_TRYV(store.read_all());
        table_.note(CpuWork::kGetPresentOne, BOOST_OUTCOME_TRYX(store.look_up(true)));
      }
      BOOST_OUTCOME_TRYV(store.fill(kCalibrateFullShare));
      BOOST_OUTCOME_TRYV(store.flush());
    }
    BOOST_OUTCOME_TRYV(store.fill(kHalf));
    BOOST_OUTCOME_TRYV(store.read_all());
    table_.note(CpuWork::kGetAbsent, BOOST_OUTCOME_TRYX(store.look_up(false)));
    table_.note(CpuWork::kGetPresent, BOOST_OUTCOME_TRYX(store.look_up(true)));
    table_.note(CpuWork::kShortScan, BOOST_OUTCOME_TRYX(store.scan(kShortScanEntries, kScans)));
    table_.note(CpuWork::kLongScan, BOOST_OUTCOME_TRYX(store.scan(kLongScanEntries, kScans)));
    return success();
  }

  [[nodiscard]] Result<void> scan_wide() {
    constexpr double kHalf = 0.5;  // share of the memtable, as for the other scans
    WorkStore store(store_directory(), flushing_shape(kCalibrateLargeValueBytes));
    BOOST_OUTCOME_TRYV(fill_runs(store));
    BOOST_OUTCOME_TRYV(store.fill(kHalf));
    BOOST_OUTCOME_TRYV(store.read_all());
    table_.note(CpuWork::kWideScan, BOOST_OUTCOME_TRYX(store.scan(kLongScanEntries, kScans)));
    return success();
  }

  // Lookups whose blocks come from the disk: first alone, then with puts between them, which find
  // cold caches.
  [[nodiscard]] Result<void> read_disk(WorkStore& store) {
    BOOST_OUTCOME_TRYV(fill_runs(store));
    const std::uint64_t lookups = disk_lookups();
    table_.note(CpuWork::kGetDisk, BOOST_OUTCOME_TRYX(store.look_up(true, lookups)));
    const WorkStore::InTurn in_turn = BOOST_OUTCOME_TRYX(store.look_up_and_put(lookups));
    table_.note(CpuWork::kGetBetween, in_turn.get);
    table_.note(CpuWork::kPutCold, in_turn.put);
    return success();
  }

  // Merges of entries of 1 KiB: alone; while all other cores put into stores of their own;
  // concurrent with lookups on the disk, with another merge, and with a store at work; and of many
  // runs. Each of them comes first in turn, because the disk's earlier work still has an effect for
  // a while.
  [[nodiscard]] Result<void> merge_in_turn(WorkStore& looked_up) {
    const Sample lookups =
        BOOST_OUTCOME_TRYX(looked_up.look_up(true, std::min(kLookupsAlone, disk_lookups())));
    table_.note(CpuWork::kGetDisk, lookups);
    constexpr std::array kWorks{CpuWork::kMergeLarge, CpuWork::kMergeBeside,
                                CpuWork::kMergeGets,  CpuWork::kMergeMerge,
                                CpuWork::kMergeStore, CpuWork::kMergeLargeMany};
    std::array<Sample, kWorks.size()> merged;
    for (std::size_t i = 0; i < kWorks.size(); ++i) {
      const std::size_t at = (i + merge_turns_) % kWorks.size();
      merged[at] = BOOST_OUTCOME_TRYX(merge(kWorks[at], looked_up));
    }
    ++merge_turns_;
    const Sample& alone = merged.front();
    table_.note(kWorks.front(), alone);
    for (std::size_t i = 1; i < kWorks.size(); ++i) table_.note_ratio(kWorks[i], merged[i], alone);
    table_.note_ratio(CpuWork::kGetBeside, beside_merge_, lookups);
    return success();
  }

  [[nodiscard]] Result<Sample> merge(CpuWork work, WorkStore& looked_up) {
    if (work == CpuWork::kMergeLargeMany) {
      return merge_alone(kCalibrateLargeValueBytes, kCalibrateManyRuns);
    }
    WorkStore store(turn_directory(), merging_shape(kCalibrateLargeValueBytes));
    BOOST_OUTCOME_TRYV(fill_runs(store));
    switch (work) {
      case CpuWork::kMergeBeside:
        return beside_puts(stores_beside(), [&] { return store.merge(); });
      case CpuWork::kMergeGets: {
        const MergeAndLookups both = BOOST_OUTCOME_TRYX(
            merge_beside_lookups(store, looked_up, [&] { return wait_for_disk(); }));
        beside_merge_ = both.lookup;
        return both.merge;
      }
      case CpuWork::kMergeMerge: {
        WorkStore other(store_directory() + "-beside", merging_shape(kCalibrateLargeValueBytes));
        BOOST_OUTCOME_TRYV(fill_runs(other));
        return merge_beside_merge(store, other);
      }
      case CpuWork::kMergeStore: {
        const MergeAndPuts both = BOOST_OUTCOME_TRYX(merge_beside_store(stores_beside(), store));
        table_.note(CpuWork::kPutStore, both.put);
        return both.merge;
      }
      default:
        return store.merge();
    }
  }

  // Waits for the disk so often that the scheduler moves the thread to the core on which such
  // threads gather.
  [[nodiscard]] Result<void> wait_for_disk() const {
    constexpr auto kWhile = std::chrono::milliseconds(600);
    if (!is_direct()) return success();
    const CalibrateClock::time_point begin = CalibrateClock::now();
    while (CalibrateClock::now() - begin < kWhile && !should_stop(options_)) {
      BOOST_OUTCOME_TRYV(measure_large_request_ns(directory_, true));
    }
    return success();
  }

  [[nodiscard]] Result<Sample> merge_alone(std::uint32_t value_bytes, unsigned runs) {
    WorkStore store(turn_directory(), merging_shape(value_bytes, runs));
    BOOST_OUTCOME_TRYV(fill_runs(store, runs));
    return store.merge();
  }

  // The store merges equally many bytes for any number of runs.
  [[nodiscard]] StoreShape merging_shape(std::uint32_t value_bytes,
                                         unsigned runs = kCalibrateRuns) const {
    StoreShape shape{merging_policy(runs), Bytes(buffer_.value() * kCalibrateRuns / runs),
                     value_bytes};
    shape.is_direct = is_direct();
    return shape;
  }

  // Opens the store and fills it with the runs of one merge.
  [[nodiscard]] static Result<void> fill_runs(WorkStore& store, unsigned runs = kCalibrateRuns) {
    BOOST_OUTCOME_TRYV(store.open());
    for (unsigned run = 0; run < runs; ++run) {
      BOOST_OUTCOME_TRYV(store.fill(kCalibrateFullShare));
      BOOST_OUTCOME_TRYV(store.flush());
    }
    return success();
  }

  [[nodiscard]] std::uint64_t disk_lookups() const {
    constexpr std::uint64_t kMost = 2'000;
    return std::min(kMost, buffer_.value() / 4 /
                               buffered_entry_bytes(kCalibrateKeyBytes, kCalibrateValueBytes));
  }

  [[nodiscard]] StoresBeside stores_beside() const {
    return {directory_ + "/beside", buffer_, is_direct()};
  }

  [[nodiscard]] StoreShape flushing_shape(std::uint32_t value_bytes) const {
    StoreShape shape{no_merges(), buffer_, value_bytes};
    shape.is_direct = is_direct();
    return shape;
  }

  [[nodiscard]] StoreShape threaded_shape(std::uint32_t value_bytes) const {
    StoreShape shape = merging_shape(value_bytes);
    shape.is_threaded = true;
    return shape;
  }

  // With large values, the slowest puts are those that pass a piece of the log to the system: one
  // in some sixty.
  [[nodiscard]] Result<void> log_beside() {
    WorkStore store(store_directory(), threaded_shape(kCalibrateLargeValueBytes));
    BOOST_OUTCOME_TRYV(store.open());
    BOOST_OUTCOME_TRYV(store.fill(kThreadedMemtables / 2));
    LatencyHistogram latencies;
    BOOST_OUTCOME_TRYV(store.time_puts(kTimedMemtables, latencies));
    Sample sample;
    sample.nanoseconds =
        static_cast<double>(latencies.percentile(99, 100) - latencies.percentile(50, 100));
    sample.kib = static_cast<double>(kCalibrateWalBuffer.value()) / 1024;
    table_.note(CpuWork::kLogBeside, sample);
    return success();
  }

  // The work of a client that only puts: its own work, puts, and both while the store's threads
  // work.
  [[nodiscard]] Result<void> put_in_turn() {
    BOOST_OUTCOME_TRYV(client(CpuWork::kClientSmall, kSmallValueBytes));
    BOOST_OUTCOME_TRYV(client(CpuWork::kClientLarge, kCalibrateLargeValueBytes));
    BOOST_OUTCOME_TRYV(put_and_flush_wide());
    const Sample alone = BOOST_OUTCOME_TRYX(put_alone());
    table_.note(CpuWork::kPut, alone);

    PosixFileSystem files;
    const StoreShape shape = threaded_shape(kCalibrateValueBytes);
    const RunSetup run = BOOST_OUTCOME_TRYX(run_of(shape));
    ReplayOptions options;
    options.directory = turn_directory();
    options.files = &files;
    const auto puts = static_cast<std::uint64_t>(kThreadedMemtables) * buffer_.value() /
                      buffered_entry_bytes(kCalibrateKeyBytes, kCalibrateValueBytes);
    const BusyReplay replayed =
        BOOST_OUTCOME_TRYX(measure_busy_replay(run, options, kCalibrateValueBytes, puts));
    Sample beside;
    beside.nanoseconds = replayed.nanoseconds;
    beside.others_busy = replayed.others_busy;
    beside.kib = kib_of(kCalibrateValueBytes);
    table_.note_ratio(CpuWork::kPutBeside, beside, alone);
    return success();
  }

  // In a store, a client always puts during a flush, and the flush reads what another core put.
  [[nodiscard]] Result<void> put_and_flush_wide() {
    WorkStore store(turn_directory(), flushing_shape(kCalibrateLargeValueBytes));
    BOOST_OUTCOME_TRYV(store.open());
    Sample put = BOOST_OUTCOME_TRYX(store.fill(kCalibrateFullShare));
    put.kib = kib_of(kCalibrateLargeValueBytes);
    table_.note(CpuWork::kPutWide, put);
    table_.note(CpuWork::kFlushWide,
                BOOST_OUTCOME_TRYX(beside_puts(stores_beside(), [&] { return store.flush(); })));
    return success();
  }

  // Puts into a store that has its memory already.
  [[nodiscard]] Result<Sample> put_alone() {
    constexpr unsigned kFillsBefore = 2;
    WorkStore store(turn_directory(), flushing_shape(kCalibrateValueBytes));
    BOOST_OUTCOME_TRYV(store.open());
    for (unsigned fill = 0; fill < kFillsBefore; ++fill) {
      BOOST_OUTCOME_TRYV(store.fill(kCalibrateFullShare));
      table_.note(CpuWork::kFlush,
                  BOOST_OUTCOME_TRYX(beside_puts(stores_beside(), [&] { return store.flush(); })));
    }
    Sample sample = BOOST_OUTCOME_TRYX(store.fill(kCalibrateFullShare));
    sample.kib = kib_of(kCalibrateValueBytes);
    return sample;
  }

  [[nodiscard]] Result<void> slow_put_beside() {
    WorkStore store(store_directory(), threaded_shape(kCalibrateValueBytes));
    BOOST_OUTCOME_TRYV(store.open());
    BOOST_OUTCOME_TRYV(store.fill(kThreadedMemtables));
    LatencyHistogram latencies;
    BOOST_OUTCOME_TRYV(store.time_puts(kTimedMemtables, latencies));
    Sample sample;
    sample.nanoseconds =
        static_cast<double>(latencies.percentile(99, 100) - latencies.percentile(50, 100));
    sample.kib = kib_of(kCalibrateValueBytes);
    table_.note(CpuWork::kSlowPutBeside, sample);
    return success();
  }

  std::string directory_;
  const CalibrateOptions& options_;
  Bytes buffer_;
  CpuTable table_;
  bool has_memory_ = false;
  std::size_t merge_turns_ = 0;
  Sample beside_merge_;  // lookups concurrent with the last merge
};

CpuMeasurement::CpuMeasurement(const std::string& directory, const CalibrateOptions& options)
    : meter_(std::make_unique<Meter>(directory, options)) {}

CpuMeasurement::~CpuMeasurement() = default;

Result<bool> CpuMeasurement::work(CalibrateClock::duration length) {
  left_ += length;
  while (turns_ == 0 || left_ > CalibrateClock::duration::zero()) {
    const auto begin = CalibrateClock::now();
    const bool is_whole = turns_++ % kTurnsPerWholeRound == 0;
    const bool goes_on = BOOST_OUTCOME_TRYX(is_whole ? meter_->round() : meter_->short_round());
    if (!goes_on) return false;
    left_ -= CalibrateClock::now() - begin;
  }
  return true;
}

std::vector<CpuRow> CpuMeasurement::rows() const { return meter_->rows(); }

Bytes cpu_scratch_bytes(Bytes file_bytes) {
  // Twice: logs and files of all runs and their merged output, the files of concurrent lookups, the
  // log of a large memtable, and logs and files of concurrent stores.
  const std::uint64_t beside =
      std::max<std::uint64_t>(kLargeFactor, std::thread::hardware_concurrency());
  const std::uint64_t buffers = 2 * (5 * kCalibrateRuns + kLargeFactor + beside + kMemtablesBeside);
  return Bytes(buffers * cpu_buffer(file_bytes).value());
}

}  // namespace lsmlab::engine
