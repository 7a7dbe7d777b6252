// What `simulate` and `replay` print of their results, beside the JSON of --out.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "models/accounting/run_result.h"
#include "models/base/error.h"
#include "traces/io/output_file.h"
#include "validate/results/result_query.h"
#include "verbs.h"

namespace lsmlab {

/// Where a verb's JSON and plan log go; empty: nowhere.
struct OtherOutputs {
  std::string out;
  std::string log;
};

class ResultPrinter {
 public:
  /// Reads the arguments and opens the file of --csv, before the work starts. Errors: an unknown
  /// format, figure or order; an output that another option already has; a file that cannot be
  /// opened.
  [[nodiscard]] static Result<ResultPrinter> open(const PrintArguments& arguments,
                                                  const OtherOutputs& others);

  /// Writes the file of --csv. Prints the chosen results in the chosen format, then `remark`: to
  /// standard output, or to standard error where a file goes to standard output. Where --out sent
  /// the JSON there, it prints neither. Errors: as print_text().
  [[nodiscard]] Result<void> print(std::span<const RunResult> results, const std::string& remark);

 private:
  ResultPrinter(OtherOutputs others, bool is_stats, ResultQuery query)
      : others_(std::move(others)), is_stats_(is_stats), query_(std::move(query)) {}

  [[nodiscard]] Result<void> print_chosen(std::span<const RunResult> chosen,
                                          std::span<const nlohmann::ordered_json> rows,
                                          const std::string& remark) const;

  OtherOutputs others_;
  bool is_stats_;
  ResultQuery query_;
  std::optional<OutputFile> csv_;
};

}  // namespace lsmlab
