// x-engine over random keys beside a second statement of its rules: loops over lists.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "testing/catch.h"
#include "testing/oracles/map_store.h"

namespace lsmlab::x_engine_oracle_test {
namespace {

struct Listed {
  std::uint64_t id = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t deletes = 0;  // in percent
  std::uint32_t level = 0;
  std::uint64_t flush = 0;  // the newest of its layer
  std::size_t run = 0;

  [[nodiscard]] bool meets(const Listed& other) const {
    return first <= other.last && other.first <= last;
  }
};
using List = std::vector<Listed>;

// Which extents reach which others over common keys, by repeated looking.
std::vector<List> pieces_of(List all) {
  std::vector<List> pieces;
  while (!all.empty()) {
    List piece{all.back()};
    all.pop_back();
    for (std::size_t i = 0; i < piece.size(); ++i) {
      for (std::size_t j = all.size(); j-- > 0;) {
        if (!piece[i].meets(all[j])) continue;
        piece.push_back(all[j]);
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
    pieces.push_back(piece);
  }
  const auto least = [](const List& piece) {
    std::uint64_t first = ~std::uint64_t{0};
    for (const Listed& one : piece) first = std::min(first, one.first);
    return first;
  };
  std::sort(pieces.begin(), pieces.end(),
            [&](const List& a, const List& b) { return least(a) < least(b); });
  return pieces;
}

struct Limits {
  double extents0 = 0;
  double layers = 0;
  double extents1 = 0;
  std::size_t part = 0;
};

// Levels as lists; what a task left for a move is kept from plan to plan.
class Lists {
 public:
  explicit Lists(const Limits& limits) : limits_(limits) {}

  void check(const TreeView& tree, const std::optional<Plan>& plan) {
    read(tree);
    if (tree.pending_flush()) return;
    if (intra_mark_ > 0) {
      // All that the task took is in several layers, which become the oldest of them.
      List several = levels_[0];
      std::erase_if(several, [&](const Listed& one) {
        return one.flush > intra_mark_ || one.run + 1 == layers_.size();
      });
      rest_ = ids(several);
      intra_mark_ = 0;
    }
    if (!rest_.empty()) {
      REQUIRE(plan.has_value());
      REQUIRE(std::holds_alternative<MovePlan>(plan->action));
      REQUIRE(ids(plan_inputs(*plan)) == rest_);
      REQUIRE(plan_target(*plan).level == rest_level_);
      rest_.clear();
      ++moves;
      return;
    }
    const double all0 = static_cast<double>(levels_[0].size());
    const double all1 = static_cast<double>(levels_[1].size());
    const double all2 = static_cast<double>(levels_[2].size());
    const double intra =
        all0 >= limits_.layers ? static_cast<double>(layers_.size()) / limits_.layers : 0;
    const double minor = all0 >= limits_.layers ? all0 / limits_.extents0 : 0;
    const double major = all1 > 0 ? all1 / limits_.extents1 - all2 / all1 / 10 : 0;
    if (std::max({intra, minor, major}) <= 1) {
      REQUIRE(!plan.has_value());
      return;
    }
    REQUIRE(plan.has_value());
    if (intra >= minor && intra >= major) {
      check_layers(*plan, 16, 0);
    } else if (minor >= major) {
      check_layers(*plan, 15, 1);
    } else {
      check_major(*plan);
    }
  }

  std::uint64_t intras = 0;
  std::uint64_t minors = 0;
  std::uint64_t majors = 0;
  std::uint64_t moves = 0;
  std::uint64_t cuts = 0;

 private:
  void read(const TreeView& tree) {
    levels_.assign(3, {});
    layers_.clear();
    for (std::size_t level = 0; level < tree.levels().size(); ++level) {
      std::size_t index = 0;
      for (const SortedRun& run : tree.levels()[level].runs) {
        if (level == 0) layers_.push_back(run.flushes.last);
        for (const File& file : run.files) {
          levels_.at(level).push_back({file.id.value(), file.keys.smallest, file.keys.largest,
                                       file.tombstones.value() * 100 / file.entries.value(),
                                       static_cast<std::uint32_t>(level), run.flushes.last, index});
        }
        ++index;
      }
    }
  }
  [[nodiscard]] static std::vector<std::uint64_t> ids(const std::vector<PlanInput>& inputs) {
    std::vector<std::uint64_t> ids;
    for (const PlanInput& input : inputs) {
      for (const FileId id : input.files) ids.push_back(id.value());
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  }
  [[nodiscard]] static std::vector<std::uint64_t> ids(const List& list) {
    std::vector<std::uint64_t> ids;
    for (const Listed& one : list) ids.push_back(one.id);
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  void check_layers(const Plan& plan, std::size_t most, std::uint32_t target) {
    const std::size_t newest = layers_.size() - std::min(most, layers_.size());
    List taken;
    for (const Listed& one : levels_[0]) {
      if (one.flush <= layers_[newest]) taken.push_back(one);
    }
    List all = taken;
    if (target == 1) {
      for (const Listed& one : levels_[1]) {
        const bool is_met = std::any_of(taken.begin(), taken.end(),
                                        [&](const Listed& upper) { return upper.meets(one); });
        if (is_met) all.push_back(one);
      }
    }
    List alone;
    std::vector<List> rewritten;
    for (const List& piece : pieces_of(all)) {
      if (piece.size() == 1) alone.push_back(piece[0]);
      if (piece.size() > 1) rewritten.push_back(piece);
    }
    ++(target == 0 ? intras : minors);
    REQUIRE(plan_target(plan).level == target);
    if (rewritten.empty()) {
      // Within level 0 the oldest layer stays where it is.
      std::erase_if(alone,
                    [&](const Listed& one) { return target == 0 && one.flush == layers_.back(); });
      REQUIRE(std::holds_alternative<MovePlan>(plan.action));
      REQUIRE(ids(plan_inputs(plan)) == ids(alone));
      return;
    }
    List stay = target == 1 ? levels_[1] : List();
    stay.insert(stay.end(), alone.begin(), alone.end());
    check_merge(plan, rewritten, stay);
    REQUIRE(!std::get<MergePlan>(plan.action).drops_tombstones);
    if (alone.empty()) return;
    rest_level_ = target;
    if (target == 1) rest_ = ids(alone);
    if (target == 0) intra_mark_ = layers_[newest];
  }

  void check_major(const Plan& plan) {
    ++majors;
    const std::size_t count = levels_[1].size();
    const auto position = static_cast<std::size_t>(
        static_cast<double>(count) < limits_.extents0
            ? 0
            : std::min(std::floor(0.4 * static_cast<double>(count)), limits_.extents1));
    const List upper(
        levels_[1].begin() + static_cast<std::ptrdiff_t>(position > 0 ? position - 1 : 0),
        levels_[1].end());
    const Listed wide{0, upper.front().first, upper.back().last};
    List all = upper;
    for (const Listed& one : levels_[2]) {
      if (one.meets(wide)) all.push_back(one);
    }
    const std::vector<List> pieces = pieces_of(all);
    const bool reuses = count - position <= 16 ||
                        std::any_of(pieces.begin(), pieces.end(),
                                    [&](const List& piece) { return piece.size() > limits_.part; });
    List alone;
    std::vector<List> rewritten;
    for (const List& piece : pieces) {
      if (reuses && piece.size() == 1 && piece[0].deletes < 70) {
        if (piece[0].level == 1) alone.push_back(piece[0]);
      } else {
        rewritten.push_back(piece);
      }
    }
    REQUIRE(plan_target(plan).level == 2);
    if (rewritten.empty()) {
      REQUIRE(std::holds_alternative<MovePlan>(plan.action));
      REQUIRE(ids(plan_inputs(plan)) == ids(upper));
      return;
    }
    List stay = levels_[2];
    stay.insert(stay.end(), alone.begin(), alone.end());
    check_merge(plan, rewritten, stay);
    REQUIRE(std::get<MergePlan>(plan.action).drops_tombstones);
    rest_level_ = 2;
    rest_ = ids(alone);
  }

  void check_merge(const Plan& plan, const std::vector<List>& rewritten, const List& stay) {
    List inputs;
    std::vector<std::uint64_t> begins;
    std::uint64_t reached = 0;
    std::size_t in_part = 0;
    for (const List& piece : rewritten) {
      std::uint64_t first = ~std::uint64_t{0};
      std::uint64_t last = 0;
      for (const Listed& one : piece) {
        first = std::min(first, one.first);
        last = std::max(last, one.last);
      }
      const bool is_apart = std::any_of(stay.begin(), stay.end(), [&](const Listed& one) {
        return one.first > reached && one.last < first;
      });
      if (!inputs.empty() && (is_apart || in_part > limits_.part)) begins.push_back(first);
      if (in_part > limits_.part) in_part = 0;
      in_part += piece.size();
      inputs.insert(inputs.end(), piece.begin(), piece.end());
      reached = last;
    }
    REQUIRE(std::holds_alternative<MergePlan>(plan.action));
    REQUIRE(ids(plan_inputs(plan)) == ids(inputs));
    const auto& cut = std::get<MergePlan>(plan.action).cut;
    REQUIRE(cut.file_begins.value_or(std::vector<std::uint64_t>()) == begins);
    cuts += begins.size();
  }

  Limits limits_;
  std::vector<List> levels_;
  std::vector<std::uint64_t> layers_;  // their newest flushes, the newest first
  std::vector<std::uint64_t> rest_;
  std::uint32_t rest_level_ = 0;
  std::uint64_t intra_mark_ = 0;
};

// Keys that rise, that are drawn from all, or that come in stretches of neighbours.
std::uint64_t key_of(std::mt19937_64& random, int kind, std::uint64_t i) {
  if (kind == 0) return i * 3;
  if (kind == 1) return random() % 4'000;
  return i / 40 % 50 * 997 % 4'000 + random() % 60;
}

TEST_CASE("x-engine's every plan is that of loops over lists") {
  const auto run = [](const Limits& limits, int kind) {
    const std::string options = fmt::format(
        "x-engine:buffer=30,file_size=8,level_compaction_dynamic_level_bytes=false,"
        "level0_file_num_compaction_trigger={},level0_layer_num_compaction_trigger={},"
        "level1_extents_major_compaction_trigger={},compaction_task_extents_limit={}",
        limits.extents0, limits.layers, limits.extents1, limits.part);
    INFO(options << ", keys of kind " << kind);
    Lists lists(limits);
    const auto watch = [&](const TreeView& tree, const std::optional<Plan>& plan) {
      lists.check(tree, plan);
    };
    testing::MapStore store(options, watch);
    std::mt19937_64 random(static_cast<std::uint64_t>(kind) + 7);
    for (std::uint64_t i = 0; i < 6'000; ++i) {
      store.write(key_of(random, kind, i), random() % 8 == 0);
      if (i % 8 > 0) continue;
      const std::uint64_t asked = key_of(random, kind, random() % (i + 1));
      REQUIRE(store.lookup(asked) == store.expected(asked));
    }
    return lists;
  };
  std::uint64_t intras = 0;
  std::uint64_t cuts = 0;
  for (const int kind : {0, 1, 2}) {
    const Lists minor = run({6, 8, 30, 12}, kind);
    REQUIRE(minor.minors > 20);
    REQUIRE(minor.majors > 3);
    const Lists intra = run({60, 4, 40, 1000}, kind);
    const Lists few = run({9, 6, 20, 5}, kind);
    intras += intra.intras;
    cuts += minor.cuts + few.cuts;
    if (kind > 0) REQUIRE(minor.moves + intra.moves + few.moves > 30);
  }
  REQUIRE(intras > 20);
  REQUIRE(cuts > 50);
}

}  // namespace
}  // namespace lsmlab::x_engine_oracle_test
