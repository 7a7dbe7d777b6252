// Compares the sizes that are predicted of tables with recorded keys with tables that RocksDB wrote
// of the texts.
#ifdef LSMLAB_WITH_ROCKSDB
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>

#include <cmath>
#include <map>
#include <random>

#include "models/sizes/prefix_table_size.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "traces/importers/key_ranking.h"

namespace lsmlab::engine::recorded_keys_size_test {
namespace {

constexpr std::uint32_t kValueBytes = 60;

struct Texts {
  const char* name;
  std::string (*draw)(std::mt19937_64& random);
  double near = 0.01;
};
constexpr Texts kTexts[] = {
    {"names with numbers of any length",
     [](std::mt19937_64& random) { return fmt::format("user{}", random() >> random() % 40); }},
    {"hashes", [](std::mt19937_64& random) { return fmt::format("{:016x}", random()); }},
    {"paths",
     [](std::mt19937_64& random) {
       return fmt::format("tenant/{:04}/device/{}/{:010}", random() % 50, random() % 1000,
                          random() % 100'000);
     }},
    {"short and long",
     [](std::mt19937_64& random) {
       return random() % 4 == 0 ? fmt::format("{:x}", random() % 100'000)
                                : fmt::format("index/by-time/{:020}", random());
     },
     // The mean is that of both kinds, and short keys cannot share so much.
     0.04},
};

struct Recorded {
  std::map<std::string, std::uint64_t> ids;
  KeyFormat format;
};

Recorded recorded(const Texts& texts, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const testing::ScratchDirectory scratch;
  KeyRanking ranking(scratch.path(), 2 * kSortMemoryBytesMin);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back(texts.draw(random));
    REQUIRE(ranking.add(keys.back(), KeyRole::kKey).has_value());
  }
  REQUIRE(ranking.rank().has_value());
  Recorded made;
  for (const std::string& key : keys) made.ids[key] = ranking.next().value();
  made.format = KeyFormat::recorded(ranking.recorded());
  return made;
}

// The bytes of data and of the index.
struct Sizes {
  double data = 0;
  double index = 0;
};

Sizes written(const std::map<std::string, std::uint64_t>& ids) {
  const testing::ScratchDirectory scratch;
  rocksdb::Options options;
  options.compression = rocksdb::kNoCompression;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  REQUIRE(writer.Open(scratch.path() + "/table").ok());
  for (const auto& [key, id] : ids) {
    REQUIRE(writer.Put(key, std::string(kValueBytes, 'v')).ok());
  }
  REQUIRE(writer.Finish().ok());
  rocksdb::SstFileReader reader(options);
  REQUIRE(reader.Open(scratch.path() + "/table").ok());
  const auto properties = reader.GetTableProperties();
  return {static_cast<double>(properties->data_size), static_cast<double>(properties->index_size)};
}

Sizes predicted(const std::map<std::string, std::uint64_t>& ids, const KeyFormat& keys) {
  SstableFormat format{4096, 0, SstableLayout::kRocksdb};
  format.keys = keys;
  PrefixTableSize size(format);
  for (const auto& [key, id] : ids) size.add(id, key.size(), kValueBytes);
  const PrefixTableSize::FileParts parts = size.file_parts();
  return {static_cast<double>(parts.data), static_cast<double>(parts.index)};
}

TEST_CASE(
    "RocksDB's tables of recorded texts are as large as predicted, within 1 %, mixed ones within 4 "
    "%") {
  for (const Texts& texts : kTexts) {
    const std::uint64_t seed = 17;
    const Recorded all = recorded(texts, 60'000, seed);
    for (const unsigned every : {1u, 7u, 90u}) {
      std::mt19937_64 random(every);
      std::map<std::string, std::uint64_t> some;
      for (const auto& [key, id] : all.ids) {
        if (random() % every == 0) some.emplace(key, id);
      }
      const Sizes real = written(some);
      const Sizes ours = predicted(some, all.format);
      INFO(texts.name << ", one in " << every << ", seed " << seed << ": " << real.data << " and "
                      << real.index << " bytes, predicted " << ours.data << " and " << ours.index);
      REQUIRE(std::abs(ours.data / real.data - 1) < texts.near);
      REQUIRE(std::abs(ours.index / real.index - 1) < 0.1);
    }
  }
}

}  // namespace
}  // namespace lsmlab::engine::recorded_keys_size_test
#endif
