#include "traces/stores/store_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/base/check.h"
#include "models/base/quantity_text.h"

namespace lsmlab::stores {
namespace {

// Entries in the tree for whose keys a level above has a newer version, if writes hit live keys
// uniformly. A delete leaves its tombstone and what it hides.
double obsolete_entries(const std::vector<double>& levels, double updates, double deletes,
                        double keys) {
  if (keys <= 0) return 0;
  double obsolete = 0;
  double deeper = 0;
  for (std::size_t level = levels.size(); level-- > 0;) {
    obsolete += levels[level] * (updates + 2 * deletes) * std::min(1.0, deeper / keys);
    deeper += levels[level];
  }
  return obsolete;
}

struct Shares {
  double records = 0;  // before the history
  double updates = 0;  // of the writes
};

double mean_entry_bytes(const FlushFigures& flushes) {
  return static_cast<double>(flushes.bytes) / static_cast<double>(flushes.entries);
}

// Entries are conserved: what was written and is not in the tree was dropped.
Shares shares_of(const FamilyFigures& figures, double writes, double dropped, double deletes) {
  constexpr double kNothing = 0.05;  // of the tree: what an estimate of its entries may be off
  const double in_tree = entries_in_tree(figures);
  const double written = std::max(0.0, writes - dropped);
  const double before = in_tree - written;
  if (before > kNothing * in_tree) {
    // The obsolete part of the tree is taken to stay as large as it is.
    const double inserts = std::clamp(written + deletes * writes, 0.0, writes);
    const double updates = std::clamp(1 - inserts / writes - deletes, 0.0, 1 - deletes);
    const double obsolete =
        obsolete_entries(entries_by_level(figures, in_tree), updates, deletes, in_tree);
    // Without obsolete entries too, more than nothing is left.
    if (before - obsolete > kNothing * in_tree) return {before - obsolete, updates};
  }
  const std::vector<double> levels = entries_by_level(figures, written);
  double keys = written;
  double updates = 0;
  for (int round = 0; round < 50; ++round) {
    updates = std::clamp(1 - keys / writes - deletes, 0.0, 1 - deletes);
    const double live = written - obsolete_entries(levels, updates, deletes, keys);
    keys = std::clamp((keys + live + deletes * writes) / 2, 1.0, writes);
  }
  return {0, updates};
}

// How many keys there are, if every write draws one of them with equal chances, as db_bench's
// random writes do. m entries of a memtable then hit m * m / (2 keys) keys twice, and the flushes
// say how many they dropped. None: too few for an estimate, or keys that are not such a number,
// because the tree holds other numbers of entries, or the later half of the writes hit another.
std::optional<double> drawn_keys(const FamilyFigures& figures, double writes, double dropped) {
  constexpr double kDroppedMin = 400;  // known to 5 % then
  constexpr double kNear = 0.08;
  const FlushFigures& flushes = figures.flushes;
  const double doubled = writes - static_cast<double>(flushes.entries);
  if (flushes.memtable_deletes > 0 || flushes.deletes > 0 || doubled < kDroppedMin) {
    return std::nullopt;
  }
  const double memtable = writes / static_cast<double>(flushes.flushes);
  const double keys = memtable * writes / (2 * doubled);
  if (memtable > keys / 4) return std::nullopt;
  if (figures.late) {
    constexpr double kNearLately = 0.2;
    const LateFigures& late = *figures.late;
    const auto doubled_lately = static_cast<double>(late.memtable_entries) -
                                static_cast<double>(std::min(late.entries, late.memtable_entries));
    const double keys_lately = late.memtable_squares / (2 * std::max(1.0, doubled_lately));
    if (std::abs(keys_lately / keys - 1) > kNearLately) return std::nullopt;
  }
  const double written = std::max(0.0, writes - dropped);
  const std::vector<double> levels = entries_by_level(figures, written);
  // Of a level's entries those are live that no deeper level is expected to have.
  double live = 0;
  for (std::size_t level = levels.size(); level-- > 0;) {
    live += levels[level] * std::max(0.0, 1 - live / keys);
  }
  const double expected = keys * (1 - std::exp(-writes / keys));
  const bool is_near = live > (1 - kNear) * expected && live < (1 + kNear) * expected;
  return is_near ? std::optional(keys) : std::nullopt;
}

// To the four digits of the SPEC.
double rounded(double share) { return std::floor(share * 10'000) / 10'000; }

// A store that wrote its tree many times over repeats itself: its last ten turnovers say what all
// of them do, at a small part of the work. Short histories are simulated in whole.
void take_steady_part(const FamilyFigures& figures, StoreWorkload& workload) {
  constexpr double kTurnovers = 10;
  constexpr double kMemtables = 5000;
  const double in_tree = entries_in_tree(figures);
  const auto writes = static_cast<double>(workload.writes);
  const double memtable =
      writes / static_cast<double>(std::max<std::uint64_t>(1, figures.flushes.flushes));
  const double steady = std::max(kTurnovers * in_tree, kMemtables * memtable);
  if (in_tree < 1 || writes < 2 * steady) return;
  workload.steady_writes = static_cast<std::uint64_t>(steady);
  workload.update_fraction = rounded(std::max(0.0, 1 - 2 * workload.delete_fraction));
  workload.records = live_records(entries_by_level(figures, in_tree), workload.update_fraction,
                                  workload.delete_fraction);
  workload.guesses.push_back(
      {"writes", fmt::format("the history has {:.3g}, {:.3g} times the entries of the tree; {:.3g} "
                             "are simulated, and the second half of them is measured. As many keys "
                             "come as are deleted, so that the store keeps its size",
                             writes, writes / in_tree, steady)});
}

// What compactions moved down. Files of the user that were linked count as moved in a table.
std::uint64_t moved_down(const FamilyFigures& figures) {
  return figures.moved_bytes - std::min(figures.moved_bytes, figures.ingested_bytes);
}

// A table of statistics has no keys. Keys came in order where most of what was flushed moved down
// and met no others: merges below level 0 wrote little beside that, and found nothing to drop, or
// moves had nine tenths of what left its level. Of a load in random order merges read all that
// leaves level 0, and what it meets, so that the moves of all deeper levels are never so many.
bool moves_in_order(const FamilyFigures& figures) {
  if (figures.source != HistorySource::kStatistics) return false;
  const std::uint64_t moved = moved_down(figures);
  if (moved < figures.flushes.bytes / 2) return false;
  std::uint64_t written = 0;
  for (std::size_t i = 1; i < figures.levels.size(); ++i)
    written += figures.levels[i].written_bytes;
  const bool drops_nothing = figures.merge_input_entries == figures.merge_output_entries;
  return (moved / 2 > written && drops_nothing) || moved / 9 > figures.merge_read_bytes;
}

PolicyGuess keys_guess(const FamilyFigures& figures, bool is_rising) {
  return {std::string(kKeysGuess),
          is_rising
              ? fmt::format("in rising order: {} moved down as they were, and merges read {} only",
                            bytes_text(moved_down(figures)), bytes_text(figures.merge_read_bytes))
              : "uniform: no file says how keys are drawn"};
}

PolicyGuess updates_guess(bool is_rising) {
  return {"update_fraction",
          is_rising ? "none: files that move down meet no older version of their keys; what merges "
                      "dropped is not modelled"
                    : "entries that were written and are in no file were overwritten or deleted; "
                      "the tree's obsolete ones are estimated for uniform writes"};
}

struct EntrySize {
  std::uint64_t key_bytes = 0;
  std::uint64_t value_bytes = 0;
};

// On average.
EntrySize entry_size(const FlushFigures& flushes) {
  const auto mean = [](std::uint64_t sum, std::uint64_t count) {
    return count == 0 ? 0
                      : static_cast<std::uint64_t>(
                            std::llround(static_cast<double>(sum) / static_cast<double>(count)));
  };
  // A replayed key holds the number of its id.
  return {
      std::max<std::uint64_t>(8, mean(flushes.raw_key_bytes, flushes.entries)),
      mean(flushes.raw_value_bytes, flushes.entries - std::min(flushes.entries, flushes.deletes))};
}

// How many operations a second the SPEC stands for: those of the store are its writes.
std::string rate_parameter(const StoreWorkload& workload) {
  if (!workload.writes_per_second) return {};
  return fmt::format(",operations_per_second={}", stated_rate(*workload.writes_per_second).text());
}

std::string draws_spec(const StoreWorkload& workload, const FlushFigures& flushes,
                       std::uint64_t keys) {
  const EntrySize entry = entry_size(flushes);
  return fmt::format(
      "db_bench:\"--benchmarks=fillrandom --num={} --writes={} --key_size={} --value_size={}\"{}",
      keys, workload.simulated_writes(), entry.key_bytes, entry.value_bytes,
      rate_parameter(workload));
}

// Why the workload of a store without flushed entries is not known.
Error no_entries(const FamilyFigures& figures) {
  if (figures.source == HistorySource::kStatistics && figures.flushes.bytes > 0) {
    return input_error(
        "no merge of the table read keys, and it does not say how many were written, so the size "
        "of an entry is not known; give the workload with -w, as load:entries=10M,value_bytes=100");
  }
  return input_error(
      "no file says how many entries were flushed, so the workload is not known. A LOG of "
      "RocksDB or its table of statistics says it; LevelDB does not record it; give the workload "
      "with -w, as load:entries=10M,update_fraction=50%");
}

}  // namespace

double entries_in_tree(const FamilyFigures& figures) {
  double bytes = 0;
  for (const LevelFigures& level : figures.levels) {
    bytes += static_cast<double>(level.bytes.value_or(0));
  }
  return bytes / mean_entry_bytes(figures.flushes);
}

std::vector<double> entries_by_level(const FamilyFigures& figures, double entries) {
  std::vector<double> levels;
  double bytes = 0;
  for (const LevelFigures& level : figures.levels) {
    levels.push_back(static_cast<double>(level.bytes.value_or(0)));
    bytes += levels.back();
  }
  for (double& level : levels) level *= bytes > 0 ? entries / bytes : 0;
  return levels;
}

OperationRate stated_rate(double writes_per_second) {
  constexpr double kRateMin = 1e-9;  // what nine decimals can tell
  constexpr double kRateMax = 1e12;
  const double rate = std::clamp(writes_per_second, kRateMin, kRateMax);
  const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(rate))), 0, 9);
  const Result<OperationRate> parsed = OperationRate::parse(fmt::format("{:.{}f}", rate, decimals));
  CHECK(parsed.has_value());
  return parsed.value();
}

