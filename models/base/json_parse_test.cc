#include "models/base/json_parse.h"

#include <chrono>

#include "testing/catch.h"

namespace lsmlab::json_parse_test {
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
  const std::string name = "a name in double quotes";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{\n\"a\": 1,\n  oops}", "line 3, column 3: found 'oops'; expected " + name},
      {"", "line 1, column 1: found the end of the text; expected a value"},
      {" \n", "line 2, column 1: found the end of the text; expected a value"},
      {"[1] 2", "line 1, column 5: found '2'; expected the end of the text"},
      {"[oops]", "column 2: found 'oops'; expected a value or ']'"},
      {"[", "column 2: found the end of the text; expected a value or ']'"},
      {"[1,]", "column 4: found ']'; expected a value"},
      {"[1 2]", "column 4: found '2'; expected ',' or ']'"},
      {"[1}", "column 3: found '}'; expected ',' or ']'"},
      {"[\"[\" \"x\"]", "column 6: found '\"x\"'; expected ',' or ']'"},
      {"[1.]", "column 2: found '1.'; expected a value or ']'"},
      {"[-x]", "column 2: found '-x'; expected a value or ']'"},
      {"{", "column 2: found the end of the text; expected " + name + " or '}'"},
      {"{1:2}", "column 2: found '1'; expected " + name + " or '}'"},
      {"{\"a\" 1}", "column 6: found '1'; expected ':'"},
      {"{\"a\":}", "column 6: found '}'; expected a value"},
      {"{\"a\":1,}", "column 8: found '}'; expected " + name},
      {"{\"a\":1 \"b\":2}", "column 8: found '\"b\"'; expected ',' or '}'"},
      {"{\"a\":[1,2}", "column 10: found '}'; expected ',' or ']'"},
      {"// comment\n1", "column 1: found '//'; expected a value"},
      {"[\"\xFF\"]", "column 3: a string is not UTF-8"},
      {"[\"\xC3\"]", "a string is not UTF-8"},
      {"[\"a\nb\"]",
       "line 1, column 4: a string holds the control character 0x0A; expected \\u000A"},
      {"[\"\\x\"]", "column 4: a string holds a wrong escape; expected one of"},
      {"[\"\\ud800\"]", "a string holds a wrong escape"},
      {"[\"abc", "column 6: a string has no closing '\"'"},
  };
  for (const auto& [text, fault] : cases) {
    INFO(text << "\n" << fault_of(text));
    REQUIRE(fault_of(text).starts_with("not JSON: line "));
    REQUIRE(contains(fault_of(text), fault));
  }
  REQUIRE(fault_of("[\"" + std::string(1 << 20, 'x')).size() < 300);
  REQUIRE(fault_of("[1 \"" + std::string(1 << 20, 'x') + "\"]").size() < 300);
}

TEST_CASE("a member given twice is refused with its name and place") {
  REQUIRE(contains(fault_of(R"({"a":1,"b":2,"a":1})"), "\"a\" is given twice"));
  REQUIRE(contains(fault_of(R"({"g":[{"x":1},{"p":{"k":1,"k":2}}]})"),
                   "\"k\" is given twice in g[1].p"));
  REQUIRE(fault_of(R"({"a":{"a":1},"b":{"a":1}})").empty());
}

TEST_CASE("numbers that no double holds are refused") {
  REQUIRE(contains(fault_of("{\"a\": 1e400}"), "column 7: the number 1e400 is out of range"));
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
}  // namespace lsmlab::json_parse_test
