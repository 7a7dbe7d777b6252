#include "traces/stores/option_names.h"

#include "testing/catch.h"

namespace lsmlab::stores::option_names_test {
namespace {

TEST_CASE("An option of another system has the name that errors about it tell") {
  const auto name = [](StoreSystem system, std::string_view option, std::string_view family) {
    return our_option(system, option, family).name;
  };
  constexpr auto kRocksdb = StoreSystem::kRocksdb;
  REQUIRE(name(kRocksdb, "write_buffer_size", "rocksdb-leveled") == "buffer");
  REQUIRE(our_option(kRocksdb, "write_buffer_size", "rocksdb-leveled").is_bytes);
  REQUIRE(name(kRocksdb, "num_levels", "rocksdb-leveled") == "levels");
  REQUIRE_FALSE(our_option(kRocksdb, "num_levels", "rocksdb-leveled").is_bytes);
  REQUIRE(name(kRocksdb, "compaction_options_universal.size_ratio", "rocksdb-universal") ==
          "size_ratio_percent");
  REQUIRE(name(kRocksdb, "compaction_options_universal.max_size_amplification_percent",
               "rocksdb-universal") == "max_size_amplification_percent");
  // Not in the table.
  REQUIRE(name(kRocksdb, "compaction_options_universal.max_read_amp", "rocksdb-universal") ==
          "max_read_amp");
  REQUIRE(name(StoreSystem::kPebble, "lbase_max_bytes", "pebble") == "level_base");
  REQUIRE(name(StoreSystem::kPebble, "mem_table_size", "pebble") == "buffer");
  // The same option has other names in other families.
  REQUIRE(name(StoreSystem::kCassandra, "compaction.min_threshold", "tiered") == "size_ratio");
  REQUIRE(name(StoreSystem::kCassandra, "compaction.fanout_size", "leveldb") == "size_ratio");
  REQUIRE(name(StoreSystem::kCassandra, "compaction.sstable_size_in_mb", "leveldb") == "file_size");
  // A system's name alone does not make it an option of another one.
  REQUIRE(name(kRocksdb, "lbase_max_bytes", "rocksdb-leveled") == "lbase_max_bytes");
}

}  // namespace
}  // namespace lsmlab::stores::option_names_test
