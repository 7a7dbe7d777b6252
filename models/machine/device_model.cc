#include "models/machine/device_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace lsmlab {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr CountRange kBandwidthRange{1'000, std::uint64_t{1} << 44};
constexpr CountRange kBandwidthOrNone{0, std::uint64_t{1} << 44};
constexpr CountRange kTimeRange{0, 60 * kNsPerSecond};

void declare_cpu(CpuModel& cpu, OptionTable& table) {
  table.count("cpu_cores", cpu.cores, {1, 4096}, "cores",
              "shared by clients, flushes and merges; fewer than these are: all go slower");
  table.decimal("cpu_busy_slowdown", cpu.busy_slowdown, "0", "10",
                "share by which clients' work takes longer while all other cores work as well");
  table.decimal("cpu_merge_busy_slowdown", cpu.merge_busy_slowdown, "0", "10",
                "the same of flushes' and merges'");
  table.decimal("cpu_wait_share", cpu.wait_share, "0", "10",
                "that a flush or merge which waited for the device waits for a core where all are "
                "taken, as a share of its work since it waited last");
  table.decimal("cpu_gather_share", cpu.gather_share, "0", "1",
                "of threads that waited for the device, the share that go on where others of them "
                "do, though another core is idle");
  table.decimal(
      "cpu_quota", cpu.quota, "0", "4096",
      "cores' worth of processor time in each period, as hosts and containers limit it "
      "(cpu.max): once it is used up everything stands still until the next; 0: no limit");
  table.count("cpu_quota_period_ns", cpu.quota_period_ns, {1'000'000, 10 * kNsPerSecond}, "ns",
              "of such a period");
  table.decimal("cpu_quota_device", cpu.quota_device, "0", "64",
                "cores' worth of it that the host needs itself while the device is at work");
  table.decimal("cpu_quota_idle", cpu.quota_idle, "0", "1",
                "share of an idle core's time that counts while the device is at work, as hosts "
                "look whether it has to go on");
  const auto time = [&](const char* name, std::uint64_t& field, const char* meaning) {
    table.count(name, field, {0, kNsPerSecond}, "ns", meaning);
  };
  time("cpu_client_ns", cpu.client_ns,
       "of a client between an operation and the next, in a closed loop");
  time("cpu_client_kib_ns", cpu.client_kib_ns, "each 1,024 bytes of values that a client makes up");
  time("cpu_put_ns", cpu.put_ns, "of a put or delete: log record and memtable");
  time("cpu_put_kib_ns", cpu.put_kib_ns, "each 1,024 bytes of keys and values put");
  time("cpu_slow_put_ns", cpu.slow_put_ns, "that one put in 50 takes longer than the others");
  time("cpu_log_write_ns", cpu.log_write_ns,
       "of the put that hands the gathered log to the system: the call");
  time("cpu_log_kib_ns", cpu.log_kib_ns, "of the same put: each 1,024 bytes of the log");
  time("cpu_read_ns", cpu.read_ns,
       "of a lookup: each block read from the device, where read_latency_ns is without it");
  time("cpu_cold_ns", cpu.cold_ns,
       "of a client's next operation after it waited for the device: caches have gone cold");
  time("cpu_sleep_ns", cpu.sleep_ns, "that a slowed write sleeps longer than asked for");
  time("cpu_file_ns", cpu.file_ns,
       "each SSTable that a flush or merge writes: made, closed and in the end removed");
  time("cpu_get_ns", cpu.get_ns, "of a lookup: memtables, and what is done once");
  time("cpu_table_ns", cpu.table_ns, "of a lookup: each SSTable asked, filter and index");
  time("cpu_block_ns", cpu.block_ns, "each data block searched, of a scan the first of each run");
  time("cpu_scan_ns", cpu.scan_ns, "of a scan: what is done once");
  time("cpu_scan_entry_ns", cpu.scan_entry_ns, "each entry that a scan shows");
  time("cpu_scan_block_ns", cpu.scan_block_ns,
       "each data block that a scan goes on to in the same sorted run");
  time("cpu_flush_entry_ns", cpu.flush_entry_ns, "each entry written by a flush");
  time("cpu_flush_kib_ns", cpu.flush_kib_ns, "each 1,024 bytes written by a flush");
  time("cpu_merge_entry_ns", cpu.merge_entry_ns, "each entry read by a merge, of one sorted run");
  time("cpu_merge_kib_ns", cpu.merge_kib_ns,
       "each 1,024 bytes read and written by a merge, of one sorted run");
  time("cpu_merge_doubling_entry_ns", cpu.merge_doubling_entry_ns,
       "each entry read by a merge: more for each doubling of its like sorted runs");
  time("cpu_merge_doubling_kib_ns", cpu.merge_doubling_kib_ns,
       "each 1,024 bytes a merge reads and writes: more for each doubling of its like sorted runs");
}

