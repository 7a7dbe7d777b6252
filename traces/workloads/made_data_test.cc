#include "traces/workloads/made_data.h"

#include "testing/catch.h"

namespace lsmlab::made_data_test {

TEST_CASE("a made value is told from every other", "[traces]") {
  std::string value;
  for (const std::uint32_t bytes : {0U, 1U, 7U, 8U, 9U, 100U, 4096U}) {
    INFO(bytes << " bytes");
    make_value(7, 3, bytes, value);
    REQUIRE(value.size() == bytes);
    REQUIRE(is_made_value(7, 3, bytes, value));
    REQUIRE_FALSE(is_made_value(7, 3, bytes + 1, value));
    REQUIRE_FALSE(is_made_value(7, 3, bytes, value + "x"));
    if (bytes == 0) continue;
    REQUIRE_FALSE(is_made_value(7, 4, bytes, value));
    for (const std::size_t at : {std::size_t{0}, value.size() / 2, value.size() - 1}) {
      std::string other = value;
      other[at] = static_cast<char>(other[at] ^ 1);
      REQUIRE_FALSE(is_made_value(7, 3, bytes, other));
    }
  }
}

TEST_CASE("a compressible value repeats the random share of each hundred bytes", "[traces]") {
  const ValueShape quarter{Decimal(1, 4)};
  std::string value;
  make_value(7, 4, 250, value, quarter);
  REQUIRE(value.size() == 250);
  for (std::size_t at = 0; at < value.size(); ++at) {
    REQUIRE(value[at] >= ' ');
    REQUIRE(value[at] <= '~');
    if (at % 100 >= 25) REQUIRE(value[at] == value[at - 25]);
  }
  REQUIRE(value.substr(0, 25) != value.substr(100, 25));
  REQUIRE(is_made_value(7, 4, 250, value, quarter));
  REQUIRE_FALSE(is_made_value(7, 4, 250, value));
  value[120] = static_cast<char>(value[120] ^ 1);
  REQUIRE_FALSE(is_made_value(7, 4, 250, value, quarter));
}

TEST_CASE("a value begins where the one before it ended in the pieces", "[traces]") {
  const ValueShape quarter{Decimal(1, 4)};
  std::string value;
  // The third value of 250 bytes begins in the middle of a piece, of which only the end is its own.
  make_value(7, 3, 250, value, quarter);
  REQUIRE(is_made_value(7, 3, 250, value, quarter));
  for (std::size_t at = 25; at < value.size(); ++at) {
    if ((at + 50) % 100 >= 25) REQUIRE(value[at] == value[at - 25]);
  }
  REQUIRE(value.substr(0, 25) != value.substr(50, 25));
  REQUIRE(value.substr(50, 25) != value.substr(150, 25));
  // Values of whole pieces all begin with one.
  make_value(7, 3, 200, value, quarter);
  REQUIRE(value.substr(0, 25) == value.substr(75, 25));
  REQUIRE(value.substr(0, 25) != value.substr(100, 25));
}

}  // namespace lsmlab::made_data_test
