// Picks of scylla-lcs on hand-made trees, each with its reason, and over random trees beside loops
// over plain lists.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>

#include "models/policies/registry.h"
#include "testing/pick_on.h"
#include "testing/tree_reader.h"

namespace lsmlab::scylla_lcs_test {
namespace {

using testing::TreeReader;

// SSTables of 100 bytes: level 1 may hold 1000, level 2 10000.
const char* const kSpec = "scylla-lcs:sstable_size=100,min_sstable_size=0";

struct LcsCase {
  const char* why;
  std::string tree;
  std::string plan;
};

// The rounds of level 1, 2, ... as a byte each.
std::uint64_t packed(const std::vector<std::uint64_t>& rounds) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) all += rounds[i] << (8 * i);
  return all;
}

// What a merge into a level makes of no rounds: every other level was left out once.
std::string rounds_into(std::size_t level) {
  std::vector<std::uint64_t> rounds(8, 1);
  if (level > 0) rounds[level - 1] = 0;
  return " cursor L0=" + std::to_string(packed(rounds));
}

std::string picked(const std::string& tree, const std::string& more = "", std::uint64_t now = 0) {
  TreeReader reader(tree);
  reader.tree().advance_now(Instant(now));
  const auto policy = testing::policy_of_text(kSpec + more);
  return testing::plan_text(testing::pick_on(*policy, reader.tree()));
}

TEST_CASE("scylla-lcs fills a level, and deep ones when there is nothing else to do") {
  const LcsCase cases[] = {
      {"an empty tree", "", "nothing"},
      {"a level at its target, with nothing below", "1: 0-9:1000", "nothing"},
      {"above it: the next SSTable", "1: 0-9:600 20-29:402",
       "level-saturated merge L1:1 -> L2 new cursor L1=9" + rounds_into(2)},
      {"after the last key of the last merge", "1@9: 0-9:600 20-29:402\n2: 5-25:1",
       "level-saturated merge L1:2 L2:3 -> L2 run cursor L1=29" + rounds_into(2)},
      {"beyond the last the first is next", "1@20: 0-9:600 20-29:402\n2: 15-25:1",
       "level-saturated merge L1:1 -> L2 run cursor L1=9" + rounds_into(2)},
      {"the deeper level first", "1: 0-9:1200\n2: 0-9:10011",
       "level-saturated merge L2:2 -> L3 new cursor L2=9" + rounds_into(3)},
      {"one merge at a time", "1: 0-9:600 20-29:402\n2: 15-25:1,busy", "nothing"},
      {"level 2 has less than ten times level 1: it gets more", "1: 0-9:50 20-29:50\n2: 5-25:999",
       "size-ratio merge L1:1 L2:3 -> L2 run cursor L1=25" + rounds_into(2)},
      {"ten times suffice", "1: 0-9:50 20-29:50\n2: 5-25:1000", "nothing"},
      {"the deepest such level first", "1: 0-9:50\n2: 0-9:50\n3: 0-9:50",
       "size-ratio merge L2:2 L3:3 -> L3 run cursor L2=9" + rounds_into(3)},
      {"an empty level is not filled", "1: 0-9:50", "nothing"},
      {"level 0 goes before that", "0: 0-9:100\n1: 20-29:50\n2: 0-9:50",
       "total-size merge L0:1 -> L1 run" + rounds_into(1)},
  };
  for (const LcsCase& c : cases) {
    INFO(c.why << "\n" << c.tree);
    REQUIRE(picked(c.tree) == c.plan);
  }
}

TEST_CASE("scylla-lcs merges all of level 0 from the size of an SSTable on, else a tier of it") {
  const LcsCase cases[] = {
      {"three small ones are no tier", "0: 0-9:20 / 0-9:20 / 0-9:20", "nothing"},
      {"four are", "0: 0-9:20 / 0-9:20 / 0-9:20 / 0-9:20",
       "sorted-run-count merge L0:1 L0:2 L0:3 L0:4 -> L0 new" + rounds_into(0)},
      {"as large as an SSTable: all, with what overlaps their range",
       "0: 0-9:50 / 30-39:50\n1: 15-16:1 35-45:1 60-69:1",
       "total-size merge L0:1 L0:2 L1:3,4 -> L1 run" + rounds_into(1)},
      {"one suffices", "0: 0-9:100", "total-size merge L0:1 -> L1 new" + rounds_into(1)},
  };
  for (const LcsCase& c : cases) {
    INFO(c.why << "\n" << c.tree);
    REQUIRE(picked(c.tree) == c.plan);
  }
}

