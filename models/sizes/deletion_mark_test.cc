// The counting of deletes against counts by hand, and against a count that looks back over the
// whole window at each entry. engine/foreign/rocksdb_mark_test.cc compares it with RocksDB's own.
#include "models/sizes/deletion_mark.h"

#include <random>
#include <string>

#include "testing/catch.h"
#include "testing/oracles/naive_mark.h"

namespace lsmlab::deletion_mark_test {
namespace {

bool marks(const DeletionMark& mark, const std::vector<bool>& deletes) {
  DeletionMarkCounter counter(mark);
  for (const bool is_delete : deletes) counter.add(is_delete);
  return counter.is_marked();
}

DeletionMark window(std::uint64_t entries, std::uint64_t deletes) {
  return {DeletionMark::Window{entries, deletes}, std::nullopt};
}

// Entries of a file, where 'd' is a delete: "3p2d" is three puts and two deletes.
std::vector<bool> file(const std::string& text) {
  std::vector<bool> deletes;
  std::size_t count = 0;
  for (const char letter : text) {
    if (letter >= '0' && letter <= '9') {
      count = 10 * count + static_cast<std::size_t>(letter - '0');
      continue;
    }
    deletes.insert(deletes.end(), count, letter == 'd');
    count = 0;
  }
  return deletes;
}

struct MarkCase {
  const char* reason;
  DeletionMark mark;
  const char* entries;
  bool is_marked;
};

TEST_CASE("deletion mark counts deletes in windows of whole buckets, and their share") {
  const MarkCase cases[] = {
      {"no entry", window(128, 1), "", false},
      {"one delete in 128 entries is one", window(128, 1), "500p1d", true},
      {"two that are 128 entries apart are never in one window", window(128, 2), "1d127p1d", false},
      {"two that are 127 entries apart are", window(128, 2), "1d126p1d", true},
      {"a window of one entry is rounded up to 128", window(1, 2), "1d126p1d", true},
      {"129 entries make buckets of two: 127 whole ones before the open one", window(129, 2),
       "1d254p1d", true},
      {"the first bucket has left when the 129th opens", window(129, 2), "1d255p1d", false},
      {"its second entry leaves with it", window(129, 2), "1p1d254p1d", false},
      {"an open bucket counts with what it has: 255 entries here", window(256, 2), "1p1d253p1d",
       true},
      {"deletes that are dense once mark the file", window(128, 3), "300p3d300p", true},
      {"thin ones do not, however many", window(128, 3), "2d126p2d126p2d126p2d", false},
      {"a share that is reached exactly", {std::nullopt, Decimal(1, 4)}, "3p1d", true},
      {"a share that is not", {std::nullopt, Decimal(1, 4)}, "4p1d", false},
      {"a share counts the file as a whole, after dense parts too",
       {std::nullopt, Decimal(1, 2)},
       "10d11p",
       false},
      {"a share of 1: deletes only", {std::nullopt, Decimal(1, 1)}, "7d", true},
      {"a file without entries has no share", {std::nullopt, Decimal(1, 4)}, "", false},
      {"either rule is enough", {DeletionMark::Window{128, 100}, Decimal(1, 10)}, "9p1d", true},
  };
  for (const MarkCase& c : cases) {
    INFO(c.reason);
    REQUIRE(marks(c.mark, file(c.entries)) == c.is_marked);
    REQUIRE(testing::naive_mark(c.mark, file(c.entries)) == c.is_marked);
  }
}

TEST_CASE("deletion mark agrees with a count over the whole window at each entry") {
  std::mt19937_64 random(1);
  std::size_t marked = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t entries = 1 + random() % 700;
    DeletionMark mark = window(entries, 1 + random() % (1 + entries / 8));
    if (random() % 3 == 0) mark.ratio = Decimal(static_cast<std::uint32_t>(1 + random() % 40), 100);
    if (random() % 5 == 0) mark.window.reset();
    // Deletes come in groups.
    std::vector<bool> deletes;
    const std::size_t count = random() % 1500;
    std::uint64_t one_in = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (random() % 100 == 0) one_in = random() % 12;
      deletes.push_back(one_in > 0 && random() % one_in == 0);
    }
    INFO("round " << round);
    REQUIRE(marks(mark, deletes) == testing::naive_mark(mark, deletes));
    marked += marks(mark, deletes) ? 1U : 0U;
  }
  REQUIRE(marked > 300);
  REQUIRE(marked < 1700);
}

}  // namespace
}  // namespace lsmlab::deletion_mark_test
