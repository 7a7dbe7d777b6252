// Compares the choice of a file with its definition: tries every file, with every criterion as the
// paper states it, on random trees.
#include <fmt/format.h>

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include "testing/catch.h"
#include "testing/pick_on.h"
#include "testing/tree_reader.h"

namespace lsmlab::primitives_oracle_test {
namespace {

using Random = boost::random::mt19937_64;

std::uint64_t draw(Random& random, std::uint64_t min, std::uint64_t max) {
  return boost::random::uniform_int_distribution<std::uint64_t>(min, max)(random);
}

std::string random_run(Random& random, std::uint64_t file_bytes, std::uint64_t busy_percent) {
  std::string text;
  for (std::uint64_t key = draw(random, 0, 20); key < 200; key += draw(random, 1, 15)) {
    const std::uint64_t end = key + draw(random, 0, 20);
    text +=
        fmt::format(" {}-{}:{},n=10,t={},o={},a={},q={}", key, end, file_bytes + draw(random, 0, 2),
                    draw(random, 0, 4), draw(random, 1, 6), draw(random, 0, 4), draw(random, 0, 4));
    if (draw(random, 0, 99) < busy_percent) text += ",busy";
    key = end;
  }
  return text;
}

// In level 1 of 4 levels, T = 1024: 9225 * (1024^2 - 1) / (1024^3 - 1) = 9.009 operations.
constexpr std::uint64_t kNow = 13;
bool is_expired(const File& file) {
  return file.tombstones > Entries(0) && kNow - file.oldest_tombstone->value() > 9;
}

class Oracle {
 public:
  explicit Oracle(const TreeView& tree) : tree_(tree) {}

  // Nothing if every file is blocked.
  std::optional<FileId> choose(const std::vector<std::string>& movements) const {
    std::vector<const File*> left;
    for (const File& file : tree_.levels()[1].runs[0].files) {
      if (!is_blocked(file)) left.push_back(&file);
    }
    if (left.empty()) return std::nullopt;
    for (const std::string& movement : movements) {
      std::vector<const File*> best;
      for (const File* file : left) {
        if (!names(movement, *file)) continue;
        const bool is_beaten = std::any_of(left.begin(), left.end(), [&](const File* other) {
          return names(movement, *other) && is_better(movement, *other, *file);
        });
        if (!is_beaten) best.push_back(file);
      }
      if (!best.empty()) left = best;
    }
    const auto in_turn = [this](const File* a, const File* b) {
      return is_better("round-robin", *a, *b);
    };
    return (*std::min_element(left.begin(), left.end(), in_turn))->id;
  }

 private:
  std::vector<const File*> met(const File& file, std::size_t level) const {
    std::vector<const File*> found;
    for (const File& other : tree_.levels()[level].runs[0].files) {
      if (other.keys.overlaps(file.keys)) found.push_back(&other);
    }
    return found;
  }

  std::uint64_t overlap(const File& file, std::size_t level) const {
    std::uint64_t bytes = 0;
    for (const File* other : met(file, level)) bytes += other->bytes.value();
    return bytes;
  }

  bool is_blocked(const File& file) const {
    if (file.busy) return true;
    const auto below = met(file, 2);
    if (std::any_of(below.begin(), below.end(), [](const File* f) { return f->busy; })) return true;
    if (!below.empty()) return false;
    // Next to busy files only, or in a gap between two of them.
    const RunFiles& files = tree_.levels()[2].runs[0].files;
    if (std::all_of(files.begin(), files.end(), [](const File& f) { return f.busy; })) return true;
    const File* left = nullptr;
    const File* right = nullptr;
    for (const File& other : files) {
      if (other.keys.largest < file.keys.smallest) left = &other;
      if (right == nullptr && other.keys.smallest > file.keys.largest) right = &other;
    }
    return left != nullptr && right != nullptr && left->busy && right->busy;
  }

