#include "validate/judge/judged_figure.h"

#include "validate/results/figure_mean.h"

namespace lsmlab {

using Json = nlohmann::ordered_json;

double JudgedFigure::mean(std::span<const Json> results) const {
  FigureMean mean(averaging);
  for (const Json& result : results) mean.add(read(result));
  return mean.value();
}

JudgedFigure judged_figure(const std::string& name, const ResultFigure& figure,
                           InValidations presence) {
  JudgedFigure judged{figure.descriptor()};
  judged.name = name;
  judged.is_required = presence == InValidations::kInAll;
  judged.read = [figure](const Json& result) { return figure.number(result).value_or(0); };
  return judged;
}

std::vector<double> read_all(std::span<const JudgedFigure> figures, const Json& result) {
  std::vector<double> values;
  for (const JudgedFigure& figure : figures) values.push_back(figure.read(result));
  return values;
}

std::vector<double> mean_of_all(std::span<const JudgedFigure> figures,
                                std::span<const Json> results) {
  std::vector<double> values;
  for (const JudgedFigure& figure : figures) values.push_back(figure.mean(results));
  return values;
}

}  // namespace lsmlab
