#include "validate/advise/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/execution/write_stall.h"
#include "validate/advise/parameter_table.h"
#include "validate/catalog/db_bench_workload.h"
#include "validate/results/short_figures.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUsualFront[] = {"write", "read_mean", "space"};

// A run that is measured from some moment on has two parts; the second one counts.
std::string measured_path(const AdviceQuestion& question, const std::string& path) {
  if (question.run.measure_from.empty()) {
    const bool is_cut = question.counts_to_last_operation &&
                        (path == "amplification.write" || path == "amplification.write_flushed");
    return is_cut ? "at_last_operation." + path.substr(path.find('.') + 1) : path;
  }
  if (path == "amplification.write") return "phases[1].write";
  return path == "amplification.write_flushed" ? "phases[1].write_flushed" : path;
}

Result<void> check_clock(const RunSpec& run, const std::string& name, const std::string& path) {
  if (run.device || !figure_needs_clock(path)) return success();
  return input_error(
      fmt::format("figure '{}' needs a clock: add --device ('lsmlab devices' lists them)", name));
}

Result<AdvisedFigure> figure_named(const AdviceQuestion& question, const std::string& name) {
  const std::string path = BOOST_OUTCOME_TRYX(path_of_figure(name));
  BOOST_OUTCOME_TRYV(check_clock(question.run, name, path));
  return AdvisedFigure{name, measured_path(question, path)};
}

bool has_figure(const std::vector<AdvisedFigure>& figures, const AdvisedFigure& figure) {
  return std::any_of(figures.begin(), figures.end(),
                     [&](const AdvisedFigure& one) { return one.path == figure.path; });
}

Result<void> set_minimized(AdviceQuestion& question, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto figure = figure_named(question, name);
    if (!figure) return in_context("--minimize", figure.error());
    const ShortFigure* const known = short_figure(figure.value().path);
    if (known != nullptr && known->is_better_larger) {
      return input_error(fmt::format(
          "--minimize: of '{0}' more is better; give the least as a condition, as in --where "
          "'{0}>=1000'",
          name));
    }
    if (!has_figure(question.minimize, figure.value())) {
      question.minimize.push_back(figure.value());
    }
  }
  return success();
}

}  // namespace

Result<void> take_db_bench(AdviceQuestion& question) {
  const auto is_of_line = [](const Spec& policy) { return policy.name == kDbBenchWorkload; };
  const bool is_asked = std::any_of(question.policies.begin(), question.policies.end(), is_of_line);
  RunSpec& run = question.run;
  if (!is_asked && run.workload.name != kDbBenchWorkload) return success();
  if (run.workload.name == kDbBenchWorkload) {
    BOOST_OUTCOME_TRYV(take_db_bench_run(run));
    run.has_clients_of_parts = false;  // the command of an answer cannot say them
  }
  auto today = db_bench_policy_of({kDbBenchWorkload, {}}, run.workload);
  // Other policies need no options of the line.
  if (!today && !is_asked && !question.policies.empty()) return success();
  if (!today) return today.error();
  question.today = std::move(today).value();
  for (Spec& policy : question.policies) {
    if (is_of_line(policy)) policy.name = question.today->name;
  }
  if (run.device) question.todays_stalls = BOOST_OUTCOME_TRYX(db_bench_stalls_of({}, run.workload));
  return success();
}

RunSpec run_with(const AdviceQuestion& question, const Spec& policy) {
  RunSpec run = question.run;
  run.policy = policy;
  if (question.todays_stalls.empty() || begin_with_system(run.stalls)) return run;
  const std::vector<std::string> system = policies_of_system(question.today->name);
  const auto family = policy_family(policy.name);
  if (!family || std::find(system.begin(), system.end(), policy.name) == system.end()) return run;
  for (const auto& [name, value] : question.todays_stalls) {
    const bool is_given = std::any_of(run.stalls.begin(), run.stalls.end(),
                                      [&](const auto& one) { return one.first == name; });
    const bool is_used = family->estimates_pending_bytes || !name.starts_with("pending_");
    if (!is_given && is_used) run.stalls.emplace_back(name, value);
  }
  return run;
}

Result<void> set_figures(AdviceQuestion& question, const std::vector<std::string>& minimize,
                         const std::vector<std::string>& where) {
  BOOST_OUTCOME_TRYV(set_minimized(
      question, minimize.empty() ? std::vector<std::string>{kUsualFront[0]} : minimize));
  question.front = question.minimize;
  if (question.minimize.size() == 1) {
    for (const char* const name : kUsualFront) {
      const auto figure = BOOST_OUTCOME_TRYX(figure_named(question, name));
      if (!has_figure(question.front, figure)) question.front.push_back(figure);
    }
  }
  for (const std::string& text : where) {
    auto condition = parse_condition(text);
    if (!condition) return in_context("--where", condition.error());
    ResultCondition& parsed = condition.value();
    std::string name = text.substr(0, text.find_first_of("<>="));
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    if (const auto checked = check_clock(question.run, name, parsed.path); !checked) {
      return in_context("--where", checked.error());
    }
    parsed.path = measured_path(question, parsed.path);
    question.where.push_back({text, name, std::move(parsed)});
  }
  return success();
}

std::optional<double> figure_of(const Json& result, const AdvisedFigure& figure) {
  return result.is_null() || is_unstarted(result) ? std::nullopt
                                                  : figure_number(result, figure.path);
}

std::vector<const AdvisedCondition*> missed_conditions(const AdviceQuestion& question,
                                                       const Json& result) {
  std::vector<const AdvisedCondition*> missed;
  for (const AdvisedCondition& one : question.where) {
    if (!satisfies(one.condition, result)) missed.push_back(&one);
  }
  return missed;
}

double shortfall_of(const AdviceQuestion& question, const Json& result) {
  // Without the figure nothing can be said: such a result is further away than any other.
  constexpr double kWithoutFigure = 1e12;
  double sum = 0;
  for (const AdvisedCondition* one : missed_conditions(question, result)) {
    const auto value = figure_number(result, one->condition.path);
    const double bound = std::max(std::abs(one->condition.bound), 1e-9);
    // A strict bound may be met exactly and yet be missed.
    sum +=
        value ? std::max(std::abs(*value - one->condition.bound) / bound, 1e-12) : kWithoutFigure;
  }
  return sum;
}

}  // namespace lsmlab
