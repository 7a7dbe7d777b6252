#include "traces/stores/store_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "models/base/printable.h"
#include "models/base/quantity_text.h"
#include "traces/stores/level_scores.h"
#include "traces/stores/option_table.h"
#include "traces/stores/pebble_report.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/store_head.h"
#include "traces/stores/store_workload.h"
#include "traces/stores/table_guesses.h"

namespace lsmlab::stores {
namespace {

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100 * ratio(part, whole));
}

std::string bytes_or_dash(const std::optional<std::uint64_t>& bytes) {
  return bytes ? bytes_text(*bytes) : "-";
}

// Not a count of bytes above 2^63, so that the conversion is defined.
std::string real_bytes_text(double bytes) {
  return bytes < 9e18 ? bytes_text(static_cast<std::uint64_t>(bytes)) : "unlimited";
}

std::string options_text(const Store& store, const std::string& family) {
  const FamilyOptions* values = store.options ? store.options->family(family) : nullptr;
  if (values == nullptr)
    return has_tables(store.system) ? "  options: unknown; the table's schema has them\n"
                                    : "  options: unknown; no OPTIONS file or LOG names them\n";
  std::string text = fmt::format("  options that decide merges (* differs from the default{}):\n",
                                 store.system != StoreSystem::kRocksdb ? ""
                                 : store.version.empty()               ? "; the version is unknown"
                                                                       : " of " + store.version);
  if (values->is_partial) {
    text +=
        "    ALTER TABLE states only what it changes: other values are defaults, not the table's\n";
  }
  for (const ShownOption& option : merge_options(*store.options, *values)) {
    text += fmt::format("  {} {} = {}", option.differs ? '*' : ' ', option.name, option.value);
    if (option.differs) text += fmt::format("  (default {})", option.standard);
    text += '\n';
  }
  return text;
}

std::string levels_text(const FamilyFigures& figures) {
  if (figures.levels.empty()) {
    return figures.tree_source.empty() ? "  tree: unknown\n" : "  tree: no level has files\n";
  }
  std::string text = figures.tree_source.empty()
                         ? "  levels (the tree is unknown: no MANIFEST):\n"
                         : fmt::format("  tree by level (from {}):\n", figures.tree_source);
  text +=
      fmt::format("    {:<5} {:>6} {:>11} {:>11} {:>6} {:>11} {:>11} {:>11}  {}\n", "level",
                  "files", "size", "target", "score", "written", "read", "moved in", "compression");
  for (std::size_t i = 0; i < figures.levels.size(); ++i) {
    const LevelFigures& level = figures.levels[i];
    std::string compression = level.compression.empty() ? "-" : level.compression;
    if (level.raw_bytes > 0) {
      compression += fmt::format(" (data {:.2f} of keys and values)",
                                 ratio(level.data_bytes, level.raw_bytes));
    }
    const bool is_known = figures.source != HistorySource::kNone;
    const std::string written = is_known ? bytes_text(level.written_bytes) : "-";
    const std::string moved =
        is_known && figures.moves_are_known ? bytes_text(level.moved_bytes) : "-";
    text += fmt::format("    {:<5} {:>6} {:>11} {:>11} {:>6} {:>11} {:>11} {:>11}  {}\n", i,
                        level.files, bytes_or_dash(level.bytes),
                        level.target_bytes ? real_bytes_text(*level.target_bytes) : "-",
                        level.score ? fmt::format("{:.2f}", *level.score) : "-", written,
                        bytes_or_dash(level.read_bytes), moved, compression);
  }
  if (figures.estimated_level) {
    text += fmt::format(
        "    level {} is a guess: the table lacks its row, and perhaps more rows; this is the row "
        "Sum minus the others\n",
        *figures.estimated_level);
  }
  if (figures.levels[0].sublevels) {
    text += fmt::format("    sublevels of level 0: {}\n", *figures.levels[0].sublevels);
  }
  return text;
}

