// The options of RocksDB, with their defaults by version, and of others that decide merges.
// Source: RocksDB include/rocksdb/advanced_options.h, options.h, universal_compaction.h,
// HISTORY.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/stores/options_file.h"

namespace lsmlab::stores {

/// A RocksDB version as one number, so that versions compare: 8.4.1 is 8004. 0: unknown.
[[nodiscard]] unsigned version_number(std::string_view version);
/// The step of the policies' option `version` (models/policies/rocksdb/levels.h) that has the rules
/// of this version: "8.4" of 8.6.
[[nodiscard]] std::string_view version_step(unsigned version);

/// Whether RocksDB has such an option that decides merges or memtables.
[[nodiscard]] bool is_rocksdb_option(std::string_view name);

/// A codec in the words of an OPTIONS file: "NoCompression", as a LOG and db_bench have it, is
/// "kNoCompression".
[[nodiscard]] std::string codec_in_words_of_options(const std::string& codec);

struct ShownOption {
  std::string name;
  std::string value;
  std::string standard;  // the default of that version; empty: lsmlab does not know it
  bool is_important = false;
  bool differs = false;  // from the default
};

/// The options of one column family that decide merges: the important ones, and those that differ
/// from their defaults. Options that are not in `family` or `database` are left out.
[[nodiscard]] std::vector<ShownOption> merge_options(const StoreOptions& options,
                                                     const FamilyOptions& family);

/// A value in the words of an OPTIONS file: "1" and "0" of a LOG become "true" and "false" for
/// options that are flags.
[[nodiscard]] std::optional<std::string> option_value(const StoreOptions& options,
                                                      const FamilyOptions& family,
                                                      std::string_view name);

/// Whether only column families have the option. Not all such options are known.
[[nodiscard]] bool is_family_option(std::string_view name);

}  // namespace lsmlab::stores
