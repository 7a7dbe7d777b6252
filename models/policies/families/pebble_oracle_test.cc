// Pebble's picks over random flushes, compared with a second statement of the rules: plain loops
// over lists of files, without the structures of models/policies/pebble. No file is busy, entries
// are bytes, and none is a tombstone.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "testing/catch.h"
#include "testing/oracles/map_store.h"

namespace lsmlab::pebble_oracle_test {
namespace {

struct Rules {
  double level_base = 0;
  double size_ratio = 0;
  double threshold = 4;
  double file_size = 0;
  double multiplier = 2;
  bool takes_third = true;
  bool takes_third_from_level0 = false;
  bool divides_small = true;  // version 2.1
};

struct Named {
  std::uint64_t id = 0;
  double lo = 0;
  double hi = 0;
  double bytes = 0;
  int sublevel = 0;
};
using List = std::vector<Named>;

double bytes_of(const List& files) {
  double bytes = 0;
  for (const Named& file : files) bytes += file.bytes;
  return bytes;
}

struct Range {
  double lo = 0;
  double hi = 0;
};

bool meets(const Named& file, const Range& range) {
  return file.lo <= range.hi && file.hi >= range.lo;
}

void stretch(Range& range, const List& files) {
  for (const Named& file : files) {
    range = {std::min(range.lo, file.lo), std::max(range.hi, file.hi)};
  }
}

Range hull(const List& files) {
  Range range{files.front().lo, files.front().hi};
  stretch(range, files);
  return range;
}

List met(const List& files, const Range& range) {
  List found;
  for (const Named& file : files) {
    if (meets(file, range)) found.push_back(file);
  }
  return found;
}

bool has(const List& files, std::uint64_t id) {
  return std::any_of(files.begin(), files.end(), [&](const Named& file) { return file.id == id; });
}

class Oracle {
 public:
  Oracle(const TreeView& tree, const Rules& rules) : rules_(rules), levels_(7) {
    for (std::size_t level = 0; level < tree.levels().size(); ++level) {
      const std::vector<SortedRun>& runs = tree.levels()[level].runs;
      for (std::size_t run = runs.size(); run-- > 0;) {
        for (const File& file : runs[run].files) {
          Named named{file.id.value(), static_cast<double>(file.keys.smallest),
                      static_cast<double>(file.keys.largest),
                      static_cast<double>(file.bytes.value())};
          for (const Named& older : levels_[level]) {
            if (meets(older, {named.lo, named.hi})) {
              named.sublevel = std::max(named.sublevel, older.sublevel + 1);
            }
          }
          levels_[level].push_back(named);
        }
      }
    }
    find_targets();
  }

  [[nodiscard]] std::string expected() {
    std::vector<double> fill(7, 0);
    std::size_t deepest = 0;
    for (const double point : points()) deepest = std::max(deepest, stack_at(point).size());
    fill[0] = std::max(2.0 * static_cast<double>(deepest) / rules_.threshold,
                       static_cast<double>(levels_[0].size()) / 500);
    for (std::size_t level = base_; level < 7; ++level) {
      fill[level] = bytes_of(levels_[level]) / targets_[level];
    }
    double best_score = 0;
    std::optional<std::size_t> best;
    for (std::size_t level = 0; level < 6; ++level) {
      if (level > 0 && level < base_) continue;
      const double next = std::max(0.01, fill[level == 0 ? base_ : level + 1]);
      if (fill[level] < 1 || fill[level] / next < 1) continue;
      if (best && fill[level] / next <= best_score) continue;
      best = level;
      best_score = fill[level] / next;
    }
    if (!best) return "nothing";
    return *best == 0 ? from_level0() : from(*best);
  }

 private:
  void find_targets() {
    targets_.assign(7, 1e18);
    std::size_t first = 7;
    double all = 0;
    for (std::size_t level = 0; level < 7; ++level) {
      all += bytes_of(levels_[level]);
      if (level > 0 && !levels_[level].empty()) first = std::min(first, level);
    }
    base_ = 6;
    if (first == 7) return;
    const double last = all - std::floor(all / rules_.size_ratio);
    double size = last;
    for (std::size_t level = 6; level > first; --level) size = std::floor(size / rules_.size_ratio);
    for (base_ = first; base_ > 1 && size > rules_.level_base; --base_) {
      size = std::floor(size / rules_.size_ratio);
    }
    for (std::size_t level = base_; level < 7; ++level) {
      const double share =
          base_ == 6 ? 0.0 : static_cast<double>(level - base_) / static_cast<double>(6 - base_);
      targets_[level] =
          std::max(1.0, std::round(rules_.level_base * std::pow(last / rules_.level_base, share)));
    }
  }

