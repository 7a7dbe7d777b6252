// A figure of a result: its name, unit, definition, how runs average it, and how it is read from a
// run. The result's JSON, `compare`, the tables, the report, validations and the tables of
// docs/results.md are made from these descriptors. The list is models/accounting/figures.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "models/base/units.h"

namespace lsmlab {

struct RunResult;

/// The figure of several runs of the same.
enum class Averaging {
  kNone,    // a text, or a sample in the course of a run
  kMean,    // the sum over the number of runs
  kRate,    // the harmonic mean: the mean of the times that the rates stand for
  kMedian,  // of percentiles, which jump from run to run; of an even number the mean of the middle
};
[[nodiscard]] const char* averaging_name(Averaging averaging);

enum class FigureType { kNumber, kText, kFlag };

/// std::monostate: the run has none; null in JSON.
using FigureReading = std::variant<std::monostate, Uint128, double, bool, std::string>;

/// What a figure is, wherever its value stands.
struct FigureDescriptor {
  std::string name;  // the last part of its path in the result: "merge_bytes_read"
  std::string unit;  // "bytes", "ns", "merges", ...; empty of texts and flags
  Averaging averaging = Averaging::kNone;
  std::string definition;    // a sentence
  bool is_required = false;  // in every result that has its group: readers rely on it
};

/// The definition without the marks of code that documents have.
[[nodiscard]] std::string plain_definition(const FigureDescriptor& figure);

/// A figure of a section of a run. Whoever calls `read` hands it a section of the right type.
struct Figure : FigureDescriptor {
  FigureType type = FigureType::kNumber;
  bool may_be_null = false;
  std::function<FigureReading(const void*)> read = {};
};

/// One row of a table of figures: a descriptor, and a member of `Of` or a function of it.
template <class Of>
struct FigureRow : Figure {
  template <class Read>
  FigureRow(FigureDescriptor descriptor, Read read_member) : Figure{std::move(descriptor)} {
    using Value = std::remove_cvref_t<std::invoke_result_t<Read, const Of&>>;
    if constexpr (requires(Value value) { value.has_value(); }) {
      set_type<typename Value::value_type>();
      may_be_null = true;
      read = [read_member](const void* of) {
        const Value value = std::invoke(read_member, *static_cast<const Of*>(of));
        return value ? value_of(*value) : FigureReading();
      };
    } else {
      set_type<Value>();
      read = [read_member](const void* of) {
        return value_of(std::invoke(read_member, *static_cast<const Of*>(of)));
      };
    }
  }

 private:
  template <class Value>
  void set_type() {
    if constexpr (std::is_same_v<Value, bool>) {
      type = FigureType::kFlag;
    } else if constexpr (std::is_same_v<Value, std::string>) {
      type = FigureType::kText;
    }
  }
  template <class Value>
  static FigureReading value_of(const Value& value) {
    if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
      return Uint128{value};
    } else {
      return FigureReading(value);
    }
  }
};

/// Where a group of figures stands in a result.
enum class GroupShape {
  kObject,   // {"merges": 3, ...}
  kNamed,    // {"put": {"count": 3, ...}, "get": ...}
  kValues,   // {"wal": 3, "flush": 5}: one figure, for each name
  kList,     // [{"level": 0, "runs": 3}, ...]
  kColumns,  // {"flushes": [1, 2], ...}: a list for each figure
};

/// Whether `compare` shows a group's figures.
enum class Comparing {
  kNo,
  kAlways,         // what only one of two results has differs
  kWhereBothHave,  // what only one has is no difference: a clock, or a figure of later versions
};

/// What stands in a group once; `name` where the shape has names.
struct FigureInstance {
  std::string name;
  const void* of = nullptr;
};

struct FigureGroup {
  std::string path;  // "totals", "final.levels"
  GroupShape shape = GroupShape::kObject;
  std::string definition;  // of the group: a sentence
  Comparing comparing = Comparing::kNo;
  bool is_required = false;           // in every result, or in every one that has the outer group
  bool is_null_where_absent = false;  // otherwise the member is left out
  std::string place = {};             // of a list: the member that numbers its elements
  std::vector<Figure> figures = {};
  /// Nothing where the run has no such group.
  std::function<std::optional<std::vector<FigureInstance>>(const RunResult&)> instances = {};
};

/// Completes a group whose instances are one section of a run, or none: `section` returns a
/// pointer.
template <class Of, class Section>
[[nodiscard]] FigureGroup figure_object(FigureGroup group, const std::vector<FigureRow<Of>>& rows,
                                        Section section) {
  group.figures.assign(rows.begin(), rows.end());
  group.instances = [section](const RunResult& run) -> std::optional<std::vector<FigureInstance>> {
    const Of* of = section(run);
    if (of == nullptr) return std::nullopt;
    return std::vector<FigureInstance>{{"", of}};
  };
  return group;
}

/// The same of several sections: `sections` returns std::optional<std::vector<FigureInstance>>,
/// each of them an `Of`.
template <class Of, class Sections>
[[nodiscard]] FigureGroup figure_objects(FigureGroup group, const std::vector<FigureRow<Of>>& rows,
                                         Sections sections) {
  group.figures.assign(rows.begin(), rows.end());
  group.instances = sections;
  return group;
}

/// All elements of a list of sections, without names.
template <class Of>
[[nodiscard]] std::vector<FigureInstance> figure_instances(const std::vector<Of>& sections) {
  std::vector<FigureInstance> instances;
  for (const Of& section : sections) instances.push_back({"", &section});
  return instances;
}

}  // namespace lsmlab
