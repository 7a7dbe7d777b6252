#include "validate/advise/advice_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "models/accounting/figures.h"
#include "models/base/printable.h"
#include "models/base/quantity_text.h"
#include "validate/advise/candidates.h"
#include "validate/advise/rocksdb_words.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/run_command.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

std::string duration_words(double nanoseconds) {
  if (nanoseconds == 0) return "0 s";
  if (nanoseconds >= 1e9) return fmt::format("{:.2f} s", nanoseconds / 1e9);
  if (nanoseconds >= 1e6) return fmt::format("{:.2f} ms", nanoseconds / 1e6);
  return fmt::format("{:.1f} us", nanoseconds / 1e3);
}

std::string number_words(const std::string& path, std::optional<double> value) {
  if (!value) return "-";
  const FoundFigure found = find_figure(path);
  const std::string unit = found.figure == nullptr ? "" : found.figure->unit;
  if (unit == "bytes") return bytes_text(static_cast<Uint128>(std::max(0.0, *value)));
  if (unit == "ns") return duration_words(*value);
  const bool is_whole = std::floor(*value) == *value;
  if (is_whole || std::abs(*value) >= 10'000) return fmt::format("{:.0f}", *value);
  return fmt::format("{:.3f}", *value);
}

// The figures of the front and of the conditions, each once.
std::vector<AdvisedFigure> shown_figures(const AdviceQuestion& question) {
  std::vector<AdvisedFigure> figures = question.front;
  for (const AdvisedCondition& one : question.where) {
    const bool is_known =
        std::any_of(figures.begin(), figures.end(),
                    [&](const AdvisedFigure& figure) { return figure.path == one.condition.path; });
    if (!is_known) figures.push_back({one.name, one.condition.path});
  }
  return figures;
}

// "5.880 (5.901)": the figure at resolution key, and that of the first rounds.
std::string cell_text(const AdvisedFigure& figure, const Candidate& candidate) {
  const std::string coarse = number_words(figure.path, figure_of(candidate.coarse, figure));
  if (candidate.exact.is_null()) return coarse;
  return fmt::format("{} ({})", number_words(figure.path, figure_of(candidate.exact, figure)),
                     coarse);
}

// With today's options at hand, only what a candidate changes in them.
std::string policy_text(const AdviceQuestion& question, const Advice& advice,
                        const Candidate& candidate) {
  if (!question.today) return printable(spec_text(candidate.spec));
  if (candidate.round == AdviceRound::kToday) return "today's options";
  const PolicySpace& space = advice.plan.spaces[candidate.space];
  Spec changes{candidate.spec.name, {}};
  for (const auto& one : candidate.spec.parameters) {
    const auto& known = space.policy.parameters;
    if (std::find(known.begin(), known.end(), one) == known.end()) {
      changes.parameters.push_back(one);
    }
  }
  return printable(spec_text(changes));
}

std::string figures_table(const AdviceQuestion& question, const Advice& advice,
                          const std::vector<std::size_t>& places) {
  const std::vector<AdvisedFigure> figures = shown_figures(question);
  std::vector<std::vector<std::string>> rows(1);
  for (const AdvisedFigure& figure : figures) rows[0].push_back(figure.name);
  for (const std::size_t place : places) {
    rows.emplace_back();
    for (const AdvisedFigure& figure : figures) {
      rows.back().push_back(cell_text(figure, advice.candidate(place)));
    }
  }
  std::vector<std::size_t> widths(figures.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < figures.size(); ++i) {
      text += fmt::format("{:>{}}", rows[r][i], widths[i] + (i == 0 ? 2 : 3));
    }
    const std::string last =
        r == 0 ? "policy" : policy_text(question, advice, advice.candidate(places[r - 1]));
    text += fmt::format("   {}\n", last);
  }
  return text;
}

std::string rocksdb_text(const AdviceQuestion& question, const Candidate& candidate) {
  const auto facts = workload_facts(question.run);
  if (!facts) return {};
  const auto policy = policy_of_spec(candidate.spec, facts.value().workload);
  if (!policy) return {};
  std::optional<ConfiguredPolicy> before;
  if (question.today) {
    if (auto today = policy_of_spec(*question.today, facts.value().workload))
      before = std::move(today).value();
  }
  const auto words = rocksdb_words(policy.value(), before ? &*before : nullptr);
  if (words.empty()) return {};
  std::string text = before ? "  RocksDB's options that change:\n" : "  RocksDB's options:\n";
  for (const OptionWords& word : words) {
    text +=
        fmt::format("    {}={}{}\n", word.name, word.value,
                    word.value_before.empty() ? "" : fmt::format("  (was {})", word.value_before));
  }
  return text;
}

std::string conditions_text(const AdviceQuestion& question) {
  std::vector<std::string> texts;
  for (const AdvisedCondition& one : question.where) texts.push_back(printable(one.text));
  if (question.memory) {
    texts.push_back(
        fmt::format("memtable and filters<={}", typed_bytes_text(question.memory->value())));
  }
  return texts.empty() ? "" : fmt::format(", with {}", fmt::join(texts, ", "));
}

std::string nearest_text(const AdviceQuestion& question, const Candidate& candidate) {
  std::string text = "no candidate satisfies every condition; the nearest one misses\n";
  for (const AdvisedCondition* one : missed_conditions(question, candidate.result())) {
    const auto value = figure_number(candidate.result(), one->condition.path);
    text += fmt::format("  {}: it has {}\n", printable(one->text),
                        number_words(one->condition.path, value));
  }
  return text;
}

