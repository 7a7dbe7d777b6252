#include "validate/cases/public_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/base/json_parse.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "models/execution/write_stall.h"
#include "validate/catalog/embedded_configs.h"
#include "validate/results/json_text.h"
#include "validate/results/result_json.h"
#include "validate/results/result_query.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kCaseKind = "cases";

Result<ReportedFigure> figure_of(const Json& json) {
  BOOST_OUTCOME_TRYV(check_members(json, {"label", "figure", "unit", "reported"}));
  ReportedFigure figure;
  figure.label = BOOST_OUTCOME_TRYX(member_text(json, "label", nullptr));
  figure.path =
      BOOST_OUTCOME_TRYX(path_of_figure(BOOST_OUTCOME_TRYX(member_text(json, "figure", nullptr))));
  const auto number = [&](const char* member, double& field, bool is_needed) -> Result<void> {
    const auto found = json.find(member);
    if (found == json.end() && !is_needed) return success();
    if (found == json.end() || !found->is_number() || !(found->get<double>() > 0)) {
      return input_error(fmt::format("\"{}\": expected a number above 0", member));
    }
    field = found->get<double>();
    return success();
  };
  BOOST_OUTCOME_TRYV(number("unit", figure.unit, false));
  BOOST_OUTCOME_TRYV(number("reported", figure.reported, true));
  return figure;
}

Result<std::optional<Resolution>> case_resolution(const std::string& text) {
  if (text.empty()) return std::optional<Resolution>();
  if (text == "key") return std::optional(Resolution::kKey);
  if (text == "range") return std::optional(Resolution::kRange);
  return input_error(
      fmt::format("\"resolution\": '{}' is unknown; expected key or range", excerpt(text)));
}

Result<RunSpec> case_spec(const Json& json) {
  RunSpec spec;
  spec.policy =
      BOOST_OUTCOME_TRYX(parse_spec(BOOST_OUTCOME_TRYX(member_text(json, "policy", nullptr))));
  spec.workload =
      BOOST_OUTCOME_TRYX(parse_spec(BOOST_OUTCOME_TRYX(member_text(json, "workload", nullptr))));
  spec.resolution =
      BOOST_OUTCOME_TRYX(case_resolution(BOOST_OUTCOME_TRYX(member_text(json, "resolution", ""))));
  spec.measure_from = BOOST_OUTCOME_TRYX(member_text(json, "measure_from", ""));
  // RocksDB prints its statistics at the last operation.
  spec.options.final_flush = false;
  const std::string device = BOOST_OUTCOME_TRYX(member_text(json, "device", ""));
  if (device.empty()) return spec;
  spec.options.is_stepped = false;
  spec.options.merge_threads = 0;
  spec.clients = {};
  spec.device = BOOST_OUTCOME_TRYX(parse_spec(device));
  spec.stalls =
      BOOST_OUTCOME_TRYX(parse_stall_changes(BOOST_OUTCOME_TRYX(member_text(json, "stalls", ""))));
  const auto threads = json.find("merge_threads");
  if (threads == json.end()) return spec;
  const auto [min, max] = kMergeThreadsRange;
  if (!threads->is_number_unsigned() || *threads < min || *threads > max) {
    return input_error(
        fmt::format("\"merge_threads\": expected a whole number from {} to {}", min, max));
  }
  spec.options.merge_threads = threads->get<std::uint64_t>();
  return spec;
}

Result<CaseRun> case_run(const Json& json) {
  BOOST_OUTCOME_TRYV(
      check_members(json, {"name", "policy", "workload", "resolution", "measure_from", "device",
                           "stalls", "merge_threads", "figures"}));
  CaseRun run;
  run.name = BOOST_OUTCOME_TRYX(member_text(json, "name", ""));
  run.spec = BOOST_OUTCOME_TRYX(case_spec(json));
  const auto figures = json.find("figures");
  if (figures == json.end() || !figures->is_array() || figures->empty()) {
    return input_error("\"figures\": expected a list that is not empty");
  }
  for (const Json& figure : *figures) {
    run.figures.push_back(BOOST_OUTCOME_TRYX(figure_of(figure)));
  }
  return run;
}

Result<PublicCase> case_of(const Json& json) {
  BOOST_OUTCOME_TRYV(check_members(json, {"source", "grade", "remarks", "runs"}));
  PublicCase made;
  made.source = BOOST_OUTCOME_TRYX(member_text(json, "source", nullptr));
  made.grade = BOOST_OUTCOME_TRYX(member_text(json, "grade", nullptr));
  made.remarks = BOOST_OUTCOME_TRYX(member_text(json, "remarks", ""));
  const auto runs = json.find("runs");
  if (runs == json.end() || !runs->is_array() || runs->empty()) {
    return input_error("\"runs\": expected a list that is not empty");
  }
  for (std::size_t i = 0; i < runs->size(); ++i) {
    Result<CaseRun> run = case_run((*runs)[i]);
    if (!run) return in_context(fmt::format("run {}", i + 1), run.error());
    made.runs.push_back(std::move(run).value());
  }
  return made;
}

}  // namespace

Result<PublicCase> parse_case(const std::string& name, const std::string& json) {
  const std::string context = fmt::format("case '{}'", name);
  const Result<Json> parsed = parse_json(json);
  if (!parsed) return in_context(context, parsed.error());
  Result<PublicCase> made = case_of(parsed.value());
  if (!made) return in_context(context, made.error());
  made.value().name = name;
  return made;
}

Result<std::vector<PublicCase>> public_cases() {
  std::vector<PublicCase> cases;
  for (const EmbeddedConfig& config : embedded_configs()) {
    if (config.kind != kCaseKind) continue;
    cases.push_back(BOOST_OUTCOME_TRYX(parse_case(config.name, config.json)));
  }
  return cases;
}

Result<std::vector<PublicCase>> cases_named(std::vector<PublicCase> cases,
                                            std::span<const std::string> names) {
  if (names.empty()) return cases;
  std::vector<std::string> known;
  for (const PublicCase& one : cases) known.push_back(one.name);
  std::vector<PublicCase> chosen;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      return input_error(
          fmt::format("there is no case '{}'{}", excerpt(name), suggestion(name, known)));
    }
    chosen.push_back(cases[static_cast<std::size_t>(found - known.begin())]);
  }
  return chosen;
}

Result<std::vector<CaseFigures>> predict(std::span<const PublicCase> cases,
                                         const BatchOptions& options) {
  RunResolver resolver;
  std::vector<ResolvedRun> runs;
  for (const PublicCase& one : cases) {
    for (const CaseRun& run : one.runs) {
      Result<ResolvedRun> resolved = resolver.resolve(run.spec);
      if (!resolved) return in_context(fmt::format("case '{}'", one.name), resolved.error());
      runs.push_back(std::move(resolved).value());
    }
  }
  const std::vector<RunResult> results = BOOST_OUTCOME_TRYX(run_simulations(runs, options));
  std::vector<CaseFigures> predicted;
  std::size_t next = 0;
  for (const PublicCase& one : cases) {
    CaseFigures& figures = predicted.emplace_back();
    for (const CaseRun& run : one.runs) {
      const RunResult& result = results[next++];
      const Json json = result_to_json(result);
      std::vector<std::optional<double>>& row = figures.emplace_back();
      for (const ReportedFigure& figure : run.figures) {
        const std::optional<double> value =
            result.complete ? figure_number(json, figure.path) : std::nullopt;
        row.push_back(value ? std::optional(*value / figure.unit) : std::nullopt);
      }
    }
  }
  return predicted;
}

}  // namespace lsmlab
