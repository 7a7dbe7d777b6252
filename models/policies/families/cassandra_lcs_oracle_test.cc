// cassandra-lcs over random trees beside a second statement of LeveledManifest: loops over lists.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "models/policies/cassandra/leveled.h"
#include "testing/pick_on.h"
#include "testing/tree_reader.h"

namespace lsmlab::cassandra_lcs_oracle_test {
namespace {

// The rounds that LevelRounds packs: of level 1, 2, ...
std::uint64_t packed(const std::vector<std::uint64_t>& rounds) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) all += rounds[i] << (8 * i);
  return all;
}

// SSTables of 100 bytes: level i may hold 3^i of them.
const char* const kSpec = "cassandra-lcs:sstable_size=100,fanout_size=3,min_sstable_size=0";

// A tree as plain lists.
struct Listed {
  std::uint64_t id = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t bytes = 0;
  bool busy = false;

  [[nodiscard]] bool meets(std::uint64_t from, std::uint64_t to) const {
    return first <= to && from <= last;
  }
};
using Lists = std::vector<std::vector<Listed>>;  // level 0 newest first, the others by key

struct Drawn {
  Lists levels;
  std::vector<std::optional<std::uint64_t>> cursors;
  std::vector<std::uint64_t> rounds;  // of level 1 and on

  [[nodiscard]] std::string text() const {
    std::string all;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      all += std::to_string(level);
      if (level == 0) all += "@" + std::to_string(packed(rounds));
      if (level > 0 && cursors[level]) all += "@" + std::to_string(*cursors[level]);
      all += ":";
      for (const Listed& one : levels[level]) {
        if (level == 0 && one.id != levels[0].front().id) all += " /";
        all += fmt::format(" {}-{}:{}{}", one.first, one.last, one.bytes, one.busy ? ",busy" : "");
      }
      all += "\n";
    }
    return all;
  }
};

std::string ids_text(std::size_t level, std::vector<std::uint64_t> ids) {
  std::sort(ids.begin(), ids.end());
  std::string text;
  // Every SSTable of level 0 is a run.
  for (const std::uint64_t id : ids) {
    text += level == 0 || text.empty() ? fmt::format(" L{}:{}", level, id) : fmt::format(",{}", id);
  }
  return text;
}

// The oracle: LeveledManifest as loops over lists.
class Manifest {
 public:
  Manifest(Drawn drawn, std::size_t max_threshold)
      : drawn_(std::move(drawn)), max_threshold_(max_threshold) {
    drawn_.levels.resize(10);
    drawn_.cursors.resize(10);
    drawn_.rounds.resize(8);
  }

  [[nodiscard]] std::string wanted() {
    for (std::size_t level = 8; level > 0; --level) {
      double idle = 0;
      for (const Listed& one : drawn_.levels[level]) {
        if (!one.busy) idle += static_cast<double>(one.bytes);
      }
      if (level == 8 || idle / (100 * std::pow(3, level)) <= 1.001) continue;
      if (const std::string tier = tier_of_level0(); !tier.empty()) return tier;
      if (const std::string down = push_down(level); !down.empty()) return down;
    }
    if (const std::string merge = merge_level0(); !merge.empty()) return merge;
    const std::string tier = tier_of_level0();
    return tier.empty() ? "nothing" : tier;
  }

 private:
  [[nodiscard]] std::string run_word(std::size_t level) const {
    return drawn_.levels[level].empty() ? "new" : "run";
  }

  [[nodiscard]] std::string tier_of_level0() const {
    if (drawn_.levels[0].size() <= 32) return "";
    std::vector<Listed> idle;
    for (auto one = drawn_.levels[0].rbegin(); one != drawn_.levels[0].rend(); ++one) {
      if (!one->busy) idle.push_back(*one);
    }
    std::stable_sort(idle.begin(), idle.end(),
                     [](const Listed& a, const Listed& b) { return a.bytes < b.bytes; });
    std::vector<std::uint64_t> best;
    std::vector<std::uint64_t> tier;
    std::uint64_t average = 0;
    for (const Listed& one : idle) {
      const bool joins = !tier.empty() && one.bytes * 2 > average && one.bytes * 2 < average * 3;
      average = joins ? (average * tier.size() + one.bytes) / (tier.size() + 1) : one.bytes;
      if (!joins) tier.clear();
      tier.push_back(one.id);
      if (tier.size() >= 4) {
        best = tier;
        if (best.size() > max_threshold_) best.resize(max_threshold_);
      }
    }
    return best.empty() ? "" : "sorted-run-count merge" + ids_text(0, best) + " -> L0 new";
  }

