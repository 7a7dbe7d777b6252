// What a JSON document must look like, as a table, so that who reads it afterwards need not doubt
// the type of any member.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

namespace lsmlab {

enum class JsonKind {
  kAny,
  kText,
  kTextOrNull,
  kNumber,
  kNumberOrNull,
  kCount,  // a whole number of 0 to 2^64 - 1
  kFlag,
  kScalar,  // no list and no object
  kObject,
  kObjectOrNull,
  kList,
  kNumbers,         // a list of numbers
  kNumbersOrNulls,  // a list of numbers and nulls
};

struct JsonMember {
  // Names between slashes, "*" for every element of a list or member of an object:
  // "latency/*/p99_ns". Members that are null have no members.
  const char* path;
  JsonKind kind;
  bool is_required = false;  // where what it is a member of is there
};

/// The first member that is missing or of another kind, with its path, what it is and what was
/// expected. REQUIRES: what a row is inside of is in a row before it.
[[nodiscard]] std::optional<std::string> shape_fault(const nlohmann::ordered_json& json,
                                                     std::span<const JsonMember> members);

}  // namespace lsmlab
