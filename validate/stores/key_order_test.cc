#include "validate/stores/key_order.h"

#include <string>
#include <utility>
#include <vector>

#include "testing/catch.h"

namespace lsmlab::key_order_test {
namespace {

using Ranges = std::vector<std::pair<std::string, std::string>>;

KeyOrder order_of(const Ranges& flushes) {
  stores::Manifest manifest;
  std::uint64_t number = 1;
  std::uint64_t step_count = 0;
  for (const auto& [smallest, largest] : flushes) {
    stores::HistoryEdit step;
    step.kind = stores::EditKind::kFlush;
    stores::AddedFile added;
    added.file.number = number++;
    added.file.smallest_key = smallest;
    added.file.largest_key = largest;
    added.file.smallest_sequence = 10 * step_count + 1;
    added.file.largest_sequence = 10 * step_count + 10;
    ++step_count;
    step.edit.added.push_back(added);
    manifest.history.push_back(step);
    // What merges write says nothing of the order in which keys came.
    step.kind = stores::EditKind::kMerge;
    manifest.history.push_back(step);
  }
  return key_order_of(manifest, 0);
}

TEST_CASE("flushes rise where their keys lie above all earlier ones") {
  REQUIRE(order_of({}).flushes == 0);
  REQUIRE_FALSE(order_of({}).is_sequential());
  REQUIRE(order_of({{"a", "c"}, {"d", "e"}, {"f", "g"}}).is_sequential());
  // Keys of equal bytes overlap; a byte above 127 is a large one.
  REQUIRE(order_of({{"a", "c"}, {"c", "e"}, {"f", "\x80"}}).rising == 1);
  REQUIRE(order_of({{"a", "\x80"}, {"b", "c"}, {"\x81", "\x82"}}).rising == 1);
  const KeyOrder random = order_of({{"a", "y"}, {"b", "z"}, {"a", "x"}});
  REQUIRE(random.flushes == 3);
  REQUIRE(random.rising == 0);
}

TEST_CASE("a load in order before other writes is partly sequential") {
  Ranges ranges{{"a", "b"}, {"c", "d"}, {"e", "f"}};
  for (int i = 0; i < 9; ++i) ranges.emplace_back("a", "f");
  const KeyOrder order = order_of(ranges);
  REQUIRE(order.rising == 3);
  REQUIRE(order.is_partly_sequential());
  REQUIRE_FALSE(order.is_sequential());
  for (int i = 0; i < 19; ++i) ranges.emplace_back("a", "f");
  REQUIRE_FALSE(order_of(ranges).is_partly_sequential());
}

TEST_CASE("a load in order ends in the first flush that does not rise") {
  Ranges ranges{{"a", "b"}, {"c", "d"}, {"e", "f"}};
  for (int i = 0; i < 3; ++i) ranges.emplace_back("a", "g");
  const KeyOrder order = order_of(ranges);
  REQUIRE(order.loaded == 3);
  // Ten writes each, and half of those of the fourth flush.
  REQUIRE(order.loading_writes == 35);
  REQUIRE(order.is_load_then_random());
  ranges.emplace_back("h", "i");  // one later flush of four rises: more than a few
  REQUIRE_FALSE(order_of(ranges).is_load_then_random());
  REQUIRE_FALSE(order_of({{"a", "y"}, {"b", "z"}, {"a", "x"}}).is_load_then_random());
  REQUIRE(order_of({{"a", "y"}, {"b", "z"}, {"a", "x"}}).loaded == 0);
}

}  // namespace
}  // namespace lsmlab::key_order_test
