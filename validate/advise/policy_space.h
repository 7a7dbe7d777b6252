// What `advise` searches of one policy: its own parameters, and for each parameter that is varied
// the values to try. A point chooses a value for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/decimal.h"
#include "models/base/error.h"
#include "models/base/spec.h"
#include "models/base/units.h"
#include "models/policies/registry.h"
#include "validate/catalog/policy_workload.h"

namespace lsmlab {

struct SearchedValue {
  std::string text;                     // as a SPEC has it; empty: what the policy has anyway
  std::optional<Decimal> buffers = {};  // instead: a multiple of the memtable's bytes
  bool is_coarse = false;
  std::string shown = {};  // where the text is empty: the value that the policy has
};

struct Dimension {
  std::string name;
  std::vector<SearchedValue> values;  // in the order of their numbers, where is_ordered
  std::size_t base = 0;               // the place of what the policy has anyway
  bool is_ordered = true;
  bool is_of_user = false;  // --vary
};

using Point = std::vector<std::size_t>;  // a place for each dimension

struct PolicySpace {
  Spec policy;      // without the varied parameters that nobody gave
  Bytes buffer{0};  // of that policy
  std::vector<Dimension> dimensions;
};

/// --vary NAME=V1,V2: the values that the user wants tried.
struct VariedParameter {
  std::string name;
  std::vector<std::string> values;
};

/// Errors: another form; a parameter without values, or with one value twice.
[[nodiscard]] Result<VariedParameter> parse_varied(const std::string& text);

struct SpaceRequest {
  std::vector<VariedParameter> varied;
  std::optional<Bytes> memory;          // of memtable and filters
  PolicyWorkload workload;              // that the policies run with
  bool is_filter_searched = false;      // a figure of the question depends on filters
  std::vector<std::string> fixed = {};  // parameters that are not varied, besides those of --vary
};

/// What is searched of `policy`, whose parameters in SpaceRequest::fixed keep their values. Values
/// of the table that the policy refuses are left out. Errors: those of the policy, and of a value
/// of the user.
[[nodiscard]] Result<PolicySpace> space_of(const Spec& policy, const SpaceRequest& request);

/// The point of the policy as it is.
[[nodiscard]] Point base_point(const PolicySpace& space);
/// The policy with a point's values.
[[nodiscard]] Spec spec_at(const PolicySpace& space, const Point& point);
/// The values of a dimension, for people: "4", "16x buffer", "10 as it is".
[[nodiscard]] std::string value_text(const SearchedValue& value);

/// How many points coarse_points() has; at most 2^62.
[[nodiscard]] std::uint64_t coarse_count(const PolicySpace& space);
/// Every combination of coarse values, the base's included: the fewer values differ from the
/// base's, the earlier; then in the order of the dimensions. REQUIRES: coarse_count() is small.
[[nodiscard]] std::vector<Point> coarse_points(const PolicySpace& space);
/// The points that differ from this one in one dimension: by one place, or by any where values have
/// no order.
[[nodiscard]] std::vector<Point> neighbours(const PolicySpace& space, const Point& point);

/// The bytes of the memtable and of the filters of so many keys.
[[nodiscard]] Bytes memory_of(const StoreOptions& store, std::uint64_t keys);

}  // namespace lsmlab
