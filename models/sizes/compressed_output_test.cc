// Which codec and which share the outputs of plans get.
#include "models/sizes/filter_split.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::compressed_output_test {
namespace {

StoreOptions store_of(SstableLayout layout) {
  StoreOptions store;
  store.layout = layout;
  store.compression.levels = CompressionRules::parse("none:lz4:zstd").value();
  store.compression.set_shares({{Compression::kLz4, {700'000, 600'000, 500'000}},
                                {Compression::kZstd, {400'000, 300'000, 200'000}}});
  return store;
}

// Of a merge of the files `ids` of one level into another.
BlockCompression merged(const StoreOptions& store, const DrawnTree& tree, std::uint32_t from,
                        const std::vector<std::uint64_t>& ids, std::uint32_t to,
                        std::span<const LevelCapacity> capacities = {}) {
  MergePlan merge;
  for (const std::uint64_t id : ids) {
    const FileLocation at = tree.view().find_file(FileId(id)).value();
    REQUIRE(at.level == from);
    merge.inputs.push_back({from, tree.view().levels()[at.level].runs[at.run].id, {FileId(id)}});
  }
  merge.target = leveled_target(tree.view(), to);
  if (to == 0) merge.target.run.reset();
  const Plan plan{PlanReason::kLevelSaturated, merge, {}};
  return output_format(store, tree.view(), plan, Entries(1), capacities).compression;
}

const std::vector<DrawnFile> kFiles{{0, 1, 0, 99, 10},  {0, 2, 0, 99, 10},  {1, 3, 0, 49, 10},
                                    {1, 4, 60, 99, 10}, {2, 5, 20, 30, 10}, {2, 6, 40, 55, 10}};

TEST_CASE("a flush has the first codec") {
  const DrawnTree tree(kFiles);
  const Plan plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
  StoreOptions store = store_of(SstableLayout::kRocksdb);
  REQUIRE(output_format(store, tree.view(), plan, Entries(1)).compression == BlockCompression{});
  std::swap(store.compression.levels[0], store.compression.levels[1]);
  REQUIRE(output_format(store, tree.view(), plan, Entries(1)).compression ==
          BlockCompression{Compression::kLz4, 700'000});
}

TEST_CASE("RocksDB writes no sequence numbers where nothing older has the keys of the inputs") {
  const DrawnTree tree(kFiles);
  const StoreOptions rocksdb = store_of(SstableLayout::kRocksdb);
  REQUIRE(merged(rocksdb, tree, 0, {1}, 1) == BlockCompression{Compression::kLz4, 600'000});
  // File 5 lies in the range of file 3, nothing in that of file 4.
  REQUIRE(merged(rocksdb, tree, 1, {3}, 1) == BlockCompression{Compression::kLz4, 600'000});
  REQUIRE(merged(rocksdb, tree, 1, {4}, 1) == BlockCompression{Compression::kLz4, 500'000});
  REQUIRE(merged(rocksdb, tree, 1, {3}, 2) == BlockCompression{Compression::kZstd, 200'000});
  // The others keep them everywhere.
  for (const SstableLayout layout : {SstableLayout::kLsmlab, SstableLayout::kLeveldb}) {
    REQUIRE(merged(store_of(layout), tree, 1, {3}, 2) ==
            BlockCompression{Compression::kZstd, 300'000});
  }
}

TEST_CASE("a merge within level 0 keeps sequence numbers unless nothing at all is older") {
  StoreOptions store = store_of(SstableLayout::kRocksdb);
  store.compression.levels.erase(store.compression.levels.begin());
  const DrawnTree with_levels(kFiles);
  REQUIRE(merged(store, with_levels, 0, {2}, 0).stored_millionths == 600'000);
  const DrawnTree flat({{0, 1, 0, 99, 10}, {0, 2, 0, 99, 10}});
  REQUIRE(merged(store, flat, 0, {1}, 0).stored_millionths == 600'000);
  REQUIRE(merged(store, flat, 0, {1, 2}, 0).stored_millionths == 500'000);
}

TEST_CASE("levels without capacity do not use up the list") {
  const DrawnTree tree({{0, 1, 0, 99, 10}, {3, 2, 0, 99, 10}, {4, 3, 0, 99, 10}});
  const StoreOptions store = store_of(SstableLayout::kRocksdb);
  const std::vector<LevelCapacity> dynamic{{10, 1}, {0, 1}, {0, 1}, {10, 1}, {100, 1}};
  REQUIRE(merged(store, tree, 0, {1}, 3, dynamic).codec == Compression::kLz4);
  REQUIRE(merged(store, tree, 3, {2}, 4, dynamic).codec == Compression::kZstd);
  REQUIRE(merged(store, tree, 0, {1}, 3).codec == Compression::kZstd);
}

}  // namespace
}  // namespace lsmlab::compressed_output_test