  [[nodiscard]] double file_bytes(std::size_t level) const {
    return rules_.file_size *
           std::pow(rules_.multiplier, static_cast<double>(level) - static_cast<double>(base_) + 1);
  }

  // Begins, and places half behind ends.
  [[nodiscard]] std::vector<double> points() const {
    std::set<double> points;
    for (const Named& file : levels_[0]) {
      points.insert(file.lo);
      points.insert(file.hi + 0.5);
    }
    return {points.begin(), points.end()};
  }

  // The files of the interval that begins at a point, the lowest first.
  [[nodiscard]] List stack_at(double point) const {
    List stack;
    for (const Named& file : levels_[0]) {
      if (file.lo <= point && point < file.hi + 0.5) stack.push_back(file);
    }
    return stack;
  }

  [[nodiscard]] std::string from_level0() {
    List stack;
    for (const double point : points()) {
      if (stack_at(point).size() > stack.size()) stack = stack_at(point);
    }
    List taken;
    for (const Named& file : stack) {
      if (!has(taken, file.id)) taken.push_back(file);
      for (int sublevel = file.sublevel - 1; sublevel >= 0; --sublevel) {
        for (const Named& older : levels_[0]) {
          if (older.sublevel != sublevel || has(taken, older.id)) continue;
          if (meets(older, hull(taken))) taken.push_back(older);
        }
      }
    }
    std::vector<List> inputs{taken, met(levels_[base_], hull(taken))};
    Range range = hull(taken);
    stretch(range, inputs[1]);
    const List grown = extended(taken, inputs[1], stack.back().sublevel);
    if (bytes_of(grown) + bytes_of(inputs[1]) < 25 * file_bytes(base_)) inputs[0] = grown;
    stretch(range, inputs[0]);
    return text(base_, inputs, range, rules_.takes_third_from_level0);
  }

  [[nodiscard]] List extended(const List& taken, const List& below, int sublevel_max) const {
    // Between the files of the base level before and behind those that are taken.
    const Range clear = below.empty() ? hull(taken) : hull(below);
    double left = -1;
    double right = 1e18;
    for (const Named& file : levels_[base_]) {
      if (has(below, file.id)) continue;
      if (file.lo < clear.lo) left = std::max(left, file.hi);
      if (file.lo > clear.lo) right = std::min(right, file.lo);
    }
    double low = 1e18;
    double high = -1;
    for (const double point : points()) {
      if (std::floor(point) > left) low = std::min(low, point);
      if (std::floor(point) < right) high = std::max(high, point);
    }
    // `high` is where the last interval ends that keeps clear of the file behind.
    low = std::min(low, hull(taken).lo);
    high = std::max(high, hull(taken).hi + 0.5);
    List grown = taken;
    for (int sublevel = 0; sublevel <= sublevel_max && low < high; ++sublevel) {
      List fitting;
      for (const Named& file : by_key(sublevel)) {
        if (file.hi + 0.5 <= low || file.lo >= high) continue;
        const bool fits = file.lo >= low && file.hi + 0.5 <= high;
        if (file.lo < low) low = file.hi + 0.5;
        if (file.hi + 0.5 > high) high = file.lo;
        if (fits) fitting.push_back(file);
      }
      if (low >= high) break;
      for (const Named& file : fitting) {
        if (!has(grown, file.id)) grown.push_back(file);
      }
    }
    return grown;
  }

  [[nodiscard]] List by_key(int sublevel) const {
    List files;
    for (const Named& file : levels_[0]) {
      if (file.sublevel == sublevel) files.push_back(file);
    }
    std::sort(files.begin(), files.end(),
              [](const Named& a, const Named& b) { return a.lo < b.lo; });
    return files;
  }

  [[nodiscard]] std::string from(std::size_t level) {
    double least = 1e18;
    Named seed;
    for (const Named& file : levels_[level]) {
      const double ratio =
          std::floor(bytes_of(met(levels_[level + 1], {file.lo, file.hi})) * 1024 / file.bytes);
      if (ratio < least) {
        least = ratio;
        seed = file;
      }
    }
    std::vector<List> inputs{{seed}, met(levels_[level + 1], {seed.lo, seed.hi})};
    Range range{seed.lo, seed.hi};
    stretch(range, inputs[1]);
    grow(level, inputs[0], level + 1, inputs[1], range);
    return text(level + 1, inputs, range, true);
  }

  void grow(std::size_t level, List& files, std::size_t output, const List& below,
            Range& range) const {
    const List grown = met(levels_[level], range);
    if (below.empty() || grown.size() <= files.size()) return;
    if (bytes_of(grown) + bytes_of(below) >= 25 * file_bytes(output)) return;
    Range wide = hull(grown);
    stretch(wide, below);
    if (met(levels_[output], wide).size() != below.size()) return;
    files = grown;
    stretch(range, grown);
  }