TEST_CASE("scylla-lcs takes the 32 oldest of level 0, or a tier if a level is above its target") {
  const auto level0 = [](int count) {
    std::string text = "0:";
    for (int i = 0; i < count; ++i) text += i == 0 ? " 0-9:10" : " / 0-9:10";
    return text + "\n";
  };
  const std::string all = picked(level0(33));
  REQUIRE(all.starts_with("total-size merge L0:2 L0:3"));
  REQUIRE(all.find("L0:33 -> L1 new") < all.size());
  REQUIRE(picked(level0(33) + "1: 0-9:1002").starts_with("sorted-run-count merge L0:2 L0:3"));
  REQUIRE(picked(level0(32) + "1: 0-9:1002").starts_with("level-saturated merge L1:33 -> L2"));
}

TEST_CASE("scylla-lcs takes an SSTable of the deepest starved level along") {
  const auto tree = [](const std::vector<std::uint64_t>& rounds, const std::string& deep) {
    return fmt::format("0@{}:\n1: 10-20:1200\n2: 5-12:10 18-30:10\n{}", packed(rounds), deep);
  };
  const auto inputs = [&](const std::vector<std::uint64_t>& rounds, const std::string& deep) {
    const std::string text = picked(tree(rounds, deep));
    return text.substr(0, text.find(" ->"));
  };
  const std::string merge = "level-saturated merge L1:1 L2:2,3";
  // More than 25 merges before this one, where Cassandra counts this one, too.
  REQUIRE(inputs({0, 0, 25}, "3: 6-7:10") == merge);
  REQUIRE(inputs({0, 0, 26}, "3: 6-7:10") == merge + " L3:4");
  // Level 4 is not starved, level 3 is.
  REQUIRE(inputs({0, 0, 26, 25}, "3: 6-7:10\n4: 6-7:10") == merge + " L3:4");
  // Level 4 is starved, but level 3 has its keys; then none goes.
  REQUIRE(inputs({0, 0, 26, 26}, "3: 6-7:10\n4: 6-7:10") == merge);
  REQUIRE(inputs({0, 0, 26, 26}, "3: 8-9:10\n4: 6-7:10") == merge + " L4:5");
}

TEST_CASE("scylla-lcs merges an SSTable with many tombstones by itself, whatever overlaps it") {
  const std::string rule = ",tombstone_threshold=20%,tombstone_compaction_interval=100";
  REQUIRE(picked("1: 0-9:10,n=10,t=1\n2: 0-9:100,n=10,t=2 20-29:10,n=10,t=3", rule, 100) ==
          "tombstone-density merge L2:3 -> L2 run cursor L2=29" + rounds_into(2));
  REQUIRE(picked("1: 0-9:10,n=10,t=1\n2: 0-9:100,n=10,t=2 20-29:10,n=10,t=3,c=1", rule, 100) ==
          "tombstone-density merge L2:2 -> L2 run cursor L2=9" + rounds_into(2));
  REQUIRE(picked("1: 0-9:10,n=10,t=2\n2: 0-9:100,n=10,t=1", rule, 100) ==
          "tombstone-density merge L1:1 -> L1 run cursor L1=9" + rounds_into(1));
  REQUIRE(picked("0: 0-9:10,n=10,t=2", rule, 100) ==
          "tombstone-density merge L0:1 -> L0 run" + rounds_into(0));
  REQUIRE(picked("0: 0-9:10,n=10,t=2", rule, 99) == "nothing");
  REQUIRE(picked("0: 0-9:10,n=10", rule + ",unchecked_tombstone_compaction=true", 100) ==
          "tombstone-density merge L0:1 -> L0 run" + rounds_into(0));
}

// An SSTable of a tree as plain lists.
struct Listed {
  std::uint64_t id = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t bytes = 0;
};
using Lists = std::vector<std::vector<Listed>>;  // level 0 newest first, the others by key

double bytes_of(const std::vector<Listed>& level) {
  double sum = 0;
  for (const Listed& one : level) sum += static_cast<double>(one.bytes);
  return sum;
}

// Of the plan only the reason, the level of the upper SSTables, and their ids: what a list needs.
struct Wanted {
  std::string reason = "nothing";
  std::size_t level = 0;
  std::vector<std::uint64_t> ids;
};

