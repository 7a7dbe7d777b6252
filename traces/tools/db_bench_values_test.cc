#include "traces/tools/db_bench_values.h"

#include "testing/catch.h"

namespace lsmlab::tools::db_bench_values_test {
namespace {

constexpr std::uint64_t kTextBytes = 1'048'600;  // whole pieces of 100, at least a mebibyte

TEST_CASE("The text of values is db_bench's, a piece of 100 bytes after the other") {
  const DbBenchValueText half(Decimal(1, 2), 100);
  REQUIRE(half.text().size() == kTextBytes);
  // What db_bench 7.8.3 puts as the first value. 301 * 16807 = 5058907, and 5058907 % 95 = 62, the
  // place of '^' from ' ' on.
  REQUIRE(half.text().substr(0, 12) == "^{Vhz\"!/%wMZ");
  for (std::uint64_t piece = 0; piece < kTextBytes; piece += 9900) {
    REQUIRE(half.text().substr(piece, 50) == half.text().substr(piece + 50, 50));
    REQUIRE(half.text().substr(piece, 50) != half.text().substr((piece + 100) % kTextBytes, 50));
  }
  const DbBenchValueText third(Decimal(30, 100), 100);
  REQUIRE(third.text().substr(0, 30) == half.text().substr(0, 30));
  REQUIRE(third.text().substr(60, 30) == half.text().substr(0, 30));
  REQUIRE(third.text().substr(90, 10) == half.text().substr(0, 10));
  const DbBenchValueText least(Decimal(1, 1000), 100);
  REQUIRE(least.text().substr(0, 100) == std::string(100, '^'));
}

TEST_CASE("Values are cut one after the other, and from the beginning where one would not fit") {
  DbBenchValueText values(Decimal(1, 2), 400);
  REQUIRE(values.cut(7) == 0);
  REQUIRE(values.cut(400) == 7);
  REQUIRE(values.cut(0) == 407);
  for (std::uint64_t at = 407; at + 400 <= kTextBytes; at += 400) REQUIRE(values.cut(400) == at);
  REQUIRE(values.cut(400) == 0);
  // The text grows with the largest value.
  DbBenchValueText large(Decimal(1, 2), 2'000'001);
  REQUIRE(large.text().size() == 2'000'100);
  REQUIRE(large.cut(2'000'001) == 0);
  REQUIRE(large.cut(100) == 0);
}

}  // namespace
}  // namespace lsmlab::tools::db_bench_values_test
