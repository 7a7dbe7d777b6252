// Picks of hyperleveldb on hand-made trees, and against a search of every interval.
#include <algorithm>
#include <set>

#include "models/base/random.h"
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::hyperleveldb_test {
namespace {

// Level 1 holds 1280 bytes, or 4 files of middling size 325; level 2 5120, or 31 of 165.
const std::string kSmall = "file_size=640";

TEST_CASE("hyperleveldb merges the neighbours that rewrite least for what they bring down") {
  check_picks(
      "hyperleveldb",
      {
          {"level 1 is not full", kSmall, {{1, 1, 0, 9, 639}, {1, 2, 10, 19, 640}}, {}, "nothing"},
          {"full; both overlap one file of 100, and together their quotient is best",
           kSmall,
           {{1, 1, 0, 9, 640}, {1, 2, 10, 19, 640}, {2, 3, 5, 15, 100}},
           {},
           "merge L1 1,2 + L2 3 to L2"},
          {"a file of its own below: 640/100 beats 1280/400",
           kSmall,
           {{1, 1, 0, 9, 640}, {1, 2, 10, 19, 640}, {2, 3, 0, 9, 100}, {2, 4, 10, 19, 300}},
           {},
           "merge L1 1 + L2 3 to L2"},
          {"equal quotients: the fewer bytes",
           kSmall,
           {{1, 1, 0, 9, 640}, {1, 2, 10, 19, 640}, {2, 3, 0, 9, 100}, {2, 4, 10, 19, 100}},
           {},
           "merge L1 1 + L2 3 to L2"},
          {"all that overlap nothing move first",
           kSmall,
           {{1, 1, 0, 9, 640}, {1, 2, 10, 19, 640}, {1, 3, 20, 29, 1}, {2, 4, 12, 13, 1}},
           {},
           "move L1 1,3 to L2"},
          {"each too large for a merge of 16 largest files: the one with fewest overlaps",
           kSmall,
           {{1, 1, 0, 19, 640},
            {1, 2, 20, 39, 640},
            {1, 3, 40, 59, 640},
            {1, 4, 60, 79, 640},
            {2, 5, 0, 9, 1},
            {2, 6, 10, 99, 9'700}},
           {},
           "merge L1 2 + L2 6 to L2"},
          {"four files of level 1 are as full",
           kSmall,
           {{1, 1, 0, 9, 1}, {1, 2, 10, 19, 1}, {1, 3, 20, 29, 1}, {2, 4, 0, 29, 1}},
           {},
           "merge L1 1,2,3 + L2 4 to L2"},
      });
}

TEST_CASE("hyperleveldb merges the oldest of level 0, unless level 1 is fuller") {
  std::vector<DrawnFile> many;
  std::string all;
  for (std::uint64_t id = 1; id <= 40; ++id) {
    many.push_back({0, id, 0, 99, 1});
    if (id > 8) all += (all.empty() ? "" : ",") + std::to_string(id);
  }
  check_picks(
      "hyperleveldb",
      {
          {"three", kSmall, {many.begin(), many.begin() + 3}, {}, "nothing"},
          {"four", kSmall, {many.begin(), many.begin() + 4}, {}, "merge L0 1,2,3,4 to L1"},
          {"32 at most, the oldest", kSmall, many, {}, "merge L0 " + all + " to L1"},
          {"a running merge of level 1 keeps both busy",
           kSmall,
           {{0, 1, 0, 9, 1}, {0, 2, 0, 9, 1}, {0, 3, 0, 9, 1}, {0, 4, 0, 9, 1}, {1, 5, 0, 9, 1}},
           {5},
           "nothing"},
      });
}

TEST_CASE("hyperleveldb ends outputs at the ends of files two levels below") {
  const std::vector<DrawnFile> files{{1, 1, 0, 59, 640},  {1, 2, 60, 99, 640}, {2, 3, 0, 99, 100},
                                     {3, 4, 10, 19, 100}, {3, 5, 20, 20, 100}, {3, 6, 80, 95, 100}};
  const auto plan = pick_of("hyperleveldb", kSmall, DrawnTree(files).view());
  REQUIRE(plan.has_value());
  const OutputCut& cut = std::get<MergePlan>(plan->action).cut;
  REQUIRE(cut.file_bytes == Bytes(640));
  REQUIRE(cut.file_begin_bytes_min == Bytes(10));
  REQUIRE(cut.file_begins == std::vector<std::uint64_t>{11, 20, 21, 81, 96});
}

// Every interval of level 1, with sums by walking.
std::set<std::uint64_t> best_interval(const std::vector<DrawnFile>& upper,
                                      const std::vector<DrawnFile>& lower) {
  double best = -1;
  std::uint64_t best_bytes = 0;
  std::set<std::uint64_t> ids;
  for (std::size_t i = 0; i < upper.size(); ++i) {
    std::uint64_t above = 0;
    std::set<std::uint64_t> taken;
    for (std::size_t j = i; j < upper.size(); ++j) {
      above += upper[j].bytes;
      taken.insert(upper[j].id);
      std::uint64_t below = 0;
      for (const DrawnFile& file : lower) {
        const bool meets = file.largest >= upper[i].smallest && file.smallest <= upper[j].largest;
        below += meets ? file.bytes : 0;
      }
      if (above + below >= 16 * 640) break;
      const double quotient = static_cast<double>(above) / static_cast<double>(below);
      if (quotient > best || (quotient == best && above + below < best_bytes)) {
        best = quotient;
        best_bytes = above + below;
        ids = taken;
      }
    }
  }
  return ids;
}

TEST_CASE("hyperleveldb finds the interval that a search of all intervals finds") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    INFO("seed " << seed);
    SplitMix64 random(seed);
    std::vector<DrawnFile> upper;
    std::vector<DrawnFile> lower;
    for (std::uint64_t key = 0; key < 200;) {
      const std::uint64_t width = 1 + random.below(40);
      upper.push_back({1, upper.size() + 1, key, key + width - 1, 100 + random.below(541)});
      key += width;
    }
    for (std::uint64_t key = 0; key < 240;) {  // without gaps, so that nothing moves
      const std::uint64_t width = 1 + random.below(20);
      lower.push_back({2, lower.size() + 100, key, key + width - 1, 1 + random.below(500)});
      key += width;
    }
    std::vector<DrawnFile> files = upper;
    files.insert(files.end(), lower.begin(), lower.end());
    const auto plan = pick_of("hyperleveldb", "file_size=640", DrawnTree(files).view());
    if (!plan) continue;
    const std::vector<PlanInput> inputs = plan_inputs(*plan);
    if (inputs.front().level != 1) continue;
    std::set<std::uint64_t> ids;
    for (const FileId id : inputs.front().files) ids.insert(id.value());
    const std::set<std::uint64_t> expected = best_interval(upper, lower);
    if (!expected.empty()) REQUIRE(ids == expected);
  }
}

}  // namespace
}  // namespace lsmlab::hyperleveldb_test
