#include "validate/judge/forgetting.h"

#include <fmt/format.h>

#include <span>

#include "models/base/quantity_text.h"
#include "validate/judge/validation_words.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

std::vector<const ResultFigure*> kept_figures() {
  const ResultFigures& figures = result_figures();
  return {&figures.write,       &figures.merges,      &figures.deletes_gone,   &figures.deletes_p50,
          &figures.deletes_p99, &figures.deletes_max, &figures.deletes_present};
}

// The means over runs; null where one of them has no deletes.
Json side_json(std::span<const Json> results) {
  if (results.empty()) return nullptr;
  for (const Json& result : results) {
    if (!result_figures().deletes_present.number(result)) return nullptr;
  }
  Json side = Json::object();
  for (const ResultFigure* figure : kept_figures()) {
    side[figure->name()] = judged_figure(figure->name(), *figure).mean(results);
  }
  return side;
}

std::string time_text(const Json& side, const ResultFigure& figure) {
  // No time is known of deletes that never go.
  if (number(side.value(result_figures().deletes_gone.name(), Json())) == 0) return "-";
  return grouped_text(static_cast<std::uint64_t>(number(side.at(figure.name())) + 0.5));
}

std::vector<std::string> row_of(const Json& cell, const std::string& by, const Json& side) {
  const ResultFigures& figures = result_figures();
  return {cell.at("policy").value("label", ""),
          by,
          workload_words(cell.at("workload")),
          fmt::format("{:.2f}", number(side.at(figures.write.name()))),
          grouped_text(static_cast<std::uint64_t>(number(side.at(figures.merges.name())) + 0.5)),
          time_text(side, figures.deletes_p50),
          time_text(side, figures.deletes_p99),
          time_text(side, figures.deletes_max),
          fmt::format("{:.1f} %", 100 * number(side.at(figures.deletes_present.name())))};
}

}  // namespace

Json deletes_json(const Cell& cell) {
  Json simulated = side_json({&cell.simulated, 1});
  Json measured = side_json(cell.measured);
  if (simulated.is_null() && measured.is_null()) return nullptr;
  return {{"simulated", std::move(simulated)}, {"measured", std::move(measured)}};
}

std::vector<std::vector<std::string>> forgetting_rows(const Json& validation) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& cell : validation.at("cells")) {
    // Validations of earlier versions have none.
    const auto deletes = cell.find("deletes");
    if (deletes == cell.end() || deletes->is_null()) continue;
    const Json& simulated = deletes->at("simulated");
    const Json& measured = deletes->at("measured");
    if (simulated == measured) {
      rows.push_back(row_of(cell, "both", simulated));
      continue;
    }
    if (!simulated.is_null()) rows.push_back(row_of(cell, "simulated", simulated));
    if (!measured.is_null()) rows.push_back(row_of(cell, "measured", measured));
  }
  if (rows.empty()) return rows;
  rows.insert(rows.begin(), {"policy", "side", "workload", "write ampl.", "merges",
                             "gone after P50", "P99", "longest", "still there"});
  return rows;
}

std::string forgetting_words() {
  return "From a delete until a merge drops its tombstone, in operations, over the deletes that "
         "are "
         "gone. Still there: the share of all flushed tombstones that are in files at the end.";
}

}  // namespace lsmlab