std::uint64_t live_records(const std::vector<double>& entries_by_level, double update_fraction,
                           double delete_fraction) {
  double entries = 0;
  for (const double level : entries_by_level) entries += level;
  const double obsolete =
      obsolete_entries(entries_by_level, update_fraction, delete_fraction, entries);
  return static_cast<std::uint64_t>(std::max(1.0, entries - obsolete));
}

std::string load_spec(const StoreWorkload& workload, const FlushFigures& flushes,
                      std::uint64_t records, std::uint64_t writes) {
  const EntrySize entry = entry_size(flushes);
  std::string spec = "load:";
  if (records > 0) spec += fmt::format("records={},", records);
  spec += fmt::format("entries={},key_bytes={},value_bytes={}", writes, entry.key_bytes,
                      entry.value_bytes);
  if (workload.inserts_rise) spec += ",insert_distribution=sequential";
  if (workload.update_fraction > 0) {
    spec += fmt::format(",update_fraction={:.4f}", workload.update_fraction);
  }
  if (workload.delete_fraction > 0) {
    spec += fmt::format(",delete_fraction={:.4f}", workload.delete_fraction);
  }
  return spec + rate_parameter(workload);
}

std::string ordered_load_spec(const StoreWorkload& workload, const FlushFigures& flushes,
                              std::uint64_t keys, std::uint64_t overwrites) {
  const EntrySize entry = entry_size(flushes);
  const std::string both = fmt::format("--num={} --key_size={} --value_size={}", keys,
                                       entry.key_bytes, entry.value_bytes);
  return fmt::format(
      "db_bench:\"--benchmarks=fillseq {}; --benchmarks=overwrite --use_existing_db=1 --writes={} "
      "{}\"{}",
      both, overwrites, both, rate_parameter(workload));
}