std::string no_flushes_text(const FlushFigures& all, std::uint64_t unsized_jobs) {
  if (unsized_jobs > 0) {
    return fmt::format(
        "  flushes and compactions: {} by the table, which wrote less than its digits show\n",
        counted_text(unsized_jobs, "job"));
  }
  if (all.unfinished + all.without_file == 0) return "  flushes: none found\n";
  std::string text = "  flushes: none is complete";
  if (all.unfinished > 0) text += fmt::format("; {} without an end", grouped_text(all.unfinished));
  if (all.without_file > 0) {
    text += fmt::format("; {} without a line of a file", grouped_text(all.without_file));
  }
  return text + '\n';
}

std::string flushes_text(const FamilyFigures& figures) {
  const FlushFigures& all = figures.flushes;
  if (figures.has_files_only) {
    return "  flushes and compactions: unknown; the text lists the tree's files only\n";
  }
  if (figures.has_sizes_only) {
    return "  flushes and compactions: unknown; the table tells files and sizes only, and "
           "rounds sizes\n";
  }
  if (figures.source == HistorySource::kCounters) {
    if (all.bytes == 0) return "  flushes: none by the counters, or no counter has them\n";
    return fmt::format("  flushes: {} in total; counters do not say how many\n",
                       bytes_text(all.bytes));
  }
  if (figures.source == HistorySource::kMetrics && all.flushes == 0) {
    return fmt::format("  flushes and compactions within level 0 wrote {}\n",
                       bytes_text(all.bytes));
  }
  if (figures.lacks_level0 && all.flushes == 0) {
    return "  flushes: unknown; the table has no row of level 0\n";
  }
  if (all.flushes == 0 && figures.source == HistorySource::kStatistics) {
    return "  flushes: none, or less than the table's digits show: no write amplification\n";
  }
  if (all.flushes == 0) return no_flushes_text(all, figures.unsized_jobs);
  if (figures.source == HistorySource::kMetrics) {
    return fmt::format(
        "  flushes: {}; with compactions within level 0 they wrote {} ({} a flush)\n",
        grouped_text(all.flushes), bytes_text(all.bytes), bytes_text(all.bytes / all.flushes));
  }
  if (!all.is_counted) {
    return fmt::format(
        "  flushes: {} in total; the table does not say how many{}\n", bytes_text(all.bytes),
        all.flushes_max > 0 ? fmt::format(" of level 0's {} jobs are flushes, not merges within it",
                                          grouped_text(all.flushes_max))
                            : "");
  }
  std::string text =
      fmt::format("  flushes: {}, {} in total, {} on average", grouped_text(all.flushes),
                  bytes_text(all.bytes), bytes_text(all.bytes / all.flushes));
  if (figures.history_seconds > 0) {
    text += fmt::format(", {:.3f}/s ({:.3f} MB/s)",
                        static_cast<double>(all.flushes) / figures.history_seconds,
                        static_cast<double>(all.bytes) / figures.history_seconds / 1e6);
  }
  text += '\n';
  if (figures.source == HistorySource::kStatistics) {
    if (all.entries == 0) return text;
    text += fmt::format("    about {} entries of {} B, as stored, by the keys that {}\n",
                        grouped_text(all.entries), all.bytes / all.entries,
                        figures.merge_input_entries > 0 ? "merges read" : "were written");
    if (all.memtable_entries <= all.entries) return text;
    return text + fmt::format("    of about {} that were written: memtables overwrote the others\n",
                              grouped_text(all.memtable_entries));
  }
  if (all.entries > 0) {
    text += fmt::format(
        "    entries: {} written, of {} in memtables; mean key {:.1f} B, mean value {:.1f} B "
        "(without deletes)\n",
        grouped_text(all.entries), grouped_text(all.memtable_entries),
        ratio(all.raw_key_bytes, all.entries),
        ratio(all.raw_value_bytes, all.entries - std::min(all.entries, all.deletes)));
    text += fmt::format("    deletes: {} of the entries written ({})\n", grouped_text(all.deletes),
                        percent_text(all.deletes, all.entries));
  }
  for (const auto& [reason, count] : all.reasons) {
    text += fmt::format("    {:>8} by \"{}\"\n", grouped_text(count), reason);
  }
  return text;
}

