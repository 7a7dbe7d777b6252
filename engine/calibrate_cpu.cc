// Stores at work on one thread, by the processor time that it uses.
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>

#include "engine/calibrate_parts.h"
#include "engine/posix_file_system.h"
#include "engine/replay_data.h"
#include "engine/store.h"
#include "models/check.h"
#include "models/latency_histogram.h"
#include "models/registry.h"
#include "models/spec.h"
#include "models/sstable_size.h"
#include "traces/random.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint32_t kKeyBytes = 16;
constexpr std::uint32_t kValueBytes = 112;
constexpr std::uint32_t kSmallValueBytes = 16;
constexpr std::uint32_t kLargeValueBytes = 1024;
constexpr Bytes kBuffer{8 << 20};  // StoreOptions' default
constexpr std::uint64_t kLargeFactor = 8;
constexpr std::uint64_t kRuns = 4;
constexpr double kFullShare = 0.95;  // of a memtable; a full one would be flushed by the last put
constexpr std::uint64_t kLookups = 20'000;
constexpr std::uint64_t kScans = 2'000;
constexpr std::uint64_t kShortScanEntries = 10;
constexpr std::uint64_t kLongScanEntries = 100;
constexpr unsigned kRoundsMax = 15;
constexpr Bytes kWalBuffer{64 << 10};  // of replays, where not told otherwise
constexpr std::uint64_t kLogPieces = 128;

using Key = std::array<char, kKeyBytes>;

std::string_view view_of(const Key& key) { return {key.data(), key.size()}; }

// Keys of different numbers differ and come in no order; those of a store are even, others odd.
Key key_of(std::uint64_t number, bool is_present) {
  const std::uint64_t id = (mix_bits(number) << 1) | (is_present ? 0 : 1);
  std::string text;
  encode_key(id, kKeyBytes, text);
  Key key;
  std::memcpy(key.data(), text.data(), key.size());
  return key;
}

constexpr const char* kNoMerges = "none:";
constexpr const char* kMergesFour = "tiered:size_ratio=4,flush=separate,";
constexpr double kThreadedMemtables = 8;  // that a store with threads is given
constexpr double kTimedMemtables = 2;     // more, put by put by the clock

struct StoreShape {
  const char* policy = kNoMerges;  // with its parameters, to be gone on with
  Bytes buffer = kBuffer;
  std::uint32_t value_bytes = kValueBytes;
  Bytes wal_buffer = kWalBuffer;
  bool is_threaded = false;  // flushes and merges on threads of its own, around the page cache
};

Result<StoreSetup> setup_of(const StoreShape& shape, FileSystem& files) {
  StoreSetup setup;
  const std::string spec =
      fmt::format("{}buffer={},block_cache=4GiB", shape.policy, shape.buffer.value());
  setup.policy = BOOST_OUTCOME_TRYX(make_policy(BOOST_OUTCOME_TRYX(parse_spec(spec))));
  setup.files = &files;
  setup.sync = SyncRule::kNever;
  setup.sync_files = false;
  setup.wal_buffer = shape.wal_buffer;
  setup.direct_io = shape.is_threaded;
  if (shape.is_threaded) setup.mode = StoreMode::kThreaded;
  return setup;
}

// What one measurement comes to, of an operation or an entry.
struct Sample {
  double nanoseconds = 0;
  double entries = 0;
  double tables = 0;
  double blocks = 0;
  double kib = 0;
  double slow_ns = 0;
  double others_busy = 0;
};

