#include "models/policies/rocksdb/universal_space.h"

#include <algorithm>

namespace lsmlab {
namespace {

// The first run of the span that ends at the oldest run; nothing if there is none.
std::optional<std::size_t> first_of_span(const std::vector<UniversalRun>& runs,
                                         RocksdbVersion version) {
  if (runs.back().busy) return std::nullopt;
  const auto is_busy = [](const UniversalRun& run) { return run.busy; };
  std::size_t first = 0;
  if (version >= RocksdbVersion::k8_7) {
    const auto last_busy = std::find_if(runs.rbegin(), runs.rend(), is_busy);
    first = static_cast<std::size_t>(runs.rend() - last_busy);
  } else {
    const auto first_idle = std::find_if_not(runs.begin(), runs.end(), is_busy);
    if (std::any_of(first_idle, runs.end(), is_busy)) return std::nullopt;
    first = static_cast<std::size_t>(first_idle - runs.begin());
  }
  if (first + 1 == runs.size()) return std::nullopt;
  return first;
}

bool asks_for_merge(const UniversalSpaceRules& rules, Uint128 newer_bytes,
                    std::uint64_t oldest_bytes) {
  return newer_bytes * 100 >= Uint128{rules.size_amplification_percent} * oldest_bytes;
}

// How many of the newest files stay. `newer_bytes`: of the runs from `first` on, but the oldest.
std::size_t files_left_out(const std::vector<UniversalRun>& runs, const UniversalSpaceRules& rules,
                           std::size_t first, Uint128 newer_bytes) {
  const auto level0_files = static_cast<std::size_t>(
      std::count_if(runs.begin() + static_cast<std::ptrdiff_t>(first), runs.end() - 1,
                    [](const UniversalRun& run) { return run.level == 0; }));
  if (level0_files == 0) return 0;
  const std::size_t width = runs.size() - first;
  const std::size_t most = std::min(level0_files - 1, width - 2);
  const std::uint64_t flushes_to_stop = rules.stop_runs - std::min(rules.stop_runs, width);
  const auto beyond = [&](std::uint64_t merge_width) {
    return std::min(merge_width - std::min(merge_width, flushes_to_stop), std::uint64_t{most});
  };
  Uint128 bytes = newer_bytes;
  std::size_t subtracted = 0;
  std::size_t left_out = 0;
  for (std::size_t count = beyond(rules.min_merge_width); count <= beyond(rules.max_merge_width);
       ++count) {
    for (; subtracted < count; ++subtracted) bytes -= runs[first + subtracted].compensated_bytes;
    if (!asks_for_merge(rules, bytes, runs.back().bytes) || bytes < newer_bytes * 9 / 10) break;
    left_out = count;
  }
  return left_out;
}

}  // namespace

std::optional<UniversalWindow> universal_window_for_space(const std::vector<UniversalRun>& runs,
                                                          const UniversalSpaceRules& rules) {
  const std::optional<std::size_t> first = first_of_span(runs, rules.version);
  if (!first) return std::nullopt;
  Uint128 newer_bytes = 0;
  for (std::size_t i = *first; i + 1 < runs.size(); ++i) newer_bytes += runs[i].compensated_bytes;
  if (!asks_for_merge(rules, newer_bytes, runs.back().bytes)) return std::nullopt;
  std::size_t left_out = 0;
  if (rules.version >= RocksdbVersion::k8_7) {
    left_out = files_left_out(runs, rules, *first, newer_bytes);
  }
  return UniversalWindow{*first + left_out, runs.size()};
}

}  // namespace lsmlab
