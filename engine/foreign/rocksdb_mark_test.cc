// The counting of deletes against RocksDB's own collector, entry by entry.
#include "models/sizes/deletion_mark.h"

#include <random>

#include "testing/catch.h"

#ifdef LSMLAB_WITH_ROCKSDB

#include <rocksdb/utilities/table_properties_collectors.h>

namespace lsmlab::rocksdb_mark_test {
namespace {

bool rocksdb_marks(const DeletionMark& mark, const std::vector<bool>& deletes) {
  const auto factory = rocksdb::NewCompactOnDeletionCollectorFactory(
      mark.window ? mark.window->entries : 0, mark.window ? mark.window->deletes : 0,
      mark.ratio ? mark.ratio->as_double() : 0.0);
  const std::unique_ptr<rocksdb::TablePropertiesCollector> collector(
      factory->CreateTablePropertiesCollector({}));
  for (const bool is_delete : deletes) {
    REQUIRE(collector
                ->AddUserKey("key", "value", is_delete ? rocksdb::kEntryDelete : rocksdb::kEntryPut,
                             1, 0)
                .ok());
  }
  REQUIRE(collector->Finish(nullptr).ok());
  return collector->NeedCompact();
}

TEST_CASE("deletion mark: RocksDB's collector marks the same files") {
  std::mt19937_64 random(3);
  std::size_t marked = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    DeletionMark mark;
    if (random() % 5 > 0) {
      const std::uint64_t entries = 1 + random() % 1000;
      mark.window = DeletionMark::Window{entries, 1 + random() % (1 + entries / 8)};
    }
    if (!mark.window || random() % 3 == 0) {
      // Shares that files of few entries reach exactly.
      const std::uint32_t parts[] = {1, 2, 4, 5, 8, 10, 20, 25, 100};
      const std::uint32_t denominator = parts[random() % 9];
      mark.ratio = Decimal(1 + static_cast<std::uint32_t>(random() % denominator), denominator);
    }
    std::vector<bool> deletes;
    const std::size_t count = round % 2 == 0 ? random() % 100 : random() % 2500;
    std::uint64_t one_in = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (random() % 60 == 0) one_in = random() % 15;
      deletes.push_back(one_in > 0 && random() % one_in == 0);
    }
    DeletionMarkCounter counter(mark);
    for (const bool is_delete : deletes) counter.add(is_delete);
    INFO("round " << round);
    REQUIRE(counter.is_marked() == rocksdb_marks(mark, deletes));
    marked += counter.is_marked() ? 1U : 0U;
  }
  REQUIRE(marked > kRounds / 5);
  REQUIRE(marked < kRounds * 4 / 5);
}

}  // namespace
}  // namespace lsmlab::rocksdb_mark_test

#endif
