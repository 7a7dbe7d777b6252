// Picks of blsm on hand-made trees, and against bLSM's rule as a loop over three numbers.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/base/random.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::blsm_test {
namespace {

// A tree with components of these bytes, after flushes of which the sum is given; C1 first.
struct Components {
  std::vector<std::uint64_t> first;  // newest first
  std::uint64_t c2 = 0;
  std::uint64_t flushes = 1;
  std::uint64_t sum = 0;
};

std::string pick_of_components(const Components& given, bool is_pending,
                               const std::vector<std::uint64_t>& busy = {},
                               const std::string& options = "") {
  TreeState tree;
  for (std::uint64_t i = 0; i < given.flushes;
       ++i) {  // which leave nothing behind but their number
    tree.begin_flush({Bytes(1), Entries(1), {0, 1}});
    TreeEdit edit;
    edit.takes_memtable = true;
    edit.added.push_back({{0, std::nullopt}, {drawn_file({0, 1'000 + i, 0, 1}, i + 1)}});
    if (i > 0) edit.removed.push_back(FileId(1'000 + i - 1));
    REQUIRE(tree.apply(edit).has_value());
  }
  TreeEdit edit;
  edit.removed.push_back(FileId(1'000 + given.flushes - 1));
  std::uint64_t id = 1;
  for (const std::uint64_t bytes : given.first) {
    edit.added.push_back({{0, std::nullopt}, {drawn_file({0, id, 0, 9, bytes}, 20 - id)}});
    ++id;
  }
  if (given.c2 > 0) {
    edit.added.push_back({{1, std::nullopt}, {drawn_file({1, 9, 0, 9, given.c2}, 1)}});
  }
  edit.cursors.push_back({0, given.sum});
  REQUIRE(tree.apply(edit).has_value());
  for (const std::uint64_t file : busy) {
    const auto at = tree.find_file(FileId(file));
    REQUIRE(at.has_value());
    const auto level = static_cast<std::uint32_t>(at->level);
    const RunId run = tree.levels()[at->level].runs[at->run].id;
    REQUIRE(tree.reserve({PlanReason::kLevelSaturated,
                          MovePlan{{{level, run, {FileId(file)}}}, {level + 1, std::nullopt}},
                          {}})
                .has_value());
  }
  if (is_pending) tree.begin_flush({Bytes(100), Entries(1), {0, 1}});
  return plan_text(pick_of("blsm", options, tree));
}

TEST_CASE("blsm hands C1 over at 1 / 1.05 of R memtables") {
  // The mean memtable has 100 bytes, so that R = 3 up to a C2 of 900.
  REQUIRE(pick_of_components({{285}, 0, 4, 400}, false) == "nothing");           // 299.25
  REQUIRE(pick_of_components({{286}, 0, 4, 400}, false) == "merge L0 1 to L1");  // 300.3
  REQUIRE(pick_of_components({{285}, 900, 4, 400}, false) == "nothing");
  REQUIRE(pick_of_components({{286}, 900, 4, 400}, false) == "merge L0 1 + L1 9 to L1");
  // A C2 of 1'600 makes R = 4: 1.05 * 380 = 399, 1.05 * 381 = 400.05.
  REQUIRE(pick_of_components({{380}, 1'600, 4, 400}, false) == "nothing");
  REQUIRE(pick_of_components({{381}, 1'600, 4, 400}, false) == "merge L0 1 + L1 9 to L1");
  // R = 21: equality is not enough.
  REQUIRE(pick_of_components({{2'000}, 44'100, 4, 400}, false) == "nothing");
  REQUIRE(pick_of_components({{2'001}, 44'100, 4, 400}, false) == "merge L0 1 + L1 9 to L1");
  // Smaller memtables: mean 50.
  REQUIRE(pick_of_components({{143}, 0, 4, 200}, false) == "merge L0 1 to L1");
  REQUIRE(pick_of_components({{143}, 0, 4, 200}, false, {}, "min_ratio=4") == "nothing");
  REQUIRE(pick_of_components({{}, 900, 4, 400}, false) == "nothing");
}

TEST_CASE("blsm merges memtables with C1, and begins a new one once C1 is handed over") {
  REQUIRE(pick_of_components({{}, 0, 4, 400}, true) == "flush");
  REQUIRE(pick_of_components({{285}, 900, 4, 400}, true) == "merge L0 1 to L0");
  REQUIRE(pick_of_components({{286}, 900, 4, 400}, true) == "flush");
  REQUIRE(pick_of_components({{286}, 900, 4, 400}, true, {1, 9}) == "flush");
  REQUIRE(pick_of_components({{100, 286}, 900, 4, 400}, true, {2, 9}) == "merge L0 1 to L0");
}

TEST_CASE("blsm waits for running merges where it must") {
  // The last memtable is still being merged with C1.
  REQUIRE(pick_of_components({{100}, 900, 4, 400}, true, {1}) == "nothing");
  REQUIRE(pick_of_components({{100, 286}, 900, 4, 400}, true, {1, 2, 9}) == "nothing");
  // C1 would be handed over, but its predecessor is still there.
  REQUIRE(pick_of_components({{290, 286}, 900, 4, 400}, true, {2, 9}) == "nothing");
  REQUIRE(pick_of_components({{290, 286}, 900, 4, 400}, true) == "merge L0 1 to L0");
  REQUIRE(pick_of_components({{290, 286}, 900, 4, 400}, false, {2, 9}) == "nothing");
  REQUIRE(pick_of_components({{290, 286}, 900, 4, 400}, false, {9}) == "nothing");
  // A predecessor merges whatever R has become.
  REQUIRE(pick_of_components({{100, 286}, 1'600, 4, 400}, false) == "merge L0 2 + L1 9 to L1");
}

// The rule as bLSM writes it, with floating-point numbers.
struct Plain {
  double c1 = 0;
  double c2 = 0;
  double mean = 0;
  double r = 3;
  double count = 0;

  void flush(double bytes) {
    ++count;
    mean = mean * (1 - 1 / count) + bytes / count;
    c1 += bytes;
    if (1.05 * c1 / mean <= r) return;
    c2 += c1;
    c1 = 0;
  }
};

TEST_CASE("blsm's components have the sizes that its rule as a loop gives") {
  const auto made = make_policy(parse_spec("blsm").value());
  REQUIRE(made.has_value());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    SplitMix64 random(seed);
    TreeState tree;
    Plain plain;
    std::uint64_t merges = 0;
    const auto run = [&](const Plan& plan) {
      TreeEdit edit;
      std::uint64_t bytes = 0;
      edit.cursors = plan.cursors;
      edit.takes_memtable = takes_memtable(plan);
      edit.is_merge = std::holds_alternative<MergePlan>(plan.action);
      if (edit.takes_memtable) bytes += tree.pending_flush()->bytes.value();
      FlushSpan span{tree.flush_count() + 1, edit.takes_memtable ? tree.flush_count() + 1 : 0};
      for (const PlanInput& input : plan_inputs(plan)) {
        for (const FileId id : input.files) {
          const File& file = tree.file_at(*tree.find_file(id));
          bytes += file.bytes.value();
          span = {std::min(span.first, file.flushes.first), std::max(span.last, file.flushes.last)};
          edit.removed.push_back(id);
        }
      }
      File file;
      file.id = tree.allocate_file_id();
      file.bytes = Bytes(bytes);
      file.flushes = span;
      edit.added.push_back({plan_target(plan), {file}});
      REQUIRE(tree.apply(edit).has_value());
    };
    for (std::uint64_t flush = 0; flush < 2'000; ++flush) {
      const std::uint64_t bytes = 1'000'000 + random.below(1'000'000);
      tree.begin_flush({Bytes(bytes), Entries(1), {0, 1}});
      const auto taking = made.value().policy->pick(tree);
      REQUIRE(taking.has_value());
      run(*taking);
      // R follows the mean at once.
      plain.r = std::max(
          3.0, std::sqrt(plain.c2 / ((plain.mean * plain.count + static_cast<double>(bytes)) /
                                     (plain.count + 1))));
      plain.flush(static_cast<double>(bytes));
      while (const auto plan = made.value().policy->pick(tree)) {
        ++merges;
        run(*plan);
      }
      const auto bytes_of = [&](std::size_t level) {
        return level < tree.levels().size() ? static_cast<double>(tree.levels()[level].sums.bytes)
                                            : 0.0;
      };
      INFO("flush " << flush);
      REQUIRE(bytes_of(0) == plain.c1);
      REQUIRE(bytes_of(1) == plain.c2);
    }
    REQUIRE(merges > 50);
    REQUIRE(merges < 200);
  }
}

TEST_CASE("blsm's options are checked") {
  const auto made = make_policy(parse_spec("blsm:min_ratio=0").value());
  REQUIRE(!made.has_value());
  REQUIRE(made.error().message.find("min_ratio") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::blsm_test
