#include "sim/ranges/rank_weights.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "testing/catch.h"

namespace lsmlab::rank_weights_test {
namespace {

// Compares the shares between the bounds with those of keys that are drawn one by one, among as
// many live keys as the last bound says.
void require_drawn_shares(const AccessKeys& keys, const RankWeights& weights,
                          const std::vector<std::uint64_t>& bounds) {
  constexpr int kDraws = 200'000;
  const std::uint64_t live = bounds.back();
  KeyPicker picker(keys);
  SplitMix64 random(3);
  INFO("seed 3");
  std::vector<int> drawn(live);
  for (int i = 0; i < kDraws; ++i) ++drawn[picker.draw(live, random)];
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    double count = 0;
    for (std::uint64_t rank = bounds[i]; rank < bounds[i + 1]; ++rank) count += drawn[rank];
    const double expected =
        kDraws * weights.of(static_cast<double>(bounds[i]), static_cast<double>(bounds[i + 1]),
                            static_cast<double>(live));
    INFO("ranks from " << bounds[i] << ": drawn " << count << ", expected " << expected);
    const double deviation = std::sqrt(expected);
    REQUIRE(std::abs(count - expected) < std::min(4 * deviation + 5, 5 * deviation + 1));
  }
}

TEST_CASE("rank weights: shares of ranks are those of keys drawn one by one") {
  constexpr std::uint64_t kLive = 10'000;
  for (const AccessKeyKind kind : {AccessKeyKind::kUniform, AccessKeyKind::kNormal,
                                   AccessKeyKind::kZipfian, AccessKeyKind::kLatest}) {
    AccessKeys keys;
    keys.kind = kind;
    const auto weights = rank_weights_of(keys, "update_keys");
    REQUIRE(weights.has_value());
    REQUIRE(weights.value()->prefers_newest() == (kind == AccessKeyKind::kLatest));
    require_drawn_shares(keys, *weights.value(),
                         {0, 1, 10, 100, 5'000, 9'900, 9'990, 9'999, kLive});
  }
}

TEST_CASE("rank weights: given classes begin classes, from the oldest or the newest key") {
  constexpr std::uint64_t kLive = 550;
  for (const bool is_newest_first : {false, true}) {
    AccessKeys keys;
    keys.kind = AccessKeyKind::kClasses;
    keys.classes = {{10, 500'000'000}, {90, 300'000'000}, {900, 200'000'000}};
    if (is_newest_first) keys.newest_first = true;
    const auto weights = rank_weights_of(keys, "update_keys");
    REQUIRE(weights.has_value());
    REQUIRE(weights.value()->prefers_newest() == is_newest_first);
    const auto begins = weights.value()->class_begins(1'000);
    REQUIRE(begins == (is_newest_first ? std::vector<std::uint64_t>{0}
                                       : std::vector<std::uint64_t>{0, 10, 100}));
    require_drawn_shares(keys, *weights.value(), {0, 5, 10, 100, 450, 540, 545, kLive});
  }
}

TEST_CASE("rank weights: sequential access has none and is refused by name") {
  AccessKeys keys;
  keys.kind = AccessKeyKind::kSequential;
  const auto weights = rank_weights_of(keys, "phase 0: update_keys");
  REQUIRE(!weights);
  REQUIRE(weights.error().message.find("update_keys") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::rank_weights_test
