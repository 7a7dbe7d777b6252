#include "traces/stores/late_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "traces/stores/store_workload.h"

namespace lsmlab::stores {
namespace {

// The records after so many writes, in a tree with so many entries. They are the entries without
// those that a newer version hides: a share of the updates among the entries, for which the newer
// version has not met the older one yet.
double records_after(double writes, double records_before, double entries, double hidden) {
  const double met = entries * hidden / writes;
  if (met >= 1) return entries;
  const double records = (entries * (1 - hidden) - met * records_before) / (1 - met);
  return std::clamp(records, 0.0, entries);
}

// Entries above others of the tree that may have the same key, as a share of all entries.
double hidden_share(const FamilyFigures& figures, double entries) {
  const std::vector<double> levels = entries_by_level(figures, entries);
  return 1 - static_cast<double>(live_records(levels, 1, 0)) / entries;
}

// The exponent with which memtables of so many writes have so many different keys, if `updates` of
// the writes draw from the records and the others are new.
double exponent_of(double memtable, double flushed, double updates, double records) {
  double least = 0.01;
  double most = 3;
  for (int round = 0; round < 40; ++round) {
    const double exponent = (least + most) / 2;
    const double distinct =
        memtable * (1 - updates) + distinct_keys(memtable * updates, records, exponent);
    (distinct > flushed ? least : most) = exponent;
  }
  return std::round(100 * (least + most) / 2) / 100;
}

// What the later half of the writes did, in entries.
struct LaterHalf {
  double writes = 0;
  double deletes = 0;   // share of the writes
  double memtable = 0;  // the mean over writes
  double doubled = 0;   // more than once in a memtable
  double records_before = 0;
  double records = 0;  // today
  // How many keys uniform draws have that leave so many doubled ones.
  [[nodiscard]] double drawn_keys() const {
    return memtable * writes / (2 * std::max(1.0, doubled));
  }
};

double less(std::uint64_t from, std::uint64_t what) {
  return static_cast<double>(from) - static_cast<double>(std::min(from, what));
}

// None: something else than writes and merges changed the number of entries, as FIFO and the files
// that users ingest do.
std::optional<LaterHalf> later_half(const FamilyFigures& figures, const StoreWorkload& workload) {
  constexpr double kNear = 0.1;  // of an estimate of the tree's entries
  if (!figures.late || figures.late->memtable_entries == 0 || figures.ingested_files > 0) {
    return std::nullopt;
  }
  const LateFigures& late = *figures.late;
  LaterHalf half;
  half.writes = static_cast<double>(late.memtable_entries);
  half.deletes = static_cast<double>(late.memtable_deletes) / half.writes;
  half.memtable = late.memtable_squares / half.writes;
  half.doubled = less(late.memtable_entries, late.entries);
  const double earlier = less(workload.writes, late.memtable_entries);
  const double entries = entries_in_tree(figures);
  const double all_doubled = less(workload.writes, figures.flushes.entries);
  const double all_dropped = less(figures.merge_input_entries, figures.merge_output_entries);
  const double kept = static_cast<double>(workload.writes) - all_doubled - all_dropped;
  const double growth = half.writes - half.doubled - static_cast<double>(late.merge_dropped);
  const double before = entries - growth;
  if (earlier < 1 || entries < 1 || before < 1) return std::nullopt;
  if (workload.is_whole_history && std::abs(kept / entries - 1) > kNear) return std::nullopt;
  const double hidden = hidden_share(figures, entries);
  half.records_before =
      records_after(earlier, static_cast<double>(workload.records), before, hidden);
  half.records = records_after(half.writes, half.records_before, entries, hidden);
  return half;
}

LateWrites estimated_writes(const LaterHalf& half) {
  constexpr double kDoubledMin = 400;  // known to 5 % then
  constexpr double kSkewed = 1.5;      // times the duplicates of uniform updates
  constexpr double kUpdatesKnownTo = 0.25;
  constexpr double kFull = 0.9;  // of the records that such draws can leave
  LateWrites lately;
  lately.delete_fraction = half.deletes;
  // Deletes without as many new keys would empty the store; that is not taken from an estimate.
  const double inserts =
      std::clamp((half.records - half.records_before) / half.writes, 0.0, 1.0) + half.deletes;
  lately.update_fraction = std::clamp(1 - inserts - half.deletes, 0.0, 1 - half.deletes);
  lately.records = static_cast<std::uint64_t>(half.records);
  if (half.doubled < kDoubledMin) return lately;
  // u * m of a memtable's m writes hit one of the records, and u * m * m / (2 * records) of these
  // one that the memtable has.
  const double hits = half.records / half.drawn_keys();
  const double most = half.drawn_keys() * (1 - half.deletes);
  const bool is_full = half.records > kFull * most;
  const auto full_records = static_cast<std::uint64_t>(std::min(half.records, most));
  if (half.deletes > 0) {
    if (!is_full) return lately;
    // All keys that writes draw from have been there: as many come back as are deleted.
    lately.update_fraction = std::max(0.0, 1 - 2 * half.deletes);
    lately.records = full_records;
  } else if (hits > kSkewed) {
    lately.zipf_exponent =
        exponent_of(half.memtable, half.memtable * (1 - half.doubled / half.writes),
                    lately.update_fraction, half.records);
  } else if (std::abs(std::min(1.0, hits) - lately.update_fraction) < kUpdatesKnownTo) {
    lately.update_fraction = std::min(1.0, hits);
    if (is_full) lately.records = full_records;
  }
  return lately;
}

}  // namespace

double distinct_keys(double writes, double keys, double exponent) {
  constexpr double kWider = 1.05;                 // from one group of ranks to the next
  std::vector<std::pair<double, double>> groups;  // ranks, and their weight
  double sum = 0;
  for (double first = 1; first <= keys;) {
    const double next = std::min(keys + 1, std::max(first + 1, std::floor(first * kWider)));
    const double ranks = next - first;
    const double weight = ranks * std::pow((first + next - 1) / 2, -exponent);
    groups.emplace_back(ranks, weight);
    sum += weight;
    first = next;
  }
  double distinct = 0;
  for (const auto& [ranks, weight] : groups) {
    distinct += ranks * (1 - std::exp(-writes * weight / (sum * ranks)));
  }
  return distinct;
}

std::optional<LateFigures> late_figures(const FamilyEvents& events) {
  std::vector<const LoggedFlush*> flushes;
  std::uint64_t writes = 0;
  for (const FamilyLog& log : events.logs) {
    for (const LoggedFlush* flush : log.flushes) {
      if (!flush->is_finished || flush->bytes() == 0) continue;
      flushes.push_back(flush);
      writes += flush->memtable_entries;
    }
  }
  if (writes == 0) return std::nullopt;
  std::stable_sort(flushes.begin(), flushes.end(), [](const LoggedFlush* a, const LoggedFlush* b) {
    return a->micros < b->micros;
  });
  LateFigures late;
  std::uint64_t since = 0;
  for (auto flush = flushes.rbegin(); flush != flushes.rend(); ++flush) {
    if (late.memtable_entries >= writes / 2) {
      since = (*flush)->micros;
      break;
    }
    const auto entries = static_cast<double>((*flush)->memtable_entries);
    late.memtable_entries += (*flush)->memtable_entries;
    late.memtable_deletes += (*flush)->memtable_deletes;
    late.memtable_squares += entries * entries;
    for (const LoggedTable& table : (*flush)->outputs) late.entries += table.entries;
  }
  for (const FamilyLog& log : events.logs) {
    for (const LoggedCompaction* merge : log.compactions) {
      if (!merge->is_finished || merge->micros <= since) continue;
      late.merge_dropped +=
          merge->input_entries - std::min(merge->input_entries, merge->output_entries);
    }
  }
  return late;
}

std::optional<LateWrites> late_writes(const FamilyFigures& figures, const StoreWorkload& workload) {
  constexpr double kNear = 0.1;
  if (workload.steady_writes || workload.drawn_keys || workload.inserts_rise) return std::nullopt;
  const std::optional<LaterHalf> half = later_half(figures, workload);
  if (!half) return std::nullopt;
  LateWrites lately = estimated_writes(*half);
  const bool is_like_all = std::abs(lately.update_fraction - workload.update_fraction) < kNear &&
                           std::abs(lately.delete_fraction - workload.delete_fraction) < kNear;
  if (is_like_all && !lately.zipf_exponent) return std::nullopt;
  lately.why = fmt::format(
      "as in the later half of the history: {:.0f} % of the writes overwrite a record and {:.0f} % "
      "delete one, where all of it had {:.0f} % and {:.0f} %",
      100 * lately.update_fraction, 100 * lately.delete_fraction, 100 * workload.update_fraction,
      100 * workload.delete_fraction);
  if (lately.zipf_exponent) {
    lately.why += fmt::format(
        "; some keys are far more popular than others, because memtables had {:.0f} % of their "
        "entries twice",
        100 * half->doubled / half->writes);
  }
  return lately;
}

}  // namespace lsmlab::stores
