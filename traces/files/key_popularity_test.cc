#include "traces/files/key_popularity.h"

#include <cmath>

#include "testing/catch.h"
#include "traces/workloads/key_distribution.h"

namespace lsmlab::key_popularity_test {
namespace {

double share_of(const std::vector<KeyClass>& classes, std::uint64_t first, std::uint64_t last,
                std::uint64_t live) {
  return KeyClassSums(classes).share(static_cast<double>(first), static_cast<double>(last),
                                     static_cast<double>(live));
}

// Accesses drawn from a distribution while keys arrive.
AccessCounts drawn(AccessKeyKind kind, std::uint64_t first_live, std::uint64_t last_live) {
  constexpr std::uint64_t kDraws = 300'000;
  AccessKeys keys;
  keys.kind = kind;
  KeyPicker picker(keys);
  SplitMix64 random(11);
  AccessCounts counts;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const std::uint64_t live = first_live + (last_live - first_live) * i / kDraws;
    counts.add(picker.draw(live, random), live);
  }
  return counts;
}

}  // namespace

TEST_CASE("steps of ranks are halves of doublings") {
  std::size_t before = 0;
  for (std::uint64_t rank = 0; rank < 5'000; ++rank) {
    const std::size_t step = RankSteps::step_of(rank);
    REQUIRE(step >= before);
    REQUIRE(RankSteps::begin_of(step) <= rank);
    REQUIRE(rank < RankSteps::begin_of(step + 1));
    before = step;
  }
}

TEST_CASE("uniform access explains nothing, also while keys arrive") {
  for (const std::uint64_t first : {1'000U, 50'000U}) {
    const AccessCounts counts = drawn(AccessKeyKind::kUniform, first, 50'000);
    // Numbers of live keys are rounded to a sixteenth.
    REQUIRE(counts.from_oldest(50'000, 300'000).explained < 0.005);
    REQUIRE(counts.from_newest(50'000, 300'000).explained < 0.005);
  }
}

TEST_CASE("classes are found again while keys arrive, from the oldest or the newest key") {
  constexpr std::uint64_t kKeys = 50'000;
  for (const AccessKeyKind kind : {AccessKeyKind::kZipfian, AccessKeyKind::kLatest}) {
    const AccessCounts counts = drawn(kind, 2'000, kKeys);
    const PopularityFit oldest = counts.from_oldest(kKeys, 300'000);
    const PopularityFit newest = counts.from_newest(kKeys, 300'000);
    const bool is_oldest = kind == AccessKeyKind::kZipfian;
    REQUIRE((oldest.explained > 2 * newest.explained) == is_oldest);
    REQUIRE((newest.explained > 2 * oldest.explained) == !is_oldest);
    const std::vector<KeyClass>& classes = is_oldest ? oldest.classes : newest.classes;
    double all = 0;
    for (std::uint64_t rank = 1; rank <= kKeys; ++rank) {
      all += std::pow(static_cast<double>(rank), -0.99);
    }
    double sum = 0;
    for (std::uint64_t rank = 1; rank <= kKeys; ++rank) {
      sum += std::pow(static_cast<double>(rank), -0.99);
      if (rank != 10 && rank != 100 && rank != 1'000 && rank != 10'000) continue;
      INFO("ranks to " << rank);
      REQUIRE(std::abs(share_of(classes, 0, rank, kKeys) - sum / all) < 0.01);
    }
  }
}

TEST_CASE("popularity by key is found whenever keys are inserted, chance makes no key popular") {
  constexpr std::uint64_t kKeys = 20'000;
  for (const bool is_skewed : {false, true}) {
    // Every second key is born late. Of the skewed ones, a tenth has half of the accesses.
    std::vector<CountedKey> keys(kKeys);
    std::vector<std::uint64_t> popular;
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      keys[i] = {mix_bits(i), {}, i % 2 == 0 ? 1 : std::uint64_t{100'000}, 0};
      if (mix_bits(i + 7) % 10 == 0) popular.push_back(i);
    }
    SplitMix64 random(3);
    AccessTimes times;
    for (std::uint64_t operation = 1; operation <= 200'000; ++operation) {
      std::uint64_t key = 0;
      do {
        const bool is_popular = is_skewed && random.below(2) == 0;
        key = is_popular ? popular[random.below(popular.size())] : random.below(kKeys);
      } while (keys[key].born > operation);
      ++keys[key].accesses[random.below(2)];
      times.add(operation);
    }
    const PopularityFit fit = popularity_by_key(keys, times, kKeys, 200'000);
    INFO("explained " << fit.explained);
    if (!is_skewed) {
      REQUIRE(fit.explained < 0.01);
    } else {
      const double share = share_of(fit.classes, 0, kKeys / 10, kKeys);
      INFO("share of the first tenth: " << share);
      REQUIRE(share > 0.45);
      REQUIRE(share < 0.6);
    }
  }
}

TEST_CASE("keys that are accessed in turn are not popular") {
  constexpr std::uint64_t kKeys = 1'000;
  std::vector<CountedKey> keys(kKeys);
  AccessTimes times;
  std::uint64_t operation = 0;
  for (std::uint64_t i = 0; i < kKeys; ++i) keys[i] = {mix_bits(i), {}, 1, 0};
  for (int turn = 0; turn < 3; ++turn) {
    for (CountedKey& key : keys) {
      times.add(++operation);
      ++key.accesses[mix_bits(operation) % 2];
    }
  }
  REQUIRE(popularity_by_key(keys, times, kKeys, 3'000).explained < 0.01);
}

}  // namespace lsmlab::key_popularity_test
