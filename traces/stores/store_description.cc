#include "traces/stores/store_description.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/printable.h"
#include "traces/stores/option_table.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/store_report.h"
#include "traces/stores/store_workload.h"

namespace lsmlab::stores {
namespace {

using Json = nlohmann::ordered_json;

Json guess(Json value, const std::string& why) {
  return {{"value", std::move(value)}, {"guess", why}};
}
Json known(Json value) { return {{"value", std::move(value)}}; }
Json unknown() { return {{"value", nullptr}}; }

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned>(static_cast<std::uint8_t>(byte)));
  }
  return text;
}

Json policy_json(const Store& store, const FamilyFigures& figures, Json& unmodelled) {
  const PolicySpec policy = policy_spec(store, figures);
  Json guesses = Json::array();
  for (const PolicyGuess& each : policy.guesses) {
    guesses.push_back({{"parameter", each.parameter}, {"guess", printable(each.why)}});
  }
  unmodelled = Json::array();
  for (const std::string& option : policy.unmodelled) unmodelled.push_back(printable(option));
  return {{"spec", policy.spec.empty() ? Json(nullptr) : Json(printable(policy.spec))},
          {"guesses", std::move(guesses)}};
}

// Entries by file number, for the files whose creation a log reports.
std::map<std::uint64_t, std::uint64_t> entries_by_file(const FamilyEvents& events) {
  std::map<std::uint64_t, std::uint64_t> entries;
  const auto add = [&entries](const std::vector<LoggedTable>& tables) {
    for (const LoggedTable& table : tables) {
      if (table.entries > 0) entries[table.number] = table.entries;
    }
  };
  for (const FamilyLog& log : events.logs) {
    for (const LoggedFlush* flush : log.flushes) add(flush->outputs);
    for (const LoggedCompaction* merge : log.compactions) add(merge->outputs);
  }
  return entries;
}

Json tree_json(const Store& store, const StoreEvents& events, const FamilyFigures& figures) {
  const FamilyTree* tree = store.tree(figures.name);
  if (tree == nullptr) return nullptr;
  const auto entries = entries_by_file(events.of(figures.name));
  // In a dump, keys are text as ldb prints them.
  Json levels = Json::array();
  for (std::size_t i = 0; i < tree->levels.size(); ++i) {
    Json files = Json::array();
    for (const auto& [number, file] : tree->levels[i]) {
      const auto found = entries.find(number);
      files.push_back({{"number", number},
                       {"size_bytes", file.bytes},
                       {"smallest_key_hex", hex(file.smallest_key)},
                       {"largest_key_hex", hex(file.largest_key)},
                       {"largest_sequence",
                        file.largest_sequence ? Json(*file.largest_sequence) : Json(nullptr)},
                       {"entries", found != entries.end() ? Json(found->second)
                                   : file.entries         ? Json(*file.entries)
                                                          : Json(nullptr)}});
    }
    levels.push_back({{"level", i}, {"files", std::move(files)}});
  }
  return {{"comparator", printable(tree->comparator)}, {"levels", std::move(levels)}};
}

double mean(std::uint64_t sum, std::uint64_t count) {
  return static_cast<double>(sum) / static_cast<double>(count);
}

bool has_blob_files(const Store& store, const FamilyFigures& figures) {
  if (figures.blob_written_bytes > 0) return true;
  const FamilyOptions* options = store.options ? store.options->family(figures.name) : nullptr;
  return options != nullptr &&
         option_value(*store.options, *options, "enable_blob_files") == "true";
}

