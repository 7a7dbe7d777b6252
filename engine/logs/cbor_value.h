// A CBOR value (RFC 8949) of the kinds that manifests contain: unsigned numbers, flags, texts,
// lists, and maps with text keys.
//
// The interface follows nlohmann::json, and the encoded bytes are the same. That library's
// destructor allocates memory and ends the program if there is none; this destructor allocates
// none.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lsmlab::engine {

class CborArgument;

class CborValue {
 public:
  /// The value is not of the requested kind.
  class exception : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };
  struct Member;
  using List = std::vector<CborValue>;
  using Map = std::vector<Member>;  // sorted by name, each name once

  CborValue() = default;  // 0
  template <std::unsigned_integral Number>
  CborValue(Number number) {  // NOLINT: as nlohmann::json
    if constexpr (std::same_as<Number, bool>) {
      value_ = number;
    } else {
      value_ = std::uint64_t{number};
    }
  }
  CborValue(std::string text) : value_(std::move(text)) {}    // NOLINT
  CborValue(const char* text) : value_(std::string(text)) {}  // NOLINT
  /// A map if each value is a list of a text and another value; otherwise a list.
  CborValue(std::initializer_list<CborArgument> values);  // NOLINT
  [[nodiscard]] static CborValue array(std::initializer_list<CborArgument> values = {});
  [[nodiscard]] static CborValue object() { return CborValue(Map{}); }

  [[nodiscard]] bool is_number_unsigned() const { return is<std::uint64_t>(); }
  [[nodiscard]] bool is_boolean() const { return is<bool>(); }
  [[nodiscard]] bool is_string() const { return is<std::string>(); }
  [[nodiscard]] bool is_array() const { return is<List>(); }
  [[nodiscard]] bool is_object() const { return is<Map>(); }
  /// The value as std::uint64_t, bool, std::string, List or Map. Throws exception if it is of
  /// another kind.
  template <class Kind>
  [[nodiscard]] const Kind& get() const {
    if (const Kind* const held = std::get_if<Kind>(&value_)) return *held;
    throw exception("a value is of another kind than expected");
  }

  /// Number of values in a list or map; 0 for other kinds.
  [[nodiscard]] std::size_t size() const;
  /// The values of a list; an empty range for other kinds.
  [[nodiscard]] const CborValue* begin() const;
  [[nodiscard]] const CborValue* end() const;
  /// A map's member, or end() if there is none of this name.
  [[nodiscard]] const CborValue* find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// These throw exception if there is no such value.
  [[nodiscard]] const CborValue& operator[](std::size_t index) const;
  [[nodiscard]] const CborValue& operator[](std::string_view name) const;
  /// Adds the member if there is none of this name. Throws exception if this is not a map.
  [[nodiscard]] CborValue& operator[](std::string_view name);
  /// Throws exception if this is not a list.
  void push_back(CborValue value);

  friend bool operator==(const CborValue& a, const CborValue& b);

  /// Appends the encoded value.
  void append_to(std::string& cbor) const;

 private:
  explicit CborValue(List list) : value_(std::move(list)) {}
  explicit CborValue(Map map) : value_(std::move(map)) {}
  template <class Kind>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<Kind>(value_);
  }
  template <class Kind>
  [[nodiscard]] Kind& held() {
    if (Kind* const known = std::get_if<Kind>(&value_)) return *known;
    throw exception("a value is of another kind than expected");
  }

  std::variant<std::uint64_t, bool, std::string, List, Map> value_;
};

struct CborValue::Member {
  std::string name;
  CborValue value;
  friend bool operator==(const Member&, const Member&) = default;
};

/// A value in a braced list, which take() moves out.
class CborArgument {
 public:
  template <class Value>
  requires std::constructible_from<CborValue, Value> CborArgument(Value&& value)
      : value_(std::forward<Value>(value)) {}                                   // NOLINT
  CborArgument(std::initializer_list<CborArgument> values) : value_(values) {}  // NOLINT
  [[nodiscard]] const CborValue& value() const { return value_; }
  [[nodiscard]] CborValue take() const { return std::move(value_); }

 private:
  mutable CborValue value_;
};

/// The value as JSON, for people to read.
[[nodiscard]] nlohmann::json to_json(const CborValue& value);

}  // namespace lsmlab::engine