  [[nodiscard]] std::string push_down(std::size_t level) {
    std::vector<Listed> order;
    const auto add = [&](bool beyond) {
      for (const Listed& one : drawn_.levels[level]) {
        const bool is_beyond = drawn_.cursors[level] && one.first > *drawn_.cursors[level];
        if (is_beyond == beyond) order.push_back(one);
      }
    };
    add(true);
    add(false);
    for (const Listed& one : order) {
      std::vector<std::uint64_t> below;
      std::uint64_t from = one.first;
      std::uint64_t to = one.last;
      bool is_free = !one.busy;
      for (const Listed& other : drawn_.levels[level + 1]) {
        if (!other.meets(one.first, one.last)) continue;
        below.push_back(other.id);
        from = std::min(from, other.first);
        to = std::max(to, other.last);
        is_free = is_free && !other.busy;
      }
      if (!is_free) continue;
      for (std::size_t i = 0; i < 8; ++i) ++drawn_.rounds[i];
      drawn_.rounds[level] = 0;  // of level + 1
      return "level-saturated merge" + ids_text(level, {one.id}) + ids_text(level + 1, below) +
             starved(level + 1, from, to) +
             fmt::format(" -> L{} {}", level + 1, run_word(level + 1)) +
             fmt::format(" cursor L{}={} cursor L0={}", level, to, packed(drawn_.rounds));
    }
    return "";
  }

  [[nodiscard]] std::string starved(std::size_t target, std::uint64_t from,
                                    std::uint64_t to) const {
    std::size_t deepest = 8;
    while (drawn_.levels[deepest].empty()) --deepest;
    if (deepest <= target || drawn_.rounds[deepest - 1] <= 25 || from == to) return "";
    for (const Listed& one : drawn_.levels[deepest]) {
      if (one.first < from || one.last > to || one.busy) continue;
      for (std::size_t between = target + 1; between < deepest; ++between) {
        for (const Listed& other : drawn_.levels[between]) {
          if (other.meets(one.first, one.last)) return "";
        }
      }
      return ids_text(deepest, {one.id});
    }
    return "";
  }

  [[nodiscard]] std::string merge_level0() const {
    const std::vector<Listed>& level0 = drawn_.levels[0];
    std::uint64_t from = ~std::uint64_t{0};
    std::uint64_t to = 0;
    for (const Listed& one : level0) {
      if (!one.busy) continue;
      from = std::min(from, one.first);
      to = std::max(to, one.last);
    }
    std::set<std::uint64_t> candidates;
    std::set<std::uint64_t> remaining;
    for (const Listed& one : level0) remaining.insert(one.id);
    for (auto one = level0.rbegin(); one != level0.rend(); ++one) {
      if (candidates.contains(one->id)) continue;
      std::vector<Listed> group;
      bool is_free = true;
      for (const Listed& other : level0) {
        const bool meets = remaining.contains(other.id) && other.meets(one->first, one->last);
        if (other.id != one->id && !meets) continue;
        group.push_back(other);
        is_free = is_free && !other.busy;
      }
      if (!is_free) continue;
      for (const Listed& other : group) {
        if (from > to || !other.meets(from, to)) candidates.insert(other.id);
        remaining.erase(other.id);
      }
      if (candidates.size() > max_threshold_) break;
    }
    return merge_of(candidates);
  }

