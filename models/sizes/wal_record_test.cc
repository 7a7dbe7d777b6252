// Sizes of records in write-ahead logs, counted by hand.
#include "models/sizes/wal_record.h"

#include "testing/catch.h"

namespace lsmlab::wal_record_test {
namespace {

WalSize size_of(SstableLayout layout, std::uint64_t write_batch = 1) {
  StoreOptions store;
  store.layout = layout;
  store.write_batch = write_batch;
  return WalSize(store);
}

TEST_CASE("a write in the log of RocksDB or LevelDB has a record's and a batch's header") {
  for (const SstableLayout layout : {SstableLayout::kRocksdb, SstableLayout::kLeveldb}) {
    const WalSize size = size_of(layout);
    REQUIRE(size.write_bytes(16, 100) == 7 + 12 + 1 + 1 + 16 + 1 + 100);
    REQUIRE(size.write_bytes(16, 128) == 7 + 12 + 1 + 1 + 16 + 2 + 128);
    REQUIRE(size.write_bytes(16, 0) == 7 + 12 + 1 + 1 + 16 + 1);
    REQUIRE(size.write_bytes(200, std::nullopt) == 7 + 12 + 1 + 2 + 200);  // a delete
    REQUIRE(size_of(layout, 10).write_bytes(16, 100) == 2 + 1 + 1 + 16 + 1 + 100);
  }
}

TEST_CASE("a store without a log logs nothing") {
  REQUIRE(WalSize().write_bytes(16, 100) == 0);
  StoreOptions store;
  store.writes_log = false;
  REQUIRE_FALSE(WalSize(store).is_written());
  REQUIRE(WalSize(store).write_bytes(16, std::nullopt) == 0);
}

}  // namespace
}  // namespace lsmlab::wal_record_test
