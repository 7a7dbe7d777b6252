// Reads the OPTIONS-NNNNNN file of a RocksDB store: an ini file with one section for the database
// and two for each column family. Pebble's has sections for the store and for each level. Pure
// functions of the bytes.
// Source: RocksDB 5 to 11, options/options_parser.cc; Pebble 1.1.5 and 2.1.7, options.go.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traces/stores/salvaged.h"
#include "traces/stores/store_system.h"

namespace lsmlab::stores {

/// Values by option name. Members of a struct option have names such as
/// "compaction_options_universal.size_ratio", those of Pebble's level 1 such as
/// "level1.block_size".
using OptionValues = std::map<std::string, std::string, std::less<>>;

struct FamilyOptions {
  std::string name;         // of the column family
  OptionValues values;      // those of the column family, then of its block-based tables
  bool is_partial = false;  // of ALTER TABLE alone, which states only what it changes
};

struct StoreOptions {
  StoreSystem system = StoreSystem::kRocksdb;
  std::string version;  // of RocksDB, such as "7.8.3"; empty: unknown
  OptionValues database;
  std::vector<FamilyOptions> families;  // grows by add_family() only

  /// The entry of a column family; null if there is none.
  [[nodiscard]] const FamilyOptions* family(std::string_view name) const;
  /// The entry of a column family, which is added if there is none.
  [[nodiscard]] FamilyOptions& add_family(std::string_view name);

 private:
  std::map<std::string, std::size_t, std::less<>> places_;  // in families, by name
};

/// True if the text begins like an OPTIONS file.
[[nodiscard]] bool is_options_file(std::string_view bytes);

/// Reads all sections. Faults (each names the line): a line that is neither a section, an option
/// nor a comment; an option outside of a section; no section at all. Reading continues after a
/// faulty line, and the fault is the first one.
[[nodiscard]] Salvaged<StoreOptions> read_options_file(std::string_view bytes);

/// Adds an option. A struct such as "{a=1;b={c=2;};}" adds one value for each member instead.
void add_option(OptionValues& values, const std::string& name, std::string_view value);

}  // namespace lsmlab::stores
