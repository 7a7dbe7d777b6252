// Which runs the merge for space takes, from version 8.7 on and before.
#include "models/policies/rocksdb/universal_space.h"

#include <algorithm>
#include <random>

#include "testing/catch.h"

namespace lsmlab::universal_space_test {
namespace {

struct Drawn {
  std::uint64_t bytes = 0;
  std::uint32_t level = 0;
  bool busy = false;
};

std::vector<UniversalRun> runs_of(const std::vector<Drawn>& drawn) {
  std::vector<UniversalRun> runs;
  for (const Drawn& run : drawn)
    runs.push_back({run.level, nullptr, run.bytes, run.bytes, run.busy});
  return runs;
}

std::optional<std::size_t> first_taken(const std::vector<Drawn>& drawn, UniversalSpaceRules rules) {
  const auto window = universal_window_for_space(runs_of(drawn), rules);
  if (!window) return std::nullopt;
  REQUIRE(window->end == drawn.size());
  return window->first;
}

UniversalSpaceRules at(RocksdbVersion version) {
  UniversalSpaceRules rules;
  rules.version = version;
  return rules;
}

constexpr RocksdbVersion kOld = RocksdbVersion::k8_4;
constexpr RocksdbVersion kNew = RocksdbVersion::k8_7;

TEST_CASE("from version 8.7 on small new files stay out of a merge for space") {
  // 90 % of the newer 1000 bytes are 900.
  const std::vector<Drawn> small{{50}, {50}, {1}, {899}, {400, 6}};
  REQUIRE(first_taken(small, at(kOld)) == 0);
  REQUIRE(first_taken(small, at(kNew)) == 2);
  // Without the first file 750 bytes would be less than twice 400.
  REQUIRE(first_taken({{50}, {750}, {400, 6}}, at(kNew)) == 0);
  REQUIRE(first_taken({{50}, {749}, {400, 6}}, at(kNew)) == std::nullopt);
  // One file of level 0 remains.
  REQUIRE(first_taken({{1}, {900, 5}, {400, 6}}, at(kNew)) == 0);
  REQUIRE(first_taken({{1}, {1}, {900, 5}, {400, 6}}, at(kNew)) == 1);
  // And two runs do.
  REQUIRE(first_taken({{0}, {0}, {1}, {0}}, at(kNew)) == 2);
}

TEST_CASE("near the stop of writers a merge for space needs a file less, or leaves them in") {
  const std::vector<Drawn> files{{1}, {1}, {1}, {1}, {996}, {400, 6}};
  UniversalSpaceRules rules = at(kNew);
  rules.max_merge_width = 3;
  REQUIRE(first_taken(files, rules) == 0);  // 30 flushes fit
  rules.stop_runs = 8;                      // two fit: one file gives room for the third
  REQUIRE(first_taken(files, rules) == 1);
  rules.stop_runs = 6;
  REQUIRE(first_taken(files, rules) == 3);
  // At least min_merge_width must get room, and the first of them is too large to stay.
  rules.min_merge_width = 3;
  REQUIRE(first_taken({{1}, {1}, {200}, {1}, {797}, {400, 6}}, rules) == 0);
}

TEST_CASE("from version 8.7 on a merge for space begins after a busy run") {
  const std::vector<Drawn> parted{{100}, {100, 0, true}, {100}, {900}, {400, 6}};
  REQUIRE(first_taken(parted, at(kOld)) == std::nullopt);
  REQUIRE(first_taken(parted, at(kNew)) == 3);
  REQUIRE(first_taken({{9, 0, true}, {100}, {900}, {400, 6}}, at(kOld)) == 1);
  REQUIRE(first_taken({{100}, {900, 0, true}, {400, 6}}, at(kNew)) == std::nullopt);
  REQUIRE(first_taken({{100}, {900}, {400, 6, true}}, at(kNew)) == std::nullopt);
  REQUIRE(first_taken({{100}}, at(kNew)) == std::nullopt);
}

// The most files that may stay, each number of them tried by itself.
std::optional<std::size_t> expected_first(const std::vector<Drawn>& runs,
                                          const UniversalSpaceRules& rules) {
  std::size_t first = runs.size() - 1;
  if (runs.back().busy) return std::nullopt;
  while (first > 0 && !runs[first - 1].busy) --first;
  if (first + 1 == runs.size()) return std::nullopt;
  const auto bytes_from = [&](std::size_t begin) {
    std::uint64_t bytes = 0;
    for (std::size_t i = begin; i + 1 < runs.size(); ++i) bytes += runs[i].bytes;
    return bytes;
  };
  const std::uint64_t least = rules.size_amplification_percent * runs.back().bytes;
  if (bytes_from(first) * 100 < least) return std::nullopt;
  std::size_t best = first;
  const std::uint64_t width = runs.size() - first;
  const std::uint64_t room = rules.stop_runs > width ? rules.stop_runs - width : 0;
  const auto beyond = [&](std::uint64_t merges) { return merges > room ? merges - room : 0; };
  // A file of level 0 and two runs remain.
  std::uint64_t most = 0;
  while (first + most + 2 < runs.size() && runs[first + most + 1].level == 0) ++most;
  for (std::size_t begin = first; begin <= first + most; ++begin) {
    const std::uint64_t count = begin - first;
    const bool is_tried = count >= std::min(most, beyond(rules.min_merge_width)) &&
                          count <= beyond(rules.max_merge_width);
    const bool keeps_bytes =
        bytes_from(begin) * 100 >= least && bytes_from(begin) >= bytes_from(first) * 9 / 10;
    if (is_tried && keeps_bytes) best = begin;
  }
  return best;
}

TEST_CASE("what stays out of a merge for space is what its definition says") {
  std::mt19937_64 random(7);
  const auto draw = [&](std::uint64_t most) { return random() % (most + 1); };
  std::size_t left_out = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<Drawn> runs;
    const std::size_t level0 = draw(12);
    for (std::size_t i = 0; i < level0; ++i) runs.push_back({draw(draw(20)), 0, draw(30) == 0});
    for (std::uint32_t level = 4; level <= 6; ++level) {
      if (draw(1) == 0) runs.push_back({draw(100), level, draw(30) == 0});
    }
    if (runs.empty()) continue;
    UniversalSpaceRules rules = at(kNew);
    rules.size_amplification_percent = draw(200);
    rules.min_merge_width = 2;
    rules.max_merge_width = draw(1) == 0 ? 2 + draw(10) : rules.max_merge_width;
    rules.stop_runs = 4 + draw(30);
    const auto expected = expected_first(runs, rules);
    REQUIRE(first_taken(runs, rules) == expected);
    if (expected && *expected > 0 && !runs[*expected - 1].busy) ++left_out;
  }
  REQUIRE(left_out > 1000);
}

}  // namespace
}  // namespace lsmlab::universal_space_test
