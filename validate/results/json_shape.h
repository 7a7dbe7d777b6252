// The shape of a JSON document, as a table: its members and their types. Code that reads a document
// after this check need not test the type of any member.
#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
  bool is_required = false;  // in every document that has the outer member
};

/// A table whose paths are made from descriptors. It owns their texts.
class JsonShape {
 public:
  void add(std::string path, JsonKind kind, bool is_required = false) {
    paths_.push_back(std::move(path));
    rows_.push_back({paths_.back().c_str(), kind, is_required});
  }
  void add(std::span<const JsonMember> rows) {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
  }
  /// Adds every object that encloses the member and has no row yet.
  void add_outer(const std::string& path);
  [[nodiscard]] bool has(const std::string& path) const;
  [[nodiscard]] const std::vector<JsonMember>& rows() const { return rows_; }

 private:
  std::deque<std::string> paths_;  // a deque: rows point into its elements
  std::vector<JsonMember> rows_;
};

/// The first member that is missing or has another type, as a sentence: its path, its value and the
/// expected type. Nothing where the document has the shape. REQUIRES: the row of an outer member
/// comes before the rows of its members.
[[nodiscard]] std::optional<std::string> shape_fault(const nlohmann::ordered_json& json,
                                                     std::span<const JsonMember> members);

}  // namespace lsmlab
