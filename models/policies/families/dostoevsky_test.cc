// dostoevsky against the closed forms of its corners, and against the rule over lists of numbers.
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>

#include "models/sizes/filter_split.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"
#include "testing/sized_store.h"

namespace lsmlab::dostoevsky_test {
namespace {

ConfiguredPolicy policy_of(const std::string& options) {
  auto made = make_policy(parse_spec("dostoevsky:" + options).value());
  INFO(options << (made ? "" : made.error().message));
  REQUIRE(made.has_value());
  return std::move(made).value();
}

enum class Corner { kLeveling, kTiering, kLazy };

// After t flushes of one size, level i holds the i-th digit of t in base T, times T^i. Flush t goes
// down to the level of the lowest digit that is not 0, and merges there unless that level is
// tiered.
class Digits {
 public:
  Digits(Corner corner, std::uint64_t ratio) : corner_(corner), ratio_(ratio) {}

  void add_flush() {
    std::size_t level = 0;
    std::uint64_t unit = 1;
    for (; level < digits_.size() && digits_[level] == ratio_ - 1; ++level, unit *= ratio_) {
      digits_[level] = 0;
    }
    if (level == digits_.size()) digits_.push_back(0);
    ++digits_[level];
    written_ += is_one_run(level) ? digits_[level] * unit : unit;
  }
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] std::string text() const {
    std::string text;
    std::uint64_t unit = 1;
    for (std::size_t level = 0; level < digits_.size(); ++level, unit *= ratio_) {
      if (level > 0) text += "/";
      const bool is_merged = is_one_run(level) && digits_[level] > 0;
      const std::uint64_t runs = is_merged ? 1 : digits_[level];
      for (std::uint64_t i = 0; i < runs; ++i) {
        text += (i > 0 ? "," : "") + std::to_string(is_merged ? digits_[level] * unit : unit);
      }
    }
    return text;
  }

 private:
  [[nodiscard]] bool is_one_run(std::size_t level) const {
    if (corner_ == Corner::kLazy) return level + 1 == digits_.size();
    return corner_ == Corner::kLeveling;
  }
  Corner corner_;
  std::uint64_t ratio_;
  std::vector<std::uint64_t> digits_;
  std::uint64_t written_ = 0;
};

TEST_CASE("dostoevsky is leveling, tiering and lazy leveling in its corners") {
  for (const std::uint64_t ratio : {2u, 3u, 4u, 10u}) {
    const std::uint64_t most = ratio - 1;
    const std::tuple<Corner, std::uint64_t, std::uint64_t> corners[] = {
        {Corner::kLeveling, 1, 1}, {Corner::kTiering, most, most}, {Corner::kLazy, most, 1}};
    for (const auto& [corner, k, z] : corners) {
      const ConfiguredPolicy policy =
          policy_of(fmt::format("size_ratio={},k={},z={},level_base={}", ratio, k, z, ratio));
      testing::SizedStore store(*policy.policy);
      Digits digits(corner, ratio);
      for (int flush = 1; flush <= 2100; ++flush) {
        CAPTURE(ratio, k, z, flush);
        store.flush(1);
        digits.add_flush();
        REQUIRE(store.text() == digits.text());
        REQUIRE(store.written() == digits.written());
      }
    }
  }
}

// The rule over lists of sizes in memtables: newest run first.
class Rule {
 public:
  Rule(std::uint64_t ratio, std::uint64_t k, std::uint64_t z) : ratio_(ratio), k_(k), z_(z) {}

