// Public cases: runs whose options, workload and figures somebody published (configs/cases/). Each
// is a prediction that nothing was fitted to; `lsmlab cases` shows how near it comes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "validate/catalog/run_spec.h"
#include "validate/runs/batch.h"

namespace lsmlab {

/// A figure that the source gives.
struct ReportedFigure {
  std::string label;  // with its unit: "flushed, GiB"
  std::string path;   // of the figure in a result
  double unit = 1;    // of the result's figure: the label's unit is so many of its units
  double reported = 0;
};

struct CaseRun {
  std::string name;  // empty: the case has one run only
  RunSpec spec;
  std::vector<ReportedFigure> figures;
};

struct PublicCase {
  std::string name;
  std::string source;   // where it was published
  std::string grade;    // A: options, workload and figures are given. B: some of them are guessed
  std::string remarks;  // why prediction and report differ
  std::vector<CaseRun> runs;
};

/// The cases of configs/cases/, by name.
[[nodiscard]] Result<std::vector<PublicCase>> public_cases();
/// Reads a case. Errors: not a case, with the member at fault; a SPEC that is none.
[[nodiscard]] Result<PublicCase> parse_case(const std::string& name, const std::string& json);
/// Those with the given names; all where none is given. Errors: an unknown name, with the nearest.
[[nodiscard]] Result<std::vector<PublicCase>> cases_named(std::vector<PublicCase> cases,
                                                          std::span<const std::string> names);

/// What the runs of a case gave: for each run its figures, in their order; nothing where a run has
/// no such figure or was stopped.
using CaseFigures = std::vector<std::vector<std::optional<double>>>;
/// For each case. Errors: those of resolve() and of the simulations, with the case.
[[nodiscard]] Result<std::vector<CaseFigures>> predict(std::span<const PublicCase> cases,
                                                       const BatchOptions& options);

}  // namespace lsmlab
