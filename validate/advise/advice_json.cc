#include "validate/advise/advice_json.h"

#include <algorithm>

#include "validate/advise/advice_text.h"
#include "validate/results/host_json.h"
#include "validate/results/results_csv.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

const char* resolution_word(Resolution resolution) {
  if (resolution == Resolution::kFlush) return "flush";
  return resolution == Resolution::kKey ? "key" : "range";
}

const char* round_word(AdviceRound round) {
  if (round == AdviceRound::kToday) return "today";
  return round == AdviceRound::kCoarse ? "coarse" : "refined";
}

const char* exact_word(ExactRound exact) {
  switch (exact) {
    case ExactRound::kDone:
      return "done";
    case ExactRound::kNeedless:
      return "needless";
    case ExactRound::kNoMemory:
      return "keys do not fit the memory";
    case ExactRound::kNoKeys:
      return "the workload has no keys";
    case ExactRound::kCutShort:
      return "cut short";
    case ExactRound::kNoCandidate:
      return "no candidate";
  }
  return "";
}

Json figures_json_of(const AdviceQuestion& question, const Json& result) {
  if (result.is_null()) return nullptr;
  Json figures = Json::object();
  const auto add = [&](const std::string& name, const std::string& path) {
    const auto value = figure_of(result, {name, path});
    figures[name] = value ? Json(*value) : Json(nullptr);
  };
  for (const AdvisedFigure& figure : question.front) add(figure.name, figure.path);
  for (const AdvisedCondition& one : question.where) add(one.name, one.condition.path);
  return figures;
}

Json candidate_json(const AdviceQuestion& question, const Candidate& candidate) {
  Json json;
  json["policy"] = spec_text(candidate.spec);
  json["round"] = round_word(candidate.round);
  json["resolution"] = resolution_word(candidate.resolution);
  if (candidate.memory) json["memory_bytes"] = candidate.memory->value();
  json["figures"] = figures_json_of(question, candidate.coarse);
  json["figures_at_key"] = figures_json_of(question, candidate.exact);
  json["satisfies"] = candidate.is_tried() && candidate.fits_memory &&
                      missed_conditions(question, candidate.result()).empty();
  return json;
}

Json space_json(const PolicySpace& space) {
  Json json;
  json["policy"] = spec_text(space.policy);
  json["parameters"] = Json::array();
  for (const Dimension& dimension : space.dimensions) {
    Json values = Json::array();
    Json coarse = Json::array();
    for (const SearchedValue& value : dimension.values) {
      values.push_back(value_text(value));
      if (value.is_coarse) coarse.push_back(value_text(value));
    }
    json["parameters"].push_back(
        {{"name", dimension.name}, {"coarse", coarse}, {"values", values}});
  }
  return json;
}

Json question_json(const AdviceQuestion& question) {
  Json json;
  json["workload"] = spec_text(question.run.workload);
  json["device"] = question.run.device ? Json(spec_text(*question.run.device)) : Json(nullptr);
  json["seed"] = question.run.options.seed;
  json["today"] = question.today ? Json(spec_text(*question.today)) : Json(nullptr);
  for (const auto& [member, figures] :
       {std::pair{"minimize", &question.minimize}, {"front", &question.front}}) {
    json[member] = Json::array();
    for (const AdvisedFigure& figure : *figures) {
      json[member].push_back({{"name", figure.name}, {"path", figure.path}});
    }
  }
  json["where"] = Json::array();
  for (const AdvisedCondition& one : question.where) json["where"].push_back(one.text);
  json["memory_bytes"] = question.memory ? Json(question.memory->value()) : Json(nullptr);
  return json;
}

Json place_json(const std::optional<std::size_t>& place) {
  return place ? Json(*place) : Json(nullptr);
}

}  // namespace

Json advice_json(const AdviceQuestion& question, const Advice& advice, double budget_seconds) {
  Json json;
  json["schema"] = kAdviceSchema;
  json["complete"] = !advice.is_budget_over && !advice.is_interrupted;
  json["question"] = question_json(question);
  json["searched"] = Json::array();
  for (const PolicySpace& space : advice.plan.spaces) json["searched"].push_back(space_json(space));
  json["skipped"] = Json::array();
  for (const SkippedPolicy& one : advice.plan.skipped) {
    json["skipped"].push_back({{"policy", one.policy}, {"why", one.why}});
  }
  json["counts"] = {{"coarse", advice.coarse_total},        {"coarse_tried", advice.coarse_tried},
                    {"refined", advice.refined_total},      {"refined_tried", advice.refined_tried},
                    {"impossible", advice.plan.impossible}, {"equal", advice.plan.equal},
                    {"too_large", advice.plan.too_large}};
  json["key_round"] = exact_word(advice.exact);
  json["best"] = place_json(advice.best);
  json["nearest"] = place_json(advice.nearest);
  json["front"] = advice.front;
  json["is_front_exact"] = advice.is_front_exact;
  json["finalists"] = advice.finalists;
  const auto chosen = advice.best ? advice.best : advice.nearest;
  json["command"] =
      chosen ? Json(simulate_command(question, advice.candidate(*chosen))) : Json(nullptr);
  json["candidates"] = Json::array();
  for (const Candidate& candidate : advice.plan.candidates) {
    json["candidates"].push_back(candidate_json(question, candidate));
  }
  json["run"] = {
      {"seconds", advice.seconds}, {"budget_seconds", budget_seconds}, {"machine", machine_json()}};
  return json;
}

std::string advice_csv(const Advice& advice) {
  std::vector<Json> results;
  for (const Candidate& candidate : advice.plan.candidates) {
    if (candidate.is_tried()) results.push_back(candidate.result());
  }
  return results_csv(results);
}

}  // namespace lsmlab
