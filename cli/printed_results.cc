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
#include "validate/results/rocksdb_stats.h"
#include "validate/results/summary_table.h"

namespace lsmlab {
namespace {

constexpr const char* kTable = "table";
constexpr const char* kRocksdbStats = "rocksdb-stats";

std::string table_of(std::span<const RunResult> results) {
  std::vector<nlohmann::ordered_json> rows;
  for (const RunResult& result : results) rows.push_back(result_to_json(result));
  return summary_text(rows);
}

}  // namespace

Result<void> check_printing(const PrintArguments& arguments, const std::string& out) {
  const std::vector<std::string> formats{kTable, kRocksdbStats};
  if (std::find(formats.begin(), formats.end(), arguments.format) == formats.end()) {
    return input_error(fmt::format("--format: unknown format '{}'{}", excerpt(arguments.format),
                                   suggestion(arguments.format, formats)));
  }
  if (out == "-" && arguments.format != kTable) {
    return input_error("--format: --out - writes the JSON to standard output; give --out a file");
  }
  return success();
}

Result<void> print_results(const PrintArguments& arguments, std::span<const RunResult> results,
                           const std::string& remark, const std::string& out,
                           const std::string& log) {
  if (out == "-") return success();
  const bool is_stats = arguments.format == kRocksdbStats;
  const std::string text = (is_stats ? rocksdb_stats_text(results) : table_of(results)) + remark;
  if (is_stats) fmt::print(stderr, "lsmlab: {}\n", printable(rocksdb_stats_note(results)));
  if (log != "-") return print_text(text);
  std::fputs(printable(text).c_str(), stderr);
  return success();
}

}  // namespace lsmlab