// Partitions of Cassandra. Of those that were merged from two SSTables, one copy was obsolete or
// had other columns.
std::string rows_text(const FamilyFigures& figures) {
  if (figures.rows_merged.empty()) return "";
  std::uint64_t all = 0;
  for (const auto& [tables, rows] : figures.rows_merged) all += rows;
  std::string text = "    partitions by the number of SSTables that each was merged from:\n";
  for (const auto& [tables, rows] : figures.rows_merged) {
    text += fmt::format("      {:>3}  {:>15}  {:>7}\n", tables, grouped_text(rows),
                        percent_text(rows, all));
  }
  return text;
}

// Where flushes are unknown, the tenths have no write amplification.
std::string written_text(const FamilyFigures& figures) {
  if (figures.source != HistorySource::kCompactions || !figures.tenths_are_of_time) return "";
  std::string text = fmt::format("    written in each tenth of {:.0f} s:", figures.history_seconds);
  for (const TenthFigures& tenth : figures.tenths)
    text += " " + bytes_text(tenth.merged_bytes) + ",";
  text.back() = '\n';
  return text;
}

std::string ingested_text(const FamilyFigures& figures) {
  if (figures.ingested_files == 0) return "";
  if (!has_sums_only(figures.source)) {
    return fmt::format("  ingested: {}, {}, by the MANIFEST; no other figure counts them\n",
                       counted_text(figures.ingested_files, "file"),
                       bytes_text(figures.ingested_bytes));
  }
  return fmt::format(
      "  ingested: {}, {}; a table counts copied ones with what their levels wrote, linked ones "
      "with what moved\n",
      counted_text(figures.ingested_files, "file"), bytes_text(figures.ingested_bytes));
}

std::string merges_text(const FamilyFigures& figures) {
  const bool is_counted = figures.merges > 0 || figures.moves > 0;
  if (!is_counted && has_sums_only(figures.source) && figures.merge_written_bytes > 0) {
    return fmt::format(
        "  compactions: {} written{}{}\n", bytes_text(figures.merge_written_bytes),
        figures.reads_are_known ? fmt::format(", {} read", bytes_text(figures.merge_read_bytes))
                                : "",
        figures.moves_are_known ? fmt::format(", {} moved", bytes_text(figures.moved_bytes)) : "");
  }
  if (!is_counted && figures.lacks_level0) {
    return "  compactions: unknown in total; the table's rows are those of some levels\n";
  }
  if (!is_counted && figures.lacks_merges) return "  compactions: unknown; no counter has them\n";
  if (!is_counted) {
    const bool is_said =
        figures.unsized_jobs > 0 || figures.has_sizes_only || figures.has_files_only;
    return is_said ? "" : "  compactions: none found\n";
  }
  const std::string moved =
      figures.source == HistorySource::kStatistics
          ? "; " + bytes_text(figures.moved_bytes) + " moved"
          : fmt::format("; {} moved ({})", counted_text(figures.moves, "file"),
                        bytes_text(figures.moved_bytes));
  std::string text =
      fmt::format("  compactions: {}, {} written, {} read{}{}\n", grouped_text(figures.merges),
                  bytes_text(figures.merge_written_bytes), bytes_text(figures.merge_read_bytes),
                  figures.reads_are_known ? "" : " (some inputs are unknown)",
                  figures.moves_are_known ? moved : "");
  if (figures.reasons.empty()) return text;
  text += fmt::format("    {:<32} {:>8} {:>11} {:>11} {:>8}\n", "reason", "number", "read",
                      "written", "share");
  for (const auto& [name, reason] : figures.reasons) {
    text += fmt::format("    {:<32} {:>8} {:>11} {:>11} {:>8}\n", name, grouped_text(reason.merges),
                        bytes_text(reason.read_bytes), bytes_text(reason.written_bytes),
                        percent_text(reason.written_bytes, figures.merge_written_bytes));
  }
  text += rows_text(figures) + written_text(figures);
  if (figures.merge_input_entries > 0) {
    text += fmt::format(
        "    entries: {} read, {} written: {} were obsolete\n",
        grouped_text(figures.merge_input_entries), grouped_text(figures.merge_output_entries),
        percent_text(figures.merge_input_entries -
                         std::min(figures.merge_input_entries, figures.merge_output_entries),
                     figures.merge_input_entries));
  }
  return text;
}

