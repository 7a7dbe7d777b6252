#include "models/base/json_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/base/shortened.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// Where the library stopped reading.
struct Stop {
  std::size_t position = 0;  // of the last byte that it read, from 1; one more at the text's end
  bool is_in_array = false;  // innermost value that is still open
  bool is_in_object = false;
  bool has_root = false;   // a whole value was read
  bool has_name = false;   // a member's name was read, and no value yet
  std::string fault = {};  // if it is known already
};

// Builds the tree from the library's events. The library's own builder searches all members of an
// object before it adds one, and of members with the same name keeps the last.
class Builder {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  [[nodiscard]] Json take() { return std::move(root_); }
  // A fault that this class found; empty if the text is not JSON.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  // REQUIRES: the text is not JSON.
  [[nodiscard]] const Stop& stop() const { return stop_; }

  // The library calls these by their names.
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return fail("binary values are not JSON"); }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool key(std::string& name) {
    auto& members = open_.back()->get_ref<Json::object_t&>();
    if (members.size() >= limits_.members_max) {
      return fail(fmt::format("more than {} members in an object", limits_.members_max));
    }
    members.emplace_back(std::move(name), nullptr);
    stop_.has_name = true;
    return true;
  }
  bool end_object() {
    if (const std::string* name = repeated_name()) {
      return fail(fmt::format("\"{}\" is given twice{}", excerpt(*name), place()));
    }
    open_.pop_back();
    return true;
  }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& fault) {
    constexpr int kOutOfRange = 406;
    stop_.position = std::max<std::size_t>(1, position);
    stop_.is_in_array = !open_.empty() && open_.back()->is_array();
    stop_.is_in_object = !open_.empty() && open_.back()->is_object();
    if (fault.id == kOutOfRange) {
      stop_.fault =
          fmt::format("the number {} is out of range; expected at most 1.79e308", excerpt(token));
    }
    return false;
  }

 private:
  bool fail(std::string fault) {
    fault_ = std::move(fault);
    return false;
  }

  Json* place_of_next() {
    stop_.has_name = false;
    if (open_.empty()) {
      stop_.has_root = true;
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_object()) return &parent.get_ref<Json::object_t&>().back().second;
    return &parent.get_ref<Json::array_t&>().emplace_back(nullptr);
  }

  template <class Value>
  bool add(Value&& value) {
    *place_of_next() = std::forward<Value>(value);
    return true;
  }

  bool open(Json value) {
    if (open_.size() >= limits_.depth_max) {
      return fail(fmt::format("nested more than {} deep", limits_.depth_max));
    }
    Json* const place = place_of_next();
    *place = std::move(value);
    open_.push_back(place);
    return true;
  }

  // A name that the innermost object has twice; nullptr if all names differ.
  const std::string* repeated_name() const {
    const auto& members = open_.back()->get_ref<const Json::object_t&>();
    std::vector<const std::string*> names;
    names.reserve(members.size());
    for (const auto& member : members) names.push_back(&member.first);
    const auto by_text = [](const std::string* a, const std::string* b) { return *a < *b; };
    std::sort(names.begin(), names.end(), by_text);
    const auto found =
        std::adjacent_find(names.begin(), names.end(),
                           [](const std::string* a, const std::string* b) { return *a == *b; });
    return found == names.end() ? nullptr : *found;
  }

  // The path of the innermost object, " in groups[0].bounds"; empty for the outermost one.
  std::string place() const {
    std::string path;
    for (std::size_t depth = 0; depth + 1 < open_.size(); ++depth) {
      const Json& parent = *open_[depth];
      if (parent.is_array()) {
        path += fmt::format("[{}]", parent.size() - 1);
      } else {
        path += (path.empty() ? "" : ".") +
                excerpt(parent.get_ref<const Json::object_t&>().back().first);
      }
    }
    return path.empty() ? path : " in " + path;
  }

  JsonLimits limits_;
  Json root_;
  // Outermost first. The pointers stay valid: new values go into the innermost open value only.
  std::vector<Json*> open_;
  std::string fault_;
  Stop stop_;
};

struct Token {
  std::size_t begin = 0;  // the text's size if nothing is left
  std::string_view text;
  char before = 0;  // last byte of the token before it; 0 if it is the first
};

std::size_t token_end(std::string_view text, std::size_t begin) {
  constexpr std::string_view kEnds = " \t\r\n[]{},:\"";
  if (text[begin] != '"') {
    const std::size_t end = text.find_first_of(kEnds, begin);
    return end == begin ? begin + 1 : std::min(end, text.size());
  }
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return text.size();
}

// A number or word that is not JSON. Brackets are tokens that are no values.
bool is_wrong_word(std::string_view token) {
  constexpr std::string_view kMarks = "[]{},:";
  return kMarks.find(token.front()) == std::string_view::npos && !Json::accept(token);
}

// The token that the library could not accept after it had read `position` bytes. Every token
// before it is valid. To see the end of a word the library may have read one byte more.
Token token_at(std::string_view text, std::size_t position) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  Token token;
  std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  for (;;) {
    token.begin = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    if (token.begin == text.size()) return token;
    at = token_end(text, token.begin);
    token.text = text.substr(token.begin, at - token.begin);
    if (at >= position || (at + 1 == position && is_wrong_word(token.text))) return token;
    token.before = token.text.back();
    token.text = {};
  }
}

const char* expected_after(const Stop& stop, char before) {
  if (stop.is_in_array) {
    return before == '[' ? "a value or ']'" : before == ',' ? "a value" : "',' or ']'";
  }
  if (stop.is_in_object) {
    if (stop.has_name) return before == ':' ? "a value" : "':'";
    if (before == '{') return "a name in double quotes or '}'";
    return before == ',' ? "a name in double quotes" : "',' or '}'";
  }
  return stop.has_root ? "the end of the text" : "a value";
}

// Of a string that is not JSON: what is wrong with its byte `at`.
std::string string_fault(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "a string has no closing '\"'";
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20) {
    return fmt::format("a string holds the control character 0x{0:02X}; expected \\u{0:04X}", byte);
  }
  if (byte >= 0x80 || static_cast<unsigned char>(text[at - 1]) >= 0x80) {
    return "a string is not UTF-8";
  }
  return "a string holds a wrong escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t, or "
         "\\u with four hexadecimal digits";
}

// "line 3, column 7" of byte `at`, from 0.
std::string line_and_column(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1;
  return fmt::format("line {}, column {}", lines + 1, column);
}

// The library's own words quote the text without a limit, and its place is a byte.
std::string syntax_fault(std::string_view text, const Stop& stop) {
  const Token token = token_at(text, stop.position);
  if (!stop.fault.empty()) {
    return fmt::format("{}: {}", line_and_column(text, token.begin), stop.fault);
  }
  if (token.text.starts_with('"') && !Json::accept(token.text)) {
    const std::size_t at = std::max(stop.position - 1, token.begin + 1);
    return fmt::format("{}: {}", line_and_column(text, at), string_fault(text, at));
  }
  const std::string found =
      token.text.empty() ? "the end of the text" : fmt::format("'{}'", excerpt(token.text));
  return fmt::format("{}: found {}; expected {}", line_and_column(text, token.begin), found,
                     expected_after(stop, token.before));
}

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  Builder builder(limits);
  if (Json::sax_parse(text, &builder)) return builder.take();
  if (!builder.fault().empty()) return input_error(builder.fault());
  return input_error("not JSON: " + syntax_fault(text, builder.stop()));
}

}  // namespace lsmlab
