// Copies of merged files in manifests: what is read back is the tree that the edits made, and what
// fits no tree is refused.
#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "engine/files/file_names.h"
#include "engine/logs/manifest_codec.h"
#include "engine/logs/record_log.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"
#include "testing/engine/manifest_disk.h"
#include "testing/engine/manifest_samples.h"

namespace lsmlab::engine::manifest_copies_test {
namespace {

using testing::file_of;
using testing::kManifestNumber;
using testing::make_file;
using testing::manifest_path;
using testing::recovered_tree;
using testing::write_manifest;

// Level 2 has files 1 and 2, level 3 file 3, which a merge with copies is to rewrite.
ManifestSnapshot snapshot_of_three() {
  ManifestSnapshot snapshot;
  snapshot.identity = {{"policy", "lsbm"}, {"key_prefix", ""}};
  Level upper{{{RunId(1), {1, 2}, {make_file(1, 0, 49), make_file(2, 50, 99)}}}, std::nullopt, {}};
  Level lower{{{RunId(2), {1, 2}, {make_file(3, 20, 80)}}}, std::nullopt, {}};
  snapshot.tree.levels = {{}, {}, upper, lower};
  snapshot.tree.flush_count = 2;
  snapshot.tree.now = Instant(12345);
  snapshot.tree.next_file_id = 4;
  snapshot.tree.next_run_id = 3;
  snapshot.first_wal = 17;
  return snapshot;
}

// A merge that leaves its inputs as copies, the trim of one, and a move.
std::vector<ManifestEdit> edits_of_copies() {
  ManifestEdit merge;
  merge.now = Instant(20000);
  merge.edit.is_merge = true;
  merge.edit.frozen = {FileId(1), FileId(2), FileId(3)};
  File left = make_file(4, 0, 60);
  File right = make_file(5, 61, 99);
  left.is_rewritten = right.is_rewritten = true;
  left.copies = {{FileId(1), {0, 49}}, {FileId(2), {50, 60}}, {FileId(3), {20, 60}}};
  right.copies = {{FileId(2), {61, 99}}, {FileId(3), {61, 80}}};
  merge.edit.added.push_back({{3, RunId(2)}, {left, right}});
  ManifestEdit trim;
  trim.now = Instant(20001);
  trim.edit.trimmed = {FileId(2)};
  trim.edit.cursors = {{0, 2}, {1, 20001}};
  ManifestEdit move;
  move.now = Instant(20002);
  move.edit.moved.push_back({{FileId(4), FileId(5)}, {4, std::nullopt}});
  return {merge, trim, move};
}

std::unique_ptr<ManifestWriter> write(FileSystem& files, const ManifestSnapshot& snapshot,
                                      std::size_t edits = 0) {
  return write_manifest(files, snapshot, edits_of_copies(), edits);
}

TEST_CASE("manifest: copies come back from edits, and go with a trim") {
  FaultFileSystem merged;
  write(merged, snapshot_of_three(), 1);
  const TreeState tree = recovered_tree(merged);
  REQUIRE(file_of(tree, 4).copies == edits_of_copies()[0].edit.added[0].files[0].copies);
  REQUIRE(file_of(tree, 5).is_rewritten);
  REQUIRE(tree.frozen_files().size() == 3);
  REQUIRE(tree.frozen_files().at(FileId(2)).references == 2);
  REQUIRE(tree.frozen_files().at(FileId(3)).file.level_since == Instant(20000));
  FaultFileSystem trimmed;
  write(trimmed, snapshot_of_three(), 2);
  const TreeState after = recovered_tree(trimmed);
  // File 3 lay below file 2 in both files.
  REQUIRE(file_of(after, 4).copies == std::vector<Copy>{{FileId(1), {0, 49}}});
  REQUIRE(file_of(after, 5).copies.empty());
  REQUIRE(after.frozen_files().size() == 1);
  FaultFileSystem moved;
  write(moved, snapshot_of_three(), 3);
  const TreeState last = recovered_tree(moved);
  REQUIRE(!file_of(last, 4).is_rewritten);
  REQUIRE(file_of(last, 4).copies.size() == 1);
}

TEST_CASE("manifest: snapshots hold copies") {
  for (std::size_t edits = 1; edits <= edits_of_copies().size(); ++edits) {
    FaultFileSystem files;
    write(files, snapshot_of_three(), edits);
    const TreeState tree = recovered_tree(files);
    ManifestSnapshot snapshot = snapshot_of_three();
    snapshot.tree = tree.image();
    FaultFileSystem again;
    write(again, snapshot);
    ManifestSnapshot found = snapshot_of_three();
    found.tree = recovered_tree(again).image();
    REQUIRE(to_json(json_of(found)) == to_json(json_of(snapshot)));
  }
}

std::string refusal(const std::function<void(TreeEdit&)>& change) {
  FaultFileSystem files;
  const auto writer = write(files, snapshot_of_three(), 1);
  ManifestEdit edit;
  change(edit.edit);
  REQUIRE(writer->append(edit));
  const auto found = read_manifest(files, "db");
  REQUIRE(!found);
  const std::string& message = found.error().message;
  return message.substr(message.find("does not fit"));
}

TEST_CASE("manifest: edits of copies that fit no tree are errors") {
  const std::string unfit = "does not fit the tree: ";
  REQUIRE(refusal([](TreeEdit& edit) { edit.trimmed = {FileId(9)}; }) ==
          unfit + "file 9 is trimmed and no copy");
  REQUIRE(refusal([](TreeEdit& edit) {
            edit.trimmed = {FileId(2), FileId(2)};
          }) == unfit + "copy 2 is trimmed out of order");
  REQUIRE(refusal([](TreeEdit& edit) {
            File file = make_file(6, 0, 9);
            file.copies = {{FileId(4), {0, 9}}};
            edit.added.push_back({{1, std::nullopt}, {file}});
          }) == unfit + "file 6 has a copy of file 4, which is not frozen");
}

// The error of a snapshot that another program, or another version, wrote.
std::string foreign(const std::function<void(nlohmann::json&)>& change) {
  FaultFileSystem source;
  write(source, snapshot_of_three(), 1);
  ManifestSnapshot snapshot = snapshot_of_three();
  snapshot.tree = recovered_tree(source).image();
  nlohmann::json json = to_json(json_of(snapshot));
  change(json["snapshot"]["tree"]);
  std::string cbor;
  nlohmann::json::to_cbor(json, cbor);
  FaultFileSystem files;
  std::string bytes;
  append_record(bytes, cbor);
  files.put_file("db/CURRENT", manifest_name(kManifestNumber) + "\n");
  files.put_file(manifest_path(), std::move(bytes));
  const auto found = read_manifest(files, "db");
  REQUIRE(!found);
  const std::string place = manifest_path() + ": the record at byte 0 is ";
  REQUIRE(found.error().message.starts_with(place));
  return found.error().message.substr(place.size());
}

nlohmann::json& left_file(nlohmann::json& tree) { return tree["levels"][3]["runs"][0]["files"][0]; }

TEST_CASE("manifest: foreign snapshots of copies are errors") {
  REQUIRE(foreign([](nlohmann::json& tree) { left_file(tree)["rewritten"] = 1; }) ==
          "damaged: \"rewritten\" is neither true nor false");
  REQUIRE(foreign([](nlohmann::json& tree) { left_file(tree)["copies"] = 1; }) ==
          "damaged: \"copies\" is not a list");
  REQUIRE(foreign([](nlohmann::json& tree) { left_file(tree)["copies"][0].erase("keys"); }) ==
          "damaged: \"keys\" is missing");
  REQUIRE(foreign([](nlohmann::json& tree) { left_file(tree)["copies"][0]["frozen_file"] = 99; }) ==
          "not a valid tree: file 4 has a copy of file 99, which is not frozen");
  REQUIRE(foreign([](nlohmann::json& tree) {
            left_file(tree)["copies"][0]["keys"] = {0, 61};
          }) == "not a valid tree: the copy of file 1 does not lie in the keys of file 4");
  REQUIRE(foreign([](nlohmann::json& tree) {
            tree["frozen_files"][0]["copies"] = left_file(tree)["copies"];
          }) == "not a valid tree: file 1 is frozen and has copies");
}

}  // namespace
}  // namespace lsmlab::engine::manifest_copies_test
