#include "engine/sstable/table_cache.h"

#include <map>
#include <random>
#include <thread>

#include "engine/files/file_names.h"
#include "engine/files/memory_file.h"
#include "testing/catch.h"

namespace lsmlab::engine::table_cache_test {
namespace {

// Opens files from a map and counts how often. No other function is used.
class MapFileSystem : public FileSystem {
 public:
  std::map<std::string, std::string> contents;
  std::atomic<int> opened = 0;

  Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override {
    const auto found = contents.find(path);
    if (found == contents.end()) return machine_error(path + ": no such file");
    ++opened;
    return std::make_unique<testing::MemoryReadableFile>(path, found->second);
  }
  Result<std::unique_ptr<WritableFile>> create(const std::string& path,
                                               const CreateOptions& /*options*/) override {
    return unexpected(path);
  }
  Result<std::vector<std::string>> list(const std::string& path) override {
    return unexpected(path);
  }
  Result<bool> exists(const std::string& path) override { return unexpected(path); }
  Result<void> remove(const std::string& path) override { return unexpected(path); }
  Result<void> rename(const std::string& path, const std::string& /*to*/) override {
    return unexpected(path);
  }
  Result<void> link(const std::string& path, const std::string& /*to*/) override {
    return unexpected(path);
  }
  Result<void> create_directory(const std::string& path) override { return unexpected(path); }
  Result<void> sync_directory(const std::string& path) override { return unexpected(path); }
  Result<std::unique_ptr<DirectoryLock>> lock(const std::string& path) override {
    return unexpected(path);
  }
  Result<std::unique_ptr<DirectoryLock>> lock_to_read(const std::string& path) override {
    return unexpected(path);
  }

 private:
  static Error unexpected(const std::string& path) { return machine_error(path + ": unexpected"); }
};

void add_table(MapFileSystem& files, FileId id, const KeyWindow& window) {
  testing::MemoryWritableFile file;
  SstableWriter writer(file, {}, window);
  const std::string key = std::to_string(id.value());
  REQUIRE(writer.add({key, "value", make_tag(1, false)}, window.of(key)));
  REQUIRE(writer.finish({}));
  files.contents[join_path("dir", sstable_name(id))] = file.contents();
}

}  // namespace

TEST_CASE("A table is opened once, and the least recently used is let go") {
  MapFileSystem files;
  const KeyWindow window;
  for (std::uint64_t id = 1; id <= 3; ++id) add_table(files, FileId(id), window);
  TableCache cache(files, "dir", window, 2);
  REQUIRE(cache.get(FileId(1)).value()->properties().smallest_key == "1");
  REQUIRE(cache.get(FileId(2)).value()->id() == FileId(2));
  REQUIRE(cache.get(FileId(1)));
  REQUIRE(files.opened == 2);
  const auto held = cache.get(FileId(2)).value();
  REQUIRE(cache.get(FileId(3)));  // releases table 1
  REQUIRE(cache.open_count() == 2);
  REQUIRE(cache.get(FileId(2)));
  REQUIRE(files.opened == 3);
  REQUIRE(cache.get(FileId(1)));  // releases table 3
  REQUIRE(files.opened == 4);
  cache.forget(FileId(2));
  cache.forget(FileId(2));
  REQUIRE(cache.open_count() == 1);
  REQUIRE(held->properties().entries == 1);
}

TEST_CASE("A table that cannot be opened is not kept") {
  MapFileSystem files;
  const KeyWindow window;
  TableCache cache(files, "dir", window, 2);
  REQUIRE(!cache.get(FileId(7)));
  add_table(files, FileId(7), window);
  REQUIRE(cache.get(FileId(7)));
}

TEST_CASE("Threads may ask for tables at once") {
  MapFileSystem files;
  const KeyWindow window;
  for (std::uint64_t id = 0; id < 6; ++id) add_table(files, FileId(id), window);
  TableCache cache(files, "dir", window, 3);
  const auto work = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    bool is_right = true;
    for (int i = 0; i < 2000; ++i) {
      const FileId id(random() % 6);
      if (random() % 5 == 0) cache.forget(id);
      const auto table = cache.get(id);
      is_right = is_right && table && table.value()->id() == id;
    }
    return is_right;
  };
  bool is_other_right = false;
  std::thread other([&] { is_other_right = work(1); });
  REQUIRE(work(2));
  other.join();
  REQUIRE(is_other_right);
  REQUIRE(cache.open_count() <= 3);
}

}  // namespace lsmlab::engine::table_cache_test
