// lsmlab inspect: what a store of RocksDB, LevelDB, Pebble or Cassandra, or one of its files, says.
#include <fmt/format.h>

#include <filesystem>

#include "output.h"
#include "traces/stores/store_description.h"
#include "traces/stores/store_report.h"
#include "verbs.h"

namespace lsmlab {
namespace {

// A store is never written, so a description may not go into its directory.
Result<void> check_outside(const std::string& path, const std::string& out) {
  BOOST_OUTCOME_TRYV(check_not_overwritten("--describe", out, {path}));
  namespace fs = std::filesystem;
  std::error_code fault;
  const fs::path parent = fs::absolute(out, fault).parent_path();
  if (out != "-" && fs::is_directory(path, fault) && fs::equivalent(parent, path, fault)) {
    return input_error(fmt::format(
        "--describe: {} is in the directory of the store, which lsmlab never writes", out));
  }
  return success();
}

Result<int> inspect(const InspectArguments& arguments) {
  if (arguments.format != "text" && arguments.format != "json") {
    return input_error(
        fmt::format("--format: '{}' is unknown; expected text or json", arguments.format));
  }
  if (!arguments.describe.empty()) {
    BOOST_OUTCOME_TRYV(check_outside(arguments.path, arguments.describe));
  }
  const stores::Store store = BOOST_OUTCOME_TRYX(stores::read_store(arguments.path));
  const auto families = stores::all_figures(store);
  if (arguments.format == "json") {
    BOOST_OUTCOME_TRYV(print_text(stores::report_json(store, families).dump(2) + "\n"));
  } else {
    BOOST_OUTCOME_TRYV(print_text(stores::report_text(store, families)));
  }
  if (!arguments.describe.empty()) {
    BOOST_OUTCOME_TRYV(
        write_output(arguments.describe, stores::describe(store, families).dump(2) + "\n"));
  }
  if (store.faults.empty()) return kExitDone;
  Error all = store.faults.front();
  for (std::size_t i = 1; i < store.faults.size(); ++i) all = with_more(all, store.faults[i]);
  return all;
}

}  // namespace

int run_inspect(const InspectArguments& arguments) {
  const Result<int> code = inspect(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
