// Times in place of numbers of operations.
#include "models/base/stated_time.h"

#include <fmt/format.h>

#include "models/base/spec.h"
#include "models/policies/registry.h"
#include "testing/catch.h"

namespace lsmlab::stated_time_test {
namespace {

std::uint64_t count_of(const std::string& time, const std::string& rate,
                       const OperationShare& share = {}) {
  return operations_in(parse_time(time).value(), OperationRate::parse(rate).value(), share).value();
}

TEST_CASE("a time is read in each unit, and written in the largest whole one") {
  REQUIRE(parse_time("30d").value() == 2'592'000);
  REQUIRE(parse_time("12h").value() == 43'200);
  REQUIRE(parse_time("90min").value() == 5'400);
  REQUIRE(parse_time("3600s").value() == 3'600);
  REQUIRE(parse_time("1.5h").value() == 5'400);
  REQUIRE(parse_time("0.125d").value() == 10'800);
  REQUIRE(parse_time("0s").value() == 0);
  for (const char* text : {"30d", "7h", "61min", "59s", "0s"}) {
    REQUIRE(typed_time_text(parse_time(text).value()) == text);
  }
  REQUIRE(typed_time_text(86'400) == "1d");
  REQUIRE(typed_time_text(5'400) == "90min");
  REQUIRE(typed_time_text(5'401) == "5401s");
}

TEST_CASE("counts are no times, and other units are errors that name the right ones") {
  for (const char* text : {"30", "30k", "30M", "1e6", "30%", "", "d", "30MiB", "-3d", "3 d"}) {
    INFO(text);
    REQUIRE_FALSE(is_stated_time(text));
  }
  for (const char* text : {"30d", "1.5h", "10m", "5ms", "2weeks"}) REQUIRE(is_stated_time(text));
  REQUIRE(parse_time("10m").error().message ==
          "'10m' could be minutes or millions; write 10min or 10M");
  for (const char* text : {"5ms", "2weeks", "3", "d"}) {
    INFO(text);
    REQUIRE(parse_time(text).error().message.find("s, min, h or d") != std::string::npos);
  }
  REQUIRE(parse_time("1..5h").error().message.find("as in 30d") != std::string::npos);
  REQUIRE(parse_time("0.5s").error().message.find("whole number of seconds") != std::string::npos);
  REQUIRE(parse_time("1.5.s").error().message.find("as in 30d") != std::string::npos);
  REQUIRE(parse_time("0.1234567891d").error().message.find("nine decimals") != std::string::npos);
}

TEST_CASE("a time may be as long as 2^40 seconds, in any unit") {
  REQUIRE(parse_time("4294967295s").value() == 4'294'967'295);
  REQUIRE(parse_time("99999999999s").value() == 99'999'999'999);
  REQUIRE(parse_time("99999999999.0s").value() == 99'999'999'999);
  REQUIRE(parse_time("1099511627776s").value() == std::uint64_t{1} << 40);
  REQUIRE(parse_time("12725829d").value() == 1'099'511'625'600);
  for (const char* text : {"1099511627777s", "4000000000d", "1099511627776.5min",
                           "18446744073709551615s", "99999999999999999999s"}) {
    INFO(text);
    REQUIRE(parse_time(text).error().message ==
            fmt::format("'{}' is more than 2^40 seconds", text));
  }
}

TEST_CASE("a rate is a count or a decimal above 0") {
  REQUIRE(OperationRate::parse("10k").value().numerator() == 10'000);
  REQUIRE(OperationRate::parse("10k").value().text() == "10000");
  REQUIRE(OperationRate::parse("0.25").value().denominator() == 4);
  REQUIRE(OperationRate::parse("0.25").value().text() == "0.25");
  REQUIRE(OperationRate::parse("1234.5").value().numerator() == 2'469);
  for (const char* text : {"0", "-5", "5%", "fast", "", "2T", "0.0"}) {
    INFO(text);
    REQUIRE(OperationRate::parse(text).error().message.find("operations a second") !=
            std::string::npos);
  }
}

TEST_CASE("a time becomes its operations exactly, rounded to the nearest") {
  REQUIRE(count_of("30d", "5000") == std::uint64_t{30} * 86'400 * 5'000);
  REQUIRE(count_of("10d", "1000", {1, 2}) == std::uint64_t{10} * 86'400 * 500);
  REQUIRE(count_of("1h", "0.25") == 900);
  REQUIRE(count_of("0s", "5000") == 0);
  // 3 / 2 is 2, 1 / 3 of 4 is 1.33, 2 / 3 of 4 is 2.67.
  REQUIRE(count_of("3s", "0.5") == 2);
  REQUIRE(count_of("4s", "1", {1, 3}) == 1);
  REQUIRE(count_of("4s", "1", {2, 3}) == 3);
  // As large as all of them may be: 2^40 s * 2^21 a second, and a share of nearly all.
  const std::uint64_t most = std::uint64_t{1} << 49;
  REQUIRE(
      operations_in(std::uint64_t{1} << 40, OperationRate(std::uint64_t{1} << 21), {most - 1, most})
          .value() == (std::uint64_t{1} << 61) - (std::uint64_t{1} << 12));
}

TEST_CASE("a time without an operation, or with too many, is an error") {
  REQUIRE(operations_in(1, OperationRate::parse("0.1").value()).error().message == "less than one");
  REQUIRE(operations_in(9, OperationRate(9), {0, 5}).error().message == "less than one");
  REQUIRE(operations_in(std::uint64_t{1} << 40, OperationRate(std::uint64_t{1} << 23))
              .error()
              .message == "more than 2^62");
}

TEST_CASE("where no workload is known, a policy refuses a time and says what is missing") {
  const auto made = make_policy(parse_spec("rocksdb-leveled:ttl=30d").value());
  REQUIRE(made.error().message ==
          "policy 'rocksdb-leveled': ttl=30d: a time becomes a number of operations by the "
          "workload's operations_per_second, and no workload is known here; give the number of "
          "operations");
  for (const std::string near : {"30D", "1d2h", "30 d", "1e9d", "-1d", "d"}) {
    INFO(near);
    const auto unread = make_policy({"rocksdb-leveled", {{"ttl", near}}});
    REQUIRE(unread.error().message.find("such as 100000 or 10M, or a time such as 30d, 12h, 5min, "
                                        "10s, within ") != std::string::npos);
  }
  const auto other = make_policy(parse_spec("rocksdb-leveled:size_ratio=30D").value());
  REQUIRE(other.error().message.find("or a time") == std::string::npos);
  const auto decimal = make_policy(parse_spec("rocksdb-leveled:ttl=6.5").value());
  REQUIRE(decimal.error().message.find("; write 6 or 7") != std::string::npos);

  REQUIRE(other.error().message.find("size_ratio") != std::string::npos);
  REQUIRE(other.error().message.find("operations_per_second") == std::string::npos);
}

}  // namespace
}  // namespace lsmlab::stated_time_test
