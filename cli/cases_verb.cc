// lsmlab cases: runs that somebody published, predicted.
#include "cases_verb.h"

#include <fmt/format.h>

#include "help_text.h"
#include "interrupt.h"
#include "output.h"
#include "parse_fault.h"
#include "progress.h"
#include "validate/cases/case_table.h"

namespace lsmlab {
namespace {

Result<int> show_cases(const CasesArguments& arguments) {
  const std::string& format = arguments.format;
  if (format != "text" && format != "markdown" && format != "json") {
    return input_error(
        fmt::format("--format: '{}' is unknown; expected text, markdown or json", format));
  }
  const std::vector<PublicCase> cases =
      BOOST_OUTCOME_TRYX(cases_named(BOOST_OUTCOME_TRYX(public_cases()), arguments.names));
  if (arguments.list) {
    BOOST_OUTCOME_TRYV(print_text(cases_list(cases)));
    return kExitDone;
  }
  catch_interrupts();
  ProgressLine progress;
  const BatchOptions options = watched_batch(arguments.threads, arguments.quiet, progress);
  const std::vector<CaseFigures> predicted = BOOST_OUTCOME_TRYX(predict(cases, options));
  if (format == "json") {
    BOOST_OUTCOME_TRYV(print_text(cases_json(cases, predicted).dump(2) + "\n"));
  } else {
    BOOST_OUTCOME_TRYV(print_text(format == "text" ? cases_text(cases, predicted)
                                                   : cases_markdown(cases, predicted)));
  }
  if (!interrupt_flag().load()) return kExitDone;
  fmt::print(stderr, "lsmlab: stopped early; figures of stopped runs are left out\n");
  return interrupt_exit_code();
}

}  // namespace

void add_cases(CLI::App& app, CasesArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "cases", "Predict runs that somebody published, and show how near the predictions come");
  verb->add_option("CASE", arguments.names, "only these cases (--list names them)")
      ->check(not_empty());
  verb->add_flag("--list", arguments.list, "name the cases; run nothing");
  verb->add_option("--format", arguments.format,
                   "text, markdown (with the command of each run) or json")
      ->type_name("FORMAT")
      ->capture_default_str();
  verb->add_option("-j,--threads", arguments.threads, "runs at a time; 0: one per core")
      ->type_name("N")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  verb->add_flag("-q,--quiet", arguments.quiet, "show no progress line");
  verb->footer(
      "Options, workload and figures are those of the source (configs/cases/); nothing is fitted.\n"
      "docs/measurements/cases.md has the table, and why some figures differ.\n\n"
      "Examples:\n  lsmlab cases --list\n  lsmlab cases course-report rocksdb-7325\n\n" +
      exit_help("", "what is known by then is\n       printed"));
}

int run_cases(const CasesArguments& arguments) {
  const Result<int> code = show_cases(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