bool writes_blob_files(const Store& store, const std::string& family) {
  if (!store.options) return false;
  const FamilyOptions* const options = store.options->family(family);
  return options != nullptr &&
         option_value(*store.options, *options, "enable_blob_files") == "true";
}

// RocksDB prints no row of levels that never had a file.
std::string cut_table_text(const FamilyFigures& figures) {
  const std::size_t last = figures.levels.size() - 1;
  const bool has_more = lacks_last_level(figures) && has_deeper_base_level(figures);
  return fmt::format(
      "    the table is cut: it has no row Sum. {} below level {}{}\n",
      has_more ? "At least one level" : "What levels", last,
      has_more ? " is missing, which has most of the bytes. The write amplification is larger by "
                 "what was written there"
               : " have and wrote, if there are some, is not known");
}

std::string amplification_text(const Store& store, const FamilyFigures& figures) {
  const auto whole = figures.write_amplification();
  if (!whole) return "";
  std::string text = fmt::format(
      "  write amplification: {:.2f} (bytes of flushes and compactions over those of "
      "flushes, from the {})\n",
      *whole, name_of(figures.source));
  if (figures.table_is_cut) text += cut_table_text(figures);
  if (figures.lacks_rows) {
    text +=
        "    rows of levels are missing: what they read and wrote is the row Sum minus the "
        "others\n";
  }
  if (figures.blob_written_bytes > 0) {
    text += fmt::format(
        "    of SSTables alone; {} more were written into blob files, which RocksDB's own W-Amp "
        "counts\n",
        bytes_text(figures.blob_written_bytes));
  } else if (writes_blob_files(store, figures.name)) {
    text += "    of SSTables alone; no figure counts what was written into blob files\n";
  }
  if (has_sums_only(figures.source)) return text;
  text += fmt::format("    {:<8} {:>8} {:>11}   each tenth {}\n", "tenth", "alone", "cumulative",
                      figures.tenths_are_of_time ? "of the time" : "of the steps");
  std::uint64_t flushed = 0;
  std::uint64_t merged = 0;
  for (std::size_t i = 0; i < figures.tenths.size(); ++i) {
    const TenthFigures& tenth = figures.tenths[i];
    flushed += tenth.flushed_bytes;
    merged += tenth.merged_bytes;
    const auto shown = [](std::uint64_t a, std::uint64_t b) {
      return a == 0 ? std::string("-") : fmt::format("{:.2f}", ratio(a + b, a));
    };
    text += fmt::format("    {:<8} {:>8} {:>11}\n", i + 1,
                        shown(tenth.flushed_bytes, tenth.merged_bytes), shown(flushed, merged));
  }
  return text;
}

bool has_levels(const StatisticsTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const StatisticsRow& row) { return row.level.starts_with('L'); });
}

std::string statistics_text(const Store& store, const std::string& family) {
  for (auto log = store.logs.rbegin(); log != store.logs.rend(); ++log) {
    const auto table = log->log.statistics.find(family);
    // A store prints an empty table when it is opened.
    if (table == log->log.statistics.end() || !has_levels(table->second)) continue;
    // The tree has all of it.
    if (store.system == StoreSystem::kLeveldb || table->second.has_sizes_only) return "";
    std::string text = fmt::format("  last table of statistics (in {}):\n", log->name);
    for (const StatisticsRow& row : table->second.rows) {
      const auto column = [&row](const char* name) -> std::string {
        const auto found = row.columns.find(name);
        return found == row.columns.end() ? "-" : fmt::format("{:.1f}", found->second);
      };
      if (row.level == "Int") continue;
      text += fmt::format(
          "    {:<4} files {:>6}  size {:>11}  score {:>5}  read {} GiB  written {} GiB"
          "  moved {} GiB  W-Amp {}\n",
          row.level, row.files, bytes_text(row.bytes), column("Score"), column("Read(GB)"),
          column("Write(GB)"), column("Moved(GB)"), column("W-Amp"));
    }
    for (const auto& [name, count] : table->second.stalls) {
      text += fmt::format("    stalls {}: {:.0f}\n", name, count);
    }
    return text;
  }
  return "";
}

