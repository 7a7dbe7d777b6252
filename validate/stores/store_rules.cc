#include "validate/stores/store_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "traces/stores/option_table.h"
#include "traces/stores/rocksdb_stalls.h"

namespace lsmlab {
namespace {

// With all options that stall rules need: RocksDB's defaults where the store's files name none.
stores::StoreOptions whole_options(const stores::Store& store, const std::string& family) {
  constexpr std::array<std::pair<const char*, const char*>, 8> kDefaults{
      {{"level0_file_num_compaction_trigger", "4"},
       {"level0_slowdown_writes_trigger", "20"},
       {"level0_stop_writes_trigger", "36"},
       {"max_write_buffer_number", "2"},
       {"delayed_write_rate", "0"},
       {"soft_pending_compaction_bytes_limit", "68719476736"},
       {"hard_pending_compaction_bytes_limit", "274877906944"},
       {"max_background_jobs", "2"}}};
  stores::StoreOptions options = store.options.value_or(stores::StoreOptions());
  stores::FamilyOptions& values = options.add_family(family);
  for (const auto& [name, value] : kDefaults) {
    if (!options.database.contains(name)) values.values.try_emplace(name, value);
  }
  return options;
}

// The seconds that the jobs of a pool took, over those that the store was open, are how many ran at
// once in the mean. RocksDB counts a job's own duration, whatever the number of threads that divide
// it, and only once it has ended: so at least as many threads had jobs.
// Source: RocksDB 11.2, db/compaction/compaction_job.cc (UpdateTimingStats), db/internal_stats.h.
struct JobsAtOnce {
  double merges = 0;
  double flushes = 0;
  [[nodiscard]] static std::uint64_t threads(double jobs) {
    constexpr double kThreadsMax = 64;
    return static_cast<std::uint64_t>(std::clamp(std::ceil(jobs), 1.0, kThreadsMax));
  }
};

// None: the files have no such table, or flushes have no threads of their own, so that the others
// did both.
JobsAtOnce jobs_at_once(const stores::Store& store, const std::string& family) {
  constexpr double kUptimeRounding = 0.05;
  if (store.logs.empty()) return {};
  const auto& tables = store.logs.back().log.statistics;
  const auto found = tables.find(family);
  if (found == tables.end()) return {};
  const stores::StatisticsTable& table = found->second;
  const double open_seconds = table.uptime_seconds.value_or(0) + kUptimeRounding;
  if (!table.flush_seconds || open_seconds < 1) return {};
  const stores::JobSeconds merges = table.merge_seconds.value_or(stores::JobSeconds());
  const stores::JobSeconds& flushes = *table.flush_seconds;
  return {(merges.value - merges.error) / open_seconds,
          (flushes.value - flushes.error) / open_seconds};
}

bool states_jobs(const stores::StoreOptions& options, const std::string& family) {
  const stores::FamilyOptions* const values = options.family(family);
  const stores::FamilyOptions none;
  constexpr std::array<const char*, 3> kNames{"max_background_jobs", "max_background_compactions",
                                              "max_background_flushes"};
  return std::any_of(kNames.begin(), kNames.end(), [&](const char* name) {
    return stores::option_value(options, values == nullptr ? none : *values, name).has_value();
  });
}

// A default that cannot be the store's gives way to the fewest threads that can.
void take_jobs_at_once(const stores::Store& store, const std::string& family, StoreRules& rules) {
  const JobsAtOnce jobs = jobs_at_once(store, family);
  rules.flush_threads_min = JobsAtOnce::threads(jobs.flushes);
  const std::uint64_t least = JobsAtOnce::threads(jobs.merges);
  if (least <= rules.merge_threads || (store.options && states_jobs(*store.options, family))) {
    return;
  }
  rules.merge_threads_guess = fmt::format(
      "the table's merges took {:.1f} seconds a second, so {} or more ran at once, where RocksDB's "
      "default lets {} run; no file names max_background_jobs",
      jobs.merges, least, rules.merge_threads);
  rules.merge_threads = least;
}

StoreRules rocksdb_rules(const stores::Store& store, const std::string& family,
                         const std::string& policy) {
  StoreRules rules;
  const stores::StoreOptions options = whole_options(store, family);
  const stores::FamilyOptions& values = *options.family(family);
  rules.merge_threads = stores::merge_threads_of(options, values);
  const auto stalls = stores::stall_options(options, values);
  if (stalls) {
    rules.stalls = stores::stall_parameters(*stalls, policy.starts_with("rocksdb-leveled"));
  }
  take_jobs_at_once(store, family, rules);
  return rules;
}

// Pebble slows no writer. Of its memtables one takes writes.
// Source: Pebble 2.1.7, db.go (maybeInduceWriteStall), options.go.
StoreRules pebble_rules(const stores::StoreOptions& options, const stores::FamilyOptions& values) {
  constexpr std::uint64_t kThreadsMax = 64;
  constexpr std::uint64_t kMemtablesMax = 1001;
  constexpr std::uint64_t kRunsMax = 1'000'000;
  const auto number = [&](std::string_view name) -> std::optional<std::uint64_t> {
    const auto text = stores::option_value(options, values, name);
    std::uint64_t found = 0;
    if (!text) return std::nullopt;
    const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), found);
    if (fault != std::errc() || end != text->data() + text->size()) return std::nullopt;
    return found;
  };
  StoreRules rules;
  if (const auto threads = number("max_concurrent_compactions")) {
    rules.merge_threads = std::clamp<std::uint64_t>(*threads, 1, kThreadsMax);
  }
  if (const auto memtables = number("mem_table_stop_writes_threshold")) {
    const std::uint64_t full = std::clamp<std::uint64_t>(*memtables, 2, kMemtablesMax) - 1;
    rules.stalls.emplace_back("full_memtables_max", std::to_string(full));
  }
  if (const auto sublevels = number("l0_stop_writes_threshold")) {
    const std::string runs = std::to_string(std::clamp<std::uint64_t>(*sublevels, 1, kRunsMax));
    rules.stalls.emplace_back("level0_slowdown_runs", runs);
    rules.stalls.emplace_back("level0_stop_runs", runs);
  }
  return rules;
}

}  // namespace

StoreRules store_rules(const stores::Store& store, const std::string& family,
                       const std::string& policy) {
  if (policy.starts_with("rocksdb-")) return rocksdb_rules(store, family, policy);
  if (!policy.starts_with("pebble") || !store.options) return {};
  const stores::FamilyOptions* const values = store.options->family(family);
  return values == nullptr ? StoreRules() : pebble_rules(*store.options, *values);
}

}  // namespace lsmlab
