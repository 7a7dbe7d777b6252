#include "validate/stores/logged_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/base/printable.h"
#include "traces/stores/option_table.h"

namespace lsmlab {
namespace {

struct MergeSpeed {
  std::uint64_t entry_ns = 0;  // of one thread
  double part_slowdown = 0;    // CoresModel::merge_part_slowdown
  double divided_gain = 1;     // of the LOG's divided merges
};

// Merges of one thread tell its speed, and divided ones what further threads gain. If all were
// divided, their threads count as if each had a core and a device of its own.
std::optional<MergeSpeed> merge_speed_of(const stores::FamilyFigures& figures) {
  constexpr double kSlowdownMax = 10;
  const auto whole_ns = figures.merge_speed.entry_ns();
  const auto divided_ns = figures.divided_speed.durations.entry_ns();
  if (!divided_ns) return whole_ns ? std::optional(MergeSpeed{*whole_ns}) : std::nullopt;
  const double threads = figures.divided_speed.threads();
  const double thread_ns = static_cast<double>(*divided_ns) * threads;
  if (!whole_ns) return MergeSpeed{static_cast<std::uint64_t>(thread_ns), 0, threads};
  const double share = std::clamp((thread_ns / static_cast<double>(*whole_ns) - 1) / (threads - 1),
                                  0.0, kSlowdownMax);
  return MergeSpeed{*whole_ns, share, threads / (1 + share * (threads - 1))};
}

// RocksDB divides merges of level 0, and counts how long each took, not how long its threads
// worked. Source: RocksDB 11.2, db/compaction/compaction.cc (ShouldFormSubcompactions),
// compaction_job.cc.
std::string division_note_of(const stores::Store& store, const stores::FamilyFigures& figures) {
  constexpr double kFaster = 1.5;  // than deeper merges, which have fewer sorted runs
  const stores::JobSpeed& base = figures.base_merge_speed;
  const stores::JobSpeed deeper{figures.merge_speed.micros - base.micros,
                                figures.merge_speed.entries - base.entries};
  const auto base_ns = base.entry_ns();
  const auto deeper_ns = deeper.entry_ns();
  if (!base_ns || !deeper_ns) return {};
  std::optional<std::string> threads;
  if (store.options) {
    const stores::FamilyOptions none;
    const stores::FamilyOptions* const values = store.options->family(figures.name);
    threads = stores::option_value(*store.options, values == nullptr ? none : *values,
                                   "max_subcompactions");
  }
  const bool is_faster = kFaster * static_cast<double>(*base_ns) < static_cast<double>(*deeper_ns);
  if (threads == "1" || threads == "0" || (!threads && !is_faster)) return {};
  return fmt::format(
      "Merges out of level 0 took {:.2f} us an entry, deeper ones {:.2f} us. {} threads "
      "(max_subcompactions)\n  {} the former, and the table has the time of the whole merge: the "
      "speed is a mean, not that of one thread.",
      static_cast<double>(*base_ns) / 1000, static_cast<double>(*deeper_ns) / 1000,
      threads ? "Up to " + printable(*threads) : "Several",
      threads ? "divided" : "may have divided");
}

}  // namespace

TableWrites table_writes(const stores::Store& store, const std::string& family) {
  constexpr double kSecond = 1e9;
  if (store.logs.empty()) return {};
  const stores::InfoLog& log = store.logs.back().log;
  const auto table = log.statistics.find(family);
  if (table == log.statistics.end()) return {};
  const double open_seconds = table->second.uptime_seconds.value_or(0);
  if (!(open_seconds > 0)) return {};
  TableWrites writes;
  writes.stalled_seconds = log.stalled_seconds;
  const double stalled = std::clamp(log.stalled_seconds.value_or(0), 0.0, open_seconds);
  writes.stalled_share = stalled / open_seconds;
  if (!log.written_keys || *log.written_keys < 1 || stalled >= open_seconds) return writes;
  writes.write_ns = static_cast<std::uint64_t>(
      std::clamp((open_seconds - stalled) * kSecond / *log.written_keys, 1.0, kSecond));
  return writes;
}

LoggedWrites logged_writes(const stores::Store& store, const std::string& family) {
  struct Gap {
    double entry_ns = 0;
    double entries = 0;
    bool is_stalled = false;
  };
  std::vector<Gap> gaps;
  for (const stores::NamedLog& named : store.logs) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ends;  // and entries of the memtable
    for (const stores::LoggedFlush& flush : named.log.flushes) {
      if (flush.family != family || !flush.is_finished) continue;
      ends.emplace_back(flush.micros, flush.memtable_entries);
    }
    std::sort(ends.begin(), ends.end());
    std::vector<std::uint64_t> stalls;
    for (const stores::LoggedStall& stall : named.log.stalls) stalls.push_back(stall.micros);
    std::sort(stalls.begin(), stalls.end());
    for (std::size_t i = 1; i < ends.size(); ++i) {
      const auto [begin, end] = std::pair(ends[i - 1].first, ends[i].first);
      const auto entries = static_cast<double>(ends[i].second);
      if (entries == 0) continue;
      const auto stall = std::lower_bound(stalls.begin(), stalls.end(), begin);
      gaps.push_back({static_cast<double>(end - begin) * 1000 / entries, entries,
                      stall != stalls.end() && *stall <= end});
    }
  }
  double stalled = 0;
  double all = 0;
  for (const Gap& gap : gaps) {
    all += gap.entry_ns * gap.entries;
    if (gap.is_stalled) stalled += gap.entry_ns * gap.entries;
  }
  if (all <= 0) return {};
  LoggedWrites writes{stalled / all, {}};
  // A median has no pauses of the writers. Where all waited, the quickest tenth waited least.
  std::vector<double> speeds;
  for (const Gap& gap : gaps) {
    if (!gap.is_stalled) speeds.push_back(gap.entry_ns);
  }
  std::size_t index = speeds.size() / 2;
  constexpr std::size_t kGapsMin = 5;
  if (speeds.size() < kGapsMin) {
    speeds.clear();
    for (const Gap& gap : gaps) speeds.push_back(gap.entry_ns);
    index = speeds.size() / 10;
  }
  std::sort(speeds.begin(), speeds.end());
  writes.write_ns = static_cast<std::uint64_t>(std::clamp(speeds[index], 1.0, 1e9));
  return writes;
}

