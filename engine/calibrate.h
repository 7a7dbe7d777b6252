// Measures a disk, and this machine's processor at the work of a store, and finds the device model
// (models/device.h) that gives what was measured.
//
// Disk: closed loops of `depth` clients on one scratch file, each with its next request when the
// last one is done. Every row is measured in rounds spread over the run, so that a disturbance
// meets few of a row's; of the disk's their mean counts, as throughput follows all that a machine
// does, but for rounds of twice the median, and for pauses, which the model has aside. In the model
// such a loop of n clients runs at
//   min(1 / transfer, min(n, parallelism) / (transfer + latency))   requests a second,
// with busy_latency more of a request beside others, what two clients' small reads take longer than
// one's; which the figures are solved from.
//
// Bandwidths are those of a store's requests by two and four clients: read in sequence, appended to
// a new file each, and both in turn. Many clients' large requests, and those that overwrite, go
// faster on many disks, but no store makes them. Parallelism comes of small reads by many,
// latencies of one client: the mean, which throughput follows; request_ns of what a small read
// takes from large requests beside it. A seek is what two streams in turn take more than one, where
// that is long enough for a disk that has heads.
//
// Processor: time that one thread uses, so that neither the disk nor the load of others counts,
// for the work of a store in stepped mode whose blocks are all cached. Solved for are
//   client + KiB * client_kib                        between operations, by values made up
//   put + KiB * put_kib                              a put, by its key and value, its log apart
//   log_write + KiB * log_kib                        a piece of the log, handed to the system while
//                                                    the store flushes and merges
//   trim + MiB * trim_mib                            what the removal of a file waits for the disk
//   file                                             a file made, written, closed and removed
//   get + tables * table + blocks * block            a lookup
//   that + blocks * read                             a lookup on the disk
//   that + put + cold                                with a put after it, which finds cold caches
//   scan + entries * scan_entry + tables * (table + block) + more blocks * scan_block    a scan
//   entries * flush_entry + KiB * flush_kib          a flush, by what it writes
//   entries * merge_entry + KiB * merge_kib          a merge of one sorted run, by what it reads
//   log2(runs) * (entries * merge_doubling_entry + KiB * merge_doubling_kib)
//                                                    what it takes more of several
//   that + requests * (transfer + sequential)        a merge, waiting for the disk included
//   requests * (transfer + sequential) * busy_cores  what it waits longer while other cores put
// gather_share from how often a merge and another store's lookups on the disk are on one core, and
// other_size_latency from how many times as long as alone they wait for the disk, as the model's
// own two threads would; sharing_slowdown from what two clients of a store's requests get, and how
// many times as long as alone two merges wait for the disk; wait_share from how long a merge beside
// another store's flushes and client waits for a core; and busy_slowdown from what a replay's put
// takes more than client and put alone where the store flushes and merges on other threads, over
// the share of the time for which they work: a core that shares what it works with, or is half of
// one, is slower then; merge_busy_slowdown from what a merge works more beside another store's
// client and flushes; quota from when the whole machine stands still (engine/calibrate_quota.h).
//
// Threading: one thread calls; the disk's clients are threads within.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/device.h"
#include "models/error.h"

namespace lsmlab::engine {

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

/// Of the scratch file where none is asked for: short runs would spend their time on making and
/// removing it. REQUIRES: seconds > 0.
[[nodiscard]] constexpr Bytes usual_file_bytes(std::uint64_t seconds) {
  constexpr std::uint64_t kBytesASecond = 64 << 20;
  constexpr std::uint64_t kMost = 1 << 30;
  return Bytes(std::min(seconds, kMost / kBytesASecond) * kBytesASecond);
}

struct CalibrateOptions {
  std::string directory;
  std::uint64_t seconds = 60;  // a short run measures everything once and takes somewhat longer
  // Of the scratch file; larger: less of it in a disk's own cache.
  Bytes file_bytes = usual_file_bytes(60);
  bool is_buffered = false;                 // through the page cache, which reads find empty
  const std::atomic<bool>* stop = nullptr;  // set: the run ends soon, without a result
  /// From the calling thread, many times a second, with what is being measured.
  std::function<void(std::string_view)> on_progress = {};
};

/// How requests went to the disk.
enum class DiskAccess {
  kDirect,
  kBuffered,
  kBufferedForWant,  // the file system refuses direct I/O
};

struct Calibration {
  bool is_complete = false;  // otherwise it was stopped, and nothing else counts
  DeviceModel model;
  DiskAccess access = DiskAccess::kDirect;
  std::string storage;  // "ext4 on /dev/vda"; empty where the system does not tell
  std::vector<DiskRow> disk;
  DiskPauses pauses;
  QuotaFigures quota;
  std::vector<CpuRow> cpu;
};

inline constexpr Bytes kCalibrateFileBytesMin{8 << 20};

/// Works in a directory of its own within the given one, and removes it whatever happens. The
/// process keeps the memory that it frees from then on. Errors:
/// no such directory, or it may not be written (input); too little space, I/O (machine).
/// REQUIRES: file_bytes >= kCalibrateFileBytesMin, seconds > 0.
[[nodiscard]] Result<Calibration> calibrate(const CalibrateOptions& options);

/// The disk's figures in `base`. Left as they are: requests_per_second and background_bandwidth, as
/// no limit of either can be told from parallelism and bandwidth; request_bytes, a choice; flash.
/// REQUIRES: every row of a calibration, request_bytes among their sizes.
[[nodiscard]] DeviceModel derive_disk(std::span<const DiskRow> rows, DeviceModel base);
/// The processor's figures but for `cores`. REQUIRES: a row of every work.
[[nodiscard]] CpuModel derive_cpu(std::span<const CpuRow> rows, CpuModel base);
/// What requests wait for, without what they cost the processor: small reads as lookups on the disk
/// meet them, a store's own part of them taken out, and large requests of a stream as merges do,
/// alone, while another core works, and beside lookups. REQUIRES: of the model, the disk's
/// bandwidths, busy_latency_ns, request_ns, and the processor's figures.
void derive_waits(std::span<const CpuRow> rows, DiskAccess access, DeviceModel& model);
/// By how much large requests slow each other down: what two clients of a store's requests and, as
/// much as all of these, two merges at once are nearest to. On one core: as it was. REQUIRES:
/// everything else of the model, pauses and waits for a core aside; direct I/O, as merges stay in
/// the page cache otherwise.
void derive_sharing(std::span<const DiskRow> disk, std::span<const CpuRow> cpu, DeviceModel& model);
/// For how long who waited for the device waits for a core: a merge beside a store's client and
/// flushes then waits for the share of its time that was measured. On one core: as it was.
/// REQUIRES: as above, and sharing_slowdown.
void derive_core_waits(std::span<const CpuRow> rows, DeviceModel& model);
/// How long it stands still at a time, and for which share of the time. None were seen, or for
/// less than a thousandth: as it was.
void derive_pauses(const DiskPauses& pauses, DeviceModel& model);
/// The limit of processor time, where there is one that either work alone meets or work and a disk
/// that is kept at work; otherwise as it was. Where work alone does not meet it, it is taken for as
/// much as the cores can use, which hosts give virtual machines. REQUIRES: cores.
void derive_quota(const QuotaFigures& figures, CpuModel& cpu);
/// Requests a second of a row's closed loop in the model, pauses aside: rows are without.
[[nodiscard]] double model_requests_per_second(const DeviceModel& model, const DiskRow& row);

}  // namespace lsmlab::engine