  // Whether the files of a third level join, and whether it is a move.
  [[nodiscard]] std::string text(std::size_t output, std::vector<List> inputs, Range range,
                                 bool may_add) const {
    const std::size_t sized = output;
    const double bytes = bytes_of(inputs[0]) + bytes_of(inputs[1]);
    may_add = may_add && rules_.takes_third && output < 6 && bytes <= 25 * file_bytes(output);
    if (may_add) {
      Range wide = range;
      std::vector<List> three = inputs;
      three.push_back(met(levels_[output + 1], wide));
      stretch(wide, three[2]);
      grow(output, three[1], output + 1, three[2], wide);
      const double above = bytes_of(three[0]) + bytes_of(three[1]);
      const double all = above + bytes_of(three[2]);
      const bool fits = !rules_.divides_small || all < 25 * file_bytes(output + 1);
      if (fits && all / above <= bytes / bytes_of(inputs[0])) {
        inputs = three;
        range = wide;
        ++output;
      }
    }
    const double under = output < 6 ? bytes_of(met(levels_[output + 1], range)) : 0;
    bool moves = inputs[0].size() == 1 && under <= 10 * file_bytes(sized);
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (i > 0 && !inputs[i].empty()) moves = false;
      for (const Named& file : inputs[i]) ids.push_back(file.id);
    }
    std::sort(ids.begin(), ids.end());
    return fmt::format("{} {} to {}", moves ? "move" : "merge", fmt::join(ids, ","), output);
  }

  Rules rules_;
  std::vector<List> levels_;
  std::vector<double> targets_;
  std::size_t base_ = 6;
};

std::string picked(const std::optional<Plan>& plan) {
  if (!plan) return "nothing";
  std::vector<std::uint64_t> ids;
  for (const PlanInput& input : plan_inputs(*plan)) {
    for (const FileId id : input.files) ids.push_back(id.value());
  }
  std::sort(ids.begin(), ids.end());
  return fmt::format("{} {} to {}", plan_kind_name(kind_of_plan(*plan)), fmt::join(ids, ","),
                     plan_target(*plan).level);
}

struct Load {
  std::string spec;
  Rules rules;
  bool is_narrow = false;  // each flush has keys of a part of the key space
};

TEST_CASE("pebble's picks over random flushes are those of a second statement of the rules") {
  Rules usual{40, 3, 4, 8};
  Rules deep = usual;
  deep.threshold = 12;
  Rules all = deep;
  all.takes_third_from_level0 = true;
  Rules none = usual;
  none.takes_third = false;
  Rules old = usual;
  old.divides_small = false;
  const std::string base = "pebble:buffer=20,file_size=8,level_base=40,size_ratio=3";
  for (const Load& load : std::vector<Load>{
           {base, usual, false},
           {base, usual, true},
           {base + ",l0_compaction_threshold=12", deep, true},
           {base + ",l0_compaction_threshold=12,multilevel=write-amp-from-level0", all, true},
           {base + ",multilevel=none", none, true},
           {base + ",version=1.1", old, true},
       }) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      INFO(load.spec << ", seed " << seed);
      std::mt19937_64 random(seed);
      std::uint64_t plans = 0;
      testing::MapStore store(load.spec,
                              [&](const TreeView& tree, const std::optional<Plan>& plan) {
                                if (tree.pending_flush()) return;
                                ++plans;
                                REQUIRE(picked(plan) == Oracle(tree, load.rules).expected());
                              });
      std::uint64_t from = 0;
      for (int i = 0; i < 6000; ++i) {
        if (i % 20 == 0) from = load.is_narrow ? random() % 8 * 1000 : 0;
        store.write(from + random() % (load.is_narrow ? 3000 : 10000));
      }
      REQUIRE(plans > 600);
      REQUIRE(store.counts().merges > 250);
    }
  }
}

TEST_CASE("pebble loses no key, with deletes, however level 0 is cut") {
  for (const std::string more : {"", ",flush_split_bytes=0", ",l0_compaction_threshold=20",
                                 ",multilevel=write-amp-from-level0,l0_compaction_threshold=1"}) {
    testing::MapStore store("pebble:buffer=20,file_size=8,level_base=40,size_ratio=3" + more);
    std::mt19937_64 random(7);
    for (int i = 0; i < 8000; ++i) store.write(random() % 1500, random() % 4 == 0);
    for (std::uint64_t key = 0; key < 1500; ++key)
      REQUIRE(store.lookup(key) == store.expected(key));
  }
}

}  // namespace
}  // namespace lsmlab::pebble_oracle_test