void declare_flash(DeviceModel& model, OptionTable& table) {
  table.optional_bytes("flash_capacity", model.flash_capacity, {4096, std::uint64_t{1} << 50},
                       "of a flash drive, as its host sees it: what the store writes is followed "
                       "into the flash; without it the flash is not modelled");
  table.decimal("flash_over_provisioning", model.flash.over_provisioning, "0.001", "10",
                "spare flash as a share of the capacity; more: less is written again");
  table.bytes("flash_page", model.flash.page_bytes, {512, 1 << 20},
              "of flash, which is written as a whole");
  table.count("flash_block_pages", model.flash.pages_per_block, {1, 4'194'304}, "pages",
              "erased together; more: files share a block with more that outlive them");
  table.count("flash_erase_cycles", model.flash.erase_cycles, {1, 1'000'000}, "erasures",
              "that a block endures");
  table.flag("flash_trims", model.flash_trims, "the drive is told of removed files");
  table.decimal("flash_filled", model.flash_filled, "0", "0.99",
                "share of the capacity that other data takes, which nobody rewrites");
}

// Nanoseconds per byte with `bits` bits of fraction, rounded to nearest.
std::uint64_t per_byte(Bytes bandwidth, unsigned bits) {
  const Uint128 scaled = Uint128{kNsPerSecond} << bits;
  return static_cast<std::uint64_t>((scaled + bandwidth.value() / 2) / bandwidth.value());
}

}  // namespace

