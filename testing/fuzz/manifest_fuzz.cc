// Reads any bytes as a manifest. Reading must end with a tree that another manifest can hold, or
// with an error.
#include <nlohmann/json.hpp>

#include "engine/files/file_names.h"
#include "engine/logs/manifest.h"
#include "engine/logs/manifest_codec.h"
#include "engine/logs/record_log.h"
#include "models/base/check.h"
#include "testing/engine/fault_file_system.h"
#include "testing/engine/manifest_samples.h"
#include "testing/fuzz/framed_input.h"
#include "testing/fuzz/fuzz.h"

std::vector<std::string> lsmlab::testing::fuzz_seeds() {
  using namespace lsmlab::engine;
  using namespace lsmlab::engine::testing;
  std::string framed(1, kFramedInput);
  append_framed(framed, cbor_of(json_of(make_snapshot())));
  for (const ManifestEdit& edit : make_all_edits()) append_framed(framed, cbor_of(json_of(edit)));
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