  static bool names(const std::string& movement, const File& file) {
    // density 0.3 of 10 entries
    if (movement == "most-tombstones") return file.tombstones >= Entries(3);
    if (movement == "expired-ttl") return is_expired(file);
    return true;
  }

  bool is_lighter(const File& a, const File& b, std::size_t level) const {
    return overlap(a, level) * b.bytes.value() < overlap(b, level) * a.bytes.value();
  }

  bool is_better(const std::string& movement, const File& a, const File& b) const {
    if (movement == "least-overlap-parent") return is_lighter(a, b, 2);
    if (movement == "least-overlap-grandparent") return is_lighter(a, b, 3);
    if (movement == "coldest") return a.last_access < b.last_access;
    if (movement == "oldest") return a.sequences.first < b.sequences.first;
    if (movement == "most-tombstones") return a.tombstones > b.tombstones;
    if (movement == "expired-ttl") return a.oldest_tombstone < b.oldest_tombstone;
    REQUIRE(movement == "round-robin");
    const auto cursor = tree_.levels()[1].cursor;
    const bool a_is_ahead = !cursor || a.keys.smallest > *cursor;
    const bool b_is_ahead = !cursor || b.keys.smallest > *cursor;
    if (a_is_ahead != b_is_ahead) return a_is_ahead;
    return a.keys.smallest < b.keys.smallest;
  }

  const TreeView& tree_;
};

std::vector<std::string> random_movements(Random& random) {
  std::vector<std::string> left = {"least-overlap-parent",
                                   "least-overlap-grandparent",
                                   "coldest",
                                   "oldest",
                                   "most-tombstones",
                                   "expired-ttl",
                                   "round-robin"};
  std::vector<std::string> movements;
  for (std::uint64_t count = draw(random, 1, left.size()); count > 0; --count) {
    const auto at = static_cast<std::ptrdiff_t>(draw(random, 0, left.size() - 1));
    movements.push_back(left[static_cast<std::size_t>(at)]);
    left.erase(left.begin() + at);
    if (movements.back() == "round-robin") break;
  }
  return movements;
}

TEST_CASE("the chosen file is the one that trying every file by definition finds") {
  std::size_t blocked = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    const std::uint64_t busy_percent = seed % 3 == 0 ? draw(random, 0, 90) : 0;
    std::string tree = "1";
    if (draw(random, 0, 3) > 0) tree += fmt::format("@{}", draw(random, 0, 220));
    // Only level 1 is saturated: it has 100 bytes of 50. The others are far below their 50 * 1024.
    tree += ":" + random_run(random, 100, busy_percent) +
            "\n2:" + random_run(random, 3, busy_percent) + "\n3:" + random_run(random, 3, 0);
    const std::vector<std::string> movements = random_movements(random);
    const bool has_density =
        std::find(movements.begin(), movements.end(), "most-tombstones") != movements.end();
    const std::string options = fmt::format(
        "size_ratio=1024,level_base=50,trigger=level-saturation+tombstone-ttl,"
        "delete_persistence=9225,movement={}{}",
        fmt::join(movements, "+"), has_density ? ",tombstone_density=0.3" : "");
    INFO("seed " << seed << ": " << options << "\n" << tree);
    testing::TreeReader reader(tree);
    reader.tree().advance_now(Instant(kNow));
    const auto plan =
        testing::pick_on(*testing::policy_of_text("primitives:" + options), reader.tree());
    const std::optional<FileId> expected = Oracle(reader.tree()).choose(movements);
    if (!expected) {
      ++blocked;
      REQUIRE((!plan || plan->reason != PlanReason::kLevelSaturated));
      continue;
    }
    REQUIRE(plan.has_value());
    REQUIRE(plan->reason == PlanReason::kLevelSaturated);
    REQUIRE(plan_inputs(*plan)[0].files == std::vector<FileId>{*expected});
  }
  REQUIRE(blocked > 10);  // enough busy files to test blocking
}

}  // namespace
}  // namespace lsmlab::primitives_oracle_test
