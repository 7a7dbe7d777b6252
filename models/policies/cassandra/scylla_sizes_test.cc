// Which sizes ScyllaDB's strategies compare, and where ICS ends a fragment, with compression and
// without.
#include "models/policies/cassandra/scylla_sizes.h"

#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::scylla_sizes_test {
namespace {

const std::string kCompressed = ",compression=lz4@0.5";

// Equal on disk; before compression the last one is five times the others.
std::vector<DrawnFile> equal_on_disk() {
  std::vector<DrawnFile> files;
  for (std::uint64_t id = 1; id <= 4; ++id) {
    files.push_back({0, id, 10, 90, 1000, {}, 10, 0, id == 4 ? 50'000U : 10'000U});
  }
  return files;
}

TEST_CASE("ScyllaDB compares sizes before compression") {
  for (const std::string family : {"scylla-stcs", "scylla-ics"}) {
    check_picks(family, {
                            {"without compression those on disk",
                             "min_sstable_size=0",
                             equal_on_disk(),
                             {},
                             "merge L0 1,2,3,4 to L0"},
                            {"with it those of entries",
                             "min_sstable_size=0" + kCompressed,
                             equal_on_disk(),
                             {},
                             "merge L0 1,2,3 to L0"},
                        });
  }
  const std::string lcs = "min_sstable_size=0,min_threshold=3,sstable_size=1MiB";
  check_picks("scylla-lcs",
              {
                  {"of level 0", lcs, equal_on_disk(), {}, "merge L0 1,2,3,4 to L0"},
                  {"as well", lcs + kCompressed, equal_on_disk(), {}, "merge L0 1,2,3 to L0"},
                  {"but whether it merges with level 1 is decided by bytes on disk",
                   "min_sstable_size=0,sstable_size=4001" + kCompressed,
                   equal_on_disk(),
                   {},
                   "nothing"},
              });
}

TEST_CASE("a fragment of scylla-ics ends by its bytes on disk") {
  const auto measure = [](const std::string& options) {
    const Plan plan =
        *pick_of("scylla-ics", "min_sstable_size=0" + options, DrawnTree(equal_on_disk()).view());
    return std::get<MergePlan>(plan.action).cut.measure;
  };
  // Without compression every entry is written at once.
  REQUIRE(measure("") == CutMeasure::kEntries);
  REQUIRE(measure(kCompressed) == CutMeasure::kStoredBlocks);
}

}  // namespace
}  // namespace lsmlab::scylla_sizes_test
