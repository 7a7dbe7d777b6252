#include "traces/tools/tectonic_group.h"

#include <fmt/format.h>

#include <cmath>

#include "traces/workloads/operation_workload.h"

namespace lsmlab::tools {
namespace {

using GroupJson = nlohmann::ordered_json;

struct OperationForm {
  const char* name;
  bool has_key = false;
  bool has_value = false;
  bool has_selection = false;
  bool has_range = false;
};
constexpr OperationForm kOperationForms[] = {{"unique_inserts", true, true, false, false},
                                             {"inserts", true, true, false, false},
                                             {"updates", false, true, true, false},
                                             {"merges", false, true, true, false},
                                             {"point_deletes", false, false, true, false},
                                             {"empty_point_deletes", true, false, false, false},
                                             {"range_deletes", false, false, true, true},
                                             {"point_queries", false, false, true, false},
                                             {"empty_point_queries", true, false, false, false},
                                             {"range_queries", false, false, true, true},
                                             {"blind_point_queries", true, false, false, false},
                                             {"blind_point_deletes", true, false, false, false},
                                             {"blind_range_queries", true, false, false, true}};

// Members that change no operation.
constexpr const char* kGroupLabels[] = {"name", "description", "enable_granular_stats",
                                        "save_stats", "flush_stats"};

Result<const GroupJson*> needed(const std::string& place, const GroupJson& json, const char* name) {
  if (const GroupJson* value = spec_member(json, name)) return value;
  return input_error(fmt::format("{}: has no \"{}\"", place, name));
}

Result<void> read_op_count(const GroupJson& json, TectonicOperation& operation) {
  const GroupJson* count = BOOST_OUTCOME_TRYX(needed(operation.place, json, "op_count"));
  const std::string here = operation.place + ".op_count";
  const NumberExpression number = BOOST_OUTCOME_TRYX(read_number_expression(here, *count));
  const double mean = number.mean();
  constexpr double kOperationsMax = double{kActionsMax};
  if (!(mean >= 0 && mean <= kOperationsMax)) {
    return input_error(fmt::format("{}: expected a number from 0 to {}", here, kActionsMax));
  }
  operation.count = static_cast<std::uint64_t>(mean);
  operation.has_drawn_count = number.draw.has_value();
  return success();
}

Result<void> read_range(const OperationForm& form, const GroupJson& json,
                        TectonicOperation& operation) {
  const GroupJson* share = BOOST_OUTCOME_TRYX(needed(operation.place, json, "selectivity"));
  operation.selectivity =
      BOOST_OUTCOME_TRYX(read_number_expression(operation.place + ".selectivity", *share));
  const GroupJson* format = form.has_selection ? spec_member(json, "range_format") : nullptr;
  if (format == nullptr) return success();
  operation.is_start_end = *format == "StartEnd";
  if (operation.is_start_end || *format == "StartCount") return success();
  return input_error(
      fmt::format("{}.range_format: expected \"StartCount\" or \"StartEnd\"", operation.place));
}

Result<TectonicOperation> read_operation(const OperationForm& form, const std::string& place,
                                         const GroupJson& json, unsigned characters) {
  std::vector<std::string> members{"op_count", "character_set"};
  if (form.has_key) members.emplace_back("key");
  if (form.has_value) members.emplace_back("val");
  if (form.has_selection) members.emplace_back("selection");
  if (form.has_range) members.emplace_back("selectivity");
  if (form.has_range && form.has_selection) members.emplace_back("range_format");
  BOOST_OUTCOME_TRYV(check_spec_members(place, json, members));
  TectonicOperation operation;
  operation.place = place;
  BOOST_OUTCOME_TRYV(read_op_count(json, operation));
  if (const GroupJson* set = spec_member(json, "character_set")) {
    characters = BOOST_OUTCOME_TRYX(read_character_set(place + ".character_set", *set)).value();
  }
  if (form.has_key) {
    const GroupJson* key = BOOST_OUTCOME_TRYX(needed(place, json, "key"));
    operation.key = BOOST_OUTCOME_TRYX(read_text_expression(place + ".key", *key, characters));
    operation.key_text = key->dump(-1, ' ', false, GroupJson::error_handler_t::replace);
  }
  if (form.has_value) {
    const GroupJson* value = BOOST_OUTCOME_TRYX(needed(place, json, "val"));
    operation.value = BOOST_OUTCOME_TRYX(read_text_expression(place + ".val", *value, characters));
  }
  if (const GroupJson* selection = spec_member(json, "selection")) {
    operation.selection = BOOST_OUTCOME_TRYX(read_draw(place + ".selection", *selection));
  }
  if (form.has_range) {
    BOOST_OUTCOME_TRYV(read_range(form, json, operation));
  }
  return operation;
}

Result<TectonicSorted> read_sorted(const std::string& place, const GroupJson& json) {
  BOOST_OUTCOME_TRYV(check_spec_members(place, json, {"k", "l"}));
  TectonicSorted sorted;
  for (const auto& [name, number] :
       {std::pair("k", &sorted.displaced), std::pair("l", &sorted.distance)}) {
    const GroupJson* value = BOOST_OUTCOME_TRYX(needed(place, json, name));
    const std::string here = place + "." + name;
    *number = BOOST_OUTCOME_TRYX(read_number_expression(here, *value)).mean();
    if (!(*number >= 0 && *number <= double{kInsertsMax})) {
      return input_error(fmt::format("{}: expected a number from 0 to {}", here, kInsertsMax));
    }
  }
  return sorted;
}

}  // namespace

const TectonicOperation* TectonicGroup::find(std::string_view name) const {
  const auto found = operations.find(name);
  return found == operations.end() || found->second.count == 0 ? nullptr : &found->second;
}

std::uint64_t TectonicGroup::count(std::string_view name) const {
  const TectonicOperation* const found = find(name);
  return found == nullptr ? 0 : found->count;
}

Result<TectonicGroup> read_tectonic_group(const std::string& place, const GroupJson& json,
                                          unsigned characters) {
  std::vector<std::string> members{"sorted", "character_set"};
  for (const char* label : kGroupLabels) members.emplace_back(label);
  for (const OperationForm& form : kOperationForms) members.emplace_back(form.name);
  BOOST_OUTCOME_TRYV(check_spec_members(place, json, members));
  if (const GroupJson* set = spec_member(json, "character_set")) {
    characters = BOOST_OUTCOME_TRYX(read_character_set(place + ".character_set", *set)).value();
  }
  TectonicGroup group;
  group.place = place;
  for (const OperationForm& form : kOperationForms) {
    const GroupJson* operation = spec_member(json, form.name);
    if (operation == nullptr) continue;
    group.operations[form.name] = BOOST_OUTCOME_TRYX(
        read_operation(form, fmt::format("{}.{}", place, form.name), *operation, characters));
  }
  if (const GroupJson* sorted = spec_member(json, "sorted")) {
    group.sorted = BOOST_OUTCOME_TRYX(read_sorted(place + ".sorted", *sorted));
  }
  return group;
}

}  // namespace lsmlab::tools
