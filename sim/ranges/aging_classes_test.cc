#include "sim/ranges/aging_classes.h"

#include <algorithm>
#include <cmath>

#include "testing/catch.h"

namespace lsmlab::aging_classes_test {
namespace {

double live_of(const std::vector<KeyPart>& parts) {
  double live = 0;
  for (const KeyPart& part : parts) live += part.live;
  return live;
}

// Each class one part with as many live keys as inserts.
std::vector<KeyPart> classes_of(std::size_t count, std::uint64_t keys) {
  std::vector<KeyPart> parts;
  for (std::size_t c = 0; c < count; ++c) {
    parts.push_back({c * keys, c, false, static_cast<double>(keys)});
  }
  return parts;
}

std::vector<KeyPart> merged(std::vector<KeyPart> parts) {
  const ClassMerges merges = merges_of_old_classes(parts);
  for (KeyPart& part : parts) part.key_class = merges[part.key_class];
  return parts;
}

TEST_CASE("aging classes: parts are narrow where keys are new, and no key is lost") {
  const std::vector<KeyPart> parts = classes_of(20, 1'000);
  const std::vector<KeyPart> cut = cut_by_distance(parts, 20'000);
  REQUIRE(std::abs(live_of(cut) - 20'000) < 1e-6);
  REQUIRE(cut.size() < 100);
  double newer = 0;
  std::uint64_t end = 20'000;
  for (auto part = cut.rbegin(); part != cut.rend(); ++part) {
    REQUIRE(part->live <= std::max(1.0, 0.2 * newer) + 1e-9);
    // All inserted keys live here: a part has as many as its insertion numbers.
    REQUIRE(std::abs(static_cast<double>(end - part->first) - part->live) <= 1.5);
    REQUIRE(part->key_class == part->first / 1'000);
    newer += part->live;
    end = part->first;
  }
  REQUIRE(end == 0);
  // As often as one likes: parts that fit stay as they are.
  const std::vector<KeyPart> again = cut_by_distance(cut, 20'000);
  REQUIRE(again.size() == cut.size());
  REQUIRE(std::abs(live_of(again) - 20'000) < 1e-6);
}

TEST_CASE("aging classes: a class without live keys keeps its place") {
  std::vector<KeyPart> parts = classes_of(4, 100);
  parts[2].live = 0;
  const std::vector<KeyPart> cut = cut_by_distance(parts, 400);
  std::size_t key_class = 0;
  for (const KeyPart& part : cut) {
    REQUIRE(part.key_class <= key_class + 1);
    key_class = part.key_class;
  }
  REQUIRE(key_class == 3);
  REQUIRE(std::abs(live_of(cut) - 300) < 1e-6);
}

TEST_CASE("aging classes: old classes merge until about two are left for each doubling") {
  const std::vector<KeyPart> parts = merged(classes_of(1'000, 50));
  const std::size_t classes = parts.back().key_class + 1;
  // The first five stay alone; from 250 to 50,000 keys there are 7.6 doublings.
  REQUIRE(classes >= 15);
  REQUIRE(classes <= 30);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    REQUIRE(parts[i].key_class - parts[i - 1].key_class <= 1);
  }
  REQUIRE(parts[995].key_class + 4 == parts[999].key_class);
  // None is wider than 0.4 of its distance, but for single ones.
  double newer = 0;
  for (std::size_t end = parts.size(); end > 0;) {
    std::size_t first = end;
    while (first > 0 && parts[first - 1].key_class == parts[end - 1].key_class) --first;
    const double width = 50.0 * static_cast<double>(end - first);
    REQUIRE((end - first == 1 || width <= 0.4 * newer));
    newer += width;
    end = first;
  }
}

TEST_CASE("aging classes: no class reaches across a fixed begin") {
  std::vector<KeyPart> parts = classes_of(1'000, 50);
  parts[100].is_fixed = parts[101].is_fixed = true;
  parts = merged(parts);
  REQUIRE(parts[99].key_class + 1 == parts[100].key_class);
  REQUIRE(parts[100].key_class + 1 == parts[101].key_class);
}

TEST_CASE("aging classes: begins by distance are narrow towards the newest key") {
  const std::vector<std::uint64_t> begins = begins_by_distance(1'000'000);
  REQUIRE(begins.front() == 0);
  REQUIRE(begins.back() == 999'999);
  REQUIRE(begins.size() < 50);
  for (std::size_t i = 1; i + 1 < begins.size(); ++i) {
    const std::uint64_t newer = 1'000'000 - begins[i + 1];
    REQUIRE(begins[i] < begins[i + 1]);
    REQUIRE(static_cast<double>(begins[i + 1] - begins[i]) <= 1 + 0.4 * static_cast<double>(newer));
  }
  REQUIRE(begins_by_distance(0) == std::vector<std::uint64_t>{0});
}

}  // namespace
}  // namespace lsmlab::aging_classes_test
