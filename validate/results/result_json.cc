#include "validate/results/result_json.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "models/accounting/figures.h"
#include "traces/io/text_file.h"
#include "validate/results/cost_figures.h"
#include "validate/results/figures_json.h"
#include "validate/results/json_text.h"
#include "validate/results/json_values.h"
#include "validate/results/result_shape.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

Json optional_json(const auto& value) { return value ? Json(*value) : Json(nullptr); }

Json cost_model_json(const std::vector<ComparedCost>& costs) {
  Json json = Json::array();
  for (const ComparedCost& cost : costs) {
    json.push_back({{"name", cost.model.name()},
                    {"value", cost.model.value},
                    {"unit", cost.model.unit()},
                    {"source", cost.model.source},
                    {"run_figure", cost.run_figure.empty() ? Json(nullptr) : Json(cost.run_figure)},
                    {"run", optional_json(cost.run)}});
  }
  return json;
}

Json stacks_json(const std::vector<StackSnapshot>& stacks) {
  Json json = Json::array();
  for (const StackSnapshot& stack : stacks) {
    json.push_back({{"bytes", stack.bytes}, {"levels", stack.levels}});
  }
  return json;
}

// The names of the run, and its inputs.
Json inputs_json(const RunResult& result) {
  Json json;
  json["schema"] = kResultSchema;
  json["source"] = result.source;
  json["policy"] = {{"name", result.policy},
                    {"family", result.policy_family},
                    {"label", result.policy_label},
                    {"parameters", options_to_json(result.policy_options)}};
  json["workload"] = {{"name", result.workload},
                      {"parameters", options_to_json(result.workload_options)}};
  if (result.files) json["engine"] = options_to_json(result.files->engine_options);
  json["device"] = nullptr;
  if (result.machine) {
    json["device"] = {{"name", result.machine->device},
                      {"parameters", options_to_json(result.machine->device_options)}};
  }
  json["mode"] = result.mode;
  json["resolution"] = result.resolution;
  if (result.cells) json["cells"] = *result.cells;
  json["seed"] = result.seed;
  json["complete"] = result.complete;
  return json;
}

void add_costs(const RunResult& result, Json& json) {
  const std::vector<ComparedCost> cost_model = cost_figures_of(result);
  if (!cost_model.empty()) json["cost_model"] = cost_model_json(cost_model);
}

void add_clients(const RunResult& result, Json& json) {
  if (result.machine) json["clients"] = options_to_json(result.machine->client_options);
}

void add_stacks(const RunResult& result, Json& json) {
  if (!result.stacks.empty()) json["stacks"] = stacks_json(result.stacks);
}

// Members that are not figures. Each comes before the named group of figures.
struct FurtherMember {
  const char* before;
  void (*add)(const RunResult&, Json&);
};
constexpr FurtherMember kFurtherMembers[] = {
    {"operations", add_costs}, {"time", add_clients}, {"run", add_stacks}};

// Figures of the process itself.
void add_process(Json& run) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  run["process_peak_memory_bytes"] = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  run["host"] = host.data();
  run["version"] = LSMLAB_VERSION;
}

}  // namespace

Json result_to_json(const RunResult& result) {
  Json json = inputs_json(result);
  for (const FigureGroup& group : figure_groups()) {
    for (const FurtherMember& further : kFurtherMembers) {
      const bool is_first = group.path == further.before && !json.contains(group.path);
      if (is_first) further.add(result, json);
    }
    add_figures(group, result, json);
  }
  add_process(json["run"]);
  return json;
}

std::string results_text(std::span<const RunResult> results) {
  Json json = Json::array();
  for (const RunResult& result : results) json.push_back(result_to_json(result));
  return plain_text(results.size() == 1 ? json[0] : json);
}

Result<std::vector<Json>> parse_results(const std::string& name, const std::string& text) {
  Result<Json> parsed = parse_json(text);
  if (!parsed) return in_context(name, parsed.error());
  Json json = std::move(parsed).value();
  std::vector<Json> results;
  if (json.is_array()) {
    for (Json& element : json) results.push_back(std::move(element));
  } else {
    results.push_back(std::move(json));
  }
  if (results.empty()) return input_error(fmt::format("{}: contains no results", name));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto fault = result_fault(results[i]);
    if (!fault) continue;
    return input_error(
        fmt::format("{}: result {}: not a result of lsmlab: {}", name, i + 1, *fault));
  }
  return results;
}

Result<std::vector<Json>> read_results(const std::string& path) {
  const auto text = BOOST_OUTCOME_TRYX(read_text_file(path, kDataBytesMax));
  return parse_results(path, text);
}

}  // namespace lsmlab