void DeviceModel::declare(OptionTable& table) {
  table.bytes("read_bandwidth", read_bandwidth, kBandwidthRange, "a second, of reads alone");
  table.bytes("write_bandwidth", write_bandwidth, kBandwidthRange, "a second, of writes alone");
  const char* mixed =
      "a second, of reads and writes together with this share of reads; 0: as the two give it, one "
      "after the other";
  table.bytes("mixed_bandwidth_25", mixed_bandwidth_25, kBandwidthOrNone, mixed);
  table.bytes("mixed_bandwidth_50", mixed_bandwidth_50, kBandwidthOrNone, mixed);
  table.bytes("mixed_bandwidth_75", mixed_bandwidth_75, kBandwidthOrNone, mixed);
  table.count("read_latency_ns", read_latency_ns, kTimeRange, "ns",
              "of a read, beside its transfer");
  table.count("write_latency_ns", write_latency_ns, kTimeRange, "ns",
              "of a write, beside its transfer");
  table.count("sequential_latency_ns", sequential_latency_ns, kTimeRange, "ns",
              "instead of these, of a request that goes on where its stream's last one ended");
  table.flag(
      "reads_ahead", reads_ahead,
      "so does a scan's block after the first of each sorted run, as the system reads ahead; "
      "false: each is a read of its own, as around the page cache");
  table.count(
      "request_ns", request_ns, {0, kNsPerSecond}, "ns",
      "for which a request beside others holds the channel at least, shared by those being served");
  table.count("seek_ns", seek_ns, kTimeRange, "ns",
              "more, of a request that does not go on where the device's last one ended");
  table.count("busy_latency_ns", busy_latency_ns, {0, kNsPerSecond}, "ns",
              "more of a request for each other that is being served when it begins");
  table.count("other_size_latency_ns", other_size_latency_ns, {0, kNsPerSecond}, "ns",
              "more of a request for each of these that is large where it is small, or small where "
              "it is large");
  table.decimal(
      "sharing_slowdown", sharing_slowdown, "0", "10",
      "share by which large requests' transfers take longer while they share the channel");
  table.decimal("busy_cores_slowdown", busy_cores_slowdown, "0", "10",
                "share by which a flush's, merge's or lookup's request takes longer while all "
                "other cores work");
  table.count("sync_latency_ns", sync_latency_ns, kTimeRange, "ns",
              "until written data is durable");
  table.count("trim_ns", trim_ns, kTimeRange, "ns",
              "for which a file that is removed holds the device, as it is told (TRIM); 0: not");
  table.count("trim_mib_ns", trim_mib_ns, kTimeRange, "ns", "for 1,048,576 bytes of that file");
  table.count("pause_ns", pause_ns, kTimeRange, "ns",
              "for which the device stands still at a time, while it is written to");
  table.decimal("pause_share", pause_share, "0", "0.9",
                "share of the time for which it does so; 0: never");
  table.count("writeback_ns", writeback_ns, {0, 3'600 * kNsPerSecond}, "ns",
              "age at which logs that are not synced reach the device, unless they are gone");
  table.count("parallelism", parallelism, {1, 1024}, "requests",
              "worked on at once; more: more reads a second with many clients");
  table.bytes("request_bytes", request_bytes, {512, 1 << 30},
              "largest request; longer transfers are many, between which others are served");
  table.count("requests_per_second", requests_per_second, {0, kNsPerSecond}, "requests",
              "at most, as cloud volumes have it; 0: no such limit");
  table.bytes("background_bandwidth", background_bandwidth, kBandwidthOrNone,
              "a second, at most, of flushes and merges together; 0: no such limit");
  declare_cpu(cpu, table);
  declare_flash(*this, table);
}

FlashGeometry DeviceModel::flash_geometry() const {
  FlashGeometry geometry = flash;
  geometry.capacity = flash_capacity.value();
  return geometry;
}

namespace {

bool has_usual_flash(const DeviceModel& model) {
  const DeviceModel usual;
  return model.flash.page_bytes == usual.flash.page_bytes &&
         model.flash.pages_per_block == usual.flash.pages_per_block &&
         model.flash.erase_cycles == usual.flash.erase_cycles &&
         model.flash.over_provisioning.as_double() == usual.flash.over_provisioning.as_double() &&
         model.flash_trims == usual.flash_trims && model.flash_filled.numerator() == 0;
}

}  // namespace

std::vector<std::string> DeviceModel::validate() const {
  std::vector<std::string> faults;
  if (!flash_capacity && !has_usual_flash(*this)) {
    faults.emplace_back("flash_*: nothing without flash_capacity, the capacity of the drive");
  }
  if (flash_capacity) {
    faults = flash_geometry().validate();
    constexpr std::uint64_t kFlashPagesMax = std::uint64_t{1} << 28;
    const std::uint64_t pages = flash_capacity->value() / flash.page_bytes.value();
    if (faults.empty() && pages > kFlashPagesMax) {
      faults.push_back(
          fmt::format("flash_capacity={} has {} pages, some {} GiB of memory; at most {}, or a "
                      "larger flash_page",
                      flash_capacity->value(), pages, pages >> 27, kFlashPagesMax));
    }
  }
  if ((pause_share.numerator() != 0) != (pause_ns != 0)) {
    faults.push_back(fmt::format("pause_ns={} and pause_share={} need each other", pause_ns,
                                 pause_share.as_double()));
  }
  if (cpu.quota.numerator() == 0 &&
      (cpu.quota_device.numerator() != 0 || cpu.quota_idle.numerator() != 0)) {
    faults.emplace_back("cpu_quota_device and cpu_quota_idle: nothing without cpu_quota");
  }
  // Less could be used up by a single step of what is simulated.
  if (cpu.quota.numerator() != 0 && cpu.quota.as_double() < 0.01) {
    faults.push_back(fmt::format("cpu_quota={} is below 0.01", cpu.quota.as_double()));
  }
  if (background_bandwidth.value() != 0 && background_bandwidth.value() < 1'000) {
    faults.push_back(
        fmt::format("background_bandwidth={} is below 1kB a second", background_bandwidth.value()));
  }
  for (const Bytes mixed : {mixed_bandwidth_25, mixed_bandwidth_50, mixed_bandwidth_75}) {
    const Bytes least = std::min(read_bandwidth, write_bandwidth);
    const Bytes most = std::max(read_bandwidth, write_bandwidth);
    if (mixed.value() == 0) continue;
    // Beyond that the figure is a slip of the pen rather than a device.
    if (mixed.value() >= least.value() / 64 && mixed.value() <= 4 * most.value()) continue;
    faults.push_back(fmt::format("mixed bandwidth {} is out of proportion to {} and {}",
                                 mixed.value(), read_bandwidth.value(), write_bandwidth.value()));
  }
  return faults;
}

std::optional<std::uint64_t> pause_interval_ns(const DeviceModel& model) {
  constexpr Uint128 kMost = std::uint64_t{1} << 61;
  const Uint128 part = model.pause_share.numerator();
  if (part == 0 || model.pause_ns == 0) return std::nullopt;
  const Uint128 interval = model.pause_ns * (model.pause_share.denominator() - part) / part;
  return static_cast<std::uint64_t>(std::min(interval, kMost));
}

Result<ConfiguredDevice> make_device(const std::string& name, const Parameters& parameters) {
  ConfiguredDevice device;
  device.name = name;
  OptionTable table;
  device.model.declare(table);
  std::optional<Error> fault;
  const Result<void> assigned = table.assign(parameters);
  if (!assigned) fault = assigned.error();
  for (const std::string& invalid : device.model.validate()) {
    fault = fault ? with_more(*fault, input_error(invalid)) : input_error(invalid);
  }
  if (fault) return in_context(fmt::format("device {}", name), *fault);
  device.options = table.values();
  device.label = name;
  return device;
}

TransferTimes::TransferTimes(const DeviceModel& model)
    : per_byte_{per_byte(model.read_bandwidth, kByteBits),
                per_byte(model.write_bandwidth, kByteBits)} {
  constexpr std::uint64_t kOne = std::uint64_t{1} << kMixBits;
  slowdown_.fill(kOne);
  const std::array<Bytes, 3> mixed{model.mixed_bandwidth_25, model.mixed_bandwidth_50,
                                   model.mixed_bandwidth_75};
  for (std::uint64_t quarter = 1; quarter < 4; ++quarter) {
    const Bytes bandwidth = mixed[quarter - 1];
    if (bandwidth.value() == 0) continue;
    // Four bytes, `quarter` of them read, one after the other and together.
    const Uint128 apart = Uint128{per_byte_[0]} * quarter + Uint128{per_byte_[1]} * (4 - quarter);
    const Uint128 together = Uint128{4} * per_byte(bandwidth, kByteBits);
    slowdown_[quarter] = static_cast<std::uint64_t>((together * kOne + apart / 2) / apart);
  }
  if (model.requests_per_second > 0) {
    request_min_ns_ = (kNsPerSecond + model.requests_per_second - 1) / model.requests_per_second;
  }
}

TransferTimes::Range TransferTimes::range_of(Uint128 bytes_read, Uint128 bytes_written,
                                             std::uint64_t requests, std::uint64_t least_ns) const {
  const auto [fastest, slowest] = std::minmax_element(slowdown_.begin(), slowdown_.end());
  const Uint128 apart =
      (bytes_read * per_byte_[0] >> kByteBits) + (bytes_written * per_byte_[1] >> kByteBits);
  return {apart * *fastest >> kMixBits,
          (apart * *slowest >> kMixBits) + Uint128{requests} * std::max(least_ns, request_min_ns_)};
}

}  // namespace lsmlab
