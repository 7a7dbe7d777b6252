// A figure of a result: its name, unit and definition, how several runs are averaged, and how a run
// is read. The result's JSON, `compare`, the tables, the report, validations and the tables of
// docs/results.md are made from these descriptors. models/accounting/figures.h lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "models/base/averaging.h"
#include "models/base/units.h"

namespace lsmlab {

struct RunResult;

enum class FigureType { kNumber, kText, kFlag };

/// std::monostate means that the run has no such figure. JSON then holds null.
using FigureReading = std::variant<std::monostate, Uint128, double, bool, std::string>;

/// What a figure is, independent of where its value is stored.
struct FigureDescriptor {
  std::string name;  // the last part of its path in the result: "merge_bytes_read"
  std::string unit;  // "bytes", "ns", "merges", ...; empty for texts and flags
  Averaging averaging = Averaging::kNone;  // over several runs of one experiment
  std::string definition;                  // a sentence
  bool is_required = false;  // every result that has the group has this figure: readers rely on it
  std::string label = {};    // for heads of columns and axes: "P99.9"; empty: the name serves
};

/// The label, or the name where the figure has no label.
[[nodiscard]] const std::string& label_of(const FigureDescriptor& figure);

/// The definition without the backquotes that mark code in documents.
[[nodiscard]] std::string plain_definition(const FigureDescriptor& figure);

/// A figure that belongs to one type of section of a run.
/// REQUIRES of `read`: its argument points to a section of that type.
struct Figure : FigureDescriptor {
  FigureType type = FigureType::kNumber;
  bool is_whole = false;  // a number that has no fraction
  bool may_be_null = false;
  std::function<FigureReading(const void*)> read = {};
};

/// One row of a table of figures: a descriptor, and a member of `Of` or a function that takes `Of`.
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
    } else {
      is_whole = std::is_integral_v<Value> || std::is_same_v<Value, Uint128>;
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

/// The JSON form of a group of figures.
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
  kAlways,         // a figure that only one of two results has is a difference
  kWhereBothHave,  // it is not: only one run had a clock, or a later version added the group
};

/// One section that a group reads its figures from.
struct FigureInstance {
  std::string name;          // empty where the group's shape has no names
  const void* of = nullptr;  // the section
  // Owns the section where the run does not have it as it is.
  std::shared_ptr<const void> made = {};
};

struct FigureGroup {
  std::string path;  // "totals", "final.levels"
  GroupShape shape = GroupShape::kObject;
  std::string definition;  // of the group: a sentence
  Comparing comparing = Comparing::kNo;
  bool is_required = false;  // every result has it, or every result that has the outer group
  bool is_null_where_absent = false;  // false: a result without the group has no such member
  std::string place = {};             // for kList: the member that numbers the elements
  std::vector<Figure> figures = {};
  /// Returns nothing where the run has no such group.
  std::function<std::optional<std::vector<FigureInstance>>(const RunResult&)> instances = {};
};

/// The group's definition without the backquotes that mark code in documents.
[[nodiscard]] std::string plain_definition(const FigureGroup& group);

/// Completes a group that reads one section of a run. `section` takes the run and returns a pointer
/// to the section, or null where the run has none.
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

/// Completes a group that reads several sections. `sections` takes the run and returns
/// std::optional<std::vector<FigureInstance>>; each instance points to an `Of`.
template <class Of, class Sections>
[[nodiscard]] FigureGroup figure_objects(FigureGroup group, const std::vector<FigureRow<Of>>& rows,
                                         Sections sections) {
  group.figures.assign(rows.begin(), rows.end());
  group.instances = sections;
  return group;
}

/// One instance without a name for each section.
template <class Of>
[[nodiscard]] std::vector<FigureInstance> figure_instances(const std::vector<Of>& sections) {
  std::vector<FigureInstance> instances;
  for (const Of& section : sections) instances.push_back({"", &section});
  return instances;
}

}  // namespace lsmlab
