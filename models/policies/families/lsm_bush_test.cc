// lsm-bush against its rule over lists of numbers, and against hand-made states.
#include <algorithm>

#include "testing/catch.h"
#include "testing/drawn_tree.h"
#include "testing/sized_store.h"

namespace lsmlab::lsm_bush_test {
namespace {

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t product = 1;
  for (std::uint64_t i = 0; i < exponent; ++i) product *= base;
  return product;
}

// Sizes in memtables, newest run first. Level i of L, counted from 1, takes T^(2^(L-i-1)) arrivals.
class Bush {
 public:
  Bush(std::uint64_t ratio, std::uint64_t last, std::size_t levels)
      : ratio_(ratio), last_(last), levels_(levels) {}

  void add_flush() {
    const std::size_t deepest = levels_.size() - 1;
    const std::uint64_t arrivals_of_all = (std::uint64_t{1} << deepest) - 1;
    while (sum(deepest) > last_ * power(ratio_, arrivals_of_all)) ++ratio_;
    std::uint64_t arrival = 1;
    std::size_t level = 0;
    for (; level < deepest; ++level) {
      if (levels_[level].size() + 1 < power(ratio_, std::uint64_t{1} << (deepest - 1 - level))) {
        break;
      }
      arrival += sum(level);
      levels_[level].clear();
    }
    if (level == deepest) {
      arrival += sum(deepest);
      levels_[deepest].clear();
    }
    levels_[level].insert(levels_[level].begin(), arrival);
    written_ += arrival;
  }
  [[nodiscard]] std::uint64_t ratio() const { return ratio_; }
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if (level > 0) text += "/";
      for (std::size_t i = 0; i < levels_[level].size(); ++i) {
        text += (i > 0 ? "," : "") + std::to_string(levels_[level][i]);
      }
    }
    while (!text.empty() && text.back() == '/') text.pop_back();
    return text;
  }

 private:
  [[nodiscard]] std::uint64_t sum(std::size_t level) const {
    std::uint64_t bytes = 0;
    for (const std::uint64_t run : levels_[level]) bytes += run;
    return bytes;
  }
  std::uint64_t ratio_;
  std::uint64_t last_;
  std::vector<std::vector<std::uint64_t>> levels_;
  std::uint64_t written_ = 0;
};

TEST_CASE("lsm-bush follows its rule over many flushes, while T grows") {
  std::uint64_t ratio_max = 0;
  for (const std::uint64_t ratio : {2u, 3u}) {
    for (const std::uint64_t last : {1u, 2u, 4u}) {
      for (const std::size_t levels : {3u, 4u}) {
        const auto policy =
            make_policy(parse_spec(fmt::format("lsm-bush:t_min={},c={},levels={},level_base=1",
                                               ratio, last, levels))
                            .value());
        REQUIRE(policy.has_value());
        testing::SizedStore store(*policy.value().policy);
        Bush bush(ratio, last, levels);
        for (int flush = 1; flush <= 1500; ++flush) {
          CAPTURE(ratio, last, levels, flush);
          store.flush(1);
          bush.add_flush();
          REQUIRE(store.text() == bush.text());
          REQUIRE(store.written() == bush.written());
        }
        ratio_max = std::max(ratio_max, bush.ratio());
      }
    }
  }
  REQUIRE(ratio_max == 11);  // the deepest run came to more than 10^3 memtables, but not 11^3
}

TEST_CASE("lsm-bush gathers 4 and 2 runs with T = 2, 9 and 3 with T = 3") {
  const auto policy = make_policy(parse_spec("lsm-bush:t_min=2,levels=3,level_base=100").value());
  REQUIRE(policy.has_value());
  testing::SizedStore store(*policy.value().policy);
  std::vector<std::string> states{""};
  for (int flush = 1; flush <= 60; ++flush) {
    store.flush(100);
    states.push_back(store.text());
  }
  REQUIRE(states[3] == "100,100,100");
  REQUIRE(states[4] == "/400");
  REQUIRE(states[7] == "100,100,100/400");
  REQUIRE(states[8] == "//800");
  REQUIRE(states[16] == "//1600");
  REQUIRE(states[24] == "//2400");  // more than C * 8 = 16 memtables
  REQUIRE(states[32] == "100,100,100,100,100,100,100,100//2400");
  REQUIRE(states[33] == "/900/2400");
  REQUIRE(states[42] == "/900,900/2400");
  REQUIRE(states[51] == "//5100");
}

TEST_CASE("lsm-bush does not keep a memtable waiting") {
  const auto policy = make_policy(parse_spec("lsm-bush:t_min=2,level_base=100,levels=3").value());
  DrawnTree tree({{0, 1, 1, 9, 100}, {0, 2, 1, 9, 100}, {0, 3, 1, 9, 100}, {1, 4, 1, 9, 400}});
  tree.state().begin_flush({Bytes(100), Entries(1), {1, 9}});
  DrawnTree busy = tree;
  busy.set_busy(2);
  REQUIRE(plan_text(policy.value().policy->pick(tree.view())) == "merge L0 1,2,3 + L1 4 to L2");
  REQUIRE(plan_text(policy.value().policy->pick(busy.view())) == "flush");
}

}  // namespace
}  // namespace lsmlab::lsm_bush_test