std::string stalls_text(const FamilyFigures& figures) {
  if (figures.stalls.empty() && figures.seconds <= 0) return "";
  if (figures.stalls.empty()) return "  stalls: none in the LOG\n";
  std::string text = "  stalls (number of times that the LOG reports one):\n";
  for (const auto& [cause, count] : figures.stalls) {
    text += fmt::format("    {:<32} {:>8}\n", cause, grouped_text(count));
  }
  return text;
}

std::string policy_text(const Store& store, const FamilyFigures& figures) {
  const PolicySpec policy = policy_spec(store, figures);
  std::string text =
      fmt::format("  policy of lsmlab: {}\n",
                  policy.spec.empty() ? "none has this compaction style" : policy.spec);
  for (const PolicyGuess& guess : policy.guesses) {
    text += fmt::format("    {} is a guess: {}\n", guess.parameter, guess.why);
  }
  if (policy.states_times) {
    const auto writes = figures.writes_per_second();
    text += fmt::format("    times need operations_per_second={} of the workload\n",
                        writes ? stated_rate(*writes).text() : "N");
  }
  if (!policy.unmodelled.empty()) {
    text += fmt::format("    lsmlab does not model: {}\n", fmt::join(policy.unmodelled, ", "));
  }
  return text;
}

std::string family_head(const Store& store, const FamilyFigures& figures) {
  const std::string& name = figures.name;
  if (figures.source == HistorySource::kCounters) {
    return name == "default" ? "\nall column families\n"
                             : fmt::format("\nall column families of \"{}\"\n", printable(name));
  }
  if (store.system == StoreSystem::kPebble) return "\n";
  if (has_tables(store.system)) return fmt::format("\ntable {}\n", name);
  std::string shown = printable(name);
  boost::algorithm::replace_all(shown, "\n", "\\n");
  return fmt::format("\ncolumn family \"{}\"\n", shown);
}

}  // namespace

std::vector<FamilyFigures> all_figures(const Store& store) {
  std::vector<FamilyFigures> families;
  const StoreEvents events(store);
  for (const std::string& name : store.families()) {
    families.push_back(figures_of(store, events, name));
  }
  return families;
}

std::string report_text(const Store& store, const std::vector<FamilyFigures>& families) {
  std::string text = store_head(store);
  for (const FamilyFigures& figures : families) {
    text += family_head(store, figures);
    const bool is_leveldb = store.system == StoreSystem::kLeveldb;
    if (!is_leveldb) text += options_text(store, figures.name);
    if (is_leveldb || (store.options && store.options->family(figures.name) != nullptr)) {
      text += policy_text(store, figures);
    }
    if (has_tables(store.system)) {
      // A history has neither levels nor flushes nor stalls, and a schema has no history.
      if (figures.source != HistorySource::kNone) text += merges_text(figures);
      const NodetoolTable* const table = store.nodetool_table(figures.name);
      if (table != nullptr) text += nodetool_table_text(*table);
      continue;
    }
    text += levels_text(figures) + flushes_text(figures) + ingested_text(figures) +
            merges_text(figures) + amplification_text(store, figures) + stalls_text(figures) +
            statistics_text(store, figures.name);
    if (store.metrics) text += metrics_text(*store.metrics, store.metrics_source);
    if (figures.unfinished > 0) {
      text += fmt::format(
          "  {} without an end in the LOG, or given up: left out\n",
          counted_text(figures.unfinished, "flush or compaction", "flushes and compactions"));
    }
  }
  return text;
}

}  // namespace lsmlab::stores
