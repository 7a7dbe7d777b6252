#include "models/tree/file_places.h"

#include <cstdint>
#include <map>
#include <vector>

#include "models/base/random.h"
#include "testing/catch.h"

namespace lsmlab::file_places_test {
namespace {

struct Pair {
  FilePlaces places;
  std::map<std::uint64_t, std::uint64_t> smallest_keys;  // by file id

  void require_equal(std::uint64_t ids) const {
    for (std::uint64_t id = 0; id < ids; ++id) {
      const FilePlace* place = places.find(FileId(id));
      const auto expected = smallest_keys.find(id);
      REQUIRE((place != nullptr) == (expected != smallest_keys.end()));
      if (place == nullptr) continue;
      REQUIRE(place->file == FileId(id));
      REQUIRE(place->smallest_key == expected->second);
    }
  }
};

}  // namespace

TEST_CASE("places and copies kept aside equal maps after random changes", "[models][tree]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  SplitMix64 random(seed);
  std::vector<Pair> pairs(3);
  std::uint64_t next_id = 1;
  for (int step = 0; step < 4'000; ++step) {
    Pair& changed = pairs[random.below(pairs.size())];
    if (random.below(100) == 0) pairs[random.below(pairs.size())] = changed;
    // As in a store: ids rise, with gaps, and files of one merge come and go together.
    if (random.below(100) < 55) {
      next_id += random.below(5) == 0 ? random.below(50) : 1;
      const std::uint64_t key = random.next();
      changed.places.insert({FileId(next_id), 0, RunId(1), key});
      changed.smallest_keys.emplace(next_id, key);
      ++next_id;
    } else {
      auto first = changed.smallest_keys.lower_bound(random.below(next_id));
      for (std::uint64_t count = random.below(8); count > 0; --count) {
        if (first == changed.smallest_keys.end()) break;
        changed.places.erase(FileId(first->first));
        first = changed.smallest_keys.erase(first);
      }
    }
    if (step % 200 == 0) {
      for (const Pair& pair : pairs) pair.require_equal(next_id + 1);
    }
  }
  for (Pair& pair : pairs) {
    while (!pair.smallest_keys.empty()) {
      pair.places.erase(FileId(pair.smallest_keys.begin()->first));
      pair.smallest_keys.erase(pair.smallest_keys.begin());
    }
    pair.require_equal(next_id);
  }
}

TEST_CASE("the place of a file with the largest id is found", "[models][tree]") {
  FilePlaces places;
  places.insert({FileId(~std::uint64_t{0}), 2, RunId(7), 5});
  places.insert({FileId(0), 1, RunId(8), 6});
  REQUIRE(places.find(FileId(~std::uint64_t{0}))->level == 2);
  REQUIRE(places.find(FileId(0))->level == 1);
  REQUIRE(places.find(FileId(1)) == nullptr);
}

}  // namespace lsmlab::file_places_test
