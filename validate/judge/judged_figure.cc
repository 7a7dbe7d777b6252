#include "validate/judge/judged_figure.h"

#include <algorithm>

#include "models/accounting/figures.h"
#include "models/base/check.h"
#include "validate/results/figure_mean.h"
#include "validate/results/json_text.h"

namespace lsmlab {

using Json = nlohmann::ordered_json;

JudgedFigure judged_figure(const std::string& name, const std::string& pointer) {
  const Figure* figure = find_figure(path_of_pointer(pointer));
  CHECK(figure != nullptr);
  JudgedFigure judged{*figure};
  judged.name = name;
  judged.read = [pointer](const Json& result) { return number_at(result, pointer).value_or(0); };
  return judged;
}

std::size_t place_of(std::span<const JudgedFigure> figures, const std::string& name) {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const JudgedFigure& figure) { return figure.name == name; });
  CHECK(found != figures.end());
  return static_cast<std::size_t>(found - figures.begin());
}

std::vector<std::string> names_of(std::span<const JudgedFigure> figures) {
  std::vector<std::string> names;
  for (const JudgedFigure& figure : figures) names.push_back(figure.name);
  return names;
}

std::vector<double> read_all(std::span<const JudgedFigure> figures, const Json& result) {
  std::vector<double> values;
  for (const JudgedFigure& figure : figures) values.push_back(figure.read(result));
  return values;
}

std::vector<double> mean_of_all(std::span<const JudgedFigure> figures,
                                std::span<const Json> results) {
  std::vector<double> values;
  for (const JudgedFigure& figure : figures) {
    FigureMean mean(figure.averaging);
    for (const Json& result : results) mean.add(figure.read(result));
    values.push_back(mean.value());
  }
  return values;
}

}  // namespace lsmlab
