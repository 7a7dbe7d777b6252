// Picks of cassandra-twcs on hand-made trees, and over random trees beside a loop over a plain
// list.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"
#include "testing/tree_reader.h"

namespace lsmlab::cassandra_twcs_test {
namespace {

struct Writes {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t bytes = 10;
};

// SSTables 1, 2, ... of these writes, newest first.
std::vector<DrawnFile> sstables(const std::vector<Writes>& given) {
  std::vector<DrawnFile> files;
  for (const Writes& one : given) {
    files.push_back({0, files.size() + 1, 10, 90, one.bytes, {one.first, one.last}, 10});
  }
  return files;
}

TEST_CASE("cassandra-twcs merges by size in the newest window, and older windows to one SSTable") {
  const std::string window = "compaction_window_size=100";
  check_picks("cassandra-twcs",
              {
                  {"three in the newest window are too few",
                   window,
                   sstables({{30, 39}, {20, 29}, {10, 19}}),
                   {},
                   "nothing"},
                  {"four",
                   window,
                   sstables({{30, 39}, {20, 29}, {10, 19}, {1, 9}}),
                   {},
                   "merge L0 1,2,3,4 to L0"},
                  {"four of different sizes",
                   window + ",min_sstable_size=0",
                   sstables({{30, 39, 10}, {20, 29, 20}, {10, 19, 40}, {1, 9, 80}}),
                   {},
                   "nothing"},
                  {"an older window needs two, of whatever sizes",
                   window + ",min_sstable_size=0",
                   sstables({{101, 110}, {20, 29}, {1, 9, 1000}}),
                   {},
                   "merge L0 2,3 to L0"},
                  {"one is done", window, sstables({{101, 110}, {1, 9}}), {}, "nothing"},
                  {"the newest write counts: write 100 is the last of its window",
                   window,
                   sstables({{110, 119}, {95, 101}, {1, 100}}),
                   {},
                   "nothing"},
                  {"and 101 the first of the next",
                   window,
                   sstables({{210, 219}, {102, 109}, {95, 101}, {1, 100}}),
                   {},
                   "merge L0 2,3 to L0"},
                  {"the newest of the older windows first",
                   window,
                   sstables({{301, 310}, {210, 219}, {201, 209}, {110, 119}, {101, 109}}),
                   {},
                   "merge L0 2,3 to L0"},
                  {"at most max_threshold, the smallest, of equal ones the oldest",
                   window + ",max_threshold=4",
                   sstables({{101, 102}, {81, 90}, {71, 80, 11}, {61, 70}, {51, 60}, {1, 50}}),
                   {},
                   "merge L0 2,4,5,6 to L0"},
                  {"a running merge's SSTables do not count",
                   window,
                   sstables({{101, 110}, {20, 29}, {10, 19}, {1, 9}}),
                   {3},
                   "merge L0 2,4 to L0"},
                  {"but they tell which window is the newest",
                   window,
                   sstables({{101, 110}, {20, 29}, {1, 9}}),
                   {1},
                   "merge L0 2,3 to L0"},
              });
}

TEST_CASE("cassandra-twcs drops SSTables with nothing but expired writes") {
  const std::string window = "compaction_window_size=100,";
  const std::vector<DrawnFile> three = sstables({{101, 200}, {51, 60}, {1, 50}});
  check_picks(
      "cassandra-twcs",
      {
          {"149 writes after the newest one are more than 148",
           window + "ttl=149",
           three,
           {},
           "drop L0 3"},
          {"and 150 are not more than 150", window + "ttl=150", three, {}, "merge L0 2,3 to L0"},
          {"several at once", window + "ttl=100", three, {}, "drop L0 2,3"},
          {"no ttl", "compaction_window_size=100", three, {}, "merge L0 2,3 to L0"},
          {"an SSTable that lives has an older write",
           window + "ttl=140",
           sstables({{101, 200}, {1, 60}, {2, 50}}),
           {},
           "merge L0 2,3 to L0"},
          {"even if it is an input of a merge",
           window + "ttl=140",
           sstables({{101, 200}, {1, 60}, {2, 50}}),
           {2},
           "nothing"},
          {"an expired one does not matter",
           window + "ttl=100",
           sstables({{101, 200}, {1, 60}, {2, 50}}),
           {},
           "drop L0 2,3"},
          {"with gc_grace it stays for so long beyond its ttl",
           window + "ttl=100,gc_grace=40",
           sstables({{101, 200}, {41, 60}, {1, 40}}),
           {},
           "drop L0 3"},
          {"it stays while it is an input", window + "ttl=100", three, {3}, "drop L0 2"},
      });
}

TEST_CASE("cassandra-twcs merges the smallest SSTable with many tombstones by itself") {
  testing::TreeReader reader(
      "0: 0-9:30,n=10,t=5,q=301,l=310 / 20-29:20,n=10,t=5,q=201,l=210 / "
      "40-49:20,n=10,t=5,q=101,l=110 / 60-69:5,n=10,t=1,q=1,l=9");
  reader.tree().advance_now(Instant(1000));
  const auto plan = [&](const std::string& options) {
    const auto policy =
        testing::policy_of_text("cassandra-twcs:compaction_window_size=100" + options);
    return testing::plan_text(testing::pick_on(*policy, reader.tree()));
  };
  REQUIRE(plan("") == "nothing");
  REQUIRE(plan(",tombstone_threshold=20%,tombstone_compaction_interval=10") ==
          "tombstone-density merge L0:3 -> L0 new");
  REQUIRE(plan(",tombstone_threshold=50%,tombstone_compaction_interval=10") == "nothing");
}

struct Listed {
  std::uint64_t id = 0;
  Writes writes;
  bool busy = false;
};

// What the rule wants, over a list, newest first: the ids that go, or those that merge.
std::string wanted(const std::vector<Listed>& list, std::uint64_t window, std::uint64_t ttl) {
  std::uint64_t now = 0;
  for (const Listed& one : list) now = std::max(now, one.writes.last);
  const auto ids_text = [](const char* verb, const std::set<std::uint64_t>& ids) {
    std::string text = verb;
    for (const std::uint64_t id : ids) text += (id == *ids.begin() ? "" : ",") + std::to_string(id);
    return text;
  };
  std::set<std::uint64_t> gone;
  for (const Listed& one : list) {
    bool goes = !one.busy && one.writes.last + ttl < now;
    for (const Listed& other : list) {
      const bool lives = other.writes.last + ttl >= now;
      if (lives && other.writes.first <= one.writes.last) goes = false;
    }
    if (goes) gone.insert(one.id);
  }
  if (!gone.empty()) return ids_text("drop L0 ", gone);
  std::map<std::uint64_t, std::vector<Listed>, std::greater<>> windows;
  for (const Listed& one : list) {
    if (!one.busy) windows[(one.writes.last - 1) / window].push_back(one);
  }
  for (auto& [number, members] : windows) {
    const bool is_newest = number == (now - 1) / window;
    if (members.size() < (is_newest ? 4 : 2)) continue;
    // All sizes are small, so the newest window is one tier.
    std::stable_sort(members.begin(), members.end(), [](const Listed& a, const Listed& b) {
      return a.writes.bytes != b.writes.bytes ? a.writes.bytes < b.writes.bytes : a.id > b.id;
    });
    if (members.size() > 5) members.resize(5);
    std::set<std::uint64_t> ids;
    for (const Listed& one : members) ids.insert(one.id);
    return ids_text("merge L0 ", ids) + " to L0";
  }
  return "nothing";
}

TEST_CASE("cassandra-twcs wants what the rule wants on a list of SSTables") {
  std::mt19937_64 random(8);
  std::map<char, int> seen;
  for (int trial = 0; trial < 3000; ++trial) {
    CAPTURE(trial);
    std::vector<Listed> list;
    std::vector<DrawnFile> files;
    std::uint64_t last = 400 + random() % 200;
    for (std::uint64_t id = 1; id <= 1 + random() % 12; ++id) {
      const std::uint64_t first = last - std::min(last - 1, random() % 60);
      list.push_back({id, {first, last, 1 + random() % 4}, random() % 6 == 0});
      files.push_back({0, id, 10, 90, list.back().writes.bytes, {first, last}, 10});
      last = std::max<std::uint64_t>(1, last - std::min(last - 1, random() % 50));
    }
    const std::uint64_t window = 20 + random() % 150;
    const std::uint64_t ttl = 50 + random() % 400;
    DrawnTree tree(files);
    for (const Listed& one : list) {
      if (one.busy) tree.set_busy(one.id);
    }
    const std::string plan = plan_text(pick_of(
        "cassandra-twcs",
        fmt::format("compaction_window_size={},ttl={},max_threshold=5", window, ttl), tree.view()));
    REQUIRE(plan == wanted(list, window, ttl));
    ++seen[plan.front()];
  }
  REQUIRE(seen['d'] > 100);
  REQUIRE(seen['m'] > 200);
  REQUIRE(seen['n'] > 200);
}

TEST_CASE("cassandra-twcs refuses a window or a time to live of 0") {
  for (const char* text : {"compaction_window_size=0", "ttl=0", "min_threshold=33"}) {
    CAPTURE(text);
    REQUIRE(!make_policy(parse_spec(std::string("cassandra-twcs:") + text).value()).has_value());
  }
}

}  // namespace
}  // namespace lsmlab::cassandra_twcs_test