Result<StoreWorkload> store_workload(const FamilyFigures& figures) {
  const FlushFigures& flushes = figures.flushes;
  if (flushes.entries == 0 || flushes.bytes == 0) return no_entries(figures);
  StoreWorkload workload;
  const std::uint64_t memtables = std::max(flushes.memtable_entries, flushes.entries);
  const double writes = static_cast<double>(memtables);
  const double deletes =
      flushes.memtable_entries > 0
          ? static_cast<double>(flushes.memtable_deletes) / writes
          : static_cast<double>(flushes.deletes) / static_cast<double>(flushes.entries);
  const double dropped =
      writes - static_cast<double>(flushes.entries) +
      static_cast<double>(figures.merge_input_entries) -
      static_cast<double>(std::min(figures.merge_input_entries, figures.merge_output_entries));
  const Shares shares = shares_of(figures, writes, dropped, deletes);
  workload.writes = memtables;
  workload.delete_fraction = rounded(deletes);
  workload.update_fraction = rounded(shares.updates);
  workload.records = static_cast<std::uint64_t>(shares.records);
  workload.is_whole_history = workload.records == 0;
  workload.writes_per_second = figures.writes_per_second();
  take_steady_part(figures, workload);
  const std::uint64_t entries = workload.simulated_writes();
  workload.inserts_rise = moves_in_order(figures);
  // Uniform ones would spread each memtable over all keys, so that none could move.
  if (workload.inserts_rise && !workload.steady_writes) workload.update_fraction = 0;
  workload.spec = load_spec(workload, flushes, workload.records, entries);
  const std::optional<double> keys = workload.begins_at_rest() || workload.inserts_rise
                                         ? std::nullopt
                                         : drawn_keys(figures, writes, dropped);
  if (keys) {
    workload.spec = draws_spec(workload, flushes, static_cast<std::uint64_t>(std::llround(*keys)));
    workload.update_fraction = 0;
    workload.drawn_keys = static_cast<std::uint64_t>(std::llround(*keys));
    workload.guesses.push_back(
        {"number of keys",
         "writes draw one of them with equal chances: so many would leave as many duplicates in "
         "memtables as the flushes dropped, and as many entries in the tree as it has"});
  } else if (!workload.steady_writes) {
    workload.guesses.push_back(updates_guess(workload.inserts_rise));
  }
  if (workload.writes_per_second) {
    workload.guesses.push_back(
        {"rate", fmt::format("{} writes a second, the mean over the time of the files with idle "
                             "times; it counts with a device, and where an option is a time",
                             stated_rate(*workload.writes_per_second).text())});
  }
  if (figures.source == HistorySource::kStatistics && !figures.db_bench.states_entries()) {
    workload.guesses.push_back(
        {"key_bytes",
         "the table, which rounds bytes to 0.1 GiB, tells the mean size of an entry as stored, not "
         "what of it is key, value and compression"});
  }
  workload.guesses.push_back(keys_guess(figures, workload.inserts_rise));
  if (workload.begins_at_rest()) {
    workload.measure_from = std::to_string(workload.records + entries / 2);
    workload.guesses.push_back(
        {std::string(kRecordsGuess),
         "what is in the tree and was not written in the history was loaded before; the "
         "simulated tree comes from loading as much, and is measured when it is at rest"});
  }
  workload.lately = late_writes(figures, workload);
  return workload;
}

}  // namespace lsmlab::stores
