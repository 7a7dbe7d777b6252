#include "sim/ranges/older_sources.h"

#include <vector>

#include "testing/catch.h"

namespace lsmlab::older_sources_test {
namespace {

// One cell over keys 0 to 1023, in which entries lie evenly.
RangeContents contents_of(const ClassCounts& counts) {
  RangeContents contents;
  contents.keys = {0, 1023};
  contents.classes.push_back(counts);
  return contents;
}

ClassCounts counts_of(std::uint64_t entries, std::uint64_t oldest, std::uint64_t tombstones) {
  return {fixed_count(entries), fixed_count(oldest), fixed_count(tombstones)};
}

SourcePart part_of(const RangeContents& contents) {
  return {&contents, contents.keys, {}, nullptr};
}

TEST_CASE("keys of older sources are those with an oldest version that nothing there deletes") {
  const RangeContents old_file = contents_of(counts_of(1'024, 1'024, 0));
  const RangeContents newer = contents_of(counts_of(512, 256, 128));
  OlderSources older({{part_of(old_file)}, {part_of(newer)}});
  older.look_at(0, 1'024);
  REQUIRE(older.keys(0) == fixed_count(1'024 + 256 - 128));
  REQUIRE(older.keys(1) == 0);
}

TEST_CASE("ranges of older sources are looked at one after another, with gaps") {
  const RangeContents file = contents_of(counts_of(1'024, 1'024, 0));
  OlderSources older({{part_of(file)}});
  older.look_at(256, 512);
  REQUIRE(rounded(older.keys(0)) == 256);
  older.look_at(640, 704);
  REQUIRE(rounded(older.keys(0)) == 64);
  older.look_at(1'024, 2'048);
  REQUIRE(older.keys(0) == 0);
}

TEST_CASE("updates of a key lie in each older source by chance") {
  // Of 1,024 keys one source updates a half, another one a quarter.
  const RangeContents half = contents_of(counts_of(512, 0, 0));
  const RangeContents quarter = contents_of(counts_of(300, 0, 44));
  OlderSources older({{part_of(half)}, {part_of(quarter)}});
  older.look_at(0, 1'024);
  REQUIRE(older.keys(0) == 0);
  REQUIRE(older.share_without_update(0, fixed_count(1'024)) == kWholeShare / 8 * 3);
  REQUIRE(older.share_without_update(0, fixed_count(128)) == 0);
}

}  // namespace
}  // namespace lsmlab::older_sources_test
