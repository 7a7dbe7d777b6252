#include "traces/stores/rocksdb_stalls.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "traces/stores/option_table.h"

namespace lsmlab::stores {
namespace {

template <class T>
bool take(const StoreOptions& options, const FamilyOptions& family, std::string_view name,
          T& number) {
  const auto text = option_value(options, family, name);
  if (!text) return false;
  const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), number);
  return fault == std::errc() && end == text->data() + text->size();
}

}  // namespace

std::optional<StallOptions> stall_options(const StoreOptions& options,
                                          const FamilyOptions& family) {
  StallOptions stalls;
  const bool is_whole =
      take(options, family, "level0_file_num_compaction_trigger", stalls.level0_trigger) &&
      take(options, family, "level0_slowdown_writes_trigger", stalls.level0_slowdown) &&
      take(options, family, "level0_stop_writes_trigger", stalls.level0_stop) &&
      take(options, family, "max_write_buffer_number", stalls.memtables) &&
      take(options, family, "delayed_write_rate", stalls.delayed_write_rate) &&
      take(options, family, "soft_pending_compaction_bytes_limit", stalls.soft_pending_bytes) &&
      take(options, family, "hard_pending_compaction_bytes_limit", stalls.hard_pending_bytes);
  if (!is_whole) return std::nullopt;
  take(options, family, "min_write_buffer_number_to_merge", stalls.merged_memtables);
  stalls.is_fifo = option_value(options, family, "compaction_style") == "kCompactionStyleFIFO";
  if (option_value(options, family, "atomic_flush") == "true") stalls.merged_memtables = 1;
  return stalls;
}

std::int64_t memtables_of_flush(std::int64_t merged_memtables, std::int64_t memtables) {
  const std::int64_t most = std::max<std::int64_t>(2, memtables) - 1;
  return std::clamp<std::int64_t>(merged_memtables, 1, most);
}

Parameters stall_parameters(const StallOptions& options, bool has_pending_limits) {
  static constexpr std::int64_t kRunsMax = 1'000'000;
  constexpr std::int64_t kMemtablesMax = 1000;
  constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 62;
  constexpr std::uint64_t kRate = 16 << 20;
  const std::int64_t slowdown =
      options.is_fifo ? kRunsMax : std::max(options.level0_slowdown, options.level0_trigger);
  const std::int64_t stop = std::max(options.level0_stop, slowdown);
  // One of the memtables takes writes; RocksDB has at least two.
  const std::int64_t memtables = std::max<std::int64_t>(
      2, options.memtables / memtables_of_flush(options.merged_memtables, options.memtables));
  const auto runs = [](std::int64_t number) {
    return std::to_string(std::clamp<std::int64_t>(number, 1, kRunsMax));
  };
  const std::uint64_t rate = options.delayed_write_rate;
  Parameters stalls{{"full_memtables_max", std::to_string(std::min(kMemtablesMax, memtables - 1))},
                    {"level0_slowdown_runs", runs(slowdown)},
                    {"level0_stop_runs", runs(stop)},
                    {"slowdown_bytes_per_second",
                     std::to_string(std::min(rate == 0 ? kRate : rate, std::uint64_t{1} << 44))}};
  if (!has_pending_limits) return stalls;
  const std::uint64_t hard = options.hard_pending_bytes;
  std::uint64_t soft = options.soft_pending_bytes;
  if (hard > 0 && (soft == 0 || soft > hard)) soft = hard;
  stalls.emplace_back("pending_slowdown_bytes", std::to_string(std::min(soft, kBytesMax)));
  stalls.emplace_back("pending_stop_bytes", std::to_string(std::min(hard, kBytesMax)));
  return stalls;
}

std::uint64_t merge_threads_of(std::int64_t background_jobs, std::int64_t background_flushes,
                               std::int64_t background_compactions) {
  constexpr std::int64_t kThreadsMax = 64;
  const bool is_old = background_flushes != -1 || background_compactions != -1;
  const std::int64_t merges =
      is_old ? background_compactions
             : background_jobs - std::max<std::int64_t>(1, background_jobs / 4);
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(merges, 1, kThreadsMax));
}

std::uint64_t merge_threads_of(const StoreOptions& options, const FamilyOptions& family) {
  std::int64_t jobs = 2;
  std::int64_t flushes = -1;
  std::int64_t compactions = -1;
  take(options, family, "max_background_jobs", jobs);
  take(options, family, "max_background_flushes", flushes);
  take(options, family, "max_background_compactions", compactions);
  return merge_threads_of(jobs, flushes, compactions);
}

}  // namespace lsmlab::stores
