// Finds and reads the files of a user's store: a directory of RocksDB, LevelDB or Pebble, or one of
// its files. The store may be live: files are only opened for reading, and no lock is taken.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "traces/stores/cassandra_tablestats.h"
#include "traces/stores/info_log.h"
#include "traces/stores/manifest.h"
#include "traces/stores/options_file.h"
#include "traces/stores/pebble_metrics.h"

namespace lsmlab::stores {

struct NamedLog {
  std::string name;
  InfoLog log;
};

struct Store {
  std::string path;
  StoreSystem system = StoreSystem::kRocksdb;
  std::string version;                  // of RocksDB; empty: unknown
  bool has_jemalloc = false;            // the newest LOG says so
  std::optional<StoreOptions> options;  // of the newest OPTIONS file, or of the newest LOG
  std::string options_source;           // its file
  std::optional<Manifest> manifest;
  std::string manifest_source;
  std::vector<NamedLog> logs;  // the oldest first
  std::string log_directory;   // db_log_dir, where there is no LOG here; otherwise empty
  std::optional<PebbleMetrics> metrics;
  std::string metrics_source;
  std::vector<NodetoolTable> nodetool_tables;
  std::map<std::string, std::size_t, std::less<>> nodetool_places;  // in them, by name
  std::string nodetool_source;
  std::vector<Error> faults;  // of files that could not be read completely

  /// The names of all column families that any file names; those without events last.
  [[nodiscard]] std::vector<std::string> families() const;
  /// The tree of a column family at the end of the MANIFEST; null if it has none.
  [[nodiscard]] const FamilyTree* tree(std::string_view family) const;
  /// What nodetool tells of a table; null: nothing.
  [[nodiscard]] const NodetoolTable* nodetool_table(std::string_view family) const;
};

/// Reads what is there. "-" is a file on standard input. Errors: the path does not exist or may not
/// be read; the directory holds no file of a store; the file is of no known kind. Faults of single
/// files are in Store::faults.
[[nodiscard]] Result<Store> read_store(const std::string& path);

/// Reads the bytes of one file, whose kind is found by its content, into `store`. `name` is used in
/// messages. Errors: the kind is unknown.
[[nodiscard]] Result<void> add_store_file(Store& store, const std::string& name,
                                          const std::string& bytes);

/// What could not be answered, with the faults of the store's files, which may be its cause.
[[nodiscard]] Error with_faults_of(const Store& store, Error error);

}  // namespace lsmlab::stores
