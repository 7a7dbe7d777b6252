#include "printed_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/base/printable.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "output.h"
#include "validate/results/result_json.h"
#include "validate/results/results_csv.h"
#include "validate/results/rocksdb_stats.h"
#include "validate/results/summary_table.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTable = "table";
constexpr const char* kRocksdbStats = "rocksdb-stats";

Result<ResultQuery> query_of(const PrintArguments& arguments) {
  ResultQuery query;
  for (const std::string& text : arguments.where) {
    const auto condition = parse_condition(text);
    if (!condition) return in_context("--where", condition.error());
    query.where.push_back(condition.value());
  }
  if (!arguments.sort.empty()) {
    if (const auto sorted = parse_sort(arguments.sort, query); !sorted) {
      return in_context("--sort", sorted.error());
    }
  }
  query.top = arguments.top;
  return query;
}

Result<void> check_outputs(const PrintArguments& arguments, const OtherOutputs& others) {
  const bool is_chosen = arguments.format != kTable || !arguments.where.empty() ||
                         !arguments.sort.empty() || arguments.top;
  if (others.out == "-" && is_chosen && arguments.csv.empty()) {
    return input_error(
        "--out - writes the JSON of all runs to standard output, and --format, --where, --sort and "
        "--top choose what is printed there; give --out a file");
  }
  if (arguments.csv.empty()) return success();
  for (const auto& [option, path] : {std::pair{"--out", others.out}, {"--log", others.log}}) {
    if (!path.empty() && is_same_output(path, arguments.csv)) {
      return input_error(fmt::format("--csv and {} name the same output", option));
    }
  }
  return success();
}

void tell(const std::string& message) { fmt::print(stderr, "lsmlab: {}\n", printable(message)); }

}  // namespace

Result<ResultPrinter> ResultPrinter::open(const PrintArguments& arguments,
                                          const OtherOutputs& others) {
  const std::vector<std::string> formats{kTable, kRocksdbStats};
  if (std::find(formats.begin(), formats.end(), arguments.format) == formats.end()) {
    return input_error(fmt::format("--format: unknown format '{}'{}", excerpt(arguments.format),
                                   suggestion(arguments.format, formats)));
  }
  BOOST_OUTCOME_TRYV(check_outputs(arguments, others));
  ResultQuery query = BOOST_OUTCOME_TRYX(query_of(arguments));
  ResultPrinter printer(others, arguments.format == kRocksdbStats, std::move(query));
  if (!arguments.csv.empty()) {
    auto file = BOOST_OUTCOME_TRYX(OutputFile::open(arguments.csv));
    printer.csv_.emplace(std::move(file));
  }
  return printer;
}

Result<void> ResultPrinter::print(std::span<const RunResult> results, const std::string& remark) {
  std::vector<Json> all;
  for (const RunResult& result : results) all.push_back(result_to_json(result));
  for (const std::string& path : absent_figures(query_, all)) {
    tell(fmt::format("no run has the figure {}", path));
  }
  std::vector<RunResult> chosen;
  std::vector<Json> rows;
  for (const std::size_t place : selected_results(query_, all)) {
    if (!query_.is_empty() && is_stats_) chosen.push_back(results[place]);
    rows.push_back(std::move(all[place]));
  }
  if (rows.size() < all.size()) tell(fmt::format("{} of {} runs shown", rows.size(), all.size()));
  if (csv_) {
    csv_->write(results_csv(rows));
    BOOST_OUTCOME_TRYV(csv_->commit());
  }
  return print_chosen(query_.is_empty() ? results : chosen, rows, remark);
}

Result<void> ResultPrinter::print_chosen(std::span<const RunResult> chosen,
                                         std::span<const Json> rows,
                                         const std::string& remark) const {
  if (others_.out == "-") return success();
  const std::string note = is_stats_ ? rocksdb_stats_note(chosen) : "";
  if (!note.empty()) tell(note);
  const std::string text = (is_stats_ ? rocksdb_stats_text(chosen) : summary_text(rows)) + remark;
  const bool is_free = others_.log != "-" && !(csv_ && csv_->is_standard_output());
  if (is_free) return print_text(text);
  std::fputs(printable(text).c_str(), stderr);
  return success();
}

}  // namespace lsmlab