Json workload_json(const Store& store, const FamilyFigures& figures) {
  const FlushFigures& all = figures.flushes;
  Json workload;
  workload["flush_sizes_bytes"] = all.sizes;
  const double flush_bytes = all.flushes > 0 ? mean(all.bytes, all.flushes) : 0;
  workload["mean_flush_bytes"] =
      all.flushes == 0 ? unknown()
      : all.is_counted
          ? known(flush_bytes)
          : guess(
                flush_bytes,
                all.flushes_max > 0
                    ? "as if all of level 0's jobs were flushes; some were merges within it"
                    : "no file counts flushes; a memtable is taken to have LevelDB's default size");
  const bool has_entries = all.entries > 0;
  workload["mean_key_bytes"] =
      has_entries ? known(mean(all.raw_key_bytes, all.entries)) : unknown();
  // A delete has no value.
  workload["mean_value_bytes"] = all.entries > all.deletes
                                     ? known(mean(all.raw_value_bytes, all.entries - all.deletes))
                                     : unknown();
  if (has_entries && has_blob_files(store, figures)) {
    workload["mean_value_bytes"]["guess"] =
        "blob files hold the large values; these are the references to them and small values";
  }
  workload["delete_fraction"] =
      has_entries ? (all.memtable_entries > 0
                         ? known(mean(all.memtable_deletes, all.memtable_entries))
                         : guess(mean(all.deletes, all.entries),
                                 "of the entries in flushed files; overwritten ones are missing"))
                  : unknown();
  workload["overwritten_in_memtable_fraction"] =
      has_entries && all.memtable_entries >= all.entries
          ? known(1 - mean(all.entries, all.memtable_entries))
          : unknown();
  workload["overwritten_in_merges_fraction"] =
      figures.merge_input_entries > 0
          ? guess(
                1 - std::min(1.0, mean(figures.merge_output_entries, figures.merge_input_entries)),
                "of the entries that compactions read: overwritten or deleted ones")
          : unknown();
  const bool has_rate = figures.history_seconds > 0;
  workload["flushed_bytes_per_second"] =
      has_rate ? guess(static_cast<double>(all.bytes) / figures.history_seconds,
                       "the mean over the time of the history, with idle times")
               : unknown();
  const auto writes_per_second = figures.writes_per_second();
  workload["writes_per_second"] =
      writes_per_second
          ? guess(*writes_per_second,
                  "entries of flushed memtables over the time of the logs, with idle times")
          : unknown();
  workload["operations_per_second"] =
      writes_per_second
          ? guess(Json::parse(stated_rate(*writes_per_second).text()),
                  "as a workload SPEC has it: the writes, because no file tells of lookups")
          : unknown();
  workload["key_distribution"] = guess("uniform", "no file of the store says how keys are drawn");
  return workload;
}

Json compression_json(const Store& store, const FamilyFigures& figures) {
  Json levels = Json::array();
  for (std::size_t i = 0; i < figures.levels.size(); ++i) {
    const LevelFigures& level = figures.levels[i];
    Json row = {{"level", i},
                {"algorithm",
                 level.compression.empty() ? Json(nullptr) : Json(printable(level.compression))}};
    row["data_per_raw_byte"] =
        level.raw_bytes > 0
            ? guess(mean(level.data_bytes, level.raw_bytes),
                    "data blocks over keys and values; keys also lose their common prefixes")
            : unknown();
    levels.push_back(std::move(row));
  }
  Json result = {{"levels", std::move(levels)}};
  const FamilyOptions* options = store.options ? store.options->family(figures.name) : nullptr;
  if (options != nullptr) {
    for (const char* name : {"compression", "bottommost_compression", "compression_per_level"}) {
      const auto text = option_value(*store.options, *options, name);
      if (text && !text->empty()) result[name] = printable(*text);
    }
  }
  return result;
}

Json reported_json(const FamilyFigures& figures) {
  const auto amplification = figures.write_amplification();
  Json written = Json::array();
  for (const LevelFigures& level : figures.levels) written.push_back(level.written_bytes);
  return {{"write_amplification", amplification ? Json(*amplification) : Json(nullptr)},
          {"written_bytes_by_level", std::move(written)},
          {"compactions", figures.merges},
          {"flushes", figures.flushes.flushes}};
}

}  // namespace

nlohmann::ordered_json describe(const Store& store, const std::vector<FamilyFigures>& families) {
  const StoreEvents events(store);
  Json rows = Json::array();
  for (const FamilyFigures& figures : families) {
    Json unmodelled;
    Json row = {{"name", printable(figures.name)}};
    row["policy"] = policy_json(store, figures, unmodelled);
    row["unmodelled_options"] = std::move(unmodelled);
    row["tree"] = tree_json(store, events, figures);
    row["workload"] = workload_json(store, figures);
    row["compression"] = compression_json(store, figures);
    row["reported"] = reported_json(figures);
    row["guesses"] = guesses_json(store, figures);
    rows.push_back(std::move(row));
  }
  Json faults = Json::array();
  for (const Error& fault : store.faults) faults.push_back(printable(fault.message));
  return {{"store_description", 1},
          {"path", printable(store.path)},
          {"system", name_of(store.system)},
          {"version", store.version.empty() ? Json(nullptr) : Json(printable(store.version))},
          {"faults", std::move(faults)},
          {"column_families", std::move(rows)}};
}

}  // namespace lsmlab::stores
