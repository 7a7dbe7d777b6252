// Compares the simulator's sizes of RocksDB's and LevelDB's tables with tables that RocksDB and
// LevelDB wrote.
#include <random>
#include <set>

#include "models/sizes/prefix_table_size.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "traces/workloads/made_data.h"

#ifdef LSMLAB_WITH_ROCKSDB
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#endif
#ifdef LSMLAB_WITH_LEVELDB
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#endif

namespace lsmlab::engine::foreign_size_test {
namespace {

#if defined(LSMLAB_WITH_ROCKSDB) || defined(LSMLAB_WITH_LEVELDB)

struct Row {
  std::uint64_t key = 0;
  std::uint32_t value_bytes = 0;
};

enum class Shape { kUniform, kDense, kMixedValues, kCarries };

// Keys by shape: far apart, close to each other, or such that a byte carries from one key to the
// next.
std::vector<Row> rows_of(Shape shape, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::set<std::uint64_t> keys;
  while (keys.size() < count) {
    std::uint64_t key = random();
    if (shape == Shape::kDense) key = 0x0102030405000000 + keys.size() * (1 + random() % 3);
    if (shape == Shape::kCarries) key = key >> (8 * (random() % 7)) | 0xff00ff00ff;
    keys.insert(key);
  }
  std::vector<Row> rows;
  for (const std::uint64_t key : keys) {
    const bool is_mixed = shape == Shape::kMixedValues;
    rows.push_back({key, static_cast<std::uint32_t>(is_mixed ? random() % 900 : 112)});
  }
  return rows;
}

constexpr Shape kShapes[] = {Shape::kUniform, Shape::kDense, Shape::kMixedValues, Shape::kCarries};

struct Keys {
  const char* format;
  std::uint32_t bytes;
  [[nodiscard]] KeyFormat text() const { return KeyFormat::parse(format).value(); }
};
constexpr Keys kKeys[] = {{"binary", 8},      {"binary", 16}, {"binary", 40}, {"decimal:20", 20},
                          {"decimal:20", 40}, {"hex", 17},    {"user", 24}};

// `deletes_empty`: a row without a value is a delete.
template <class Db>
void put_all(Db& db, const std::vector<Row>& rows, const Keys& keys, bool deletes_empty = false) {
  const KeyFormat format = keys.text();
  std::string key;
  std::string value;
  for (const Row& row : rows) {
    format.write(row.key, keys.bytes, key);
    make_value(row.key, 1, row.value_bytes, value);
    const bool is_delete = deletes_empty && row.value_bytes == 0;
    REQUIRE((is_delete ? db.Delete({}, key) : db.Put({}, key, value)).ok());
  }
}

PrefixTableSize predicted(SstableLayout layout, const std::vector<Row>& rows, const Keys& keys,
                          std::uint32_t millibits) {
  SstableFormat format{4096, millibits, layout};
  format.keys = keys.text();
  PrefixTableSize size(format);
  for (const Row& row : rows) size.add(row.key, keys.bytes, row.value_bytes);
  return size;
}

#endif

#ifdef LSMLAB_WITH_ROCKSDB

TEST_CASE("RocksDB's tables have the data, index and filter bytes that are predicted") {
  for (const Shape shape : kShapes) {
    for (const Keys& keys : kKeys) {
      for (const double bits : {0.0, 10.0, 13.5}) {
        const testing::ScratchDirectory scratch;
        const std::uint64_t seed = 1 + keys.bytes;
        const std::vector<Row> rows = rows_of(shape, 3'000, seed);
        rocksdb::Options options;
        options.create_if_missing = true;
        options.compression = rocksdb::kNoCompression;
        options.db_host_id = "lsmlab";
        rocksdb::BlockBasedTableOptions table;
        if (bits > 0) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bits));
        options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
        rocksdb::DB* opened = nullptr;
        REQUIRE(rocksdb::DB::Open(options, scratch.path(), &opened).ok());
        const std::unique_ptr<rocksdb::DB> db(opened);
        put_all(*db, rows, keys);
        REQUIRE(db->Flush({}).ok());
        rocksdb::TablePropertiesCollection all;
        REQUIRE(db->GetPropertiesOfAllTables(&all).ok());
        REQUIRE(all.size() == 1);
        const rocksdb::TableProperties& properties = *all.begin()->second;
        const PrefixTableSize size =
            predicted(SstableLayout::kRocksdb, rows, keys, static_cast<std::uint32_t>(bits * 1000));
        const PrefixTableSize::FileParts parts = size.file_parts();
        INFO("shape " << static_cast<int>(shape) << ", keys " << keys.format << " of " << keys.bytes
                      << " bytes, " << bits << " bits a key, seed " << seed);
        REQUIRE(size.closed_blocks() + (size.block_entries() > 0) == properties.num_data_blocks);
        REQUIRE(parts.data == properties.data_size);
        REQUIRE(parts.index == properties.index_size);
        REQUIRE((bits > 0 ? parts.filter - 5 : 0) == properties.filter_size);
        const std::uint64_t stored = scratch.bytes_of_files_ending(".sst");
        REQUIRE(stored + 16 >= parts.bytes());
        REQUIRE(stored <= parts.bytes() + 16);
      }
    }
  }
}

#endif

#ifdef LSMLAB_WITH_LEVELDB

std::unique_ptr<leveldb::DB> open_leveldb(const std::string& path,
                                          const leveldb::FilterPolicy* filter) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.compression = leveldb::kNoCompression;
  options.filter_policy = filter;
  leveldb::DB* opened = nullptr;
  REQUIRE(leveldb::DB::Open(options, path, &opened).ok());
  return std::unique_ptr<leveldb::DB>(opened);
}

