// Reads any bytes as a manifest. Reading must end with a tree that another manifest can hold, or
// with an error.
#include <nlohmann/json.hpp>

#include "engine/files/file_names.h"
#include "engine/logs/manifest.h"
#include "engine/logs/manifest_codec.h"
#include "engine/logs/record_log.h"
#include "models/base/check.h"
#include "testing/engine/fault_file_system.h"
#include "testing/fuzz/framed_input.h"
#include "testing/fuzz/fuzz.h"

namespace lsmlab::engine {
namespace {

File make_file(std::uint64_t id, KeyRange keys) {
  File file;
  file.id = FileId(id);
  file.keys = keys;
  file.flushes = {1, 1};
  return file;
}

ManifestSnapshot sample_snapshot() {
  ManifestSnapshot snapshot;
  snapshot.identity = {{"policy", "leveldb"}};
  File lower = make_file(2, {10, 20});
  lower.slices.push_back({FileId(3), {5, 20}, Bytes(1)});
  snapshot.tree.levels.resize(2);
  snapshot.tree.levels[0].runs.push_back({RunId(1), {1, 1}, {make_file(1, {0, 9})}});
  snapshot.tree.levels[1].runs.push_back({RunId(2), {1, 1}, {lower, make_file(4, {21, 22})}});
  snapshot.tree.levels[1].cursor = 3;
  snapshot.tree.frozen_files = {make_file(3, {5, 20})};
  snapshot.tree.flush_count = 1;
  snapshot.tree.next_file_id = 5;
  snapshot.tree.next_run_id = 3;
  return snapshot;
}

std::vector<ManifestEdit> sample_edits() {
  ManifestEdit flush;
  flush.edit.takes_memtable = true;
  flush.edit.added.push_back({{0, std::nullopt}, {make_file(6, {0, 100})}});
  flush.last_sequence = 9;
  flush.first_wal = 7;
  ManifestEdit link;
  link.edit.frozen = {FileId(6)};
  link.edit.linked.push_back({FileId(6), FileId(4), {FileId(6), {21, 100}, Bytes(5)}});
  ManifestEdit merge;
  merge.edit.is_merge = true;
  merge.edit.removed = {FileId(2), FileId(4)};
  merge.edit.added.push_back({{1, RunId(2)}, {make_file(7, {0, 22})}});
  merge.edit.moved.push_back({{FileId(1)}, {2, std::nullopt}});
  merge.edit.cursors = {{1, 5}};
  return {flush, link, merge};
}

}  // namespace

}  // namespace lsmlab::engine

std::vector<std::string> lsmlab::testing::fuzz_seeds() {
  using namespace lsmlab::engine;
  std::string framed(1, kFramedInput);
  append_framed(framed, cbor_of(json_of(sample_snapshot())));
  for (const ManifestEdit& edit : sample_edits()) append_framed(framed, cbor_of(json_of(edit)));
  return {framed, std::string(1, '\0') + file_of_input(framed)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lsmlab::engine;
  FaultFileSystem files;
  const std::string path = "db/" + manifest_name(1);
  files.put_file(path, file_of_input({reinterpret_cast<const char*>(data), size}));
  files.put_file("db/CURRENT", manifest_name(1) + "\n");
  static_cast<void>(visit_manifest(files, path, [](std::uint64_t, const nlohmann::json&) {}));
  const auto found = read_manifest(files, "db");
  if (!found) return 0;
  const RecoveredManifest& manifest = *found.value();
  const ManifestSnapshot snapshot{manifest.identity, manifest.tree.image(), manifest.last_sequence,
                                  manifest.first_wal};
  const auto read_back = json_of_cbor(cbor_of(json_of(snapshot)));
  CHECK(read_back);
  CHECK(read_back.value() == json_of(snapshot));
  return 0;
}
