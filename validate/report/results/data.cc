#include "validate/report/results/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "models/base/check.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// Text built in memory may hold bytes that are not UTF-8. Neither HTML nor the JSON writer accepts
// them.
std::string valid_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

std::optional<double> number_of(const Json& json) {
  if (!json.is_number()) return std::nullopt;
  const double value = json.get<double>();
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> count_of(const Json& json) {
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (!json.is_number_integer()) return std::nullopt;
  const auto value = json.get<std::int64_t>();
  if (value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::string found_text(const Json& json) {
  if (json.is_number()) return json.dump();
  if (json.is_string()) return "a string";
  if (json.is_array()) return "an array";
  if (json.is_object()) return "an object";
  return json.is_null() ? "null" : "true or false";
}

/// Reads members of one result by dotted path. The first fault sticks; values that are read after
/// it have no meaning.
class MemberReader {
 public:
  MemberReader(const Json& result, std::size_t number) : result_(result), number_(number) {}

  [[nodiscard]] const std::optional<std::string>& fault() const { return fault_; }

  void fail(std::string_view path, std::string_view what) {
    if (!fault_) fault_ = fmt::format("result {}: {}: {}", number_, path, what);
  }

  /// Whether the result has the member and it is not null.
  [[nodiscard]] bool has(std::string_view path) const {
    return find_member(result_, path) != nullptr;
  }

  /// A JSON null where there is no such member.
  const Json& at(std::string_view path) {
    static const Json absent;
    const Json* json = &result_;
    std::size_t start = 0;
    while (start <= path.size()) {
      const std::size_t end = std::min(path.find('.', start), path.size());
      const std::string name(path.substr(start, end - start));
      if (!json->is_object()) {
        fail(start == 0 ? "the result" : path.substr(0, start - 1),
             "expected an object, found " + found_text(*json));
        return absent;
      }
      if (!json->contains(name)) {
        fail(path, "is missing");
        return absent;
      }
      json = &(*json)[name];
      start = end + 1;
    }
    return *json;
  }

  std::string text(std::string_view path) {
    const Json& json = at(path);
    if (json.is_string()) return valid_utf8(json.get_ref<const std::string&>());
    expect(path, "a string", json);
    return "";
  }

  bool flag(std::string_view path) {
    const Json& json = at(path);
    if (!json.is_boolean()) expect(path, "true or false", json);
    return json.is_boolean() && json.get<bool>();
  }

  double number(std::string_view path) {
    const Json& json = at(path);
    const std::optional<double> value = number_of(json);
    if (!value) expect(path, kNumber, json);
    return value.value_or(0);
  }

  double whole_number(std::string_view path) {
    const Json& json = at(path);
    const std::optional<double> value = number_of(json);
    if (!value || *value != std::floor(*value)) expect(path, kCount, json);
    return value.value_or(0);
  }

  bool is_null(std::string_view path) { return at(path).is_null(); }

  std::uint64_t count(std::string_view path) {
    const Json& json = at(path);
    const std::optional<std::uint64_t> value = count_of(json);
    if (!value) expect(path, kCount, json);
    return value.value_or(0);
  }

  const Json& array(std::string_view path) {
    static const Json empty = Json::array();
    const Json& json = at(path);
    if (json.is_array()) return json;
    expect(path, "an array", json);
    return empty;
  }

  std::vector<double> numbers(std::string_view path) { return numbers_in(array(path), path); }

  std::vector<double> numbers_in(const Json& values, std::string_view path) {
    std::vector<double> numbers;
    for (const Json& json : values) {
      const std::optional<double> value = number_of(json);
      if (!value) expect(fmt::format("{}[{}]", path, numbers.size()), kNumber, json);
      numbers.push_back(value.value_or(0));
    }
    return numbers;
  }

  std::vector<std::uint64_t> counts_in(const Json& values, std::string_view path) {
    std::vector<std::uint64_t> counts;
    for (const Json& json : values) {
      const std::optional<std::uint64_t> value = count_of(json);
      if (!value) expect(fmt::format("{}[{}]", path, counts.size()), kCount, json);
      counts.push_back(value.value_or(0));
    }
    return counts;
  }

  void expect(std::string_view path, std::string_view expected, const Json& found) {
    fail(path, fmt::format("expected {}, found {}", expected, found_text(found)));
  }

 private:
  static constexpr const char* kNumber = "a number of at least 0";
  static constexpr const char* kCount = "a whole number of at least 0";

  const Json& result_;
  std::size_t number_;
  std::optional<std::string> fault_;
};

std::vector<ReportParameter> read_parameters(MemberReader& reader, std::string_view path) {
  std::vector<ReportParameter> parameters;
  const Json& json = reader.at(path);
  if (!json.is_object()) {
    reader.expect(path, "an object", json);
    return parameters;
  }
  for (const auto& [name, value] : json.items()) {
    if (value.is_null()) continue;
    ReportParameter parameter{valid_utf8(name), "", number_of(value)};
    parameter.text = value.is_string() ? valid_utf8(value.get_ref<const std::string&>())
                                       : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

// The first is the one that the others are drawn over.
constexpr FigureName kColumns[] = {
    &ResultFigures::series_flushes, &ResultFigures::series_bytes_flushed,
    &ResultFigures::series_write_flushed, &ResultFigures::series_read_mean,
    &ResultFigures::series_space_transient};

void read_result_figures(MemberReader& reader, ReportResult& result) {
  for (const MainFigure& main : kMainFigures) {
    const ResultFigure& figure = figure_of(main.name);
    const std::string& path = figure.path();
    if (!figure.group().is_required && !reader.has(figure.group().path)) continue;
    if (figure.descriptor().may_be_null && reader.is_null(path)) continue;
    result.figures.emplace(
        path, figure.descriptor().is_whole ? reader.whole_number(path) : reader.number(path));
  }
}

void read_series(MemberReader& reader, ReportResult& result) {
  const std::string& first = figure_of(kColumns[0]).path();
  std::size_t points = 0;
  for (const FigureName name : kColumns) {
    CHECK(figure_of(name).group().shape == GroupShape::kColumns);
    const std::string& path = figure_of(name).path();
    const std::vector<double>& column =
        result.columns.emplace(path, reader.numbers(path)).first->second;
    if (path == first) points = column.size();
    if (column.size() == points) continue;
    reader.fail(path, fmt::format("has {} elements, {} has {}", column.size(), first, points));
  }
}

std::vector<ReportStack> read_stacks(MemberReader& reader) {
  std::vector<ReportStack> stacks;
  if (!reader.has("stacks")) return stacks;
  for (const Json& json : reader.array("stacks")) {
    const std::string path = fmt::format("stacks[{}]", stacks.size());
    ReportStack stack;
    for (const char* name : {"bytes", "levels"}) {
      if (json.is_object() && json.contains(name) && json[name].is_array()) continue;
      reader.fail(fmt::format("{}.{}", path, name), "expected an array");
      return stacks;
    }
    stack.bytes = reader.numbers_in(json["bytes"], path + ".bytes");
    stack.levels = reader.counts_in(json["levels"], path + ".levels");
    if (stack.levels.size() != stack.bytes.size()) {
      reader.fail(path + ".levels", fmt::format("has {} elements, {}.bytes has {}",
                                                stack.levels.size(), path, stack.bytes.size()));
    }
    stacks.push_back(std::move(stack));
  }
  return stacks;
}

ReportResult read_result(MemberReader& reader, std::size_t number) {
  ReportResult result;
  result.number = number;
  result.family = reader.text("policy.name");
  result.label = reader.text("policy.label");
  result.is_preset = reader.has("policy.family") && reader.text("policy.family") != result.family;
  result.parameters = read_parameters(reader, "policy.parameters");
  result.source = reader.text("source");
  result.mode = reader.text("mode");
  result.resolution = reader.text("resolution");
  result.complete = reader.flag("complete");
  read_result_figures(reader, result);
  const ResultFigure& is_policy_bound = result_figures().floor_k_is_policy_bound;
  if (reader.has(is_policy_bound.group().path)) {
    result.has_policy_bound = reader.flag(is_policy_bound.path());
  }
  read_series(reader, result);
  result.stacks = read_stacks(reader);
  if (reader.has("run")) result.version = reader.text("run.version");
  return result;
}

std::string parameter_text(const ReportParameter& parameter) {
  return parameter.name + "=" + parameter.text;
}

const ReportParameter* find_parameter(const ReportResult& result, const std::string& name) {
  const auto found = std::find_if(result.parameters.begin(), result.parameters.end(),
                                  [&](const ReportParameter& p) { return p.name == name; });
  return found == result.parameters.end() ? nullptr : &*found;
}

// The first parameter that differs among the members. A lone member has its first parameter, unless
// it is a preset, which its first parameter does not tell from other policies.
std::string telling_parameter(const ReportWorkload& workload, const ReportFamily& family) {
  const ReportResult& first = workload.results[family.members.front()];
  for (const ReportParameter& parameter : first.parameters) {
    for (const std::size_t member : family.members) {
      const ReportParameter* other = find_parameter(workload.results[member], parameter.name);
      if (other == nullptr || other->text != parameter.text) return parameter.name;
    }
  }
  return first.parameters.empty() || first.is_preset ? "" : first.parameters.front().name;
}

void order_family(ReportWorkload& workload, ReportFamily& family) {
  const std::string name = telling_parameter(workload, family);
  // Numbers come before text; equal values keep the order given.
  const auto key = [&](std::size_t member) {
    const ReportParameter* parameter = find_parameter(workload.results[member], name);
    if (parameter == nullptr) return std::tuple(2, 0.0, std::string());
    if (parameter->number) return std::tuple(0, *parameter->number, std::string());
    return std::tuple(1, 0.0, parameter->text);
  };
  std::stable_sort(family.members.begin(), family.members.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (std::size_t rank = 0; rank < family.members.size(); ++rank) {
    ReportResult& result = workload.results[family.members[rank]];
    result.variant = rank;
    const ReportParameter* parameter = find_parameter(result, name);
    result.variant_text = parameter != nullptr ? parameter_text(*parameter)
                          : result.is_preset   ? result.label
                                               : "";
  }
}

void find_families(ReportWorkload& workload) {
  for (std::size_t i = 0; i < workload.results.size(); ++i) {
    const std::string& name = workload.results[i].family;
    auto family = std::find_if(workload.families.begin(), workload.families.end(),
                               [&](const ReportFamily& f) { return f.name == name; });
    if (family == workload.families.end()) {
      family = workload.families.insert(family, ReportFamily{name, {}});
    }
    family->members.push_back(i);
  }
  for (ReportFamily& family : workload.families) order_family(workload, family);
}

void make_labels_unique(ReportWorkload& workload) {
  std::map<std::string, int> uses;
  for (ReportResult& result : workload.results) {
    if (result.label.empty()) result.label = result.family;
    ++uses[result.label];
  }
  for (ReportResult& result : workload.results) {
    if (uses[result.label] > 1) result.label += fmt::format(" (result {})", result.number);
  }
}

// A page may hold both simulated and measured results of a policy: their labels name the source.
void name_sources(std::vector<ReportWorkload>& workloads) {
  std::set<std::string> sources;
  for (const ReportWorkload& workload : workloads) {
    for (const ReportResult& result : workload.results) sources.insert(result.source);
  }
  if (sources.size() < 2) return;
  for (ReportWorkload& workload : workloads) {
    for (ReportResult& result : workload.results) {
      result.family += fmt::format(" ({})", result.source);
      result.label += fmt::format(" ({})", result.source);
    }
  }
}

}  // namespace

std::optional<double> ReportResult::figure(FigureName name) const {
  CHECK(std::any_of(std::begin(kMainFigures), std::end(kMainFigures),
                    [&](const MainFigure& main) { return main.name == name; }));
  const auto found = figures.find(figure_of(name).path());
  return found == figures.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<double>& ReportResult::column(FigureName name) const {
  const auto found = columns.find(figure_of(name).path());
  CHECK(found != columns.end());
  return found->second;
}

Result<std::vector<ReportWorkload>> read_report_data(std::span<const Json> results) {
  std::vector<ReportWorkload> workloads;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::size_t> places;
  for (std::size_t i = 0; i < results.size(); ++i) {
    MemberReader reader(results[i], i + 1);
    ReportResult result = read_result(reader, i + 1);
    ReportWorkload workload{reader.text("workload.name"),
                            read_parameters(reader, "workload.parameters"),
                            reader.count("seed"),
                            {},
                            {}};
    if (reader.fault()) return input_error(*reader.fault());
    std::string parameters;
    for (const ReportParameter& p : workload.parameters) parameters += parameter_text(p) + "\n";
    const auto [place, is_new] =
        places.try_emplace(std::tuple(workload.name, parameters, workload.seed), workloads.size());
    if (is_new) workloads.push_back(std::move(workload));
    workloads[place->second].results.push_back(std::move(result));
  }
  name_sources(workloads);
  std::map<std::string, std::size_t> family_indices;
  for (ReportWorkload& workload : workloads) {
    make_labels_unique(workload);
    for (ReportResult& result : workload.results) {
      result.family_index =
          family_indices.try_emplace(result.family, family_indices.size()).first->second;
    }
    find_families(workload);
  }
  return workloads;
}

}  // namespace lsmlab
