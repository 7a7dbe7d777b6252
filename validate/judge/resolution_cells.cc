#include "validate/judge/resolution_cells.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>

#include "validate/judge/cell_figures.h"
#include "validate/judge/cell_json.h"
#include "validate/judge/regression.h"
#include "validate/judge/validation_words.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// A figure of two resolutions: how a result has it, and the bound on its error.
struct ResolvedFigure {
  const char* name;
  const char* title;
  std::function<double(const Json&)> read;
  std::optional<double> ExperimentBounds::*bound;
};

const std::vector<ResolvedFigure>& resolved_figures() {
  const auto value = [](FigureName name) {
    return [name](const Json& result) { return figure_of(name).number(result).value_or(0); };
  };
  const auto live_bytes = [](const Json& result) {
    const ResultFigures& figures = result_figures();
    const double space = figures.space.number(result).value_or(0);
    return space > 0 ? figures.file_bytes.number(result).value_or(0) / space : 0;
  };
  static const std::vector<ResolvedFigure> figures{
      {"write", "write", value(&ResultFigures::write), &ExperimentBounds::write_error},
      {"merges", "merges", value(&ResultFigures::merges), &ExperimentBounds::merges_error},
      {"live_bytes", "live bytes", live_bytes, &ExperimentBounds::live_bytes_error},
      {"space_transient", "transient space", value(&ResultFigures::space_transient),
       &ExperimentBounds::space_transient_error}};
  return figures;
}

struct Sample {
  double mean = 0;
  double deviation = 0;  // standard, of one value
  double count = 0;
  [[nodiscard]] double scatter() const { return mean != 0 ? deviation / std::abs(mean) : 0; }
  [[nodiscard]] double variance_of_mean() const { return deviation * deviation / count; }
};

Sample sample_of(const std::vector<double>& values) {
  Sample sample;
  sample.count = static_cast<double>(values.size());
  for (const double value : values) sample.mean += value / sample.count;
  double squares = 0;
  for (const double value : values) squares += (value - sample.mean) * (value - sample.mean);
  if (values.size() > 1) sample.deviation = std::sqrt(squares / (sample.count - 1));
  return sample;
}

Json figure_json(const std::vector<double>& by_range, const std::vector<double>& by_key) {
  const Sample range = sample_of(by_range);
  const Sample key = sample_of(by_key);
  const double error = std::sqrt(range.variance_of_mean() + key.variance_of_mean());
  return {{"range", range.mean},
          {"key", key.mean},
          {"difference", error_json(relative_error(range.mean, key.mean))},
          {"range_scatter", range.scatter()},
          {"key_scatter", key.scatter()},
          {"standard_error", key.mean != 0 ? error / std::abs(key.mean) : 0}};
}

}  // namespace

Result<Json> resolution_cell_json(const ExperimentCell& cell, std::span<const CellRuns::Pair> pairs,
                                  const ResultDirectory& results) {
  const std::vector<ResolvedFigure>& figures = resolved_figures();
  std::vector<std::vector<double>> by_range(figures.size());
  std::vector<std::vector<double>> by_key(figures.size());
  Json json{{"group", cell.group}, {"spec", spec_text(cell.spec.policy)}};
  for (const CellRuns::Pair& pair : pairs) {
    const Json range = BOOST_OUTCOME_TRYX(results.load(pair.by_range));
    const Json key = BOOST_OUTCOME_TRYX(results.load(pair.by_key));
    for (std::size_t i = 0; i < figures.size(); ++i) {
      by_range[i].push_back(figures[i].read(range));
      by_key[i].push_back(figures[i].read(key));
    }
    for (const char* member : {"policy", "workload", "cells"}) json[member] = range.at(member);
  }
  json["seed"] = cell.spec.options.seed;
  json["seeds"] = pairs.size();
  json["figures"] = Json::object();
  for (std::size_t i = 0; i < figures.size(); ++i) {
    json["figures"][figures[i].name] = figure_json(by_range[i], by_key[i]);
  }
  return json;
}

void check_resolution_bounds(const ExperimentGroup& group, const Json& cell,
                             std::vector<std::string>& broken) {
  for (const ResolvedFigure& figure : resolved_figures()) {
    const std::optional<double>& bound = group.bounds.*figure.bound;
    const Json& compared = cell.at("figures").at(figure.name);
    const Json& difference = compared.at("difference");
    if (!bound || (difference.is_number() && std::abs(difference.get<double>()) <= *bound)) {
      continue;
    }
    broken.push_back(fmt::format(
        "{} on {} ({}): {} differs by {} between resolutions (standard error {:.2f} %); the bound "
        "is {:.2f} %",
        cell.at("spec").get<std::string>(), workload_words(cell.at("workload")), group.name,
        figure.title, percent_words(difference), 100 * number(compared.at("standard_error")),
        100 * *bound));
  }
}

std::vector<std::vector<std::string>> resolution_rows(const Json& validation) {
  const auto cells = validation.find("resolutions");
  if (cells == validation.end() || cells->empty()) return {};
  std::vector<std::vector<std::string>> rows{{"group", "policy", "write, key"}};
  for (const ResolvedFigure& figure : resolved_figures()) {
    rows.front().emplace_back(figure.title);
    rows.front().emplace_back("+-");
  }
  for (const char* title : {"seeds, range", "seeds, key"}) rows.front().emplace_back(title);
  for (const Json& cell : *cells) {
    const Json& figures = cell.at("figures");
    const Json& write = figures.at("write");
    std::vector<std::string> row{cell.at("group").get<std::string>(),
                                 cell.at("spec").get<std::string>(),
                                 fmt::format("{:.3f}", number(write.at("key")))};
    for (const ResolvedFigure& figure : resolved_figures()) {
      const Json& compared = figures.at(figure.name);
      row.push_back(percent_words(compared.at("difference")));
      row.push_back(fmt::format("{:.2f}", 100 * number(compared.at("standard_error"))));
    }
    for (const char* side : {"range_scatter", "key_scatter"}) {
      row.push_back(fmt::format("{:.2f} %", 100 * number(write.at(side))));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string resolutions_text(const Json& validation) {
  const auto rows = resolution_rows(validation);
  if (rows.empty()) return "";
  constexpr std::size_t kTexts = 2;
  return "\nresolution range minus resolution key, relative, means over seeds; +-: standard "
         "error in %; seeds: the scatter of write amplification\n" +
         aligned_text(rows, kTexts);
}

}  // namespace lsmlab
