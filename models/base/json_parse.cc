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

// Builds the tree from the library's events. The library's own builder looks for a member among all
// of its object's to add it, and takes the last of several.
class Builder {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  [[nodiscard]] Json take() { return std::move(root_); }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  // Of the byte that the library could not read, from 1; 0 where the fault is of another kind.
  [[nodiscard]] std::size_t position() const { return position_; }

  // The names are the library's.
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
    position_ = std::max<std::size_t>(1, position);
    if (fault.id == kOutOfRange) {
      return fail(
          fmt::format("the number {} is out of range; expected at most 1.79e308", excerpt(token)));
    }
    return fail(words_of(fault.what()));
  }

 private:
  bool fail(std::string fault) {
    fault_ = std::move(fault);
    return false;
  }

  // Without the library's own names and place.
  static std::string words_of(std::string_view what) {
    constexpr std::string_view kBegin = "syntax error ";
    const std::size_t begin = what.find(kBegin);
    if (begin != std::string_view::npos) what.remove_prefix(begin);
    // It quotes what it read last, however long that is, and then says what it expected.
    constexpr std::size_t kWordsMax = 300;
    if (what.size() <= kWordsMax) return std::string(what);
    const std::size_t expected = what.rfind("'; expected ");
    const std::string_view end =
        expected == std::string_view::npos ? std::string_view() : what.substr(expected);
    return excerpt(what) + (end.size() < kWordsMax ? std::string(end) : std::string());
  }

  Json* place_of_next() {
    if (open_.empty()) return &root_;
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

  // Of the innermost object; nullptr where all names differ.
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

  // " in groups[0].bounds": of the innermost object; empty for the whole.
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
  // Outermost first. What follows an open value is added to it or inside it, so that it stays where
  // it is.
  std::vector<Json*> open_;
  std::string fault_;
  std::size_t position_ = 0;
};

// "line 3, column 7"; of byte `position`, from 1.
std::string line_and_column(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position - 1, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1;
  return fmt::format("line {}, column {}", lines + 1, column);
}

}  // namespace

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  Builder builder(limits);
  if (Json::sax_parse(text, &builder)) return builder.take();
  if (builder.position() == 0) return input_error(builder.fault());
  return input_error(
      fmt::format("not JSON: {}: {}", line_and_column(text, builder.position()), builder.fault()));
}

}  // namespace lsmlab
