#include "traces/stores/store_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "traces/io/text_file.h"
#include "traces/stores/cassandra_history.h"
#include "traces/stores/cassandra_log.h"
#include "traces/stores/cassandra_schema.h"
#include "traces/stores/json_lines.h"
#include "traces/stores/pasted_text.h"
#include "traces/stores/pebble_properties.h"
#include "traces/stores/property_text.h"
#include "traces/stores/statistics_figures.h"
#include "traces/stores/text_repair.h"
#include "traces/stores/text_scanning.h"
#include "traces/stores/tree_listing.h"
#include "traces/stores/unread_texts.h"

namespace lsmlab::stores {
namespace {

namespace fs = std::filesystem;

constexpr int kManifestTries = 3;

// As add_store_file(), of a text that is as the store wrote it.
Result<void> add_known_file(Store& store, const std::string& name, const std::string& bytes);

template <class T>
T take(Store& store, const std::string& name, Salvaged<T> salvaged) {
  if (salvaged.fault) store.faults.push_back(in_context(name, *salvaged.fault));
  return std::move(salvaged.value);
}

void add_log(Store& store, const std::string& name, InfoLog log) {
  store.system = log.system;
  if (!log.options.version.empty()) store.version = log.options.version;
  store.has_jemalloc = log.has_jemalloc;
  store.logs.push_back({name, std::move(log)});
}

void add_manifest(Store& store, const std::string& name, Salvaged<Manifest> manifest) {
  store.manifest = take(store, name, std::move(manifest));
  store.manifest_source = name;
}

// Tables of statistics without a log around them, as db_bench prints them.
Salvaged<InfoLog> statistics_of(std::string_view bytes) {
  Salvaged<InfoLog> log;
  StatisticsReader reader(log.value);
  const std::string text = unescaped_text(bytes);
  Lines lines(text);
  while (const auto line = lines.next()) {
    const std::string unquoted = unquoted_line(*line);
    note_heading_line(unquoted, log.value.db_bench, log.value.options.version);
    reader.add_line(unquoted, 0);
  }
  log.fault = reader.fault();
  return log;
}

// A list of files beside a table of them. People shorten lists: the table then knows more.
void add_list_of_table(Store& store, const std::string& name, std::string_view bytes) {
  if (!is_level_listing(bytes)) return;
  Salvaged<Manifest> list = read_level_listing(bytes);
  for (const auto& [id, tree] : list.value.families) {
    const auto table = store.logs.back().log.statistics.find(tree.name);
    if (table == store.logs.back().log.statistics.end()) continue;
    for (const StatisticsRow& row : table->second.rows) {
      const auto level = level_of_row(row);
      const std::size_t files =
          level && *level < tree.levels.size() ? tree.levels[*level].size() : 0;
      if (level && files != row.files) return;
    }
  }
  add_manifest(store, name, std::move(list));
}

// What a store of the directory consists of, by name.
struct Names {
  std::string options;
  std::vector<std::string> old_logs;
  bool has_log = false;
  bool has_current = false;
  std::vector<std::string> manifests;
  std::string pebble_manifest;  // that the newest marker of Pebble names
  std::uint64_t pebble_marker = 0;
  bool has_wal = false;  // a log of lsmlab's own engine
};

std::uint64_t number_of(std::string_view name) {
  const std::size_t dash = name.find_last_of("-.");
  return dash == std::string_view::npos ? 0 : leading_number(name.substr(dash + 1)).value_or(0);
}

// "marker.manifest.000007.MANIFEST-000123": the marker with the largest number holds.
void note_marker(Names& names, std::string_view name) {
  constexpr std::string_view kMarker = "marker.manifest.";
  if (!name.starts_with(kMarker)) return;
  const std::string_view rest = name.substr(kMarker.size());
  const std::size_t dot = rest.find('.');
  const auto number = leading_number(rest);
  if (dot == std::string_view::npos || !number || !rest.substr(dot + 1).starts_with("MANIFEST-")) {
    return;
  }
  if (!names.pebble_manifest.empty() && *number < names.pebble_marker) return;
  names.pebble_marker = *number;
  names.pebble_manifest = std::string(rest.substr(dot + 1));
}

Result<Names> names_in(const std::string& directory) {
  Names names;
  std::error_code fault;
  for (fs::directory_iterator entry(directory, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    const std::string name = entry->path().filename().string();
    if (name == "LOG") names.has_log = true;
    if (name == "CURRENT") names.has_current = true;
    if (name.ends_with(".wal")) names.has_wal = true;
    note_marker(names, name);
    if (name.starts_with("LOG.old")) names.old_logs.push_back(name);
    if (name.starts_with("MANIFEST-")) names.manifests.push_back(name);
    const bool is_options = name.starts_with("OPTIONS-") && !name.ends_with(".dbtmp");
    if (is_options && (names.options.empty() || number_of(name) > number_of(names.options))) {
      names.options = name;
    }
  }
  if (fault) return input_error(fmt::format("{}: {}", directory, fault.message()));
  const auto by_number = [](const std::string& a, const std::string& b) {
    return number_of(a) != number_of(b) ? number_of(a) < number_of(b) : a < b;
  };
  std::sort(names.old_logs.begin(), names.old_logs.end(), by_number);
  std::sort(names.manifests.begin(), names.manifests.end(), by_number);
  return names;
}

// The MANIFEST that CURRENT or a marker of Pebble names; CURRENT of a Pebble store may be old. A
// live store may replace both at any time, so the reader tries
// again if the file is gone.
void read_current(Store& store, Names names) {
  Error error = input_error("");
  for (int attempt = 0; attempt < kManifestTries; ++attempt) {
    std::string name = names.manifests.empty() ? "" : names.manifests.back();
    if (!names.pebble_manifest.empty()) {
      name = names.pebble_manifest;
    } else if (names.has_current) {
      const auto current = read_text_file(store.path + "/CURRENT", 4096);
      if (!current) {
        error = current.error();
        continue;
      }
      name = std::string(trimmed(current.value()));
      if (!name.starts_with("MANIFEST-") || name.find('/') != std::string::npos) {
        store.faults.push_back(input_error(fmt::format(
            "{}/CURRENT: expected the name of a MANIFEST file, which is not there", store.path)));
        return;
      }
    }
    if (name.empty()) return;
    const auto bytes = read_text_file(store.path + "/" + name, kDataBytesMax);
    if (bytes) {
      add_manifest(store, store.path + "/" + name, read_manifest(bytes.value()));
      return;
    }
    error = bytes.error();
    if (auto now = names_in(store.path)) names = std::move(now).value();
  }
  store.faults.push_back(std::move(error));
}

// A stream is not mended: such a text is read as a whole.
bool has_foreign_encoding(std::string_view head) {
  const bool is_utf16 = head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF");
  const bool is_one_line =
      head.find('\n') == std::string_view::npos && head.find("\\n") != std::string_view::npos;
  return is_utf16 || is_one_line || head.find("\x1b[") != std::string_view::npos ||
         head.find("=&gt;") != std::string_view::npos;
}

// The first bytes of a file, which stay in it.
Result<std::string_view> head_of(ByteReader& file) {
  const auto bytes = BOOST_OUTCOME_TRYX(file.peek(kInfoLogHeadBytes));
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// A log in a directory, which is one of RocksDB if its first bytes do not tell.
Result<void> read_log_file(Store& store, const std::string& name, const std::string& path) {
  const auto file = BOOST_OUTCOME_TRYX(ByteReader::open(path));
  const std::string_view head = BOOST_OUTCOME_TRYX(head_of(*file));
  if (head.empty()) return success();
  auto reader = info_log_reader(head);
  if (!reader) reader = rocksdb_log_reader();
  add_log(store, name, take(store, path, BOOST_OUTCOME_TRYX(read_info_log(*file, *reader))));
  return success();
}

void read_log(Store& store, const std::string& name) {
  const auto read = read_log_file(store, name, store.path + "/" + name);
  if (!read) store.faults.push_back(read.error());
}

Error too_large(const std::string& path) {
  return input_error(fmt::format("{}: holds more than {}; only a LOG may be larger", path,
                                 bytes_text(kDataBytesMax)));
}

// The rest of a file that must fit into memory.
Result<std::string> whole_file(ByteReader& file) {
  std::string text;
  for (;;) {
    const auto bytes = BOOST_OUTCOME_TRYX(file.peek());
    if (bytes.empty()) return text;
    if (text.size() + bytes.size() > kDataBytesMax) {
      return too_large(file.path());
    }
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    file.consume(bytes.size());
  }
}

// The options in the newest log that has some.
void take_options_of_logs(Store& store) {
  if (store.options) return;
  for (auto log = store.logs.rbegin(); log != store.logs.rend(); ++log) {
    if (log->log.options.families.empty()) continue;
    store.options = log->log.options;
    store.options_source = log->name;
    return;
  }
}

// RocksDB may write its LOG elsewhere, and a store without one tells little.
void take_log_directory(Store& store) {
  if (!store.logs.empty() || !store.options) return;
  const auto directory = store.options->database.find("db_log_dir");
  if (directory != store.options->database.end()) store.log_directory = directory->second;
}

Result<Store> read_directory(const std::string& path) {
  Store store;
  store.path = path;
  const Names names = BOOST_OUTCOME_TRYX(names_in(path));
  if (!names.has_log && !names.has_current && names.options.empty() && names.old_logs.empty() &&
      names.manifests.empty()) {
    return input_error(fmt::format(
        "{}: holds no CURRENT, MANIFEST, OPTIONS or LOG file; expected the directory of a store "
        "of RocksDB, LevelDB or Pebble",
        path));
  }
  read_current(store, names);
  const bool has_edits = store.manifest && !store.manifest->history.empty();
  if (names.has_wal && !names.has_log && !has_edits) {
    return input_error(fmt::format(
        "{}: is a store of lsmlab's own engine; 'lsmlab dump' and 'lsmlab check' read it", path));
  }
  if (store.manifest) store.system = store.manifest->system;
  if (!names.pebble_manifest.empty()) store.system = StoreSystem::kPebble;
  for (const std::string& name : names.old_logs) read_log(store, name);
  if (names.has_log) read_log(store, "LOG");
  if (!names.options.empty()) {
    const auto bytes = read_text_file(path + "/" + names.options, kConfigBytesMax);
    if (bytes) {
      BOOST_OUTCOME_TRYV(add_known_file(store, path + "/" + names.options, bytes.value()));
    } else {
      store.faults.push_back(bytes.error());
    }
  }
  take_options_of_logs(store);
  take_log_directory(store);
  return store;
}

Error no_known_file(const std::string& name, std::string_view bytes) {
  if (const auto why = why_unread(bytes)) return input_error(fmt::format("{}: {}", name, *why));
  return input_error(fmt::format(
      "{}: is none of the files that lsmlab can inspect; expected an OPTIONS file, LOG or "
      "MANIFEST of RocksDB, LevelDB or Pebble, 'ldb manifest_dump', a list of files with their "
      "levels and sizes, a table of compaction "
      "statistics or of Pebble's metrics, a schema, log, compaction history or 'nodetool "
      "tablestats' of Cassandra or ScyllaDB{}",
      name, bytes.empty() ? "; the file is empty" : ""));
}

}  // namespace

std::vector<std::string> Store::families() const {
  std::vector<std::string> names;
  std::set<std::string> known;
  const auto add = [&](const std::string& name) {
    if (known.insert(name).second) names.push_back(name);
  };
  if (manifest) {
    for (const auto& [id, tree] : manifest->families) {
      if (!tree.is_dropped) add(tree.name);
    }
  }
  if (options) {
    for (const FamilyOptions& family : options->families) add(family.name);
  }
  for (const NamedLog& log : logs) {
    for (const LoggedFlush& flush : log.log.flushes) add(flush.family);
    for (const LoggedCompaction& merge : log.log.compactions) add(merge.family);
    for (const LoggedMove& move : log.log.moves) add(move.family);
    for (const LoggedStall& stall : log.log.stalls) add(stall.family);
    for (const auto& [name, table] : log.log.statistics) add(name);
    for (const auto& [name, files] : log.log.level_files) add(name);
    for (const auto& [name, bytes] : log.log.counters) add(name);
  }
  for (const NodetoolTable& table : nodetool_tables) add(table.name);
  if (metrics) add("default");
  return names;
}

const FamilyTree* Store::tree(std::string_view family) const {
  if (!manifest) return nullptr;
  for (const auto& [id, tree] : manifest->families) {
    if (tree.name == family && !tree.is_dropped) return &tree;
  }
  return nullptr;
}

const NodetoolTable* Store::nodetool_table(std::string_view family) const {
  const auto found = nodetool_places.find(family);
  return found == nodetool_places.end() ? nullptr : &nodetool_tables[found->second];
}

namespace {

Result<void> add_known_file(Store& store, const std::string& name, const std::string& bytes) {
  if (is_options_file(bytes)) {
    store.options = take(store, name, read_options_file(bytes));
    store.options_source = name;
    if (!store.options->version.empty()) store.version = store.options->version;
    store.system = store.options->system;
  } else if (is_rocksdb_log(bytes)) {
    add_log(store, name, take(store, name, read_rocksdb_log(bytes)));
  } else if (is_leveldb_log(bytes)) {
    add_log(store, name, take(store, name, read_leveldb_log(bytes)));
  } else if (is_manifest_dump(bytes)) {
    add_manifest(store, name, read_manifest_dump(bytes));
    store.system = store.manifest->system;
  } else if (is_manifest(bytes)) {
    add_manifest(store, name, read_manifest(bytes));
    store.system = store.manifest->system;
  } else if (is_compaction_history(bytes)) {
    add_log(store, name, take(store, name, read_compaction_history(bytes)));
  } else if (is_compaction_log(bytes)) {
    add_log(store, name, take(store, name, read_compaction_log(bytes)));
  } else if (is_pebble_metrics(bytes)) {
    store.metrics = take(store, name, read_pebble_metrics(bytes));
    store.metrics_source = name;
    store.system = StoreSystem::kPebble;
  } else if (is_statistics(bytes)) {
    InfoLog log = take(store, name, statistics_of(bytes));
    const bool has_rows = std::any_of(log.statistics.begin(), log.statistics.end(),
                                      [](const auto& one) { return !one.second.rows.empty(); });
    if (!has_rows) {
      return with_faults_of(
          store, input_error(fmt::format("{}: has the heading of a table of compaction statistics, "
                                         "but no row of a level below it",
                                         name)));
    }
    add_log(store, name, std::move(log));
    add_list_of_table(store, name, bytes);
  } else if (is_pebble_properties(bytes)) {
    add_log(store, name, read_pebble_properties(bytes));
  } else if (is_level_listing(bytes)) {
    add_manifest(store, name, read_level_listing(bytes));
    store.system = store.manifest->system;
  } else if (is_table_schema(bytes)) {
    store.options = take(store, name, read_table_schema(bytes));
    store.options_source = name;
    store.system = store.options->system;
  } else if (is_nodetool_tables(bytes)) {
    store.nodetool_tables = read_nodetool_tables(bytes);
    store.nodetool_places.clear();
    for (std::size_t i = 0; i < store.nodetool_tables.size(); ++i) {
      store.nodetool_places.emplace(store.nodetool_tables[i].name, i);
    }
    store.nodetool_source = name;
    store.system = StoreSystem::kCassandra;
  } else if (is_file_records(bytes)) {
    add_manifest(store, name, read_file_records(bytes));
  } else if (is_property_text(bytes)) {
    add_log(store, name, read_property_text(bytes));
  } else if (auto files = files_of_name_list(bytes); !files.empty()) {
    InfoLog log;
    log.level_files = std::move(files);
    add_log(store, name, std::move(log));
  } else {
    return no_known_file(name, bytes);
  }
  return success();
}

}  // namespace

Result<void> add_store_file(Store& store, const std::string& name, const std::string& bytes) {
  const std::optional<std::string> repaired = repaired_text(bytes);
  const std::string& text = repaired ? *repaired : bytes;
  Store plain = store;
  const Result<void> added = add_known_file(plain, name, text);
  if (!added || plain.faults.size() > store.faults.size()) {
    Store undressed = store;
    const auto bare = without_common_dress(text);
    if (bare && add_known_file(undressed, name, *bare) &&
        (!added || undressed.faults.size() == store.faults.size())) {
      store = std::move(undressed);
      return success();
    }
  }
  if (added) store = std::move(plain);
  return added;
}

Result<Store> read_store(const std::string& path) {
  std::error_code fault;
  if (path == "-") return read_store("/dev/stdin");
  if (fs::is_directory(path, fault)) return read_directory(path);
  const auto file = BOOST_OUTCOME_TRYX(ByteReader::open(path));
  Store store;
  store.path = path;
  const std::string_view head = BOOST_OUTCOME_TRYX(head_of(*file));
  const bool is_json = has_json_lines(head);
  const bool is_encoded = has_foreign_encoding(head);
  const auto reader = is_json || is_encoded ? nullptr : info_log_reader(head);
  if (reader) {
    add_log(store, path, take(store, path, BOOST_OUTCOME_TRYX(read_info_log(*file, *reader))));
    take_options_of_logs(store);
    return store;
  }
  const std::uint64_t size = fs::is_regular_file(path, fault) ? fs::file_size(path, fault) : 0;
  if (!fault && size > kDataBytesMax) return too_large(path);
  std::string bytes = BOOST_OUTCOME_TRYX(whole_file(*file));
  if (is_json) bytes = text_of_json_lines(bytes);
  // CURRENT stands for its directory.
  if (fs::path(path).filename() == "CURRENT" && bytes.starts_with("MANIFEST-")) {
    const std::string parent = fs::path(path).parent_path().string();
    return read_directory(parent.empty() ? "." : parent);
  }
  BOOST_OUTCOME_TRYV(add_store_file(store, path, bytes));
  take_options_of_logs(store);
  return store;
}

Error with_faults_of(const Store& store, Error error) {
  for (const Error& fault : store.faults) error = with_more(error, fault);
  if (store.log_directory.empty()) return error;
  return with_more(error, input_error(fmt::format("{}: db_log_dir={}: copy the LOG from there",
                                                  store.path, excerpt(store.log_directory))));
}

}  // namespace lsmlab::stores