  [[nodiscard]] std::string merge_of(std::set<std::uint64_t> candidates) const {
    // A larger id is an older SSTable.
    while (candidates.size() > max_threshold_) candidates.erase(candidates.begin());
    std::uint64_t bytes = 0;
    std::uint64_t from = ~std::uint64_t{0};
    std::uint64_t to = 0;
    std::vector<std::uint64_t> ids;
    for (const Listed& one : drawn_.levels[0]) {
      if (!candidates.contains(one.id)) continue;
      bytes += one.bytes;
      from = std::min(from, one.first);
      to = std::max(to, one.last);
      ids.push_back(one.id);
    }
    if (ids.empty()) return "";
    if (bytes < 100) {
      return ids.size() < 2 ? "" : "level0-only merge" + ids_text(0, ids) + " -> L0 new";
    }
    // Where the levels' order of age needs it, an older SSTable that overlaps one of these goes,
    // too.
    std::set<std::uint64_t> taken(ids.begin(), ids.end());
    for (std::size_t before = 0; before != taken.size();) {
      before = taken.size();
      for (const Listed& newer : drawn_.levels[0]) {
        for (const Listed& older : drawn_.levels[0]) {
          if (!taken.contains(newer.id) || taken.contains(older.id) || older.id < newer.id ||
              !older.meets(newer.first, newer.last)) {
            continue;
          }
          if (older.busy) return "";
          taken.insert(older.id);
          from = std::min(from, older.first);
          to = std::max(to, older.last);
        }
      }
    }
    ids.assign(taken.begin(), taken.end());
    std::vector<std::uint64_t> below;
    for (const Listed& one : drawn_.levels[1]) {
      if (!one.meets(from, to)) continue;
      if (one.busy) return "";
      below.push_back(one.id);
    }
    for (const Listed& one : drawn_.levels[0]) {
      if (one.busy && one.meets(from, to)) return "";
    }
    if (ids.size() + below.size() < 2) return "";
    return "total-size merge" + ids_text(0, ids) + ids_text(1, below) + " -> L1 " + run_word(1);
  }

  Drawn drawn_;
  std::size_t max_threshold_;
};

Drawn draw(std::mt19937_64& random) {
  Drawn drawn;
  const auto below = [&](std::uint64_t most) { return random() % most; };
  const std::size_t levels = 1 + below(5);
  drawn.levels.resize(levels);
  drawn.cursors.resize(levels);
  std::uint64_t id = 0;
  const std::uint64_t one_busy_in = 3 + below(30);
  const std::uint64_t flushes = below(3) == 0 ? 25 + below(20) : below(8);
  const std::uint64_t width = below(2) == 0 ? 4 : 200;
  for (std::uint64_t i = 0; i < flushes; ++i) {
    const std::uint64_t first = below(400);
    drawn.levels[0].push_back(
        {++id, first, first + below(width), 5 + below(60), below(one_busy_in) == 0});
  }
  for (std::size_t level = 1; level < levels; ++level) {
    if (below(3) > 0) drawn.cursors[level] = below(500);
    std::uint64_t next = below(30);
    while (next < 500) {
      const std::uint64_t last = next + below(60);
      drawn.levels[level].push_back({++id, next, last, 20 + below(90), below(one_busy_in) == 0});
      next = last + 1 + below(level == 1 ? 160 : 30);
    }
  }
  for (std::size_t level = 1; level < LcsOptions::kLevels; ++level) {
    drawn.rounds.push_back(below(3) == 0 ? 20 + below(12) : below(20));
  }
  return drawn;
}

TEST_CASE("cassandra-lcs wants what LeveledManifest wants on lists of SSTables") {
  std::mt19937_64 random(21);
  std::map<std::string, int> seen;
  for (int trial = 0; trial < 20'000; ++trial) {
    CAPTURE(trial);
    const Drawn drawn = draw(random);
    const std::string text = drawn.text();
    INFO(text);
    const std::uint64_t max_threshold = 4 + random() % 40;
    testing::TreeReader reader(text);
    const auto policy =
        testing::policy_of_text(fmt::format("{},max_threshold={}", kSpec, max_threshold));
    const std::string plan = testing::plan_text(testing::pick_on(*policy, reader.tree()));
    REQUIRE(plan == Manifest(drawn, max_threshold).wanted());
    ++seen[plan.substr(0, plan.find(' '))];
    const bool has_starved = plan.starts_with("level-saturated merge L1") &&
                             (plan.find(" L3:") < plan.size() || plan.find(" L4:") < plan.size());
    seen["starved"] += has_starved ? 1 : 0;
  }
  REQUIRE(seen["level-saturated"] > 1000);
  REQUIRE(seen["total-size"] > 1000);
  REQUIRE(seen["level0-only"] > 500);
  REQUIRE(seen["sorted-run-count"] > 200);
  REQUIRE(seen["nothing"] > 500);
  REQUIRE(seen["starved"] > 100);
}

}  // namespace
}  // namespace lsmlab::cassandra_lcs_oracle_test
