#include "verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "models/base/printable.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "output.h"
#include "validate/judge/judge.h"
#include "validate/report/results/results_page.h"
#include "validate/report/validation/validation_page.h"
#include "validate/results/compare.h"
#include "validate/results/compare_logs.h"
#include "validate/results/result_json.h"

namespace lsmlab {
namespace {

constexpr const char* kValidationName = "validation.json";

using Results = std::vector<nlohmann::ordered_json>;

Result<int> compare_log_files(const CompareArguments& arguments) {
  if (!arguments.tolerance.empty()) {
    return input_error(
        "--tolerance: expected result JSON files; plan logs are compared line by line");
  }
  const auto comparison = BOOST_OUTCOME_TRYX(compare_logs(arguments.a, arguments.b));
  BOOST_OUTCOME_TRYV(print_text(log_comparison_text(comparison)));
  return comparison.difference == LogDifference::kNone ? kExitDone : kExitFellShort;
}

Result<int> compare_files(const CompareArguments& arguments) {
  if (is_plan_log(arguments.a)) return compare_log_files(arguments);
  std::optional<Decimal> tolerance;
  if (!arguments.tolerance.empty()) {
    tolerance = Decimal::parse(arguments.tolerance);
    if (!tolerance) {
      return input_error(fmt::format("--tolerance: '{}' is not a share; expected 1% or 0.01",
                                     arguments.tolerance));
    }
  }
  auto a = BOOST_OUTCOME_TRYX(read_results(arguments.a));
  auto b = BOOST_OUTCOME_TRYX(read_results(arguments.b));
  if (a.size() != b.size()) {
    return input_error(fmt::format(
        "{} holds {} and {} holds {}; compare needs the same number, and compares them in "
        "order",
        arguments.a, counted_text(a.size(), "result"), arguments.b, b.size()));
  }
  std::string text;
  std::size_t beyond = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const ResultComparison comparison = compare_results(a[i], b[i]);
    text += (i == 0 ? "" : "\n") + comparison_text(comparison, tolerance);
    if (tolerance && !is_within(comparison, *tolerance)) ++beyond;
  }
  if (tolerance) {
    text += beyond == 0 ? fmt::format("\nall figures differ by at most {}\n", arguments.tolerance)
                        : fmt::format("\n{} of {} results differ by more than {}\n", beyond,
                                      a.size(), arguments.tolerance);
  }
  BOOST_OUTCOME_TRYV(print_text(text));
  return beyond == 0 ? kExitDone : kExitFellShort;
}

// Replaces each directory by the .json files in it, sorted by name.
Result<std::vector<std::string>> result_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code fault;
    if (!std::filesystem::is_directory(path, fault)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (std::filesystem::directory_iterator entry(path, fault), end; !fault && entry != end;
         entry.increment(fault)) {
      if (entry->path().extension() == ".json") found.push_back(entry->path().string());
    }
    if (fault) return input_error(fmt::format("{}: {}", path, fault.message()));
    if (found.empty()) return input_error(fmt::format("{}: holds no .json files", path));
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

// The path of validation.json if the only path is that file or the output directory of 'lsmlab
// validate'.
std::optional<std::string> validation_path(const std::vector<std::string>& paths) {
  if (paths.size() != 1) return std::nullopt;
  std::error_code ignored;
  const std::filesystem::path path(paths.front());
  if (path.filename() == kValidationName) return path.string();
  const std::filesystem::path inside = path / kValidationName;
  if (std::filesystem::is_regular_file(inside, ignored)) return inside.string();
  return std::nullopt;
}

Result<int> write_validation_report(const std::string& path, const ReportArguments& arguments) {
  BOOST_OUTCOME_TRYV(check_not_overwritten("--out", arguments.out, {path}));
  const auto validation = BOOST_OUTCOME_TRYX(read_validation(path));
  const auto html = make_validation_report(validation, arguments.title);
  if (!html && html.error().kind == ErrorKind::kMachine) return html.error();
  if (!html) return in_context(path, html.error());
  BOOST_OUTCOME_TRYV(write_output(arguments.out, html.value()));
  if (arguments.out != "-") {
    BOOST_OUTCOME_TRYV(print_text(fmt::format("wrote {} ({})\n", arguments.out,
                                              counted_text(validation["cells"].size(), "cell"))));
  }
  return kExitDone;
}

Result<int> write_report(const ReportArguments& arguments) {
  if (const auto validation = validation_path(arguments.results)) {
    return write_validation_report(*validation, arguments);
  }
  auto files = BOOST_OUTCOME_TRYX(result_files(arguments.results));
  BOOST_OUTCOME_TRYV(check_not_overwritten("--out", arguments.out, files));
  Results all;
  for (const std::string& path : files) {
    auto results = BOOST_OUTCOME_TRYX(read_results(path));
    if (const auto checked = check_report_input(results); !checked) {
      return in_context(path, checked.error());
    }
    for (auto& result : results) all.push_back(std::move(result));
  }
  auto out = BOOST_OUTCOME_TRYX(OutputFile::open(arguments.out));
  auto html = BOOST_OUTCOME_TRYX(make_report(all, arguments.title));
  out.write(html);
  BOOST_OUTCOME_TRYV(out.commit());
  if (!out.is_standard_output()) {
    BOOST_OUTCOME_TRYV(print_text(
        fmt::format("wrote {} ({})\n", arguments.out, counted_text(all.size(), "result"))));
  }
  return kExitDone;
}

}  // namespace

int report_error(const Error& error) {
  // A quoted value is shortened already. This limit is for a message of many faults.
  constexpr std::size_t kCharactersMax = 8000;
  const std::string message = printable(shortened(error.message, kCharactersMax));
  std::fputs(fmt::format("lsmlab: {}\n", message).c_str(), stderr);
  return error.kind == ErrorKind::kInput ? kExitInput : kExitMachine;
}

int run_compare(const CompareArguments& arguments) {
  const Result<int> code = compare_files(arguments);
  return code ? code.value() : report_error(code.error());
}

int run_report(const ReportArguments& arguments) {
  const Result<int> code = write_report(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
