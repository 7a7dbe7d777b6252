// What a simulated run needs to know of the machine to keep a clock: the storage device and the
// cost of the store's work on a processor. Figures of a real machine come from `lsmlab calibrate`;
// configs/devices/ has some to begin with.
//
// A request takes a place at the device (`parallelism` of them), is transferred over its one
// channel in the order of arrival (large ones by turns, device_server.h), and is done a latency
// after it:
//
//   start  = when a place is free        end of transfer = max(start, channel free) + transfer
//   done   = end of transfer + latency   the place is held from start to done
//
// where the latency is longer by busy_latency_ns for each other request that is not done at the
// start, by other_size_latency_ns for each of the other size of them (large: of half of
// request_bytes or more), and the transfer at least request_ns divided by all of them where there
// are others.
//
// So one request at a time runs at 1 / (transfer + latency), many at the bandwidth or at
// parallelism / latency, whichever is less. Pure; times in integer nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/decimal.h"
#include "models/base/options.h"
#include "models/base/units.h"
#include "models/machine/flash_translation.h"

namespace lsmlab {

/// Processor time of a store's work, on one core.
struct CpuModel {
  std::uint64_t cores = 4;
  // What work takes more while all other cores work, as a share: clients', and flushes' and
  // merges'.
  Decimal busy_slowdown{0, 1};
  Decimal merge_busy_slowdown{0, 1};
  std::uint64_t client_ns = 0;      // between an operation of a closed loop and the next
  std::uint64_t client_kib_ns = 0;  // 1,024 bytes of values that it makes up
  std::uint64_t put_ns = 1'000;     // log record and memtable insert of a put or delete
  std::uint64_t put_kib_ns = 0;     // 1,024 bytes of its key and value
  // One put in kPutsPerSlowOne takes so much longer: nodes split, memory is not in a cache.
  std::uint64_t slow_put_ns = 0;
  std::uint64_t log_write_ns = 0;  // a gathered piece of the log is handed to the system
  std::uint64_t log_kib_ns = 0;    // 1,024 bytes of it
  std::uint64_t read_ns = 0;       // of a lookup: a block read, where the latency is without it
  std::uint64_t cold_ns = 0;       // of an operation after one that waited for the device
  std::uint64_t sleep_ns = 0;      // that a sleep, of a slowed write, takes longer than asked for
  // That a flush's or merge's thread which waited for the device waits for a core where all are
  // taken, as a share of its work since it waited last: schedulers put who has worked most behind
  // the others. No longer than these have been at work.
  Decimal wait_share{0, 1};
  // Of threads that waited for the device, how many go on where the others of them do, though
  // another core is idle. Kernels of virtual machines take a core that has nothing to do for one
  // that the host gave away, and leave those who wake where the device's interrupts are.
  Decimal gather_share{0, 1};
  // Processor time that there is in each period, as so many cores give it: a host's or container's
  // limit (models/machine/cpu_quota.h). 0: none. `quota_device`: of it, what the host takes while
  // the device is at work, as so many cores; `quota_idle`: then too, the share of a core's time
  // that idles, as hosts look whether it has to go on.
  Decimal quota{0, 1};
  std::uint64_t quota_period_ns = 100'000'000;
  Decimal quota_device{0, 1};
  Decimal quota_idle{0, 1};
  std::uint64_t file_ns = 30'000;      // an SSTable made, closed and in the end removed
  std::uint64_t get_ns = 500;          // of a lookup: memtables and what is done once
  std::uint64_t table_ns = 150;        // of a lookup: an SSTable asked, filter and index
  std::uint64_t block_ns = 700;        // a data block found in the cache or read, and searched
  std::uint64_t scan_ns = 2'000;       // of a scan: what is done once
  std::uint64_t scan_entry_ns = 60;    // an entry that a scan shows
  std::uint64_t scan_block_ns = 700;   // a data block that a scan goes on to in the same run
  std::uint64_t flush_entry_ns = 150;  // an entry written by a flush
  std::uint64_t flush_kib_ns = 150;    // 1,024 bytes of them
  // Of a merge, had it one sorted run only, and what each of its source_entropy() adds.
  std::uint64_t merge_entry_ns = 150;         // an entry read
  std::uint64_t merge_kib_ns = 150;           // 1,024 bytes read and written
  std::uint64_t merge_doubling_entry_ns = 0;  // the same two, more
  std::uint64_t merge_doubling_kib_ns = 0;
};

/// Few enough that slow puts are the 99th percentile.
inline constexpr std::uint64_t kPutsPerSlowOne = 50;

enum class DeviceRequest { kRead, kWrite };

struct DeviceModel {
  Bytes read_bandwidth{2'000'000'000};   // per second
  Bytes write_bandwidth{1'000'000'000};  // per second
  // Of both together where 25, 50 and 75 % of the bytes are read; 0: as the two above give it,
  // the channel divided by time.
  Bytes mixed_bandwidth_25;
  Bytes mixed_bandwidth_50;
  Bytes mixed_bandwidth_75;
  std::uint64_t read_latency_ns = 80'000;
  std::uint64_t write_latency_ns = 20'000;
  // Instead of these, of a request that goes on where the last one of its stream ended: read ahead.
  std::uint64_t sequential_latency_ns = 20'000;
  // Whether that is so of a scan's blocks after the first of each sorted run: systems read ahead of
  // who reads through the page cache. Of others each block is a read of its own.
  bool reads_ahead = true;
  // More, for each other that is being served when the request begins: what serves them all.
  std::uint64_t busy_latency_ns = 0;
  // More, for each of these of the other size: lookups' beside merges', and merges' beside
  // lookups'.
  std::uint64_t other_size_latency_ns = 0;
  // What large requests' transfers take longer while they share the channel, however many: one
  // after another they are faster than side by side.
  Decimal sharing_slowdown{0, 1};
  // What a request that a flush, merge or lookup waits for takes more while all other cores work,
  // as a share of transfer and latency: what wakes its thread, and on virtual machines what carries
  // the request out, takes time of theirs.
  Decimal busy_cores_slowdown{0, 1};
  // The least for which a request beside others holds the channel, shared by those that are being
  // served: what a small read takes from large requests. One alone holds it for its transfer.
  std::uint64_t request_ns = 0;
  std::uint64_t seek_ns = 0;  // more, where the request before was another stream's, or elsewhere
  std::uint64_t sync_latency_ns = 500'000;  // until what was written is durable
  // That a file which is removed holds the channel: the device is told what it need not keep (TRIM,
  // discard). 0: it is not told, or does it aside.
  std::uint64_t trim_ns = 0;
  std::uint64_t trim_mib_ns = 0;  // for 1,048,576 bytes of the file
  // While it is written to, the device stands still at regular intervals, for so long at a time,
  // and in all for this share of the time: what it keeps for itself, or a host keeps for others.
  std::uint64_t pause_ns = 0;
  Decimal pause_share{0, 1};
  // Age at which the system writes what was not synced: a log that is removed before is never
  // written. Linux: dirty_expire_centisecs.
  std::uint64_t writeback_ns = 30'000'000'000;
  std::uint64_t parallelism = 32;         // requests worked on at once
  Bytes request_bytes{256 << 10};         // the largest; longer transfers are many requests
  std::uint64_t requests_per_second = 0;  // at most; 0: no such limit
  Bytes background_bandwidth;             // at most, of flushes and merges; 0: no such limit
  CpuModel cpu;
  // The flash behind it (models/machine/flash_translation.h); nothing: not modelled.
  std::optional<Bytes> flash_capacity;
  FlashGeometry flash;         // its capacity aside
  bool flash_trims = true;     // the device is told of removed files
  Decimal flash_filled{0, 1};  // share of the capacity that holds other data, never rewritten

  void declare(OptionTable& table);
  /// With the capacity. REQUIRES: flash_capacity.
  [[nodiscard]] FlashGeometry flash_geometry() const;

  /// Every fault.
  [[nodiscard]] std::vector<std::string> validate() const;
};

/// Shares by which something takes longer are reckoned in so many bits below one.
inline constexpr unsigned kSlowdownBits = 16;

/// Rounded down.
[[nodiscard]] inline std::uint64_t scaled_slowdown(const Decimal& share) {
  return static_cast<std::uint64_t>((Uint128{share.numerator()} << kSlowdownBits) /
                                    share.denominator());
}

/// From the end of a pause to the begin of the next one, rounded down; at most some 73 years.
/// Nothing: no pauses.
[[nodiscard]] std::optional<std::uint64_t> pause_interval_ns(const DeviceModel& model);

/// For which a removed file of so many bytes holds the channel, rounded up.
[[nodiscard]] inline std::uint64_t trim_time_ns(const DeviceModel& model, std::uint64_t bytes) {
  constexpr unsigned kMibBits = 20;
  const Uint128 of_bytes = Uint128{bytes} * model.trim_mib_ns + ((Uint128{1} << kMibBits) - 1);
  return model.trim_ns + static_cast<std::uint64_t>(of_bytes >> kMibBits);
}

/// A device model by name, as a run uses and reports it.
struct ConfiguredDevice {
  std::string name;
  std::string label;
  ResolvedOptions options;
  DeviceModel model;
};

/// Errors: unknown parameters, values out of range, each named.
[[nodiscard]] Result<ConfiguredDevice> make_device(const std::string& name,
                                                   const Parameters& parameters);

/// How long transfers take: the model's bandwidths as times, so that a request costs no division.
class TransferTimes {
 public:
  explicit TransferTimes(const DeviceModel& model);

  /// Nanoseconds that a request holds the channel, rounded up. `read_share`: of the bytes that were
  /// transferred lately, in 1/256.
  [[nodiscard]] std::uint64_t nanoseconds(DeviceRequest request, std::uint64_t bytes,
                                          std::uint64_t read_share) const {
    const std::uint64_t per_byte = per_byte_[static_cast<std::size_t>(request)];
    const Uint128 scaled = Uint128{bytes} * per_byte * slowdown(read_share);
    const auto transfer =
        static_cast<std::uint64_t>((scaled + ((Uint128{1} << kScaleBits) - 1)) >> kScaleBits);
    return transfer > request_min_ns_ ? transfer : request_min_ns_;
  }

  /// Within which all requests of so many bytes, read and written, hold the channel in all,
  /// rounding aside: they mix as fast and as slow as any. `least_ns`: what a request may hold it at
  /// least.
  struct Range {
    Uint128 least_ns = 0;
    Uint128 most_ns = 0;
  };
  [[nodiscard]] Range range_of(Uint128 bytes_read, Uint128 bytes_written, std::uint64_t requests,
                               std::uint64_t least_ns) const;

 private:
  static constexpr unsigned kByteBits = 32;  // of the fraction of per_byte_
  static constexpr unsigned kMixBits = 16;   // of the fraction of slowdown_
  static constexpr unsigned kScaleBits = kByteBits + kMixBits;

  /// Of a mix against its two parts one after the other: 1 << kMixBits is as long.
  [[nodiscard]] std::uint64_t slowdown(std::uint64_t read_share) const {
    const std::uint64_t quarter = read_share / 64;
    if (quarter >= 4) return slowdown_[4];
    const std::uint64_t rest = read_share % 64;
    return (slowdown_[quarter] * (64 - rest) + slowdown_[quarter + 1] * rest) / 64;
  }

  std::array<std::uint64_t, 2> per_byte_{};  // nanoseconds, by DeviceRequest
  std::array<std::uint64_t, 5> slowdown_{};  // at quarters of read share
  std::uint64_t request_min_ns_ = 0;
};

}  // namespace lsmlab