  void add_flush() {
    std::uint64_t arrival = 1;
    std::uint64_t unit = 1;
    for (std::size_t level = 0;; ++level, unit *= ratio_) {
      if (level == levels_.size()) levels_.emplace_back();
      std::vector<std::uint64_t>& runs = levels_[level];
      const std::uint64_t limit = level + 1 == levels_.size() ? z_ : k_;
      std::uint64_t sum = 0;
      for (const std::uint64_t run : runs) sum += run;
      const bool is_open = !runs.empty() && runs.front() * limit < (ratio_ - 1) * unit;
      const bool is_full =
          sum + arrival > (ratio_ - 1) * unit || (!is_open && runs.size() == limit);
      if (is_full) {
        arrival += sum;
        runs.clear();
        continue;
      }
      if (is_open) {
        arrival += runs.front();
        runs.erase(runs.begin());
      }
      runs.insert(runs.begin(), arrival);
      written_ += arrival;
      return;
    }
  }
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if (level > 0) text += "/";
      for (std::size_t i = 0; i < levels_[level].size(); ++i) {
        text += (i > 0 ? "," : "") + std::to_string(levels_[level][i]);
      }
    }
    return text;
  }

 private:
  std::uint64_t ratio_;
  std::uint64_t k_;
  std::uint64_t z_;
  std::vector<std::vector<std::uint64_t>> levels_;
  std::uint64_t written_ = 0;
};

TEST_CASE("dostoevsky follows the rule for any K and Z") {
  for (const std::uint64_t ratio : {3u, 5u, 8u}) {
    for (std::uint64_t k = 1; k < ratio; ++k) {
      for (std::uint64_t z = 1; z < ratio; ++z) {
        const ConfiguredPolicy policy = policy_of(
            fmt::format("size_ratio={},k={},z={},level_base={}", ratio, k, z, 1000 * ratio));
        testing::SizedStore store(*policy.policy);
        Rule rule(ratio, k, z);
        for (int flush = 1; flush <= 700; ++flush) {
          CAPTURE(ratio, k, z, flush);
          store.flush(1000);
          rule.add_flush();
          std::string expected = rule.text();
          std::string zeros;
          for (const char c : expected) {
            const bool ends = c == ',' || c == '/';
            if (ends && !zeros.empty() && zeros.back() >= '0' && zeros.back() <= '9') {
              zeros += "000";
            }
            zeros += c;
          }
          if (zeros.back() != '/') zeros += "000";
          REQUIRE(store.text() == zeros);
          REQUIRE(store.written() == rule.written() * 1000);
        }
      }
    }
  }
}

TEST_CASE("dostoevsky writes what its sum says once a tree of L levels is full") {
  // U of T - 1 memtables, K and Z divide it.
  const auto per_byte = [](double t, double k, double z, double levels) {
    const double u = t - 1;
    return (levels - 1) * (u / k + 1) * u / (2 * t) + (u / z + 1) * u / (2 * t);
  };
  for (const auto& [k, z] : {std::pair{1, 1}, {3, 1}, {9, 1}, {9, 9}, {1, 3}, {3, 3}}) {
    const ConfiguredPolicy policy =
        policy_of(fmt::format("size_ratio=10,k={},z={},level_base=10", k, z));
    testing::SizedStore store(*policy.policy);
    // From flush 100 to flush 999 the tree has three levels.
    for (int flush = 1; flush < 100; ++flush) store.flush(1);
    const std::uint64_t before = store.written();
    for (int flush = 100; flush < 1000; ++flush) store.flush(1);
    const double seen = static_cast<double>(store.written() - before) / 1000;
    CAPTURE(k, z);
    // The third level gets its 9 arrivals of 100, the levels above are filled 9 times out of 10.
    const double last = per_byte(10, k, z, 1);
    REQUIRE(seen == Approx(0.9 * (per_byte(10, k, z, 3) - last) + last));
  }
}

TEST_CASE("dostoevsky keeps its bounds on runs when sizes vary") {
  boost::random::mt19937_64 random(7);
  boost::random::uniform_int_distribution<std::uint64_t> size(600, 1400);
  for (const auto& [k, z] : {std::pair{1u, 1u}, {4u, 1u}, {4u, 4u}, {2u, 3u}}) {
    const ConfiguredPolicy policy =
        policy_of(fmt::format("size_ratio=5,k={},z={},level_base=5000", k, z));
    testing::SizedStore store(*policy.policy);
    for (int flush = 0; flush < 2000; ++flush) {
      store.flush(size(random));
      std::uint64_t unit = 1000;
      const std::uint32_t deepest = *deepest_level(store.tree());
      for (std::uint32_t level = 0; level <= deepest; ++level, unit *= 5) {
        CAPTURE(k, z, flush, level);
        REQUIRE(store.tree().levels()[level].runs.size() <= (level < deepest ? k : z));
        REQUIRE(level_bytes(store.tree(), level).value() < unit * 9 / 2);
      }
    }
  }
}

