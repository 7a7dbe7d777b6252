#include "models/base/json_parse.h"

#include <chrono>

#include "testing/catch.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

std::string fault_of(const std::string& text, const JsonLimits& limits = {}) {
  const auto json = parse_json(text, limits);
  return json ? "" : json.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("JSON is read as the library reads it, members in their order") {
  for (const char* text : {"null", "[]", "{}", "-5", "18446744073709551615", "0.1", R"("a\u00e9")",
                           R"({"b":[1,{"a":[true,false]},[[]]],"a":{"":null,"c":-1.5e-3}})"}) {
    INFO(text);
    REQUIRE(parse_json(text).value().dump() == Json::parse(text).dump());
  }
}

TEST_CASE("what is not JSON is told with line and column") {
  REQUIRE(contains(fault_of("{\n\"a\": 1,\n  oops}"), "line 3, column 3: syntax error"));
  REQUIRE(contains(fault_of(""), "unexpected end of input"));
  REQUIRE(contains(fault_of("[1] 2"), "expected end of input"));
  REQUIRE(contains(fault_of("[\"\xFF\"]"), "UTF-8"));
  const std::string fault = fault_of("[\"" + std::string(1 << 20, 'x'));
  REQUIRE(fault.size() < 600);
}

TEST_CASE("a member given twice is refused with its name and place") {
  REQUIRE(contains(fault_of(R"({"a":1,"b":2,"a":1})"), "\"a\" is given twice"));
  REQUIRE(contains(fault_of(R"({"g":[{"x":1},{"p":{"k":1,"k":2}}]})"),
                   "\"k\" is given twice in g[1].p"));
  REQUIRE(fault_of(R"({"a":{"a":1},"b":{"a":1}})").empty());
}

TEST_CASE("numbers that no double holds are refused") {
  REQUIRE(contains(fault_of("{\"a\": 1e400}"), "1e400 is out of range"));
  REQUIRE(contains(fault_of("-1e400"), "out of range"));
  REQUIRE(fault_of("1e-400").empty());
}

TEST_CASE("depth and members have limits") {
  REQUIRE(fault_of(std::string(64, '[') + std::string(64, ']')).empty());
  REQUIRE(contains(fault_of(std::string(65, '[') + std::string(65, ']')), "more than 64 deep"));
  std::string object = "{";
  for (int i = 0; i < 11; ++i) object += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  REQUIRE(contains(fault_of(object + "}", {64, 10}), "more than 10 members"));
  REQUIRE(fault_of(object + "}", {64, 11}).empty());
}

TEST_CASE("reading takes time linear in the length") {
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(!fault_of(std::string(10 << 20, '[')).empty());
  std::string members = "{";
  for (int i = 0; i < 200'000; ++i) members += "\"" + std::to_string(i) + "\":[{}],";
  REQUIRE(fault_of(members + "\"last\":0}").empty());
  // A quadratic reader takes minutes.
  REQUIRE(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

}  // namespace
}  // namespace lsmlab
