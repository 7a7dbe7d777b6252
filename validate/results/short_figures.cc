#include "validate/results/short_figures.h"

#include <algorithm>
#include <array>

namespace lsmlab {
namespace {

constexpr auto kShortFigures = std::to_array<ShortFigure>({
    {"write", "amplification.write", "bytes written to SSTables / bytes of keys and values"},
    {"write_flushed", "amplification.write_flushed",
     "bytes written to SSTables / bytes flushed (RocksDB's W-Amp)"},
    {"write_total", "amplification.write_total",
     "the same as write, with the bytes of logs and manifest"},
    {"read_mean", "amplification.read_mean", "sorted runs that a lookup may visit, mean"},
    {"read_max", "amplification.read_max", "sorted runs that a lookup may visit, largest"},
    {"read_blocks", "amplification.read_blocks", "blocks read from the device / lookup"},
    {"space", "amplification.space", "bytes of files / bytes of live entries, at the end"},
    {"peak_space", "disk.peak_space", "the same where the files take most room"},
    {"peak_disk", "disk.peak_file_bytes", "most bytes of files at any moment"},
    {"free_disk", "disk.merge_output_max_bytes",
     "bytes that the largest merge needs free on the disk"},
    {"stalled", "stalls[].nanoseconds", "time that writers were stalled (10s)"},
    {"put_p99", "latency.put.p99_ns", "latency that 99 % of puts do not exceed (5ms)"},
    {"put_p999", "latency.put.p99.9_ns", "latency that 99.9 % of puts do not exceed"},
    {"get_p99", "latency.get.p99_ns", "latency that 99 % of gets do not exceed"},
    {"get_p999", "latency.get.p99.9_ns", "latency that 99.9 % of gets do not exceed"},
    {"throughput", "throughput.operations_per_second", "operations a second", true},
    {"flash_years", "flash.years", "years until the flash is worn out", true},
});

constexpr std::array<std::string_view, 6> kTimedGroups = {"latency.", "throughput.", "stalls",
                                                          "time.",    "flash.",      "job_times"};

}  // namespace

std::span<const ShortFigure> short_figures() { return kShortFigures; }

const ShortFigure* short_figure(std::string_view name_or_path) {
  const auto* const found = std::find_if(
      kShortFigures.begin(), kShortFigures.end(),
      [&](const ShortFigure& one) { return one.name == name_or_path || one.path == name_or_path; });
  return found == kShortFigures.end() ? nullptr : found;
}

bool figure_needs_clock(std::string_view path) {
  return std::any_of(kTimedGroups.begin(), kTimedGroups.end(),
                     [&](std::string_view group) { return path.starts_with(group); });
}

}  // namespace lsmlab