TEST_CASE("dostoevsky does not keep a memtable waiting, and repairs levels later") {
  const ConfiguredPolicy policy = policy_of("size_ratio=4,k=1,z=1,level_base=400");
  DrawnTree tree({{0, 1, 1, 9, 100}});
  tree.set_busy(1);
  tree.state().begin_flush({Bytes(100), Entries(1), {1, 9}});
  REQUIRE(plan_text(policy.policy->pick(tree.view())) == "flush");
  const auto pick = [&](const std::vector<DrawnFile>& files) {
    return plan_text(policy.policy->pick(DrawnTree(files).view()));
  };
  REQUIRE(pick({{0, 1, 1, 9, 100}, {0, 2, 1, 9, 100}}) == "merge L0 1,2 to L0");
  REQUIRE(pick({{0, 1, 1, 9, 200}, {0, 2, 1, 9, 200}}) == "merge L0 1,2 to L1");
  REQUIRE(pick({{0, 1, 1, 9, 200}, {0, 2, 1, 9, 200}, {1, 3, 1, 9, 400}}) ==
          "merge L0 1,2 + L1 3 to L1");
  REQUIRE(pick({{0, 1, 1, 9, 400}, {1, 2, 1, 9, 1600}}) == "merge L0 1 + L1 2 to L2");
  REQUIRE(pick({{0, 1, 1, 9, 400}}) == "move L0 1 to L1");
  REQUIRE(pick({{0, 1, 1, 9, 300}, {1, 2, 1, 9, 1200}}) == "nothing");
}

TEST_CASE("the filters of Dostoevsky's lazy tree are those of filter_split=monkey") {
  // Equation 6: p_L = R (T-1)/T, p_i = R / T^(L-i+1). A full tree of 4 levels with T = 5: four runs
  // in each of the levels 1 to 3, one run of four units in level 4.
  std::vector<std::uint64_t> entries;
  std::vector<double> shares;
  for (const std::uint64_t unit : {1000u, 5000u, 25000u}) {
    for (int run = 0; run < 4; ++run) {
      entries.push_back(unit);
      shares.push_back(static_cast<double>(unit) / 625'000);
    }
  }
  entries.push_back(500'000);
  shares.push_back(4.0 / 5);
  const std::vector<double> bits = monkey_bits(entries, 8);
  double sum = 0;
  for (const double one : bits) sum += std::exp(-one * std::log(2) * std::log(2));
  double sum_of_shares = 0;
  for (const double share : shares) sum_of_shares += share;
  REQUIRE(sum_of_shares == Approx(1).margin(0.01));  // 1 - 5^-4
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const double rate = std::exp(-bits[i] * std::log(2) * std::log(2));
    REQUIRE(rate == Approx(sum * shares[i] / sum_of_shares).epsilon(1e-9));
  }
}

TEST_CASE("dostoevsky refuses more runs than a level can hold") {
  const auto fault = [](const std::string& options) {
    const auto made = make_policy(parse_spec("dostoevsky:" + options).value());
    return made ? std::string() : made.error().message;
  };
  REQUIRE(fault("size_ratio=4,k=4").find("k=4 is not below size_ratio=4") != std::string::npos);
  REQUIRE(fault("size_ratio=4,z=9").find("z=9") != std::string::npos);
  REQUIRE(fault("size_ratio=4,level_base=3").find("level_base") != std::string::npos);
  REQUIRE(fault("size_ratio=4,k=3,z=3").empty());
}

}  // namespace
}  // namespace lsmlab::dostoevsky_test
