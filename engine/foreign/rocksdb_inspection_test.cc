// The readers of traces/stores, tried on stores that RocksDB itself wrote.
#ifdef LSMLAB_WITH_ROCKSDB
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <tuple>

#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores::rocksdb_inspection_test {
namespace {

using FileOnLevel =
    std::tuple<std::string, int, std::uint64_t, std::uint64_t, std::string, std::string>;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

rocksdb::Options small_options() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.write_buffer_size = 256 << 10;
  options.target_file_size_base = 256 << 10;
  options.max_bytes_for_level_base = 1 << 20;
  options.max_bytes_for_level_multiplier = 4;
  options.compression = rocksdb::kNoCompression;
  return options;
}

// A live store with a leveled and a universal column family.
class LiveStore {
 public:
  explicit LiveStore(const std::string& path) {
    const rocksdb::Options options = small_options();
    rocksdb::ColumnFamilyOptions universal(options);
    universal.compaction_style = rocksdb::kCompactionStyleUniversal;
    rocksdb::DB* db = nullptr;
    REQUIRE(rocksdb::DB::Open(options, path,
                              {{"default", rocksdb::ColumnFamilyOptions(options)},
                               {"a [universal] one", universal}},
                              &families_, &db)
                .ok());
    db_.reset(db);
  }
  ~LiveStore() {
    for (auto* family : families_) db_->DestroyColumnFamilyHandle(family);
  }
  LiveStore(const LiveStore&) = delete;
  LiveStore& operator=(const LiveStore&) = delete;

  void fill() {
    std::mt19937_64 random(1);
    std::string value(100, 'x');
    for (int i = 0; i < 40'000; ++i) {
      for (char& byte : value) byte = static_cast<char>('a' + random() % 26);
      const std::string key = fmt::format("{:016}", random() % 20'000);
      REQUIRE((i % 10 == 9 ? db_->Delete({}, families_[0], key)
                           : db_->Put({}, families_[0], key, value))
                  .ok());
      if (i % 3 == 0) REQUIRE(db_->Put({}, families_[1], key, value).ok());
    }
    REQUIRE(db_->Flush({}, families_).ok());
    rocksdb::CompactRangeOptions options;
    REQUIRE(db_->CompactRange(options, families_[1], nullptr, nullptr).ok());
    REQUIRE(db_->PauseBackgroundWork().ok());  // after it, the tree stays as it is
  }

  std::set<FileOnLevel> files() {
    std::vector<rocksdb::LiveFileMetaData> live;
    db_->GetLiveFilesMetaData(&live);
    std::set<FileOnLevel> files;
    for (const auto& file : live) {
      files.emplace(file.column_family_name, file.level, file.file_number, file.size,
                    file.smallestkey, file.largestkey);
    }
    return files;
  }
  rocksdb::DB& db() { return *db_; }

 private:
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  std::unique_ptr<rocksdb::DB> db_;
};

std::set<FileOnLevel> files_of(const Manifest& manifest) {
  std::set<FileOnLevel> files;
  for (const auto& [id, tree] : manifest.families) {
    for (std::size_t level = 0; level < tree.levels.size(); ++level) {
      for (const auto& [number, file] : tree.levels[level]) {
        files.emplace(tree.name, static_cast<int>(level), number, file.bytes, file.smallest_key,
                      file.largest_key);
      }
    }
  }
  return files;
}

TEST_CASE("Inspection of a live RocksDB store agrees with what RocksDB says") {
  const engine::testing::ScratchDirectory scratch;
  LiveStore live(scratch.path());
  live.fill();
  const auto read = read_store(scratch.path());
  REQUIRE(read);
  const Store& store = read.value();
  REQUIRE(store.faults.empty());
  REQUIRE(store.system == StoreSystem::kRocksdb);
  REQUIRE_FALSE(store.version.empty());
  REQUIRE(files_of(*store.manifest) == live.files());
  REQUIRE(live.files().size() > 5);

  const FamilyFigures figures = figures_of(store, "default");
  const FlushFigures& flushes = figures.flushes;
  REQUIRE(flushes.memtable_entries == 40'000);
  REQUIRE(flushes.memtable_deletes == 4'000);
  REQUIRE(flushes.raw_key_bytes == 16 * flushes.entries);
  REQUIRE(flushes.raw_value_bytes == 100 * (flushes.entries - flushes.deletes));
  REQUIRE(figures.reads_are_known);
  REQUIRE(figures.merges > 0);
  // Decisions in the MANIFEST and events in the LOG are the same ones.
  std::uint64_t merged = 0;
  std::uint64_t flushed = 0;
  for (const HistoryEdit& step : store.manifest->history) {
    if (step.edit.family != 0) continue;
    for (const AddedFile& added : step.edit.added) {
      if (step.kind == EditKind::kMerge) merged += added.file.bytes;
      if (step.kind == EditKind::kFlush) flushed += added.file.bytes;
    }
  }
  REQUIRE(figures.merge_written_bytes == merged);
  REQUIRE(flushes.bytes == flushed);
  REQUIRE(figures_of(store, "a [universal] one").reasons.contains("ManualCompaction"));
}

TEST_CASE("The options of a RocksDB store become a policy, from OPTIONS and from the LOG alike") {
  const engine::testing::ScratchDirectory scratch;
  { LiveStore live(scratch.path()); }
  Store store = read_store(scratch.path()).value();
  const auto spec_of = [&](const std::string& family) {
    return policy_spec(store, figures_of(store, family)).spec;
  };
  const std::string leveled = spec_of("default");
  const std::string universal = spec_of("a [universal] one");
  REQUIRE(leveled.starts_with("rocksdb-leveled:size_ratio=4,file_size=256KiB,level_base=1MiB,"));
  REQUIRE(universal.starts_with("rocksdb-universal:l0_trigger=4,size_ratio_percent=1,"));
  store.options = store.logs.back().log.options;
  REQUIRE(spec_of("default") == leveled);
  REQUIRE(spec_of("a [universal] one") == universal);
}

TEST_CASE("Files of a real RocksDB store may be cut or damaged anywhere") {
  const engine::testing::ScratchDirectory scratch;
  std::string manifest;
  std::string log;
  {
    LiveStore live(scratch.path());
    live.fill();
    const Store store = read_store(scratch.path()).value();
    manifest = bytes_of(store.manifest_source);
    log = bytes_of(scratch.path() + "/LOG");
  }
  const std::size_t edits = read_manifest(manifest).value.history.size();
  for (std::size_t size = 0; size < manifest.size(); size += 7) {
    REQUIRE(read_manifest(std::string_view(manifest).substr(0, size)).value.history.size() <=
            edits);
    std::string damaged = manifest;
    damaged[size] = static_cast<char>(damaged[size] ^ 0x10);
    REQUIRE(read_manifest(damaged).fault);
  }
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t at = log.size() * i / 200 + i % 13;
    if (at >= log.size()) break;
    static_cast<void>(read_rocksdb_log(std::string_view(log).substr(0, at)));
    std::string damaged = log;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    static_cast<void>(read_rocksdb_log(damaged));
  }
}

}  // namespace
}  // namespace lsmlab::stores::rocksdb_inspection_test
#endif