Wanted tier_of(const std::vector<Listed>& level0) {
  std::vector<Listed> order(level0.rbegin(), level0.rend());
  std::stable_sort(order.begin(), order.end(),
                   [](const Listed& a, const Listed& b) { return a.bytes < b.bytes; });
  std::vector<std::vector<Listed>> tiers;
  for (const Listed& one : order) {
    bool joins = !tiers.empty();
    if (joins) {
      const double count = static_cast<double>(tiers.back().size());
      const double sum = bytes_of(tiers.back());
      const auto size = static_cast<double>(one.bytes);
      joins = size * count > sum / 2 && size * count < sum * 1.5 &&
              static_cast<double>(tiers.back().front().bytes) * (count + 1) > (sum + size) / 2;
    }
    if (!joins) tiers.emplace_back();
    tiers.back().push_back(one);
  }
  Wanted wanted;
  for (const std::vector<Listed>& tier : tiers) {
    const std::size_t count = std::min<std::size_t>(tier.size(), 32);
    if (tier.size() < 4 || count <= wanted.ids.size()) continue;
    wanted = {"sorted-run-count", 0, {}};
    for (std::size_t i = 0; i < count; ++i) wanted.ids.push_back(tier[i].id);
  }
  std::sort(wanted.ids.begin(), wanted.ids.end());
  return wanted;
}

Wanted wanted_of(const Lists& levels, const std::vector<std::optional<std::uint64_t>>& cursors) {
  const auto next_of = [&](std::size_t level) {
    for (const Listed& one : levels[level]) {
      if (!cursors[level] || one.first > *cursors[level]) return one.id;
    }
    return levels[level].front().id;
  };
  for (std::size_t level = levels.size() - 1; level > 0; --level) {
    if (bytes_of(levels[level]) / (100 * std::pow(10, level)) <= 1.001) continue;
    if (levels[0].size() > 32) {
      if (Wanted tier = tier_of(levels[0]); !tier.ids.empty()) return tier;
    }
    return {"level-saturated", level, {next_of(level)}};
  }
  if (bytes_of(levels[0]) >= 100) {
    Wanted all{"total-size", 0, {}};
    for (const Listed& one : levels[0]) all.ids.push_back(one.id);
    if (all.ids.size() > 32) all.ids.erase(all.ids.begin(), all.ids.end() - 32);
    return all;
  }
  if (Wanted tier = tier_of(levels[0]); !tier.ids.empty()) return tier;
  for (std::size_t level = levels.size() - 1; level > 1; --level) {
    if (levels[level].empty() || levels[level - 1].empty()) continue;
    if (bytes_of(levels[level]) >= 10 * bytes_of(levels[level - 1])) continue;
    return {"size-ratio", level - 1, {next_of(level - 1)}};
  }
  return {};
}

TEST_CASE("scylla-lcs wants what leveled_manifest wants on lists of SSTables") {
  std::mt19937_64 random(31);
  const auto below = [&](std::uint64_t most) { return random() % most; };
  std::map<std::string, int> seen;
  for (int trial = 0; trial < 10'000; ++trial) {
    CAPTURE(trial);
    Lists levels(1 + below(4));
    std::vector<std::optional<std::uint64_t>> cursors(levels.size());
    std::uint64_t id = 0;
    const std::uint64_t flushes = below(3) == 0 ? 25 + below(20) : below(8);
    const std::uint64_t largest = below(2) == 0 ? 3 : 60;
    for (std::uint64_t i = 0; i < flushes; ++i) {
      const std::uint64_t first = below(400);
      levels[0].push_back({++id, first, first + below(50), 1 + below(largest)});
    }
    for (std::size_t level = 1; level < levels.size(); ++level) {
      if (below(3) > 0) cursors[level] = below(500);
      const std::uint64_t size = level == 1 ? 160 : level == 2 ? 1200 : 1500;
      for (std::uint64_t next = below(30); next < 500; next += 1 + below(60)) {
        const std::uint64_t last = next + below(60);
        levels[level].push_back({++id, next, last, 1 + below(size)});
        next = last;
      }
    }
    std::string text;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      text += std::to_string(level);
      if (cursors[level]) text += "@" + std::to_string(*cursors[level]);
      text += ":";
      for (const Listed& one : levels[level]) {
        if (level == 0 && one.id > 1) text += " /";
        text += fmt::format(" {}-{}:{}", one.first, one.last, one.bytes);
      }
      text += "\n";
    }
    INFO(text);
    TreeReader reader(text);
    const auto plan = testing::pick_on(*testing::policy_of_text(kSpec), reader.tree());
    const Wanted wanted = wanted_of(levels, cursors);
    REQUIRE((plan ? reason_name(plan->reason) : "nothing") == wanted.reason);
    ++seen[wanted.reason];
    if (!plan) continue;
    std::vector<std::uint64_t> ids;
    for (const PlanInput& input : plan_inputs(*plan)) {
      if (input.level != wanted.level) continue;
      for (const FileId one : input.files) ids.push_back(one.value());
    }
    REQUIRE(ids == wanted.ids);
  }
  for (const char* reason :
       {"level-saturated", "total-size", "sorted-run-count", "size-ratio", "nothing"}) {
    CAPTURE(reason);
    REQUIRE(seen[reason] > 200);
  }
}

}  // namespace
}  // namespace lsmlab::scylla_lcs_test
