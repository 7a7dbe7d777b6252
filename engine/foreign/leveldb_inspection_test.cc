// The readers of traces/stores, tried on stores that LevelDB itself wrote.
#ifdef LSMLAB_WITH_LEVELDB
#include <fmt/format.h>
#include <leveldb/db.h>

#include <random>

#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::leveldb_inspection_test {
namespace {

TEST_CASE("Inspection of a LevelDB store agrees with what LevelDB says") {
  const engine::testing::ScratchDirectory scratch;
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 128 << 10;
  options.compression = leveldb::kNoCompression;
  leveldb::DB* opened = nullptr;
  REQUIRE(leveldb::DB::Open(options, scratch.path(), &opened).ok());
  const std::unique_ptr<leveldb::DB> db(opened);
  std::mt19937_64 random(1);
  std::string value(100, 'x');
  for (int i = 0; i < 40'000; ++i) {
    for (char& byte : value) byte = static_cast<char>('a' + random() % 26);
    REQUIRE(db->Put({}, fmt::format("{:016}", random() % 20'000), value).ok());
  }
  db->CompactRange(nullptr, nullptr);  // nothing runs after it

  const auto read = read_store(scratch.path());
  REQUIRE(read);
  const Store& store = read.value();
  REQUIRE(store.faults.empty());
  REQUIRE(store.system == StoreSystem::kLeveldb);
  const FamilyTree* tree = store.tree("default");
  REQUIRE(tree != nullptr);
  std::size_t files = 0;
  for (std::size_t level = 0; level < 7; ++level) {
    std::string text;
    REQUIRE(db->GetProperty(fmt::format("leveldb.num-files-at-level{}", level), &text));
    const std::size_t found = level < tree->levels.size() ? tree->levels[level].size() : 0;
    REQUIRE(fmt::format("{}", found) == text);
    files += found;
  }
  std::string tables;
  REQUIRE(db->GetProperty("leveldb.sstables", &tables));
  for (const auto& level : tree->levels) {
    for (const auto& [number, file] : level) {
      REQUIRE(tables.find(fmt::format(" {}:{}['{}'", number, file.bytes, file.smallest_key)) !=
              std::string::npos);
    }
  }
  REQUIRE(files > 0);
  const FamilyFigures figures = figures_of(store, "default");
  REQUIRE(figures.flushes.flushes > 10);
  REQUIRE(figures.merges > 0);
  REQUIRE(figures.write_amplification() > 1.5);
}

}  // namespace
}  // namespace lsmlab::stores::leveldb_inspection_test
#endif
