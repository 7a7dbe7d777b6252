#include "traces/stores/store_head.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/printable.h"
#include "models/base/quantity_text.h"

namespace lsmlab::stores {
namespace {

// When the last table of statistics was written: RocksDB writes the first soon after it was opened,
// and then one every ten minutes.
std::string moment_text(const InfoLog& log) {
  for (const auto& [family, table] : log.statistics) {
    if (table.uptime_seconds) {
      return fmt::format(", {:.0f} s after the store was opened", *table.uptime_seconds);
    }
  }
  return "";
}

std::string heading_text(const DbBenchHeading& heading) {
  if (!heading.states_entries()) return "";
  std::string text =
      fmt::format("    of db_bench, whose heading states keys of {} B, values of {} B",
                  heading.key_bytes, heading.value_bytes);
  if (heading.entries > 0) text += fmt::format(", {} entries", grouped_text(heading.entries));
  if (!heading.compression.empty()) text += ", compression " + heading.compression;
  return text + '\n';
}

// A text may hold tables of different times, or even of different stores.
std::string tables_text(const InfoLog& log) {
  std::uint64_t most = 0;
  for (const auto& [family, table] : log.statistics) most = std::max(most, table.tables);
  return most < 2 ? "" : fmt::format(": the last of {} tables", most);
}

}  // namespace

std::string store_head(const Store& store) {
  std::string text = fmt::format("{}: {}", store.path, name_of(store.system));
  if (store.system == StoreSystem::kRocksdb) {
    text += store.version.empty() ? " of unknown version" : " " + store.version;
  }
  text += '\n';
  if (store.options) text += fmt::format("  options from {}\n", store.options_source);
  if (store.manifest) {
    text += fmt::format(
        "  tree from {}{}\n", store.manifest_source,
        store.manifest->is_list
            ? ", a list of files"
            : fmt::format(": {}", counted_text(store.manifest->history.size(), "edit")));
  }
  if (!store.nodetool_source.empty()) {
    text += fmt::format("  tables from {}\n", store.nodetool_source);
  }
  if (store.metrics) text += fmt::format("  metrics from {}\n", store.metrics_source);
  if (!store.log_directory.empty()) {
    text += fmt::format("  no LOG here: it is in db_log_dir={}\n", printable(store.log_directory));
  }
  for (const NamedLog& named : store.logs) {
    const InfoLog& log = named.log;
    if (log.lines == 0 && !log.statistics.empty()) {
      text += fmt::format("  statistics from {}{}\n", named.name, tables_text(log)) +
              heading_text(log.db_bench);
      continue;
    }
    if (log.lines == 0) {
      text += fmt::format("  {} from {}\n", log.counters.empty() ? "numbers of files" : "counters",
                          named.name);
      continue;
    }
    text += fmt::format(
        "  log {}: {}, {}, {}, {}\n", named.name, counted_text(log.lines, "line"),
        log.last_micros == 0
            ? "unknown time"
            : fmt::format("{:.3f} s",
                          static_cast<double>(log.last_micros - log.first_micros) / 1e6),
        counted_text(log.flushes.size(), "flush", "flushes"),
        counted_text(log.compactions.size(), "compaction"));
    if (log.read_cut_share || log.written_cut_share) {
      text += fmt::format(
          "    its writer cut sizes to whole kB, MB or GB: the sum of bytes read may be up to "
          "{:.1f} "
          "% larger, that of bytes written up to {:.1f} %\n",
          100 * log.read_cut_share.value_or(0), 100 * log.written_cut_share.value_or(0));
    }
    if (log.stalled_seconds) {
      text += fmt::format("    writers stalled {:.3f} s ({:.1f} %) by its last statistics{}\n",
                          *log.stalled_seconds, log.stalled_percent.value_or(0), moment_text(log));
    }
  }
  return text;
}

}  // namespace lsmlab::stores