// A store that is filled memtable by memtable, and merges only when it is told to.
class WorkStore {
 public:
  WorkStore(std::string directory, const StoreShape& shape)
      : directory_(std::move(directory)), shape_(shape) {
    make_value(1, 1, 2 * kLargeValueBytes, values_);
  }
  ~WorkStore() {
    store_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  WorkStore(const WorkStore&) = delete;
  WorkStore& operator=(const WorkStore&) = delete;

  [[nodiscard]] Result<void> open() {
    StoreSetup setup = BOOST_OUTCOME_TRYX(setup_of(shape_, files_));
    leaves_merges_ = !shape_.is_threaded;
    setup.stop = &leaves_merges_;
    store_ = BOOST_OUTCOME_TRYX(Store::open(directory_, setup));
    return success();
  }

  /// Puts new keys up to a share of the memtable, or of threaded stores up to several. A put.
  [[nodiscard]] Result<Sample> fill(double share) {
    const auto entry_bytes =
        static_cast<double>(buffered_entry_bytes(kKeyBytes, shape_.value_bytes));
    const auto target = static_cast<std::uint64_t>(
        share * static_cast<double>(shape_.buffer.value()) / entry_bytes);
    CHECK(target > in_memtable_);
    const std::uint64_t count = target - in_memtable_;
    std::vector<Key> keys;
    for (std::uint64_t i = 0; i < count; ++i) keys.push_back(key_of(written_ + i, true));
    const double begin = thread_ns();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string_view value(values_.data() + i % kLargeValueBytes, shape_.value_bytes);
      BOOST_OUTCOME_TRYV(store_->put(view_of(keys[i]), value));
    }
    Sample sample;
    sample.nanoseconds = (thread_ns() - begin) / static_cast<double>(count);
    in_memtable_ += count;
    written_ += count;
    return sample;
  }

  /// Puts that many memtables of new keys, each put by the clock.
  [[nodiscard]] Result<void> time_puts(double memtables, LatencyHistogram& latencies) {
    const auto count = static_cast<std::uint64_t>(memtables) * in_memtable_ /
                       static_cast<std::uint64_t>(kThreadedMemtables);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Key key = key_of(written_++, true);
      const std::string_view value(values_.data() + i % kLargeValueBytes, shape_.value_bytes);
      const CalibrateClock::time_point begin = CalibrateClock::now();
      BOOST_OUTCOME_TRYV(store_->put(view_of(key), value));
      latencies.add(static_cast<std::uint64_t>((CalibrateClock::now() - begin).count()));
    }
    return success();
  }

  /// An entry.
  [[nodiscard]] Result<Sample> flush() {
    const Totals before = store_->totals();
    const double begin = thread_ns();
    BOOST_OUTCOME_TRYV(store_->flush());
    Sample sample = of_entries(thread_ns() - begin, in_memtable_,
                               store_->totals().flush_bytes_written - before.flush_bytes_written);
    in_memtable_ = 0;
    return sample;
  }

  /// An entry. REQUIRES: the policy wants to merge all that there is.
  [[nodiscard]] Result<Sample> merge() {
    leaves_merges_ = false;
    const double begin = thread_ns();
    BOOST_OUTCOME_TRYV(store_->settle());
    const double taken = thread_ns() - begin;
    leaves_merges_ = true;
    CHECK(store_->totals().merges == 1);
    return of_entries(taken, written_, store_->totals().merge_bytes_read);
  }

  /// Lookups in the order of chance.
  [[nodiscard]] Result<Sample> look_up(bool is_present) {
    // What is in the memtable only would count as a lookup without tables.
    const std::uint64_t in_files = written_ - in_memtable_;
    std::vector<Key> keys;
    for (std::uint64_t i = 0; i < kLookups; ++i) {
      keys.push_back(key_of(is_present ? (i * 0x9e3779b1) % in_files : i, is_present));
    }
    const auto sums = [&] {
      LookupFigures all = store_->reads().gets_found;
      all += store_->reads().gets_absent;
      return all;
    };
    const LookupFigures before = sums();
    const double begin = thread_ns();
    for (const Key& key : keys) {
      const auto found = BOOST_OUTCOME_TRYX(store_->get(view_of(key)));
      CHECK(found.has_value() == is_present);
    }
    Sample sample;
    sample.nanoseconds = (thread_ns() - begin) / kLookups;
    const LookupFigures after = sums();
    sample.tables = static_cast<double>(after.runs_touched - before.runs_touched) / kLookups;
    sample.blocks =
        static_cast<double>(after.blocks.blocks_fetched - before.blocks.blocks_fetched) / kLookups;
    return sample;
  }

  [[nodiscard]] Result<Sample> scan(std::uint64_t entries, std::uint64_t count) {
    std::vector<Key> keys;
    for (std::uint64_t i = 0; i < count; ++i) keys.push_back(key_of(i, false));
    const ScanFigures before = store_->reads().scans;
    const double begin = thread_ns();
    for (const Key& key : keys) {
      const std::unique_ptr<Cursor> cursor =
          store_->scan({std::string(view_of(key)), std::nullopt});
      for (std::uint64_t i = 0; i < entries; ++i) {
        const bool has_entry = BOOST_OUTCOME_TRYX(cursor->next());
        if (!has_entry) break;
      }
    }
    Sample sample;
    const auto scans = static_cast<double>(count);
    sample.nanoseconds = (thread_ns() - begin) / scans;
    const ScanFigures after = store_->reads().scans;
    sample.entries = static_cast<double>(after.entries - before.entries) / scans;
    sample.tables = static_cast<double>(after.runs_touched - before.runs_touched) / scans;
    sample.blocks =
        static_cast<double>(after.blocks.blocks_fetched - before.blocks.blocks_fetched) / scans;
    return sample;
  }

  /// Brings every block into the cache.
  [[nodiscard]] Result<void> read_all() {
    const std::unique_ptr<Cursor> cursor = store_->scan({});
    for (;;) {
      const bool has_entry = BOOST_OUTCOME_TRYX(cursor->next());
      if (!has_entry) return success();
    }
  }

 private:
  [[nodiscard]] static Sample of_entries(double nanoseconds, std::uint64_t entries, Uint128 bytes) {
    const auto count = static_cast<double>(entries);
    Sample sample;
    sample.nanoseconds = nanoseconds / count;
    sample.entries = 1;
    sample.kib = static_cast<double>(bytes) / 1024 / count;
    return sample;
  }

  std::string directory_;
  StoreShape shape_;
  PosixFileSystem files_;
  std::atomic<bool> leaves_merges_{true};
  std::unique_ptr<Store> store_;
  std::string values_;
  std::uint64_t written_ = 0;
  std::uint64_t in_memtable_ = 0;
};