std::string exact_text(const AdviceQuestion& question, const Advice& advice) {
  switch (advice.exact) {
    case ExactRound::kDone:
      return fmt::format(
          "Figures at resolution key; in brackets those of resolution range, with which {} "
          "finalists were chosen.\n",
          advice.finalists.size());
    case ExactRound::kNoMemory:
      return "Figures at resolution range: the keys do not fit a third of the memory.\n";
    case ExactRound::kCutShort:
      return "Not all finalists were simulated at resolution key in time; figures in brackets, and "
             "single ones, are of resolution range.\n";
    case ExactRound::kNoKeys:
    case ExactRound::kNeedless:
    case ExactRound::kNoCandidate:
      break;
  }
  if (question.run.resolution) {
    return fmt::format("Figures at resolution {}.\n", resolution_name(*question.run.resolution));
  }
  return advice.exact == ExactRound::kNoKeys
             ? "The workload has flush sizes only: policies that need keys ran at resolution "
               "range, the others at resolution flush.\n"
             : "Resolution range cannot run this workload: all figures are of resolution key.\n";
}

std::string impossible_text(const AdvicePlan& plan) {
  return counted_text(plan.impossible, "combination is", "combinations are") +
         " impossible for their policy";
}

std::string tried_text(const AdvicePlan& plan, const Advice& advice) {
  std::string text = fmt::format("Tried {} of {} candidates of the first round",
                                 advice.coarse_tried, advice.coarse_total);
  if (advice.refined_total > 0) {
    text += fmt::format(" and {} of {} neighbours", advice.refined_tried, advice.refined_total);
  }
  text += ".\n";
  if (plan.impossible > 0) {
    text += impossible_text(plan) + ".\n";
  }
  if (plan.too_large > 0) {
    text += fmt::format("{} more than --memory.\n",
                        counted_text(plan.too_large, "candidate takes", "candidates take"));
  }
  for (const SkippedPolicy& skipped : plan.skipped) {
    text += fmt::format("Not searched: {}\n", printable(skipped.why));
  }
  if (advice.is_budget_over) {
    text += "The budget ended the search: with another --budget the answer may differ.\n";
  }
  if (advice.is_interrupted)
    text += "The search was stopped: the answer may differ from a whole one.\n";
  return text;
}

}  // namespace

std::string simulate_command(const AdviceQuestion& question, const Candidate& candidate) {
  if (question.start != nullptr) {
    return fmt::format("{} --set {}", question.store_command,
                       shell_word("policy=" + spec_text(candidate.spec)));
  }
  RunSpec run = run_with(question, candidate.spec);
  run.policy = candidate.spec;
  run.resolution = candidate.exact.is_null() ? candidate.resolution : Resolution::kKey;
  return run_command(run);
}

std::string plan_text(const AdvicePlan& plan) {
  std::string text;
  for (const PolicySpace& space : plan.spaces) {
    text += printable(spec_text(space.policy)) + "\n";
    for (const Dimension& dimension : space.dimensions) {
      std::vector<std::string> coarse;
      std::vector<std::string> further;
      for (const SearchedValue& value : dimension.values) {
        (value.is_coarse ? coarse : further).push_back(printable(value_text(value)));
      }
      text += fmt::format(
          "  {}: {}{}\n", dimension.name, fmt::join(coarse, ", "),
          further.empty() ? "" : fmt::format("; near the best also {}", fmt::join(further, ", ")));
    }
  }
  text +=
      fmt::format("\n{} in the first round:\n", counted_text(plan.candidates.size(), "candidate"));
  for (const Candidate& candidate : plan.candidates) {
    text += fmt::format("  {}\n", printable(spec_text(candidate.spec)));
  }
  if (plan.impossible > 0) {
    text += impossible_text(plan) + '\n';
  }
  if (plan.equal > 0) text += fmt::format("{} make the same store as another one\n", plan.equal);
  if (plan.too_large > 0) text += fmt::format("{} take more than --memory\n", plan.too_large);
  for (const SkippedPolicy& skipped : plan.skipped) {
    text += fmt::format("not searched: {}\n", printable(skipped.why));
  }
  return text;
}

std::string advice_text(const AdviceQuestion& question, const Advice& advice) {
  std::string text;
  const auto chosen = advice.best ? advice.best : advice.nearest;
  if (chosen) {
    const Candidate& candidate = advice.candidate(*chosen);
    text += advice.best ? fmt::format("best by {}{}\n", question.minimize.front().name,
                                      conditions_text(question))
                        : nearest_text(question, candidate);
    text += fmt::format("  {}\n  {}\n", printable(spec_text(candidate.spec)),
                        printable(simulate_command(question, candidate)));
    text += rocksdb_text(question, candidate) + "\n";
    std::vector<std::size_t> places{*chosen};
    if (question.today && *chosen != 0) places.push_back(0);
    text += figures_table(question, advice, places);
    if (question.today) text += "  What a line does not state is as today.\n";
    text += "\n";
  }
  if (!advice.front.empty()) {
    std::vector<std::string> names;
    for (const AdvisedFigure& figure : question.front) names.push_back(figure.name);
    text += fmt::format(
        "Pareto front of {}{}: no candidate is better in one without being worse in "
        "another\n",
        fmt::join(names, ", "), conditions_text(question));
    text += figures_table(question, advice, advice.front) + "\n";
  }
  return text + exact_text(question, advice) + tried_text(advice.plan, advice);
}

}  // namespace lsmlab
