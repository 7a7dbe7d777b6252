// slimdb against the digits of the number of flushes, and its picks on hand-made trees.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "testing/catch.h"
#include "testing/drawn_tree.h"
#include "testing/sized_store.h"

namespace lsmlab::slimdb_test {
namespace {

// After n flushes of one size, level i has the i-th digit of n in base r: as many runs of r^i, or
// from `leveled` on one run of digit * r^i.
class Digits {
 public:
  Digits(std::uint64_t r, std::size_t leveled) : r_(r), leveled_(leveled) {}

  void add_flush() {
    std::uint64_t unit = 1;
    for (std::size_t level = 0;; ++level, unit *= r_) {
      if (level == digits_.size()) digits_.push_back(0);
      const std::uint64_t digit = ++digits_[level];
      // Below the first leveled level, an arrival at an empty level only moves.
      const bool is_moved = level > leveled_ && digit == 1;
      if (!is_moved) written_ += level < leveled_ ? unit : digit * unit;
      if (digit < r_) return;
      digits_[level] = 0;
    }
  }
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] std::string text() const {
    std::string text;
    std::uint64_t unit = 1;
    for (std::size_t level = 0; level < digits_.size(); ++level, unit *= r_) {
      if (level > 0) text += "/";
      const std::uint64_t digit = digits_[level];
      if (level < leveled_) {
        for (std::uint64_t i = 0; i < digit; ++i) text += (i > 0 ? "," : "") + std::to_string(unit);
      } else if (digit > 0) {
        text += std::to_string(digit * unit);
      }
    }
    return text;
  }

 private:
  std::uint64_t r_;
  std::size_t leveled_;
  std::vector<std::uint64_t> digits_;
  std::uint64_t written_ = 0;
};

TEST_CASE("slimdb's levels are the digits of the number of flushes") {
  for (const std::uint64_t r : {2u, 3u, 4u, 10u}) {
    for (const std::size_t leveled : {1u, 2u, 3u, 64u}) {
      const auto made = make_policy(
          parse_spec(fmt::format("slimdb:sub_levels={},leveled_from={},level_base=1", r, leveled))
              .value());
      REQUIRE(made.has_value());
      testing::SizedStore store(*made.value().policy);
      Digits digits(r, leveled);
      for (int flush = 1; flush <= 1500; ++flush) {
        CAPTURE(r, leveled, flush);
        store.flush(1);
        digits.add_flush();
        REQUIRE(store.text() == digits.text());
        REQUIRE(store.written() == digits.written());
      }
    }
  }
}

TEST_CASE("slimdb merges the oldest runs of small levels, and large levels as a whole") {
  const std::string small = "sub_levels=2,leveled_from=1,level_base=10";
  check_picks("slimdb",
              {
                  {"one run", small, {{0, 1, 0, 9, 10}}, {}, "nothing"},
                  {"two", small, {{0, 1, 0, 9, 10}, {0, 2, 0, 9, 10}}, {}, "merge L0 1,2 to L1"},
                  {"the oldest two",
                   small,
                   {{0, 1, 0, 9, 10}, {0, 2, 0, 9, 10}, {0, 3, 0, 9, 10}},
                   {},
                   "merge L0 2,3 to L1"},
                  {"with the run of the leveled level",
                   small,
                   {{0, 1, 0, 9, 10}, {0, 2, 0, 9, 10}, {1, 3, 0, 9, 20}},
                   {},
                   "merge L0 1,2 + L1 3 to L1"},
                  {"which waits while that run is busy",
                   small,
                   {{0, 1, 0, 9, 10}, {0, 2, 0, 9, 10}, {1, 3, 0, 9, 20}},
                   {3},
                   "nothing"},
                  {"level 1 holds less than one and a half arrivals of 20",
                   small,
                   {{1, 1, 0, 9, 29}},
                   {},
                   "nothing"},
                  {"nearer to two", small, {{1, 1, 0, 9, 30}}, {}, "move L1 1 to L2"},
                  {"and merges where there is a run",
                   small,
                   {{1, 1, 0, 9, 40}, {2, 2, 0, 9, 40}},
                   {},
                   "merge L1 1 + L2 2 to L2"},
                  {"the next level is tiered by default",
                   "sub_levels=2,level_base=10",
                   {{0, 1, 0, 9, 10}, {0, 2, 0, 9, 10}, {1, 3, 0, 9, 20}},
                   {},
                   "merge L0 1,2 to L1"},
              });
}

TEST_CASE("slimdb's options are checked") {
  for (const std::string option : {"sub_levels=1", "leveled_from=0", "level_base=0"}) {
    INFO(option);
    const auto made = make_policy(parse_spec("slimdb:" + option).value());
    REQUIRE(!made.has_value());
    REQUIRE(made.error().message.find(option.substr(0, option.find('='))) != std::string::npos);
  }
}

}  // namespace
}  // namespace lsmlab::slimdb_test
