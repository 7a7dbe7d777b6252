#include <nlohmann/json.hpp>

#include "testing/cli.h"

namespace lsmlab::testing::cases_test {
namespace {

TEST_CASE("lsmlab cases lists and predicts what somebody published") {
  const Cli cli;
  const Outcome list = cli.run("cases --list");
  REQUIRE(list.exit_code == 0);
  REQUIRE(contains(list.out, "nethermind"));
  REQUIRE(contains(list.out, "rocksdb-10655"));
  const Outcome one = cli.run("cases nethermind -q");
  INFO(one.err);
  REQUIRE(one.exit_code == 0);
  REQUIRE(contains(one.out, "nethermind (grade B)"));
  REQUIRE(!contains(one.out, "rocksdb-10655"));
  const auto rows = nlohmann::json::parse(cli.run("cases nethermind -q --format json").out);
  REQUIRE(rows.size() == 1);
  const auto& figure = rows[0]["figures"][0];
  REQUIRE(figure["reported"] == 39.8);
  REQUIRE(figure["predicted"].get<double>() == Approx(39.8).epsilon(0.1));
  REQUIRE(contains(rows[0]["command"].get<std::string>(), "lsmlab simulate -p rocksdb-leveled:"));
}

TEST_CASE("an unknown case or format is refused") {
  const Cli cli;
  const Outcome unknown = cli.run("cases nethermint");
  REQUIRE(unknown.exit_code == 2);
  REQUIRE(contains(unknown.err, "did you mean 'nethermind'"));
  REQUIRE(cli.run("cases --format html").exit_code == 2);
}

}  // namespace
}  // namespace lsmlab::testing::cases_test
