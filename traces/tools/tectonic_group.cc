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
  // Older versions of Tectonic call it "amount".
  const bool is_older = spec_member(json, "amount") != nullptr;
  const char* const name = is_older ? "amount" : "op_count";
  if (is_older && spec_member(json, "op_count") != nullptr) {
    return input_error(
        fmt::format("{}: has both \"op_count\" and \"amount\", its older name", operation.place));
  }
  const GroupJson* count = BOOST_OUTCOME_TRYX(needed(operation.place, json, name));
  const std::string here = fmt::format("{}.{}", operation.place, name);
  const NumberExpression number = BOOST_OUTCOME_TRYX(read_number_expression(here, *count));
  const double mean = number.mean();
  constexpr double kMeanMax = double{kActionsMax};
  if (!(mean >= 0 && mean <= kMeanMax)) {
    return input_error(fmt::format("{}: expected a number from 0 to {}", here, kActionsMax));
  }
  operation.count = static_cast<std::uint64_t>(mean);
  operation.has_drawn_count = number.draw.has_value();
  return success();
}

Result<void> read_range(const OperationForm& form, const GroupJson& json,
                        TectonicOperation& operation) {
  const GroupJson* share = spec_member(json, "selectivity");
  const GroupJson* length = spec_member(json, "scan_length");
  if ((share == nullptr) == (length == nullptr)) {
    return input_error(
        fmt::format("{}: expected one of \"selectivity\" and \"scan_length\"", operation.place));
  }
  const std::string here = operation.place + (share != nullptr ? ".selectivity" : ".scan_length");
  const NumberExpression number =
      BOOST_OUTCOME_TRYX(read_number_expression(here, share != nullptr ? *share : *length));
  if (share != nullptr) {
    operation.selectivity = number;
  } else {
    operation.scan_length = number;
  }
  const GroupJson* format = form.has_selection ? spec_member(json, "range_format") : nullptr;
  if (format == nullptr) return success();
  operation.is_start_end = *format == "StartEnd";
  if (operation.is_start_end || *format == "StartCount") return success();
  return input_error(
      fmt::format("{}.range_format: expected \"StartCount\" or \"StartEnd\"", operation.place));
}

// The operation's own expression, or the default one.
Result<const GroupJson*> expression_of(const std::string& place, const GroupJson& json,
                                       const char* name, const GroupJson* standard) {
  if (const GroupJson* own = spec_member(json, name)) return own;
  if (standard != nullptr) return standard;
  return input_error(fmt::format("{}: has no \"{}\", and there is no default", place, name));
}

std::vector<std::string> members_of(const OperationForm& form) {
  std::vector<std::string> members{"op_count", "amount", "character_set"};
  if (form.has_key) members.emplace_back("key");
  if (form.has_value) members.emplace_back("val");
  if (form.has_selection) members.emplace_back("selection");
  if (form.has_range) members.insert(members.end(), {"selectivity", "scan_length"});
  if (form.has_range && form.has_selection) members.emplace_back("range_format");
  return members;
}

Result<TectonicOperation> read_operation(const OperationForm& form, const std::string& place,
                                         const GroupJson& json, const TectonicDefaults& defaults) {
  BOOST_OUTCOME_TRYV(check_spec_members(place, json, members_of(form)));
  TectonicOperation operation;
  operation.place = place;
  BOOST_OUTCOME_TRYV(read_op_count(json, operation));
  unsigned characters = defaults.characters;
  if (const GroupJson* set = spec_member(json, "character_set")) {
    characters = BOOST_OUTCOME_TRYX(read_character_set(place + ".character_set", *set)).value();
  }
  if (form.has_key) {
    const GroupJson* key = BOOST_OUTCOME_TRYX(expression_of(place, json, "key", defaults.key));
    operation.key = BOOST_OUTCOME_TRYX(read_text_expression(place + ".key", *key, characters));
    operation.key_text = key->dump(-1, ' ', false, GroupJson::error_handler_t::replace);
  }
  if (form.has_value) {
    const GroupJson* value = BOOST_OUTCOME_TRYX(expression_of(place, json, "val", defaults.value));
    operation.value = BOOST_OUTCOME_TRYX(read_text_expression(place + ".val", *value, characters));
  }
  const auto standard = defaults.selections.find(form.name);
  if (standard != defaults.selections.end()) operation.selection = standard->second;
  if (const GroupJson* selection = spec_member(json, "selection")) {
    operation.selection = BOOST_OUTCOME_TRYX(read_draw(place + ".selection", *selection));
  }
  if (form.has_range) {
    BOOST_OUTCOME_TRYV(read_range(form, json, operation));
  }
  return operation;
}

Result<void> take_character_set(const std::string& place, const GroupJson& json,
                                TectonicDefaults& defaults) {
  const GroupJson* set = spec_member(json, "character_set");
  if (set == nullptr) return success();
  defaults.characters =
      BOOST_OUTCOME_TRYX(read_character_set(place + "character_set", *set)).value();
  return success();
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

Result<void> take_tectonic_defaults(const std::string& place, const GroupJson& json,
                                    TectonicDefaults& defaults) {
  const std::string before = place.empty() ? "" : place + ".";
  BOOST_OUTCOME_TRYV(take_character_set(before, json, defaults));
  if (const GroupJson* own = spec_member(json, "defaults")) {
    const std::string here = before + "defaults";
    BOOST_OUTCOME_TRYV(check_spec_members(here, *own, {"key", "val", "character_set"}));
    BOOST_OUTCOME_TRYV(take_character_set(here + ".", *own, defaults));
    if (const GroupJson* key = spec_member(*own, "key")) defaults.key = key;
    if (const GroupJson* value = spec_member(*own, "val")) defaults.value = value;
  }
  const GroupJson* draws = spec_member(json, "default_distributions");
  if (draws == nullptr) return success();
  std::vector<std::string> members;
  for (const OperationForm& form : kOperationForms) {
    if (form.has_selection) members.push_back(fmt::format("{}_selection", form.name));
  }
  const std::string here = before + "default_distributions";
  BOOST_OUTCOME_TRYV(check_spec_members(here, *draws, members));
  for (const OperationForm& form : kOperationForms) {
    const std::string name = fmt::format("{}_selection", form.name);
    const GroupJson* draw = spec_member(*draws, name);
    if (draw == nullptr) continue;
    defaults.selections[form.name] = BOOST_OUTCOME_TRYX(read_draw(here + "." + name, *draw));
  }
  return success();
}

Result<TectonicGroup> read_tectonic_group(const std::string& place, const GroupJson& json,
                                          TectonicDefaults defaults) {
  std::vector<std::string> members{"sorted", "character_set", "defaults"};
  for (const char* label : kGroupLabels) members.emplace_back(label);
  for (const OperationForm& form : kOperationForms) members.emplace_back(form.name);
  BOOST_OUTCOME_TRYV(check_spec_members(place, json, members));
  BOOST_OUTCOME_TRYV(take_tectonic_defaults(place, json, defaults));
  TectonicGroup group;
  group.place = place;
  for (const OperationForm& form : kOperationForms) {
    const GroupJson* operation = spec_member(json, form.name);
    if (operation == nullptr) continue;
    group.operations[form.name] = BOOST_OUTCOME_TRYX(
        read_operation(form, fmt::format("{}.{}", place, form.name), *operation, defaults));
  }
  if (const GroupJson* sorted = spec_member(json, "sorted")) {
    group.sorted = BOOST_OUTCOME_TRYX(read_sorted(place + ".sorted", *sorted));
  }
  return group;
}

}  // namespace lsmlab::tools