class CpuMeter {
 public:
  CpuMeter(const std::string& directory, const CalibrateOptions& options)
      : directory_(directory), options_(options), buffer_(cpu_buffer(options.file_bytes)) {}

  [[nodiscard]] static Bytes cpu_buffer(Bytes file_bytes) {
    // Small where the scratch file is, as the space may be.
    return Bytes(std::min<std::uint64_t>(kBuffer.value(), file_bytes.value() / 32));
  }

  /// False where it was stopped.
  [[nodiscard]] Result<bool> round() {
    show_progress(options_, "puts");
    BOOST_OUTCOME_TRYV(put(CpuWork::kPutSmall, {kNoMerges, Bytes(buffer_.value() / 2)}));
    BOOST_OUTCOME_TRYV(put(CpuWork::kPutLarge, {kNoMerges, Bytes(buffer_.value() * kLargeFactor)}));
    BOOST_OUTCOME_TRYV(put(CpuWork::kPutWide, {kNoMerges, buffer_, kLargeValueBytes}));
    BOOST_OUTCOME_TRYV(client(CpuWork::kClientSmall, kSmallValueBytes));
    BOOST_OUTCOME_TRYV(client(CpuWork::kClientLarge, kLargeValueBytes));
    BOOST_OUTCOME_TRYV(put(CpuWork::kPutUngathered, {kNoMerges, buffer_, kValueBytes, Bytes(0)}));
    BOOST_OUTCOME_TRYV(call_system());
    if (should_stop(options_)) return false;
    show_progress(options_, "lookups, scans and flushes");
    BOOST_OUTCOME_TRYV(read_and_flush());
    if (should_stop(options_)) return false;
    show_progress(options_, "merges");
    BOOST_OUTCOME_TRYV(merge(CpuWork::kMergeSmall, kSmallValueBytes));
    BOOST_OUTCOME_TRYV(merge(CpuWork::kMergeLarge, kLargeValueBytes));
    if (should_stop(options_)) return false;
    show_progress(options_, "puts beside flushes and merges");
    BOOST_OUTCOME_TRYV(beside());
    return !should_stop(options_);
  }

