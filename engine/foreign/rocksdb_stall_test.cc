// Compares the stall rules that follow RocksDB with the figures that RocksDB reports of itself.
#include "models/execution/write_stall.h"
#include "models/policies/rocksdb/levels.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

#ifdef LSMLAB_WITH_ROCKSDB
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/metadata.h>

#include <latch>
#include <random>
#include <set>

#include "testing/engine/scratch_directory.h"

namespace lsmlab::engine::rocksdb_stall_test {
namespace {

using testing::ScratchDirectory;

std::unique_ptr<rocksdb::DB> open(const ScratchDirectory& directory,
                                  const rocksdb::Options& options) {
  rocksdb::DB* db = nullptr;
  REQUIRE(rocksdb::DB::Open(options, directory.path() + "/db", &db).ok());
  return std::unique_ptr<rocksdb::DB>(db);
}

rocksdb::Options small_options() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.num_levels = 5;
  options.max_bytes_for_level_base = 64 << 10;
  options.max_bytes_for_level_multiplier = 3;
  return options;
}

void put_some(rocksdb::DB& db, std::mt19937_64& random, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    REQUIRE(db.Put({}, std::to_string(random()), std::string(random() % 200, 'v')).ok());
  }
  // By default a flush waits until writes are no longer slowed down.
  rocksdb::FlushOptions flush;
  flush.allow_write_stall = true;
  REQUIRE(db.Flush(flush).ok());
}

std::uint64_t number(rocksdb::DB& db, const std::string& property) {
  std::uint64_t value = 0;
  REQUIRE(db.GetIntProperty(property, &value));
  return value;
}

// The store's files with sizes and levels. Their keys only keep files of a level apart.
DrawnTree tree_of(rocksdb::DB& db) {
  rocksdb::ColumnFamilyMetaData store;
  db.GetColumnFamilyMetaData(&store);
  std::vector<DrawnFile> files;
  for (const rocksdb::LevelMetaData& level : store.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      const std::uint64_t key = 10 * (files.size() + 1);
      files.push_back(
          {static_cast<std::uint32_t>(level.level), files.size() + 1, key, key + 5, file.size});
    }
  }
  return DrawnTree(files);
}

// Compacts all files of the given levels into the last of them.
void push_down(rocksdb::DB& db, std::size_t first_level, std::size_t last_level) {
  rocksdb::ColumnFamilyMetaData store;
  db.GetColumnFamilyMetaData(&store);
  if (store.levels[first_level].files.empty()) return;
  std::vector<std::string> names;
  for (std::size_t level = first_level; level <= last_level; ++level) {
    for (const auto& file : store.levels[level].files) names.push_back(file.name);
  }
  REQUIRE(db.CompactFiles({}, names, static_cast<int>(last_level)).ok());
}

TEST_CASE("bytes that compactions have still to move are RocksDB's estimate") {
  const auto seed = static_cast<std::uint64_t>(GENERATE(1, 2, 3));
  const bool is_dynamic = GENERATE(false, true);
  CAPTURE(seed, is_dynamic);
  std::mt19937_64 random(seed);
  const ScratchDirectory directory;
  rocksdb::Options options = small_options();
  options.disable_auto_compactions = true;
  options.level_compaction_dynamic_level_bytes = is_dynamic;
  options.level0_file_num_compaction_trigger = 2;
  const auto db = open(directory, options);
  const RocksdbShape shape{5, 64 << 10, 3, 2, is_dynamic};
  std::set<std::uint64_t> seen;
  for (int round = 0; round < 40; ++round) {
    put_some(*db, random, 50 + random() % 200);
    const std::size_t level = is_dynamic ? 0 : random() % 4;
    // With dynamic levels the last levels fill first.
    if (random() % 3 == 0) push_down(*db, level, is_dynamic ? 3 + random() % 2 : level + 1);
    const DrawnTree tree = tree_of(*db);
    const std::uint64_t pending = RocksdbLevels(tree.view(), shape).pending_bytes();
    CAPTURE(round);
    REQUIRE(pending == number(*db, "rocksdb.estimate-pending-compaction-bytes"));
    seen.insert(pending);
  }
  REQUIRE(seen.size() > 10);
}

TEST_CASE("the rate that writes are slowed down to is RocksDB's, look by look") {
  const ScratchDirectory directory;
  rocksdb::Options options = small_options();
  options.level0_file_num_compaction_trigger = 2;
  options.level0_slowdown_writes_trigger = 3;
  options.level0_stop_writes_trigger = 10;
  // A job that waits occupies the only compaction thread.
  options.env->SetBackgroundThreads(1, rocksdb::Env::LOW);
  std::latch is_over(1);
  // Closed after the release below, when compactions can run again.
  const auto db = open(directory, options);
  struct Release {  // also if the test fails
    std::latch& latch;
    ~Release() { latch.count_down(); }
  } release{is_over};
  options.env->Schedule([](void* latch) { static_cast<std::latch*>(latch)->wait(); }, &is_over,
                        rocksdb::Env::LOW);
  StallRules rules = policy_family("rocksdb-leveled")->stalls;
  rules.level0_slowdown_runs = 3;
  rules.level0_stop_runs = 10;
  WriteController controller(rules);
  std::mt19937_64 random(1);
  StoreLoad load;
  std::vector<std::uint64_t> theirs;
  std::vector<std::uint64_t> ours;
  for (std::uint64_t runs = 1; runs < rules.level0_stop_runs; ++runs) {
    put_some(*db, random, 20);
    controller.on_memtable_full({1, load.level0_runs, load.pending_bytes});
    load = {0, runs, number(*db, "rocksdb.estimate-pending-compaction-bytes")};
    controller.on_edit(load);
    theirs.push_back(number(*db, "rocksdb.actual-delayed-write-rate"));
    ours.push_back(controller.slowdown() ? controller.bytes_per_second() : 0);
  }
  REQUIRE(ours == theirs);
  REQUIRE(ours[1] == 0);
  REQUIRE(ours[2] == 16 << 20);
  REQUIRE(ours.back() < ours[2] / 5);
}

}  // namespace
}  // namespace lsmlab::engine::rocksdb_stall_test

#endif
