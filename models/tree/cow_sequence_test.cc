#include "models/tree/cow_sequence.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/base/random.h"
#include "testing/catch.h"

namespace lsmlab::cow_sequence_test {
namespace {

struct Numbered {
  std::uint64_t key = 0;
  std::uint64_t weight = 0;
  friend bool operator==(const Numbered&, const Numbered&) = default;
};

// The heaviest weight, and how many items have it.
struct Heaviest {
  std::uint64_t weight = 0;
  std::uint64_t count = 0;
  void add(const Heaviest& other) {
    if (other.weight > weight) *this = {other.weight, 0};
    if (other.weight == weight) count += other.count;
  }
};

struct Sums {
  using Extremes = Heaviest;
  std::uint64_t weight = 0;
  Heaviest heaviest;
  void add(const Sums& other) {
    weight += other.weight;
    heaviest.add(other.heaviest);
  }
  [[nodiscard]] bool subtract(const Sums& part) {
    weight -= part.weight;
    if (part.heaviest.weight != heaviest.weight) return true;
    heaviest.count -= part.heaviest.count;
    return heaviest.count > 0;
  }
  [[nodiscard]] const Extremes& extremes() const { return heaviest; }
  void set_extremes(const Extremes& extremes) { heaviest = extremes; }
};

template <bool kInLeaves>
struct NumberedTraits {
  using Item = Numbered;
  using Key = std::uint64_t;
  using Summary = Sums;
  static constexpr bool kKeysInLeaves = kInLeaves;
  static Key key_of(const Item& item) { return item.key; }
  static Heaviest extremes_of(const Item& item) { return {item.weight, 1}; }
  static Summary summary_of(const Item& item) { return {item.weight, extremes_of(item)}; }
};

Sums sums_of(const std::vector<Numbered>& items, std::size_t first, std::size_t last) {
  Sums sums;
  for (std::size_t i = first; i < last; ++i) sums.add({items[i].weight, {items[i].weight, 1}});
  return sums;
}

bool are_equal(const Sums& a, const Sums& b) {
  return a.weight == b.weight && a.heaviest.weight == b.heaviest.weight &&
         a.heaviest.count == b.heaviest.count;
}

// A sequence and the vector that it must equal. Keys rise.
template <class Sequence>
struct Pair {
  Sequence sequence;
  std::vector<Numbered> items;

  void require_equal() const {
    REQUIRE(sequence.size() == items.size());
    REQUIRE(std::equal(sequence.begin(), sequence.end(), items.begin(), items.end()));
    REQUIRE(are_equal(sequence.summary(), sums_of(items, 0, items.size())));
  }

  void require_found(SplitMix64& random) const {
    const std::uint64_t key = random.below(kKeys);
    const auto is_before = [&](std::uint64_t other) { return other < key; };
    const auto found = std::partition_point(items.begin(), items.end(),
                                            [&](const Numbered& item) { return item.key < key; });
    REQUIRE(sequence.partition_point(is_before) == static_cast<std::size_t>(found - items.begin()));
    const std::size_t from = random.below(items.size() + 1);
    const std::size_t last = from + random.below(items.size() - from + 1);
    REQUIRE(are_equal(sequence.sum(from, last), sums_of(items, from, last)));
    const std::uint64_t heavy = random.below(kWeights + 1);
    std::size_t first = from;
    while (first < items.size() && items[first].weight < heavy) ++first;
    REQUIRE(sequence.find_first(
                from, [&](const Sums& sums) { return sums.heaviest.weight >= heavy; }) == first);
    const std::uint64_t limit = random.below(kWeights * 100);
    std::size_t above = from;
    for (std::uint64_t sum = 0; above < items.size(); ++above) {
      sum += items[above].weight;
      if (sum > limit) break;
    }
    REQUIRE(sequence.find_sum_above(from, limit, [](const auto& of) { return of.weight; }) ==
            above);
  }

  void change_at_random(SplitMix64& random) {
    const std::size_t first = items.empty() ? 0 : random.below(items.size());
    const std::size_t last = first + random.below(std::min(items.size() - first, kSpan) + 1);
    switch (random.below(7)) {
      case 0:
        erase(first, last);
        return;
      case 1:
        if (!items.empty()) {
          REQUIRE(sequence.erase(first) == items[first]);
          items.erase(place(first));
        }
        return;
      case 2:
        sequence.change(first, last, [](Numbered& item) { item.weight = kWeights - item.weight; });
        std::for_each(place(first), place(last),
                      [](Numbered& item) { item.weight = kWeights - item.weight; });
        return;
      case 3: {
        std::vector<Numbered> others(place(first), place(last));
        for (Numbered& item : others) item.weight = random.below(kWeights + 1);
        std::copy(others.begin(), others.end(), place(first));
        sequence.assign(first, others);
        return;
      }
      default:
        insert(random);
    }
  }

  void erase(std::size_t first, std::size_t last) {
    sequence.erase(first, last);
    items.erase(place(first), place(last));
  }

  // Several items with keys next to each other, where there is room.
  void insert(SplitMix64& random) {
    std::uint64_t key = random.below(kKeys);
    for (std::uint64_t count = random.below(kSpan); count > 0; --count, ++key) {
      const auto behind = std::partition_point(
          items.begin(), items.end(), [&](const Numbered& item) { return item.key < key; });
      if (behind != items.end() && behind->key == key) continue;
      const Numbered item{key, random.below(kWeights + 1)};
      sequence.insert(static_cast<std::size_t>(behind - items.begin()), item);
      items.insert(behind, item);
    }
  }

  auto place(std::size_t index) { return items.begin() + static_cast<std::ptrdiff_t>(index); }

  static constexpr std::uint64_t kKeys = 4'000;
  static constexpr std::uint64_t kWeights = 20;
  static constexpr std::size_t kSpan = 90;  // several leaves
};

}  // namespace

TEMPLATE_TEST_CASE("a sequence and copies kept aside equal vectors after random changes",
                   "[models][tree]", NumberedTraits<true>, NumberedTraits<false>) {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  SplitMix64 random(seed);
  using Kept = Pair<CowSequence<TestType>>;
  std::vector<Kept> pairs(4);
  std::size_t largest = 0;
  for (int step = 0; step < 2'000; ++step) {
    CAPTURE(step);
    Kept& changed = pairs[random.below(pairs.size())];
    if (random.below(50) == 0) pairs[random.below(pairs.size())] = changed;
    changed.change_at_random(random);
    changed.require_found(random);
    largest = std::max(largest, changed.items.size());
    if (step % 20 == 0) {
      for (const Kept& pair : pairs) pair.require_equal();
    }
  }
  REQUIRE(largest > 1'000);  // nodes of three levels
  for (Kept& pair : pairs) {
    pair.erase(0, pair.items.size());
    pair.require_equal();
    REQUIRE(pair.sequence.empty());
  }
}

TEST_CASE("annotations change an item and nothing else", "[models][tree]") {
  CowSequence<NumberedTraits<true>> sequence;
  for (std::uint64_t i = 0; i < 100; ++i) sequence.insert(i, {i, 5});
  const CowSequence<NumberedTraits<true>> before = sequence;
  sequence.annotate(40, [](Numbered& item) { item.weight = 5; });
  REQUIRE(sequence[40] == Numbered{40, 5});
  REQUIRE(are_equal(sequence.summary(), before.summary()));
}

}  // namespace lsmlab::cow_sequence_test