  [[nodiscard]] std::vector<CpuRow> rows() const {
    std::vector<CpuRow> rows;
    for (const Measured& measured : measured_) {
      CpuRow row = measured.row;
      row.nanoseconds = measured.times.median();
      row.spread = measured.times.spread();
      row.slow_ns = measured.slow.median();
      row.others_busy = measured.others_busy.median();
      rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end(),
              [](const CpuRow& a, const CpuRow& b) { return a.work < b.work; });
    return rows;
  }

 private:
  struct Measured {
    CpuRow row;
    RoundFigures times;
    RoundFigures slow;
    RoundFigures others_busy;
  };

  void note(CpuWork work, const Sample& sample) {
    auto at = std::find_if(measured_.begin(), measured_.end(),
                           [&](const Measured& measured) { return measured.row.work == work; });
    if (at == measured_.end()) at = measured_.insert(at, Measured{});
    at->times.add(sample.nanoseconds);
    // Every round does the same, so its counts are the same.
    at->row = {work, 0, 0, sample.entries, sample.tables, sample.blocks, sample.kib, 0, 0};
    at->slow.add(sample.slow_ns);
    at->others_busy.add(sample.others_busy);
  }

  [[nodiscard]] std::string store_directory() const { return directory_ + "/store"; }

  [[nodiscard]] Result<void> put(CpuWork work, const StoreShape& shape) {
    WorkStore store(store_directory(), shape);
    BOOST_OUTCOME_TRYV(store.open());
    Sample sample = BOOST_OUTCOME_TRYX(store.fill(kFullShare));
    sample.kib = kib_of(shape.value_bytes);
    note(work, sample);
    return success();
  }

  [[nodiscard]] Result<void> client(CpuWork work, std::uint32_t value_bytes) {
    Sample sample;
    sample.nanoseconds = BOOST_OUTCOME_TRYX(measure_client_ns(value_bytes));
    sample.kib = static_cast<double>(value_bytes) / 1024;
    note(work, sample);
    return success();
  }

  [[nodiscard]] Result<void> call_system() {
    Sample sample;
    sample.nanoseconds =
        BOOST_OUTCOME_TRYX(measure_log_write_ns(directory_, kWalBuffer.value(), kLogPieces));
    sample.kib = static_cast<double>(kWalBuffer.value()) / 1024;
    note(CpuWork::kLogWrite, sample);
    sample.nanoseconds = BOOST_OUTCOME_TRYX(measure_file_ns(directory_));
    sample.kib = 0;
    note(CpuWork::kFile, sample);
    sample.nanoseconds = BOOST_OUTCOME_TRYX(measure_read_ns(directory_, buffer_));
    note(CpuWork::kRead, sample);
    return success();
  }

  [[nodiscard]] static double kib_of(std::uint32_t value_bytes) {
    return static_cast<double>(kKeyBytes + value_bytes) / 1024;
  }

