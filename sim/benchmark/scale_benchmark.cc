// Shows how the key simulator's time and memory grow with the number of files, on one core. Tiny
// memtables and files make many files of few entries: a flush of 8 KiB holds 64 entries of 128
// bytes.
//   build/release/scale_benchmark
//   build/release/scale_benchmark --policy lo+1,ldc --flushes 10000,100000
// It prints a row for each policy and number of flushes. The time of a flush divided by write
// amplification is the time for each flush's worth of merged data; its growth from one number of
// flushes to a larger one is the cost of many files. Goals: growth below 1.5 from 10,000 to
// 1,000,000 flushes, a million flushes within 60 s and 4 GiB. Times of a flush are processor times,
// so that other programs disturb them less. Each run has a process of its own, so that its memory
// can be measured.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/check.h"
#include "sim/keys/simulate_keys.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kBufferBytes = 8192;
constexpr std::uint64_t kEntryBytes = 128;  // of an entry of `load`

struct NamedPolicy {
  const char* name;
  const char* spec;
};
// The presets of configs/policies, written out.
constexpr NamedPolicy kPolicies[] = {
    {"lo+1",
     "primitives:layout=leveling,trigger=level-saturation,granularity=file,"
     "movement=least-overlap-parent"},
    {"rr",
     "primitives:layout=leveling,trigger=level-saturation,granularity=file,movement=round-robin"},
    {"leveldb", "leveldb:"},
    {"rocksdb-leveled", "rocksdb-leveled:"},
    {"1-lvl",
     "primitives:layout=1-leveling,trigger=sorted-runs+level-saturation,granularity=file,"
     "movement=least-overlap-parent,l0_trigger=4"},
    // Without output files that end at boundaries of the level below: with files of two blocks that
    // rule of RocksDB leaves files of one entry.
    {"rocksdb-leveled-static", "rocksdb-leveled:dynamic_file_size=false"},
    {"leveled", "leveled:"},
    {"ldc", "ldc:"},
};

struct Measured {
  double wall_seconds = 0;
  double cpu_seconds = 0;  // of the process
  double write = 0;        // write amplification
  std::uint64_t flushes = 0;
  std::uint64_t files = 0;  // at the end
  double peak_mib = 0;      // of the process

  [[nodiscard]] double flush_us() const {
    return cpu_seconds * 1e6 / static_cast<double>(std::max<std::uint64_t>(flushes, 1));
  }
  [[nodiscard]] double unit_us() const { return flush_us() / write; }
};

Measured run(const NamedPolicy& named, std::uint64_t flushes) {
  std::string spec = named.spec;
  if (spec.back() != ':') spec += ',';
  spec += fmt::format("buffer={},file_size={},size_ratio=10", kBufferBytes, kBufferBytes);
  const auto policy = make_policy(parse_spec(spec).value());
  CHECK(policy.has_value());
  const std::string load = fmt::format("load:entries={}", flushes * (kBufferBytes / kEntryBytes));
  const auto workload = make_operation_workload(parse_spec(load).value());
  CHECK(workload.has_value());
  RunControl control;
  const auto source = workload.value().open(1);
  const auto result = simulate_keys(default_setup(policy.value()), *source, control);
  CHECK(result.has_value());
  Measured measured;
  measured.wall_seconds = result.value().wall_seconds;
  measured.write = result.value().keys->final.write;
  measured.flushes = result.value().totals.flushes;
  for (const LevelSummary& level : result.value().final_levels) measured.files += level.files;
  return measured;
}

// Nothing if the process that ran it failed.
std::optional<Measured> run_apart(const NamedPolicy& policy, std::uint64_t flushes) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const Measured measured = run(policy, flushes);
    const bool is_written = write(ends[1], &measured, sizeof measured) == sizeof measured;
    _exit(is_written ? 0 : 1);
  }
  close(ends[1]);
  Measured measured;
  const bool is_read = read(ends[0], &measured, sizeof measured) == sizeof measured;
  close(ends[0]);
  int status = 0;
  rusage usage{};
  CHECK(wait4(child, &status, 0, &usage) == child);
  if (!is_read || status != 0) return std::nullopt;
  const auto seconds_of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  measured.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  measured.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  return measured;
}

const NamedPolicy* find_policy(const std::string& name) {
  for (const NamedPolicy& policy : kPolicies) {
    if (name == policy.name) return &policy;
  }
  return nullptr;
}

// True if every run succeeded.
bool print_rows(const NamedPolicy& policy, const std::vector<std::uint64_t>& sizes) {
  std::optional<double> first_unit_us;
  for (const std::uint64_t flushes : sizes) {
    const std::optional<Measured> measured = run_apart(policy, flushes);
    if (!measured) {
      fmt::print("| {} | {} | failed | | | | | | | |\n", policy.name, flushes);
      return false;
    }
    if (!first_unit_us) first_unit_us = measured->unit_us();
    fmt::print("| {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.2f} | {:.0f} |\n",
               policy.name, measured->flushes, measured->files, measured->wall_seconds,
               measured->cpu_seconds, measured->flush_us(), measured->write, measured->unit_us(),
               measured->unit_us() / *first_unit_us, measured->peak_mib);
    std::fflush(stdout);
  }
  return true;
}

int scale_main(int argc, char** argv) {
  std::vector<std::string> names;
  for (const NamedPolicy& policy : kPolicies) names.push_back(policy.name);
  std::vector<std::uint64_t> sizes{10'000, 100'000, 1'000'000};
  CLI::App app("Time and memory of the key simulator by number of flushes of 8 KiB");
  app.add_option("--policy", names, "names of policies; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_option("--flushes", sizes, "numbers of flushes; default: 10000,100000,1000000")
      ->delimiter(',')
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{10'000'000}));
  CLI11_PARSE(app, argc, argv);
  fmt::print(
      "| policy | flushes | files at the end | seconds | CPU seconds | CPU us a flush | write "
      "ampl. "
      "| us a flush / write ampl. | growth | peak MiB |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  std::fflush(stdout);
  bool is_good = true;
  for (const std::string& name : names) is_good = print_rows(*find_policy(name), sizes) && is_good;
  return is_good ? 0 : 1;
}

}  // namespace
}  // namespace lsmlab

int main(int argc, char** argv) { return lsmlab::scale_main(argc, argv); }
