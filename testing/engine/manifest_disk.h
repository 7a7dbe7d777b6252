// Manifests on a disk of a test: writes a snapshot and edits, and reads back the tree.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/files/file_names.h"
#include "engine/logs/manifest.h"
#include "testing/catch.h"

namespace lsmlab::engine::testing {

constexpr std::uint64_t kManifestNumber = 4;

inline std::string manifest_path() { return join_path("db", manifest_name(kManifestNumber)); }

/// Creates the directory and its manifest, with the first `edits` of `all` behind the snapshot.
inline std::unique_ptr<ManifestWriter> write_manifest(FileSystem& files,
                                                      const ManifestSnapshot& snapshot,
                                                      const std::vector<ManifestEdit>& all = {},
                                                      std::size_t edits = 0) {
  REQUIRE(edits <= all.size());
  REQUIRE(files.create_directory("db"));
  auto writer = ManifestWriter::create(files, "db", kManifestNumber, snapshot, true);
  REQUIRE(writer);
  for (std::size_t i = 0; i < edits; ++i) REQUIRE(writer.value()->append(all[i]));
  return std::move(writer).value();
}

inline TreeState recovered_tree(FileSystem& files) {
  auto found = read_manifest(files, "db");
  INFO((found ? std::string() : found.error().message));
  REQUIRE(found);
  REQUIRE(found.value());
  return std::move(found.value()->tree);
}

inline const File& file_of(const TreeState& tree, std::uint64_t id) {
  return tree.file_at(*tree.find_file(FileId(id)));
}

}  // namespace lsmlab::engine::testing
