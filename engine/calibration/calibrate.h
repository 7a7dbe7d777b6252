// Measures a disk, and this machine's processor at the work of a store, and finds the device model
// (models/machine/device_model.h) that gives what was measured.
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
// client and flushes; quota from when the whole machine stands still
// (engine/calibration/measure/stops.h).
//
// Threading: one thread calls; the disk's clients are threads within.
#pragma once

#include <string>
#include <vector>

#include "engine/calibration/rows/calibrate_options.h"
#include "engine/calibration/rows/rows.h"
#include "models/base/error.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

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

/// Works in a directory of its own within the given one, and removes it whatever happens. The
/// process keeps the memory that it frees from then on. Errors:
/// no such directory, or it may not be written (input); too little space, I/O (machine).
/// REQUIRES: file_bytes >= kCalibrateFileBytesMin, seconds > 0.
[[nodiscard]] Result<Calibration> calibrate(const CalibrateOptions& options);

}  // namespace lsmlab::engine
