// Work and space that must not grow with the number of files or edits.
#include "engine/store/live_file.h"

#include "engine/files/file_names.h"
#include "testing/engine/store_fixture.h"

namespace lsmlab::engine::live_file_test {
namespace {

std::vector<FileId> taken_from(TouchedFiles& touched) {
  std::vector<FileId> ids;
  touched.take(ids);
  return ids;
}

std::uint64_t manifest_bytes(FileSystem& files) {
  std::uint64_t bytes = 0;
  const std::vector<std::string> names = files.list(testing::kDirectory).value();
  for (const std::string& name : names) {
    const auto parsed = parse_name(name);
    if (!parsed || parsed->kind != FileKind::kManifest) continue;
    bytes += files.open(join_path(testing::kDirectory, name)).value()->size();
  }
  return bytes;
}

// Files by id in a directory that holds none of them.
struct Files {
  void add(std::uint64_t id) {
    live.insert(std::make_shared<LiveFile>(FileId(id), "", files, tables, touched));
  }
  FaultFileSystem files;
  const KeyWindow window{""};
  TableCache tables{files, testing::kDirectory, window, 16};
  const std::shared_ptr<TouchedFiles> touched = std::make_shared<TouchedFiles>();
  LiveFiles live;
};

TEST_CASE("Before a plan, the store looks only at files that readers have touched") {
  Files files;
  LiveFiles& live = files.live;
  const std::shared_ptr<TouchedFiles>& touched = files.touched;
  for (std::uint64_t id = 1; id <= 1'000; ++id) files.add(id);
  REQUIRE(taken_from(*touched).empty());
  live.at(FileId(7))->note_access(5);
  live.at(FileId(7))->note_access(6);
  live.at(FileId(900))->note_seek();
  live.at(FileId(30))->note_access(0);  // not later than the last access
  REQUIRE(taken_from(*touched) == std::vector{FileId(7), FileId(900)});
  REQUIRE(taken_from(*touched).empty());
  live.at(FileId(7))->note_access(7);
  live.at(FileId(8))->note_access(7);
  static_cast<void>(live.erase(FileId(7)));  // which destroys it
  REQUIRE(taken_from(*touched) == std::vector{FileId(8)});
}

TEST_CASE("Copies of the files by id do not change with the original") {
  Files files;
  LiveFiles& live = files.live;
  for (std::uint64_t id = 2; id <= 400; id += 2) files.add(id);
  const LiveFiles copy = live;
  for (std::uint64_t id = 3; id <= 401; id += 2) files.add(id);
  for (std::uint64_t id = 4; id <= 400; id += 2)
    REQUIRE(live.erase(FileId(id))->id() == FileId(id));
  for (std::uint64_t id = 1; id <= 401; ++id) {
    const bool is_even = id % 2 == 0;
    REQUIRE(copy.contains(FileId(id)) == is_even);
    REQUIRE(live.contains(FileId(id)) == (id == 2 || (!is_even && id > 1)));
    REQUIRE((live.find(FileId(id)) != nullptr) == live.contains(FileId(id)));
  }
}

TEST_CASE("The manifest does not grow with the number of edits") {
  FaultFileSystem files;
  StoreSetup setup = testing::small_setup("leveled", files);
  setup.manifest_bytes_max = Bytes(2'000);
  auto store = Store::open(testing::kDirectory, setup).value();
  testing::RandomBatches random(1);
  std::uint64_t bytes_max = 0;
  for (int i = 0; i < 6'000; ++i) {
    REQUIRE(testing::write_batch(*store, random.batch()).has_value());
    if (i >= 1'000) bytes_max = std::max(bytes_max, manifest_bytes(files));
  }
  REQUIRE(store->totals().flushes > 200);
  REQUIRE(store->close().has_value());
  store = Store::open(testing::kDirectory, setup).value();
  const std::uint64_t snapshot_bytes = manifest_bytes(files);
  INFO(bytes_max << " bytes, snapshot " << snapshot_bytes);
  // The number of files, and so the snapshot, varies somewhat.
  REQUIRE(bytes_max < 2'000 + 6 * snapshot_bytes);
}

}  // namespace
}  // namespace lsmlab::engine::live_file_test
