// lsmlab compare-systems: one workload, every system.
#include "systems_verb.h"

#include <fmt/format.h>

#include <optional>

#include "help_text.h"
#include "interrupt.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "output.h"
#include "parse_fault.h"
#include "progress.h"
#include "traces/io/output_file.h"
#include "validate/systems/compared_systems.h"

namespace lsmlab {
namespace {

Result<SystemsQuestion> question_of(const SystemsArguments& arguments) {
  SystemsQuestion question;
  const auto memtable = parse_bytes(arguments.memtable);
  if (!memtable) return in_context("--memtable", memtable.error());
  if (memtable.value() == 0) return input_error("--memtable: must be above 0");
  question.memtable = Bytes(memtable.value());
  question.workload = BOOST_OUTCOME_TRYX(parse_spec(arguments.workload));
  if (arguments.device != "none") {
    question.device = BOOST_OUTCOME_TRYX(parse_spec(arguments.device));
  }
  question.names = arguments.names;
  return question;
}

Result<int> show_systems(const SystemsArguments& arguments) {
  if (arguments.format != "text" && arguments.format != "json") {
    return input_error(
        fmt::format("--format: '{}' is unknown; expected text or json", arguments.format));
  }
  const SystemsQuestion question = BOOST_OUTCOME_TRYX(question_of(arguments));
  std::optional<OutputFile> plot;
  if (!arguments.plot.empty()) {
    if (!arguments.plot.ends_with(".svg")) {
      return input_error(
          fmt::format("--plot '{}': expected a file that ends in .svg", excerpt(arguments.plot)));
    }
    plot.emplace(BOOST_OUTCOME_TRYX(OutputFile::open(arguments.plot)));
  }
  catch_interrupts();
  ProgressLine progress;
  const BatchOptions options = watched_batch(arguments.threads, arguments.quiet, progress);
  const auto figures = BOOST_OUTCOME_TRYX(compare_systems(question, options));
  const std::string text = arguments.format == "json"
                               ? systems_json(question, figures).dump(2) + "\n"
                               : systems_text(question, figures);
  BOOST_OUTCOME_TRYV(print_text(text));
  if (interrupt_flag().load()) {
    fmt::print(stderr, "lsmlab: stopped early; runs that were stopped have no figures{}\n",
               plot ? ", and no picture was drawn" : "");
    return interrupt_exit_code();
  }
  if (plot) {
    plot->write(BOOST_OUTCOME_TRYX(systems_svg(question, figures)));
    BOOST_OUTCOME_TRYV(plot->commit());
  }
  return kExitDone;
}

}  // namespace

void add_compare_systems(CLI::App& app, SystemsArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "compare-systems", "Simulate every system that is modelled on one workload, side by side");
  verb->add_option("SYSTEM", arguments.names, "only these systems (default: all)")
      ->check(not_empty());
  verb->add_option("-w,--workload", arguments.workload, "the workload, as of simulate")
      ->type_name("SPEC")
      ->capture_default_str();
  verb->add_option("--memtable", arguments.memtable,
                   "memtable of every system; its other sizes are scaled along")
      ->type_name("SIZE")
      ->capture_default_str();
  verb->add_option("--device", arguments.device,
                   "the drive for the run with a clock, which gives stalls and latencies; none: no "
                   "such run")
      ->type_name("SPEC")
      ->capture_default_str();
  verb->add_option("--format", arguments.format, "text or json")
      ->type_name("FORMAT")
      ->capture_default_str();
  verb->add_option("--plot", arguments.plot, "write the picture: read against write, and space")
      ->type_name("FILE.svg");
  verb->add_option("-j,--threads", arguments.threads, "runs at a time; 0: one per core")
      ->type_name("N")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  verb->add_flag("-q,--quiet", arguments.quiet, "show no progress line");
  verb->footer(
      "Each system runs with its own defaults (the presets NAME-defaults), but with memtables of\n"
      "one size and without compression. docs/fidelity.md says how near each is.\n\n"
      "Examples:\n  lsmlab compare-systems --plot systems.svg\n"
      "  lsmlab compare-systems rocksdb-defaults pebble-defaults -w load:entries=10M\n\n" +
      exit_help("", "what is known by then is\n       printed"));
}

int run_compare_systems(const SystemsArguments& arguments) {
  const Result<int> code = show_systems(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab
