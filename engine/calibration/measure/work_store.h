// A store as a calibration works with it: filled memtable by memtable, and timed at what it does.
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
inline constexpr Bytes kCalibrateWalBuffer = RunOptions().wal_buffer;  // as replays have it
inline constexpr std::uint64_t kCalibrateLookups = 20'000;
// Of a memtable; a full one would be flushed by the last put.
inline constexpr double kCalibrateFullShare = 0.95;
[[nodiscard]] inline Spec no_merges() { return {"none", {}}; }

struct StoreShape {
  Spec policy = no_merges();  // without the parameters that the other members stand for
  Bytes buffer = kCalibrateBuffer;
  std::uint32_t value_bytes = kCalibrateValueBytes;
  Bytes wal_buffer = kCalibrateWalBuffer;
  bool is_threaded = false;  // flushes and merges on threads of its own
  bool is_direct = false;    // SSTables are read and written around the page cache
  bool is_uncached = false;  // every block is read from the disk
};

/// A run on such a store. Errors: none that can happen with policies that there are.
[[nodiscard]] Result<RunSetup> run_of(const StoreShape& shape);

// What one measurement comes to, of an operation or an entry.
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

// A store that is filled memtable by memtable, and merges only when it is told to.
class WorkStore {
 public:
  WorkStore(std::string directory, const StoreShape& shape);
  /// The directory goes with it.
  ~WorkStore();
  WorkStore(const WorkStore&) = delete;
  WorkStore& operator=(const WorkStore&) = delete;

  [[nodiscard]] Result<void> open();

  /// Puts new keys up to a share of the memtable, or of threaded stores up to several. A put.
  [[nodiscard]] Result<Sample> fill(double share);

  /// Puts that many memtables of new keys, each put by the clock.
  [[nodiscard]] Result<void> time_puts(double memtables, LatencyHistogram& latencies);

  /// An entry.
  [[nodiscard]] Result<Sample> flush();

  /// An entry. REQUIRES: the policy wants to merge all that there is.
  [[nodiscard]] Result<Sample> merge();

  /// Lookups in the order of chance.
  [[nodiscard]] Result<Sample> look_up(bool is_present, std::uint64_t lookups = kCalibrateLookups);

  /// So many lookups with two puts after each. Of these, the middle one of the first ones by the
  /// clock, and in slow_ns what it takes longer than that of the second ones. REQUIRES: room for
  /// them in the memtable.
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
