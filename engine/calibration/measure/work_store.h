// The store that a calibration measures: it is filled memtable by memtable, and its work is timed.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "engine/calibration/measure/measure.h"
#include "engine/files/posix_file_system.h"
#include "engine/store/store.h"
#include "models/accounting/latency_histogram.h"
#include "models/base/spec.h"
#include "models/execution/run_setup.h"

namespace lsmlab::engine {

using CalibrateKey = std::array<char, kCalibrateKeyBytes>;
inline constexpr Bytes kCalibrateWalBuffer = RunOptions().wal_buffer;  // as in a replay
inline constexpr std::uint64_t kCalibrateLookups = 20'000;
// Share of a memtable that is filled. The last put of a full memtable would flush it.
inline constexpr double kCalibrateFullShare = 0.95;
[[nodiscard]] inline Spec no_merges() { return {"none", {}}; }

struct StoreShape {
  Spec policy = no_merges();  // without the parameters that the other members stand for
  Bytes buffer = kCalibrateBuffer;
  std::uint32_t value_bytes = kCalibrateValueBytes;
  Bytes wal_buffer = kCalibrateWalBuffer;
  bool is_threaded = false;  // flushes and merges run on the store's own threads
  bool is_direct = false;    // SSTables are read and written with direct I/O
  bool is_uncached = false;  // every block is read from the disk
};

/// The setup of a run on such a store. Errors: those of an unknown policy.
[[nodiscard]] Result<RunSetup> run_of(const StoreShape& shape);

// Figures of one measurement, per operation or per entry.
struct Sample {
  double nanoseconds = 0;
  double entries = 0;
  double tables = 0;
  double blocks = 0;
  double kib = 0;
  double wall_ns = 0;
  double slow_ns = 0;
  double others_busy = 0;
  double core_wait_ns = 0;
  double one_core = 0;
};

// A store that is filled memtable by memtable. Unless it is threaded, it merges only in merge().
class WorkStore {
 public:
  WorkStore(std::string directory, const StoreShape& shape);
  /// Removes the directory.
  ~WorkStore();
  WorkStore(const WorkStore&) = delete;
  WorkStore& operator=(const WorkStore&) = delete;

  [[nodiscard]] Result<void> open();

  /// Puts new keys until the memtable is filled to this share. In a threaded store the share may be
  /// several memtables. Figures per put.
  [[nodiscard]] Result<Sample> fill(double share);

  /// Puts that many memtables of new keys, and times each put.
  [[nodiscard]] Result<void> time_puts(double memtables, LatencyHistogram& latencies);

  /// Figures per entry.
  [[nodiscard]] Result<Sample> flush();

  /// Figures per entry. REQUIRES: the policy wants to merge all runs at once.
  [[nodiscard]] Result<Sample> merge();

  /// Lookups of keys in random order. Figures per lookup.
  [[nodiscard]] Result<Sample> look_up(bool is_present, std::uint64_t lookups = kCalibrateLookups);

  /// Figures of lookups with two puts after each. The put's time is the median of the first puts;
  /// slow_ns is that minus the median of the second puts, both elapsed time. REQUIRES: the memtable
  /// can take all puts.
  struct InTurn {
    Sample get;
    Sample put;
  };
  [[nodiscard]] Result<InTurn> look_up_and_put(std::uint64_t lookups);

  [[nodiscard]] Result<Sample> scan(std::uint64_t entries, std::uint64_t count);

  /// Brings every block into the cache.
  [[nodiscard]] Result<void> read_all();

 private:
  [[nodiscard]] CalibrateKey next_looked_up(bool is_present, std::uint64_t in_files);
  [[nodiscard]] std::uint64_t entries_of(double memtables) const;
  [[nodiscard]] static Sample of_entries(double nanoseconds, std::uint64_t entries, Uint128 bytes);

  std::string directory_;
  StoreShape shape_;
  PosixFileSystem files_;
  std::atomic<bool> leaves_merges_{true};
  std::unique_ptr<Store> store_;
  std::string values_;
  std::uint64_t written_ = 0;
  std::uint64_t in_memtable_ = 0;
  std::uint64_t looked_up_ = 0;
};

}  // namespace lsmlab::engine