  // Lookups all have a memtable half full, so that they differ by their tables and blocks alone.
  [[nodiscard]] Result<void> read_and_flush() {
    constexpr double kHalf = 0.5;
    WorkStore store(store_directory(), {kNoMerges, buffer_});
    BOOST_OUTCOME_TRYV(store.open());
    RoundFigures puts;
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      if (run <= 1) {
        BOOST_OUTCOME_TRYV(store.fill(kHalf));
      }
      if (run == 0) note(CpuWork::kGetMemtable, BOOST_OUTCOME_TRYX(store.look_up(false)));
      if (run == 1) {
        BOOST_OUTCOME_TRYV(store.read_all());
        note(CpuWork::kGetPresentOne, BOOST_OUTCOME_TRYX(store.look_up(true)));
      }
      const Sample filled = BOOST_OUTCOME_TRYX(store.fill(kFullShare));
      // The other two began with a memtable half full.
      if (run > 1) puts.add(filled.nanoseconds);
      note(CpuWork::kFlush, BOOST_OUTCOME_TRYX(store.flush()));
    }
    Sample put;
    put.nanoseconds = puts.median();
    put.kib = kib_of(kValueBytes);
    note(CpuWork::kPut, put);
    BOOST_OUTCOME_TRYV(store.fill(kHalf));
    BOOST_OUTCOME_TRYV(store.read_all());
    note(CpuWork::kGetAbsent, BOOST_OUTCOME_TRYX(store.look_up(false)));
    note(CpuWork::kGetPresent, BOOST_OUTCOME_TRYX(store.look_up(true)));
    note(CpuWork::kShortScan, BOOST_OUTCOME_TRYX(store.scan(kShortScanEntries, kScans)));
    note(CpuWork::kLongScan, BOOST_OUTCOME_TRYX(store.scan(kLongScanEntries, kScans)));
    return success();
  }

  [[nodiscard]] Result<void> merge(CpuWork work, std::uint32_t value_bytes) {
    static_assert(kRuns == 4);
    WorkStore store(store_directory(), {kMergesFour, buffer_, value_bytes});
    BOOST_OUTCOME_TRYV(store.open());
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      BOOST_OUTCOME_TRYV(store.fill(kFullShare));
      BOOST_OUTCOME_TRYV(store.flush());
    }
    note(work, BOOST_OUTCOME_TRYX(store.merge()));
    return success();
  }

  // What it costs a client that the store's own threads are at work.
  [[nodiscard]] Result<void> beside() {
    const StoreShape shape{kMergesFour, buffer_, kValueBytes, kWalBuffer, true};
    PosixFileSystem files;
    StoreSetup setup = BOOST_OUTCOME_TRYX(setup_of(shape, files));
    const auto puts = static_cast<std::uint64_t>(kThreadedMemtables) * buffer_.value() /
                      buffered_entry_bytes(kKeyBytes, kValueBytes);
    const BusyReplay replayed = BOOST_OUTCOME_TRYX(
        measure_busy_replay(store_directory(), std::move(setup), kValueBytes, puts));
    Sample sample;
    sample.nanoseconds = replayed.nanoseconds;
    sample.others_busy = replayed.others_busy;
    sample.kib = kib_of(kValueBytes);

    WorkStore store(store_directory(), shape);
    BOOST_OUTCOME_TRYV(store.open());
    BOOST_OUTCOME_TRYV(store.fill(kThreadedMemtables));
    LatencyHistogram latencies;
    BOOST_OUTCOME_TRYV(store.time_puts(kTimedMemtables, latencies));
    sample.slow_ns =
        static_cast<double>(latencies.percentile(99, 100) - latencies.percentile(50, 100));
    note(CpuWork::kPutBeside, sample);
    return success();
  }

  std::string directory_;
  const CalibrateOptions& options_;
  Bytes buffer_;
  std::vector<Measured> measured_;
};

}  // namespace

namespace {

double clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace

double thread_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }
double process_ns() { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

Bytes cpu_scratch_bytes(Bytes file_bytes) {
  // Logs and files of all runs and what they are merged into, or a large memtable's log.
  constexpr std::uint64_t kBuffers = 2 * (2 * kRuns + kLargeFactor);
  return Bytes(kBuffers * CpuMeter::cpu_buffer(file_bytes).value());
}

Result<std::vector<CpuRow>> measure_cpu(const std::string& directory,
                                        const CalibrateOptions& options,
                                        CalibrateClock::time_point deadline) {
  CpuMeter meter(directory, options);
  for (unsigned round = 0; round < kRoundsMax; ++round) {
    if (round > 0 && CalibrateClock::now() > deadline) break;
    const bool is_whole = BOOST_OUTCOME_TRYX(meter.round());
    if (!is_whole) return std::vector<CpuRow>();
  }
  return meter.rows();
}

}  // namespace lsmlab::engine
