// Values as CBOR (RFC 8949) has them, of the kinds that manifests are made of: unsigned numbers,
// flags, texts, lists, and maps by text.
//
// It is used as nlohmann::json is, and written to the same bytes. That library's destructor asks
// for memory, and ends the program where there is none; this one needs none.
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
  /// A value is of another kind than it is asked for as.
  class exception : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };
  struct Member;
  using List = std::vector<CborValue>;
  using Map = std::vector<Member>;  // by rising name, each once

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
  /// A map, where all are lists of a text and another value; otherwise a list.
  CborValue(std::initializer_list<CborArgument> values);  // NOLINT
  [[nodiscard]] static CborValue array(std::initializer_list<CborArgument> values = {});
  [[nodiscard]] static CborValue object() { return CborValue(Map{}); }

  [[nodiscard]] bool is_number_unsigned() const { return is<std::uint64_t>(); }
  [[nodiscard]] bool is_boolean() const { return is<bool>(); }
  [[nodiscard]] bool is_string() const { return is<std::string>(); }
  [[nodiscard]] bool is_array() const { return is<List>(); }
  [[nodiscard]] bool is_object() const { return is<Map>(); }
  /// As std::uint64_t, bool, std::string, List or Map. Throws exception.
  template <class Kind>
  [[nodiscard]] const Kind& get() const {
    if (const Kind* const held = std::get_if<Kind>(&value_)) return *held;
    throw exception("a value is of another kind than expected");
  }

  /// Of a list or map; of others 0.
  [[nodiscard]] std::size_t size() const;
  /// A list's values; of others nothing.
  [[nodiscard]] const CborValue* begin() const;
  [[nodiscard]] const CborValue* end() const;
  /// A map's member; end() where there is none of the name.
  [[nodiscard]] const CborValue* find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Throw exception where there is none.
  [[nodiscard]] const CborValue& operator[](std::size_t index) const;
  [[nodiscard]] const CborValue& operator[](std::string_view name) const;
  /// Made where there is none. Throws exception where it is no map.
  [[nodiscard]] CborValue& operator[](std::string_view name);
  /// Throws exception where it is no list.
  void push_back(CborValue value);

  friend bool operator==(const CborValue& a, const CborValue& b);

  /// Appends its bytes.
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

/// A value in braces, to be moved out of them.
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

/// For people to read.
[[nodiscard]] nlohmann::json to_json(const CborValue& value);

}  // namespace lsmlab::engine
