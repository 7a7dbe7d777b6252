// Reads lists of the files of a tree, with level and size: RocksDB's property rocksdb.sstables and
// LevelDB's leveldb.sstables, `ldb manifest_dump` without --verbose, `ldb dump_live_files`, and the
// metadata of live files as programs print it (JSON, Python, Rust, Go). Pure functions of the text.
// Source: RocksDB 5 to 11 db/version_set.cc (Version::DebugString), include/rocksdb/metadata.h;
// LevelDB 1.23 db/version_set.cc; the bindings of RocksDB for Python, Rust and Go.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traces/stores/manifest.h"

namespace lsmlab::stores {

/// True if the text has a heading "--- level 0 ---" with a file or another level below it.
[[nodiscard]] bool is_level_listing(std::string_view text);

/// The last list of each column family, as a tree with one edit. Faults (each names the line): a
/// list that ends within a line of a file.
[[nodiscard]] Salvaged<Manifest> read_level_listing(std::string_view text);

/// True if the text has records of files with name, level and size.
[[nodiscard]] bool is_file_records(std::string_view text);

/// The same from records. A file that occurs twice counts once, as its last record says. Faults:
/// the last record is cut.
[[nodiscard]] Salvaged<Manifest> read_file_records(std::string_view text);

/// Files by level of each column family, of `ldb list_live_files_metadata`, which prints no sizes;
/// empty: it is none.
[[nodiscard]] std::map<std::string, std::vector<std::uint64_t>> files_of_name_list(
    std::string_view text);

}  // namespace lsmlab::stores
