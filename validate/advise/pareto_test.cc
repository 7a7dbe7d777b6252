#include "validate/advise/pareto.h"

#include "testing/catch.h"

namespace lsmlab::pareto_test {
namespace {

using Rows = std::vector<std::vector<double>>;
using Places = std::vector<std::size_t>;

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool is_smaller = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    is_smaller = is_smaller || a[i] < b[i];
  }
  return is_smaller;
}

TEST_CASE("the front has what nothing dominates, sorted, and of equals the first") {
  const Rows rows{{3, 1}, {1, 3}, {2, 2}, {2, 3}, {2, 2}, {4, 1}};
  REQUIRE(pareto_front(rows) == Places{1, 2, 0});
  REQUIRE(pareto_front(Rows{}).empty());
  REQUIRE(pareto_front(Rows{{5, 5, 5}}) == Places{0});
}

TEST_CASE("the front is the one that comparing every pair gives") {
  // A small generator: the same rows everywhere.
  std::uint64_t state = 7;
  const auto next = [&] {
    return (state = state * 6364136223846793005u + 1442695040888963407u) >> 61;
  };
  for (int round = 0; round < 200; ++round) {
    Rows rows(12);
    for (auto& row : rows) {
      for (int i = 0; i < 3; ++i) row.push_back(static_cast<double>(next()));
    }
    const Places front = pareto_front(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_on_front = std::find(front.begin(), front.end(), i) != front.end();
      bool is_expected = true;
      for (std::size_t j = 0; j < rows.size(); ++j) {
        if (dominates(rows[j], rows[i]) || (j < i && rows[j] == rows[i])) is_expected = false;
      }
      INFO(round << " " << i);
      REQUIRE(is_on_front == is_expected);
    }
  }
}

TEST_CASE("spread places have both ends") {
  REQUIRE(spread_places(3, 5) == Places{0, 1, 2});
  REQUIRE(spread_places(10, 4) == Places{0, 3, 6, 9});
  REQUIRE(spread_places(10, 1) == Places{0});
}

}  // namespace
}  // namespace lsmlab::pareto_test
