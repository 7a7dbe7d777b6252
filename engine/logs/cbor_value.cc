#include "engine/logs/cbor_value.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lsmlab::engine {
namespace {

constexpr std::uint8_t kUnsignedItem = 0;
constexpr std::uint8_t kTextItem = 3;
constexpr std::uint8_t kArrayItem = 4;
constexpr std::uint8_t kMapItem = 5;
constexpr std::uint8_t kFalseItem = 0xf4;
constexpr std::uint8_t kTrueItem = 0xf5;

// Appends an item's type, and its number or length in as few bytes as possible.
void append_head(std::string& cbor, std::uint8_t type, std::uint64_t argument) {
  const auto first = static_cast<std::uint8_t>(type << 5);
  if (argument < 24) {
    cbor.push_back(static_cast<char>(first | argument));
    return;
  }
  unsigned power = 0;  // the argument takes 2^power bytes
  while (power < 3 && argument >> (8U << power) != 0) ++power;
  cbor.push_back(static_cast<char>(first | (24 + power)));
  for (unsigned byte = 1U << power; byte > 0; --byte) {
    cbor.push_back(static_cast<char>(argument >> (8 * (byte - 1))));
  }
}

void append_text(std::string& cbor, std::string_view text) {
  append_head(cbor, kTextItem, text.size());
  cbor += text;
}

auto place_of(auto& map, std::string_view name) {
  return std::lower_bound(map.begin(), map.end(), name,
                          [](const CborValue::Member& member, std::string_view wanted) {
                            return member.name < wanted;
                          });
}

bool is_member(const CborArgument& argument) {
  const CborValue& value = argument.value();
  return value.is_array() && value.size() == 2 && value[0].is_string();
}

}  // namespace

CborValue::CborValue(std::initializer_list<CborArgument> values) {
  if (!std::all_of(values.begin(), values.end(), is_member)) {
    *this = array(values);
    return;
  }
  value_ = Map{};
  for (const CborArgument& argument : values) {
    CborValue pair = argument.take();
    List& list = std::get<List>(pair.value_);
    (*this)[list[0].get<std::string>()] = std::move(list[1]);
  }
}

CborValue CborValue::array(std::initializer_list<CborArgument> values) {
  List list;
  list.reserve(values.size());
  for (const CborArgument& argument : values) list.push_back(argument.take());
  return CborValue(std::move(list));
}

std::size_t CborValue::size() const {
  if (is_array()) return std::get<List>(value_).size();
  return is_object() ? std::get<Map>(value_).size() : 0;
}

const CborValue* CborValue::begin() const {
  return is_array() ? std::get<List>(value_).data() : nullptr;
}

const CborValue* CborValue::end() const { return is_array() ? begin() + size() : nullptr; }

const CborValue* CborValue::find(std::string_view name) const {
  if (!is_object()) return nullptr;
  const Map& map = std::get<Map>(value_);
  const auto at = place_of(map, name);
  return at != map.end() && at->name == name ? &at->value : nullptr;
}

const CborValue& CborValue::operator[](std::size_t index) const {
  const List& list = get<List>();
  if (index >= list.size()) throw exception("a list is shorter than expected");
  return list[index];
}

const CborValue& CborValue::operator[](std::string_view name) const {
  const CborValue* const found = find(name);
  if (found == nullptr) throw exception("\"" + std::string(name) + "\" is missing");
  return *found;
}

CborValue& CborValue::operator[](std::string_view name) {
  Map& map = held<Map>();
  const auto at = place_of(map, name);
  if (at != map.end() && at->name == name) return at->value;
  return map.insert(at, Member{std::string(name), CborValue()})->value;
}

void CborValue::push_back(CborValue value) { held<List>().push_back(std::move(value)); }

bool operator==(const CborValue& a, const CborValue& b) { return a.value_ == b.value_; }

void CborValue::append_to(std::string& cbor) const {
  if (is_number_unsigned()) {
    append_head(cbor, kUnsignedItem, std::get<std::uint64_t>(value_));
  } else if (is_boolean()) {
    cbor.push_back(static_cast<char>(std::get<bool>(value_) ? kTrueItem : kFalseItem));
  } else if (is_string()) {
    append_text(cbor, std::get<std::string>(value_));
  } else if (is_array()) {
    append_head(cbor, kArrayItem, size());
    for (const CborValue& value : *this) value.append_to(cbor);
  } else {
    append_head(cbor, kMapItem, size());
    for (const Member& member : std::get<Map>(value_)) {
      append_text(cbor, member.name);
      member.value.append_to(cbor);
    }
  }
}

nlohmann::json to_json(const CborValue& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    nlohmann::json list = nlohmann::json::array();
    for (const CborValue& item : value) list.push_back(to_json(item));
    return list;
  }
  nlohmann::json map = nlohmann::json::object();
  for (const auto& [name, member] : value.get<CborValue::Map>()) map[name] = to_json(member);
  return map;
}

}  // namespace lsmlab::engine
