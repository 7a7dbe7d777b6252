// What a report shows of each result. The JSON is read and checked once, so that charts and tables
// can rely on it: numbers are finite and not negative, the columns of a series have equal lengths,
// and text is valid UTF-8.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "validate/results/result_figure.h"

namespace lsmlab {

/// A main figure: a page reads it, and the table of main figures shows it if a result has it.
struct MainFigure {
  FigureName name;
  bool is_least_best = false;
};
/// In the order of the table. Figures of one group are adjacent: they share a head.
inline constexpr MainFigure kMainFigures[] = {{&ResultFigures::flushes},
                                              {&ResultFigures::merges},
                                              {&ResultFigures::moves},
                                              {&ResultFigures::bytes_flushed},
                                              {&ResultFigures::write, true},
                                              {&ResultFigures::write_flushed, true},
                                              {&ResultFigures::write_total, true},
                                              {&ResultFigures::read_mean, true},
                                              {&ResultFigures::read_max, true},
                                              {&ResultFigures::space, true},
                                              {&ResultFigures::space_transient, true},
                                              {&ResultFigures::floor_k},
                                              {&ResultFigures::floor_write_flushed},
                                              {&ResultFigures::floor_ratio, true},
                                              {&ResultFigures::floor_worst_case_bound},
                                              {&ResultFigures::flushes_per_second}};

/// A parameter that applies to the run. Parameters that are null in the result are left out.
struct ReportParameter {
  std::string name;
  std::string text;
  std::optional<double> number;  // if the value is a number
};

/// SSTables after one flush, oldest first.
struct ReportStack {
  std::vector<double> bytes;
  std::vector<std::uint64_t> levels;
};

struct ReportResult {
  std::size_t number = 0;        // position among all results, from 1
  std::string label;             // unique among the results of its workload
  std::string family;            // results of one family share colour and symbol
  bool is_preset = false;        // the family is a preset's name
  std::size_t family_index = 0;  // in order of first appearance on the page
  std::size_t variant = 0;       // rank within the family and workload: its dash pattern
  std::string variant_text;      // "k=6": the parameter that tells the family's members apart
  std::vector<ReportParameter> parameters;
  std::string source;
  std::string mode;
  std::string resolution;
  bool complete = true;
  bool has_policy_bound = false;  // the lower bound is of the policy's own bound of SSTables
  std::vector<ReportStack> stacks;
  std::string version;
  // By path, those of kMainFigures, and the columns that charts need.
  std::map<std::string, double, std::less<>> figures;
  std::map<std::string, std::vector<double>, std::less<>> columns;

  /// A figure; nothing if the result has none. REQUIRES: it is one of kMainFigures.
  [[nodiscard]] std::optional<double> figure(FigureName name) const;
  /// A column of the result's series. REQUIRES: read_report_data() reads it.
  [[nodiscard]] const std::vector<double>& column(FigureName name) const;
};

/// The results of one policy on one workload, in the order of the parameter that tells them apart.
struct ReportFamily {
  std::string name;
  std::vector<std::size_t> members;  // indices of ReportWorkload::results
};

/// Results that a reader may compare: they have the same workload, parameters and seed.
struct ReportWorkload {
  std::string name;
  std::vector<ReportParameter> parameters;
  std::uint64_t seed = 0;
  std::vector<ReportResult> results;  // in the order given
  std::vector<ReportFamily> families;
};

/// Groups results by workload and policy. Errors: an input error with the result's number and the
/// member.
[[nodiscard]] Result<std::vector<ReportWorkload>> read_report_data(
    std::span<const nlohmann::ordered_json> results);

}  // namespace lsmlab