bool ends_at_rest(const stores::Store& store, const stores::FamilyFigures& figures) {
  if (store.logs.empty() || figures.source != stores::HistorySource::kLog) return false;
  const std::vector<stores::LoggedCompaction>& merges = store.logs.back().log.compactions;
  return std::all_of(merges.begin(), merges.end(),
                     [](const auto& merge) { return merge.is_finished; }) &&
         std::all_of(figures.levels.begin(), figures.levels.end(),
                     [](const auto& level) { return level.score.value_or(0) < 1; });
}

std::optional<LoggedClock> logged_clock(const stores::Store& store,
                                        const stores::FamilyFigures& figures) {
  const auto flush_ns = figures.flush_speed.entry_ns();
  const auto merges = merge_speed_of(figures);
  if (!flush_ns || !merges) return std::nullopt;
  LoggedClock clock;
  clock.flush_entry_ns = *flush_ns;
  clock.merge_entry_ns = merges->entry_ns;
  clock.divided_merges = figures.divided_speed.merges;
  clock.divided_gain = merges->divided_gain;
  clock.device = fmt::format(
      "instant:cpu_flush_entry_ns={},cpu_flush_kib_ns=0,cpu_merge_entry_ns={},cpu_merge_kib_ns=0,"
      "cpu_file_ns=0",
      *flush_ns, merges->entry_ns);
  if (merges->part_slowdown > 0) {
    clock.device += fmt::format(",cpu_merge_part_slowdown={:.3f}", merges->part_slowdown);
  }
  if (figures.source == stores::HistorySource::kLog) {
    // Such writers write as fast as the store lets them, and its mean rate is what it let them.
    constexpr double kStalledMuch = 0.25;
    const LoggedWrites writes = logged_writes(store, figures.name);
    clock.stalled_share = writes.stalled_share;
    if (writes.stalled_share > kStalledMuch) clock.write_ns = writes.write_ns;
  }
  if (figures.source == stores::HistorySource::kStatistics) {
    // Where nobody waited, merges kept up, and counting them is near and quicker.
    constexpr double kStalledShareMin = 0.01;
    clock.division_note = division_note_of(store, figures);
    const TableWrites writes = table_writes(store, figures.name);
    if (writes.stalled_share > kStalledShareMin) clock.write_ns = writes.write_ns;
  }
  if (clock.write_ns) clock.device += fmt::format(",cpu_put_ns={}", *clock.write_ns);
  return clock;
}

}  // namespace lsmlab
