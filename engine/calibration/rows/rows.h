// The rows of a calibration: the work that is measured, and the figures of each kind of work.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/units.h"

namespace lsmlab::engine {

inline constexpr double kNsPerSecond = 1e9;
inline constexpr double kKib = 1024;
inline constexpr std::uint64_t kSmallBytes = 4 << 10;

// The store that rows of the processor are measured with.
inline constexpr std::uint32_t kCalibrateKeyBytes = 16;
inline constexpr std::uint32_t kCalibrateValueBytes = 112;
inline constexpr std::uint32_t kCalibrateLargeValueBytes = 1024;
inline constexpr Bytes kCalibrateBuffer{8 << 20};  // StoreOptions' default

enum class DiskWork {
  kSequentialRead,
  kRandomRead,
  kTwoStreamRead,  // from two places in turn, each in sequence
  kSequentialWrite,
  kRandomWrite,
  kAppend,   // to a file that grows, as SSTables do, one a client: the file system finds the place
  kMixed25,  // that, with reads in sequence between, a quarter of the requests
  kMixed50,
  kMixed75,
  // kMixed50 by one client beside another one's small reads at random, and alone in turn with that.
  // The row has the rate of the former, and the latencies of the latter.
  kMixedBeside,
  kSync,  // until what was appended to a file is durable; the append itself does not count
};
/// "random read".
[[nodiscard]] std::string_view disk_work_name(DiskWork work);

struct DiskRow {
  DiskWork work = DiskWork::kRandomRead;
  std::uint64_t request_bytes = 0;
  unsigned depth = 1;
  double requests_per_second = 0;  // of the rounds, as the mean is; percentiles are of all
  double mean_ns = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  double spread = 0;  // of the rounds' times: (largest - smallest) / median
  // Of kMixedBeside: the rate without the other client. 0 elsewhere.
  double alone_per_second = 0;
  [[nodiscard]] double bytes_per_second() const {
    return requests_per_second * static_cast<double>(request_bytes);
  }
};

/// Of all that one to four clients wrote: requests that took ten times as long as their row's
/// middle one, and 5 ms, which is when a disk stands still. No other figure of the model has them.
struct DiskPauses {
  double seconds = 0;         // in which they wrote, or wrote and read
  double pauses = 0;          // by the mean client
  double paused_seconds = 0;  // that these took longer than others
};

/// How the machine stood still while threads worked on all cores: first alone, then beside one that
/// reads and writes 256 KiB at a time, then beside that with one core left to it. Nothing of one
/// core; of the disk, nothing through the page cache.
struct QuotaFigures {
  struct Part {
    std::uint64_t stops = 0;
    double stopped_share = 0;   // of the time
    double period_seconds = 0;  // from the end of a stop to the end of the next one
    // Share of the time in which a request was under way, without what it took of the processor,
    // which is the second.
    double disk_share = 0;
    double disk_cpu_share = 0;
  };
  Part cores;
  Part cores_and_disk;
  Part idle_and_disk;  // nothing on one core
};

inline constexpr unsigned kCalibrateRuns = 4;  // that are merged at once
inline constexpr unsigned kCalibrateManyRuns = 16;

enum class CpuWork {
  kClientSmall,    // what a replay does for a put beside it, with a value of 16 bytes
  kClientLarge,    // of 1 KiB
  kPut,            // into a memtable of 8 MiB, its log gathered and not synced
  kPutSmall,       // of half that size
  kPutLarge,       // of eight times that size
  kPutWide,        // with a value of 1 KiB
  kLogWrite,       // 64 KiB of a log that the system is given
  kPutUngathered,  // of 8 MiB, each log record written by a call of its own
  kGetMemtable,    // an absent key, with a memtable half full and no SSTable
  kGetAbsent,      // an absent key, that and several sorted runs
  kGetPresent,     // a key of one of them
  kGetPresentOne,  // a key of the only one
  kShortScan,
  kLongScan,
  kWideScan,        // kLongScan of entries with values of 1 KiB, which stand in many more blocks
  kFlush,           // while every other core puts into a store of its own
  kFlushWide,       // of entries with values of 1 KiB
  kMergeSmall,      // of entries with values of 16 bytes
  kMergeLarge,      // of 1 KiB
  kMergeSmallMany,  // kMergeSmall, of as many bytes in kCalibrateManyRuns sorted runs
  kMergeLargeMany,  // kMergeLarge, likewise
  kMergeBeside,     // kMergeLarge, while every other core puts into a store of its own
  kMergeGets,       // kMergeLarge, beside kGetBeside
  kMergeMerge,      // two of kMergeLarge at once, in stores of their own
  kMergeStore,      // kMergeLarge, beside a store's client and flushes, and puts on all other cores
  kPutStore,        // a put of that client, all that its thread does
  kFile,            // a file made, written, closed and removed
  kLargeRequest,    // 256 KiB of a file read or appended: what the system does for it
  kRemoveSmall,     // a file of 256 KiB removed: its blocks are given back to the disk
  kRemoveLarge,     // of 8 MiB
  kSleep,           // what a sleep of a millisecond takes longer
  kGetDisk,         // a key of one of several sorted runs, its block from the disk
  kGetBetween,      // that, with puts between
  kPutCold,         // a put after kGetDisk
  kGetBeside,       // kGetDisk, while another store merges
  kLogBeside,       // kLogWrite while the store flushes and merges on its threads
  kPutBeside,       // a replay's put, all of it, while the store flushes and merges on its threads
  kSlowPutBeside,   // the 99th percentile of a put likewise, beyond the middle one
};
/// "put", "lookup of an absent key, several sorted runs".
[[nodiscard]] std::string_view cpu_work_name(CpuWork work);

/// Of one put, lookup or scan; of one entry of a flush or merge. Counts are means.
struct CpuRow {
  CpuWork work = CpuWork::kPut;
  // Median of the rounds; of clients, puts and flushes their mean.
  double nanoseconds = 0;
  double spread = 0;   // of the rounds: (largest - smallest) / median
  double entries = 0;  // shown by a scan
  double tables = 0;   // asked by a lookup, read by a scan
  double blocks = 0;   // searched by a lookup or scan
  // Of a put, of its value for a client, of a piece of the log; written by a flush, read by a
  // merge.
  double kib = 0;
  // Of puts after a lookup: how much longer than the put after them the middle one takes.
  double slow_ns = 0;
  // Of puts beside: the share of the time for which the other cores worked.
  double others_busy = 0;
  // Of lookups on the disk, of merges and of removed files, waiting for it included.
  double wall_ns = 0;
  // Of merges, and of lookups on the disk beside one, that their threads waited for a core; 0 where
  // the system does not tell.
  double core_wait_ns = 0;
  // Of a merge beside lookups on the disk: the share of these at which both threads were on the
  // same core last; likewise.
  double one_core = 0;
};

/// How requests went to the disk.
enum class DiskAccess {
  kDirect,
  kBuffered,
  kBufferedForWant,  // the file system refuses direct I/O
};

/// Of four requests of a row, one after another.
[[nodiscard]] constexpr std::uint64_t reads_of_four(DiskWork work) {
  switch (work) {
    case DiskWork::kSequentialRead:
    case DiskWork::kRandomRead:
    case DiskWork::kTwoStreamRead:
      return 4;
    case DiskWork::kMixed75:
      return 3;
    case DiskWork::kMixed50:
    case DiskWork::kMixedBeside:
      return 2;
    case DiskWork::kMixed25:
      return 1;
    case DiskWork::kSequentialWrite:
    case DiskWork::kRandomWrite:
    case DiskWork::kAppend:
    case DiskWork::kSync:
      break;
  }
  return 0;
}
[[nodiscard]] constexpr bool is_growing(DiskWork work) {
  return work == DiskWork::kAppend || work == DiskWork::kMixed25 || work == DiskWork::kMixed50 ||
         work == DiskWork::kMixed75 || work == DiskWork::kMixedBeside;
}
[[nodiscard]] constexpr bool is_sequential(DiskWork work) {
  return work == DiskWork::kSequentialRead || work == DiskWork::kSequentialWrite ||
         is_growing(work);
}
/// Whether a request goes on elsewhere than the one before it, which heads must move for.
[[nodiscard]] constexpr bool changes_place(DiskWork work, unsigned depth) {
  if (work == DiskWork::kAppend) return depth > 1;
  return is_growing(work) || !is_sequential(work);
}

}  // namespace lsmlab::engine