TEST_CASE("LevelDB's tables are as large as predicted, to the byte") {
  for (const Shape shape : kShapes) {
    for (const Keys& keys : kKeys) {
      for (const int bits : {0, 10}) {
        const testing::ScratchDirectory scratch;
        const std::uint64_t seed = 1 + keys.bytes;
        const std::vector<Row> rows = rows_of(shape, 3'000, seed);
        const std::unique_ptr<const leveldb::FilterPolicy> filter(
            bits > 0 ? leveldb::NewBloomFilterPolicy(bits) : nullptr);
        std::unique_ptr<leveldb::DB> db = open_leveldb(scratch.path(), filter.get());
        put_all(*db, rows, keys);
        db->CompactRange(nullptr, nullptr);
        db.reset();
        const PrefixTableSize size =
            predicted(SstableLayout::kLeveldb, rows, keys, static_cast<std::uint32_t>(bits) * 1000);
        INFO("shape " << static_cast<int>(shape) << ", keys " << keys.format << " of " << keys.bytes
                      << " bytes, " << bits << " bits a key, seed " << seed);
        REQUIRE(scratch.bytes_of_files_ending(".ldb") == size.file_bytes());
      }
    }
  }
}

// Each pass writes every key once, with a value of another size or as a delete. The passes are no
// multiple of 256 writes long: versions then differ in the lowest byte of their sequence numbers.
TEST_CASE(
    "a flush of LevelDB with several versions of keys is as large as predicted, to the byte") {
  constexpr int kPasses = 3;
  for (const Shape shape : kShapes) {
    for (const Keys& keys : kKeys) {
      INFO("shape " << static_cast<int>(shape) << ", keys " << keys.format << " of " << keys.bytes
                    << " bytes");
      const testing::ScratchDirectory scratch;
      std::vector<Row> rows = rows_of(shape, 1'000, 7);
      const std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
      std::unique_ptr<leveldb::DB> db = open_leveldb(scratch.path(), filter.get());
      std::vector<std::vector<Row>> passes;
      for (int pass = 0; pass < kPasses; ++pass) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          rows[i].value_bytes = (i + static_cast<std::size_t>(pass)) % 5 == 0
                                    ? 0
                                    : static_cast<std::uint32_t>(40 + (i * 7) % 200);
        }
        passes.push_back(rows);
        put_all(*db, rows, keys, true);
      }
      db->CompactRange(nullptr, nullptr);
      db.reset();
      SstableFormat format{4096, 10'000, SstableLayout::kLeveldb};
      format.keys = keys.text();
      PrefixTableSize size(format);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (int pass = kPasses - 1; pass >= 0; --pass) {
          const Row& row = passes[static_cast<std::size_t>(pass)][i];
          size.add(row.key, keys.bytes, row.value_bytes);
        }
      }
      REQUIRE(scratch.bytes_of_files_ending(".ldb") == size.file_bytes());
    }
  }
}

#endif

}  // namespace
}  // namespace lsmlab::engine::foreign_size_test
