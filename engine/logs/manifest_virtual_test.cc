// Virtual files, merges of their newest slices, drops and decisions of policies in manifests: what
// is read back is the tree that the edits made, and what fits no tree is refused. manifest_test.cc
// cuts and flips the same records.
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

namespace lsmlab::engine::manifest_virtual_test {
namespace {

using testing::file_of;
using testing::kManifestNumber;
using testing::make_all_edits;
using testing::make_file;
using testing::make_snapshot;
using testing::make_virtual_file;
using testing::make_virtual_snapshot;
using testing::manifest_path;
using testing::recovered_tree;
using testing::tree_after;
using testing::write_manifest;

const std::size_t kReferEnd = 5;   // edits up to the one that made the virtual files
const std::size_t kNewestEnd = 6;  // and up to the merge of a newest slice

std::string text_of(const TreeState& tree) {
  ManifestSnapshot snapshot = make_snapshot();
  snapshot.tree = tree.image();
  return to_json(json_of(snapshot)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::unique_ptr<ManifestWriter> write(FileSystem& files, const ManifestSnapshot& snapshot,
                                      std::size_t edits = 0) {
  return write_manifest(files, snapshot, make_all_edits(), edits);
}

TEST_CASE("manifest: what is recovered is the tree that each edit made") {
  for (std::size_t edits = 0; edits <= make_all_edits().size(); ++edits) {
    INFO(edits << " edits");
    FaultFileSystem files;
    write(files, make_snapshot(), edits);
    REQUIRE(text_of(recovered_tree(files)) == text_of(tree_after(edits)));
  }
}

TEST_CASE("manifest: virtual files and their frozen files come back from edits") {
  FaultFileSystem files;
  write(files, make_snapshot(), kReferEnd);
  const TreeState tree = recovered_tree(files);
  REQUIRE(file_of(tree, 8).is_virtual);
  REQUIRE(file_of(tree, 8).data_bytes() == Bytes(81 + 82));
  REQUIRE(file_of(tree, 8).slices[1].keys == KeyRange{6, 99});
  REQUIRE(file_of(tree, 9).slices.size() == 1);
  REQUIRE(!file_of(tree, 4).is_virtual);
  REQUIRE(tree.frozen_files().at(FileId(2)).references == 2);
  REQUIRE(tree.frozen_files().at(FileId(1)).file.bytes == Bytes(1001));
}

TEST_CASE("manifest: the output of a merge of newest slices comes back as the newest slice") {
  FaultFileSystem files;
  write(files, make_snapshot(), kNewestEnd);
  const TreeState tree = recovered_tree(files);
  const std::vector<Slice>& slices = file_of(tree, 8).slices;
  REQUIRE(slices.size() == 2);
  REQUIRE(slices[0].frozen_file == FileId(1));
  REQUIRE(slices[1].frozen_file == FileId(10));
  REQUIRE(slices[1].bytes == Bytes(1010));
  REQUIRE(tree.frozen_files().at(FileId(10)).references == 1);
  REQUIRE(tree.frozen_files().at(FileId(2)).references == 1);
}

TEST_CASE("manifest: a dropped virtual file takes the frozen files that only it referred to") {
  FaultFileSystem files;
  write(files, make_snapshot(), make_all_edits().size());
  const TreeState tree = recovered_tree(files);
  REQUIRE(!tree.find_file(FileId(9)));
  REQUIRE(!tree.frozen_files().contains(FileId(2)));
  REQUIRE(tree.frozen_files().contains(FileId(1)));
}

TEST_CASE(
    "manifest: a snapshot holds virtual files, decisions of policies and what they measured") {
  FaultFileSystem files;
  write(files, make_virtual_snapshot());
  const TreeState tree = recovered_tree(files);
  REQUIRE(text_of(tree) == text_of(tree_after(make_all_edits().size())));
  REQUIRE(tree.tuning() == Tuning{4, 100'000, 12'500, Bytes(4096), "L10:T4"});
  REQUIRE(file_of(tree, 11).range_bytes == Bytes(4096));
  REQUIRE(!file_of(tree, 12).range_bytes);
  REQUIRE(tree.traffic() == Traffic{70, 80, 5, 6});
  REQUIRE(file_of(tree, 8).slices.size() == 2);
}

TEST_CASE("manifest: a snapshot of virtual files is whole or an error, wherever it is cut") {
  FaultFileSystem whole;
  write(whole, make_virtual_snapshot());
  const std::string bytes = whole.read_file(manifest_path()).value();
  for (std::uint64_t size = 0; size < bytes.size(); ++size) {
    INFO("size " << size);
    FaultFileSystem files;
    files.put_file("db/CURRENT", manifest_name(kManifestNumber) + "\n");
    files.put_file(manifest_path(), bytes.substr(0, size));
    const auto found = read_manifest(files, "db");
    REQUIRE(!found);
    REQUIRE(found.error().message.starts_with(manifest_path() + ": "));
  }
}

// The error of an edit that follows `edits` edits.
std::string refusal(std::size_t edits, const std::function<void(TreeEdit&)>& change) {
  FaultFileSystem files;
  const auto writer = write(files, make_snapshot(), edits);
  const std::uint64_t offset = writer->size();
  ManifestEdit edit;
  change(edit.edit);
  REQUIRE(writer->append(edit));
  const auto found = read_manifest(files, "db");
  REQUIRE(!found);
  REQUIRE(found.error().kind == ErrorKind::kMachine);
  const std::string place = fmt::format("{}: the record at byte {} ", manifest_path(), offset);
  REQUIRE(found.error().message.starts_with(place));
  return found.error().message.substr(place.size());
}

TEST_CASE("manifest: edits of virtual files that fit no tree are errors with their place") {
  const std::string unfit = "does not fit the tree: ";
  const auto added = [](TreeEdit& edit, File file) {
    edit.added.push_back({{3, std::nullopt}, {std::move(file)}});
  };
  REQUIRE(refusal(4, [&](TreeEdit& edit) {
            added(edit, make_virtual_file(20, {0, 5}, {{FileId(77), {0, 5}, Bytes(1)}}));
          }) == unfit + "slice of file 77 lacks its frozen file, for file 20");
  REQUIRE(refusal(4, [&](TreeEdit& edit) {
            File file = make_virtual_file(20, {21, 30}, {{FileId(6), {21, 30}, Bytes(1)}});
            file.bytes = Bytes(9);
            added(edit, file);
          }) == unfit + "the virtual file 20 has data of its own");
  REQUIRE(refusal(4, [&](TreeEdit& edit) { edit.frozen = {FileId(1)}; }) ==
          unfit + "file 1 is frozen and no slice refers to it");
  REQUIRE(refusal(4, [](TreeEdit& edit) {
            edit.taken_slices = {{FileId(4), 1}};
          }) == unfit + "file 4 is no virtual file of 1 slices that stays");
  REQUIRE(refusal(kReferEnd, [](TreeEdit& edit) {
            edit.taken_slices = {{FileId(8), 3}};
          }) == unfit + "file 8 is no virtual file of 3 slices that stays");
  REQUIRE(refusal(kReferEnd, [](TreeEdit& edit) {
            edit.taken_slices = {{FileId(8), 1}};
            edit.removed = {FileId(8)};
          }) == unfit + "file 8 is no virtual file of 1 slices that stays");
  REQUIRE(refusal(kReferEnd, [](TreeEdit& edit) {
            edit.added.push_back({{2, RunId(5)}, {make_file(20, 7, 98)}, FileId(4)});
          }) == unfit + "file 4 is no virtual file that takes one slice");
  REQUIRE(refusal(kReferEnd, [](TreeEdit& edit) {
            edit.added.push_back({{2, RunId(5)}, {make_file(20, 7, 150)}, FileId(8)});
          }) == unfit + "file 20 is no slice of file 8");
}

// The error of a record that another program, or another version, wrote.
std::string foreign(const ManifestSnapshot& snapshot,
                    const std::function<void(nlohmann::json&)>& change) {
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

nlohmann::json& virtual_file(nlohmann::json& tree) {
  return tree["levels"][2]["runs"][0]["files"][0];
}

TEST_CASE("manifest: foreign snapshots of virtual files are errors") {
  const ManifestSnapshot snapshot = make_virtual_snapshot();
  REQUIRE(foreign(snapshot, [](nlohmann::json& tree) { virtual_file(tree)["virtual"] = 1; }) ==
          "damaged: \"virtual\" is neither true nor false");
  REQUIRE(foreign(snapshot, [](nlohmann::json& tree) {
            virtual_file(tree)["bytes"] = 5;
          }).starts_with("not a valid tree: "));
  REQUIRE(foreign(snapshot, [](nlohmann::json& tree) {
            virtual_file(tree)["slices"][0]["frozen_file"] = 99;
          }).starts_with("not a valid tree: "));
  REQUIRE(foreign(snapshot, [](nlohmann::json& tree) {
            virtual_file(tree)["slices"][0].erase("bytes");
          }) == "damaged: \"bytes\" is missing");
  REQUIRE(foreign(snapshot, [](nlohmann::json& tree) {
            virtual_file(tree)["slices"][0]["keys"] = {5, 4};
          }) == "damaged: \"keys\" end before they begin");
  REQUIRE(foreign(snapshot, [](nlohmann::json& tree) {
            tree["frozen_files"][0]["virtual"] = true;
          }).starts_with("not a valid tree: "));
  REQUIRE(foreign(snapshot, [](nlohmann::json& tree) { tree["tuning"].erase("range_bytes"); }) ==
          "damaged: \"range_bytes\" is missing");
  REQUIRE(foreign(snapshot, [](nlohmann::json& tree) {
            tree["tuning"]["bits_per_key_thousandths"] = 100'001;
          }) == "damaged: \"bits_per_key_thousandths\" is above 100000");
  REQUIRE(foreign(snapshot, [](nlohmann::json& tree) {
            tree["tuning"]["scaling_parameters"] = std::string(1'001, 'T');
          }) == "damaged: \"scaling_parameters\" is too long");
}

}  // namespace
}  // namespace lsmlab::engine::manifest_virtual_test
