// lsmlab: the command line. This file declares and reads the arguments; the verbs do the work.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "advise_arguments.h"
#include "cases_verb.h"
#include "engine_arguments.h"
#include "help_text.h"
#include "interrupt.h"
#include "parse_fault.h"
#include "simulated_arguments.h"
#include "store_question_arguments.h"
#include "systems_verb.h"
#include "traces/importers/import.h"
#include "verbs.h"

namespace lsmlab {
namespace {

constexpr const char* kPartialResults =
    "results so far are written, marked\n       \"complete\": false";
constexpr const char* kNoTrace = "no trace file is written";

// What runs, on what, and where its results go.
void add_simulated_runs(CLI::App& verb, SimulateArguments& arguments) {
  verb.add_option(
          "-p,--policy", arguments.policies,
          "policy SPEC; repeat it for several policies. Default: with lines of db_bench their "
          "policy; otherwise it must be given")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  verb.add_option("-w,--workload", arguments.workloads,
                  "workload SPEC; repeat it for several workloads")
      ->required()
      ->type_name("SPEC")
      ->allow_extra_args(false);
  verb.add_option(
          "-o,--out", arguments.out,
          "write the results as JSON: an object for one run, an array for several; - writes "
          "to standard output")
      ->check(not_empty())
      ->type_name("FILE");
  verb.add_option("--log", arguments.log,
                  "write the plan log, one JSON line per plan; for a single run; - writes to "
                  "standard output, and the table goes to standard error")
      ->check(not_empty())
      ->type_name("FILE");
  add_printing(verb, arguments.print);
  add_choosing(verb, arguments.print);
  add_run_choices(verb, arguments);
}

void add_simulate(CLI::App& app, SimulateArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "simulate", "Simulate policies on workloads: what do they write, read and cost?");
  add_simulated_runs(*verb, arguments);
  add_simulated_clock(*verb, arguments);
  verb->footer(fmt::format(
      "Every policy runs on every workload. Without --out a table is printed.\n"
      "{}\nA list of values ('k=5|6|7', in quotes) runs every combination.\n\n"
      "Examples:\n"
      "  lsmlab simulate --policy binomial:k=6 --workload flushes:count=100000,size=4MiB\n"
      "  lsmlab simulate -p 'min-latency:k=5|6|7' -p tiered:size_ratio=4 -w flushes:count=1M --out "
      "r.json\n"
      "  lsmlab simulate -p lo+1:size_ratio=10 -w load:entries=10M --out r.json\n"
      "  lsmlab simulate -p 'leveled:size_ratio=4|6|8|10' -w load:entries=1M --where 'read_max<=8' "
      "--sort write --top 3\n"
      "  lsmlab simulate -p udc -p ldc -w ldc-rwb:operations=2M --device nvme\n"
      "  lsmlab simulate -p constant:k=4 -w flushes:count=16,size=1 --out - --log "
      "plans.jsonl\n\n{}",
      kSpecHelp, exit_help("", kPartialResults)));
}

void add_compare(CLI::App& app, CompareArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "compare",
      "Compare two results figure by figure, or find the first difference of two plan logs");
  verb->add_option("A", arguments.a, "result JSON, or a plan log")->required()->type_name("FILE");
  verb->add_option("B", arguments.b, "the other file, of the same kind")
      ->required()
      ->type_name("FILE");
  verb->add_option("--tolerance", arguments.tolerance,
                   "exit with 1 if a figure differs by more than this share of A's figure (1% or "
                   "0.01)")
      ->type_name("SHARE");
  verb->footer(
      "Examples:\n"
      "  lsmlab compare simulated.json real.json --tolerance 1%\n"
      "  lsmlab compare simulated.jsonl real.jsonl\n\n" +
      exit_help("a figure differs by more than --tolerance, or the plan logs differ"));
}

void add_report(CLI::App& app, ReportArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "report", "Write one self-contained HTML page with plots and tables of results");
  verb->add_option("results", arguments.results,
                   "result JSON files, directories of them, or the output directory of 'lsmlab "
                   "validate'")
      ->required()
      ->type_name("FILE");
  verb->add_option("-o,--out", arguments.out, "the HTML page; - writes to standard output")
      ->type_name("FILE")
      ->capture_default_str();
  verb->add_option("--title", arguments.title, "title of the page")
      ->type_name("TEXT")
      ->capture_default_str();
  verb->footer(
      "Examples:\n"
      "  lsmlab report sweep.json -o sweep.html\n"
      "  lsmlab report results/ -o report.html --title 'Eight policies'\n\n" +
      exit_help());
}

void add_inspect(CLI::App& app, InspectArguments& arguments) {
  CLI::App* verb = app.add_subcommand("inspect",
                                      "Say what a store of RocksDB, LevelDB, Pebble or Cassandra "
                                      "did: options, tree, merges, stalls");
  verb->add_option(
          "PATH", arguments.path,
          "the store's directory, or one of its files: OPTIONS, LOG, MANIFEST, the output "
          "of 'ldb manifest_dump', a table of compaction statistics or of Pebble's metrics, a "
          "table's schema or 'nodetool compactionhistory' of Cassandra")
      ->required()
      ->type_name("PATH");
  verb->add_option("--format", arguments.format, "text or json")
      ->type_name("NAME")
      ->capture_default_str();
  verb->add_option("--describe", arguments.describe,
                   "also write the store description, which simulations start from, to this JSON "
                   "file (docs/inspect.md); - writes to standard output")
      ->type_name("FILE");
  verb->footer(
      "The store may be in use: its files are only read. A cut or damaged file is reported after\n"
      "what could be read.\n\nExamples:\n"
      "  lsmlab inspect /var/lib/app/db\n"
      "  lsmlab inspect LOG.old.1700000000 --format json\n"
      "  lsmlab inspect /var/lib/app/db --describe store.json\n\n" +
      exit_help("", "no description is written"));
}

// `policies`, `policies list`, `policies show NAME`. `kinds`: what the list holds.
void add_listing(CLI::App& app, const std::string& verb_name, const std::string& kinds,
                 const std::string& example, std::string& shown) {
  CLI::App* verb =
      app.add_subcommand(verb_name, fmt::format("List {}, or show the parameters of one", kinds));
  verb->require_subcommand(0, 1);
  CLI::App* list =
      verb->add_subcommand("list", fmt::format("List {}, one per line (the default)", kinds));
  CLI::App* show = verb->add_subcommand(
      "show", "Show one entry: what it is, and its parameters with ranges and defaults");
  show->add_option("NAME", shown, fmt::format("a name that 'lsmlab {}' lists", verb_name))
      ->required()
      ->type_name("NAME");
  verb->footer(fmt::format("Examples:\n  lsmlab {0}\n  lsmlab {0} show {1}\n\n{2}", verb_name,
                           example, exit_help()));
  list->footer(exit_help());
  show->footer(fmt::format("Example:\n  lsmlab {} show {}\n\n{}", verb_name, example, exit_help()));
}

struct TraceArguments {
  TraceGenerateArguments generate;
  TraceImportArguments import;
  TraceInfoArguments info;
  TraceExportArguments export_;
};

void add_trace_generate(CLI::App& trace, TraceGenerateArguments& arguments) {
  CLI::App* verb =
      trace.add_subcommand("generate", "Write the operations of a workload to a trace file");
  verb->add_option("WORKLOAD", arguments.workload,
                   "SPEC of a workload of operations ('lsmlab workloads' lists them), or a JSON "
                   "file")
      ->required()
      ->type_name("SPEC");
  verb->add_option("-o,--out", arguments.out, "the trace file to write")
      ->required()
      ->type_name("FILE");
  verb->add_option("--seed", arguments.seed, "seed of the random keys and operations")
      ->type_name("N")
      ->capture_default_str();
  verb->footer(
      fmt::format("{}\n\nExample:\n  lsmlab trace generate load:entries=10M,update_fraction=70% -o "
                  "load.trace\n\n{}",
                  kSpecHelp, exit_help("", kNoTrace)));
}

void add_trace_import(CLI::App& trace, TraceImportArguments& arguments) {
  CLI::App* verb =
      trace.add_subcommand("import", "Convert a trace of another program to a trace file");
  verb->add_option("INPUT", arguments.input,
                   "the trace to read: plain, or compressed with gzip or zstd")
      ->required()
      ->type_name("FILE");
  verb->add_option(
          "--format", arguments.format,
          fmt::format("format of the input: {}", fmt::join(names_of_import_formats(), ", ")))
      ->required()
      ->type_name("NAME");
  verb->add_option("-o,--out", arguments.out, "the trace file to write")
      ->required()
      ->type_name("FILE");
  verb->add_option("--memory", arguments.memory, "the most memory that sorting the keys may use")
      ->type_name("BYTES")
      ->capture_default_str();
  verb->add_option("--tmp", arguments.temporary_directory,
                   "directory for temporary files, which need about twice the bytes of the "
                   "input's keys; default: the system's temporary directory")
      ->type_name("DIR");
  verb->add_flag("--skip-unsupported", arguments.skip_unsupported,
                 "leave out operations that a trace file cannot hold (range deletes, merge "
                 "operators), and print how many; default: such an operation is an error");
  verb->add_option("--repeats-max", arguments.repeats_max,
                   "cachelib only: refuse a row whose op_count stands for more operations")
      ->type_name("N")
      ->capture_default_str();
  std::string formats = "Formats:\n";
  for (const ImportFormat& format : import_formats()) {
    formats += fmt::format("  {:<16}{}\n", format.name, format.summary);
  }
  verb->footer(
      fmt::format("{}\nExample:\n  lsmlab trace import run.txt --format ycsb -o run.trace\n\n{}",
                  formats, exit_help("", kNoTrace)));
}

constexpr const char* kSalvageHelp =
    "if the file is damaged, use the operations before the damage, print where it is, and exit "
    "with 2";

void add_trace(CLI::App& app, TraceArguments& arguments) {
  CLI::App* trace = app.add_subcommand(
      "trace", "Make, convert and describe trace files, which hold recorded operations");
  trace->require_subcommand(1);
  trace->footer(exit_help());
  add_trace_generate(*trace, arguments.generate);
  add_trace_import(*trace, arguments.import);
  CLI::App* info = trace->add_subcommand(
      "info", "Describe a trace file: operations, distinct keys, skew, sizes");
  info->add_option("FILE", arguments.info.input, "the trace file")->required()->type_name("FILE");
  info->add_option(
          "--profile", arguments.info.profile,
          "write a workload like the trace to this JSON file: operation mix, popularity of "
          "keys, order of inserts, sizes. It takes up to 300 bytes of memory for each "
          "distinct key, and a sample if there are more than a million of them")
      ->type_name("FILE");
  info->add_flag("--salvage", arguments.info.salvage, kSalvageHelp);
  info->footer(fmt::format(
      "Example: simulate a workload like the trace, but ten times as large\n"
      "  lsmlab trace info run.trace --profile run.json\n"
      "  lsmlab simulate -p lo+1 -w profile:file=run.json,scale=10 --resolution range\n\n{}",
      exit_help()));
  CLI::App* export_verb = trace->add_subcommand("export", "Write a trace file as text");
  export_verb->add_option("FILE", arguments.export_.input, "the trace file")
      ->required()
      ->type_name("FILE");
  export_verb->add_option("--format", arguments.export_.format, "kv-workload or csv")
      ->type_name("NAME")
      ->capture_default_str();
  export_verb->add_option("-o,--out", arguments.export_.out, "the text file to write")
      ->required()
      ->type_name("FILE");
  export_verb->add_flag("--salvage", arguments.export_.salvage, kSalvageHelp);
  export_verb->footer(exit_help("", "no text file is written"));
}

int run_trace(const CLI::App& trace, const TraceArguments& arguments) {
  const std::string verb = trace.get_subcommands().front()->get_name();
  if (verb == "generate") return run_trace_generate(arguments.generate);
  if (verb == "import") return run_trace_import(arguments.import);
  if (verb == "info") return run_trace_info(arguments.info);
  return run_trace_export(arguments.export_);
}

int report_parse_error(const CLI::App& app, std::span<const char* const> arguments,
                       const CLI::ParseError& error) {
  if (error.get_exit_code() != 0) return report_error(parse_fault(app, arguments, error));
  // A request for help or the version: the parser prints it.
  if (app.exit(error) != 0) return kExitMachine;
  std::cout.flush();
  if (std::cout) return kExitDone;
  return report_error(machine_error("standard output: cannot be written"));
}

// The help lists verbs by what they work on.
void group_verbs(CLI::App& app) {
  const std::pair<const char*, std::vector<const char*>> groups[] = {
      {"Run policies",
       {"simulate", "advise", "replay", "validate", "cases", "compare-systems", "calibrate"}},
      {"Read results", {"compare", "report"}},
      {"Look into a store", {"check", "dump", "inspect", "explain", "what-if"}},
      {"Workloads and traces", {"trace", "workloads"}},
      {"Policies and devices", {"policies", "devices"}}};
  for (const auto& [group, verbs] : groups) {
    for (const char* verb : verbs) app.get_subcommand(verb)->group(group);
  }
}

// If a standard descriptor is closed, the system gives its number to the next file that is opened,
// and text meant for a person would be written into that file. Descriptors that cannot be written
// take these numbers, so that such output fails instead.
void reserve_standard_descriptors() {
  for (;;) {
    const int descriptor = ::open("/dev/null", O_RDONLY);
    if (descriptor > STDERR_FILENO) ::close(descriptor);
    if (descriptor > STDERR_FILENO || descriptor < 0) return;
  }
}

constexpr const char* kDescription =
    "Predicts what a merge (compaction) policy of an LSM-tree store costs: bytes written, "
    "sorted\n"
    "runs read, disk space, stalls. lsmlab simulates policies, runs them in a real engine on "
    "your\n"
    "disk, and compares the two.";

int run(int argc, char** argv) {
  CLI::App app{kDescription, "lsmlab"};
  app.set_version_flag("--version", std::string("lsmlab ") + LSMLAB_VERSION);
  app.require_subcommand(1);
  app.footer(
      "'lsmlab VERB --help' describes a verb. To begin with:\n"
      "  lsmlab policies\n"
      "  lsmlab simulate -p binomial:k=6 -p tiered:size_ratio=4 -w flushes:count=1M,size=4MiB\n\n" +
      exit_help("a comparison, validation or verification found a difference"));
  SimulateArguments simulate;
  ReplayArguments replay;
  CheckArguments check;
  DumpArguments dump;
  ValidateArguments validate;
  CalibrateArguments calibrate;
  CompareArguments compare;
  ReportArguments report;
  InspectArguments inspect;
  WhatIfArguments explain;
  WhatIfArguments what_if;
  AdviseArguments advise;
  CasesArguments cases;
  SystemsArguments systems;
  TraceArguments trace;
  std::string shown_policy, shown_workload, shown_device;
  add_simulate(app, simulate);
  add_replay(app, replay);
  add_validate(app, validate);
  add_calibrate(app, calibrate);
  add_check(app, check);
  add_dump(app, dump);
  add_compare(app, compare);
  add_report(app, report);
  add_inspect(app, inspect);
  add_explain(app, explain);
  add_what_if(app, what_if);
  add_advise(app, advise);
  add_cases(app, cases);
  add_compare_systems(app, systems);
  add_trace(app, trace);
  add_listing(app, "policies", "policies and their presets", "lo+1", shown_policy);
  add_listing(app, "workloads", "workloads and their presets", "load", shown_workload);
  add_listing(app, "devices", "devices and kinds of clients", "nvme", shown_device);
  group_verbs(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::span<const char* const> all(argv, static_cast<std::size_t>(argc));
    return report_parse_error(app, all.subspan(std::min<std::size_t>(1, all.size())), error);
  }
  const std::string verb = app.get_subcommands().front()->get_name();
  if (verb == "simulate") return run_simulate(simulate);
  if (verb == "replay") return run_replay(replay);
  if (verb == "validate") return run_validate(validate);
  if (verb == "calibrate") return run_calibrate(calibrate);
  if (verb == "check") return run_check(check);
  if (verb == "dump") return run_dump(dump);
  if (verb == "compare") return run_compare(compare);
  if (verb == "report") return run_report(report);
  if (verb == "inspect") return run_inspect(inspect);
  if (verb == "explain") return run_explain(explain);
  if (verb == "what-if") return run_what_if(what_if);
  if (verb == "advise") return run_advise(advise);
  if (verb == "cases") return run_cases(cases);
  if (verb == "compare-systems") return run_compare_systems(systems);
  if (verb == "trace") return run_trace(*app.get_subcommands().front(), trace);
  if (verb == "devices") return run_devices(shown_device);
  return verb == "policies" ? run_policies(shown_policy) : run_workloads(shown_workload);
}

// A store keeps its SSTables open. The usual soft limit of 1024 files exists for programs that call
// select(), which this one does not.
void allow_open_files() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) < 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));  // if it fails, the old limit holds
}

}  // namespace
}  // namespace lsmlab

int main(int argc, char** argv) {
  // If the reader of a pipe is gone, the write fails and is reported.
  std::signal(SIGPIPE, SIG_IGN);
  // The same holds if a file grows beyond the limit on file sizes.
  std::signal(SIGXFSZ, SIG_IGN);
  lsmlab::end_on_interrupts();
  lsmlab::reserve_standard_descriptors();
  lsmlab::allow_open_files();
  try {
    return lsmlab::run(argc, argv);
  } catch (const std::bad_alloc&) {
    return lsmlab::report_error(lsmlab::machine_error("out of memory"));
  } catch (const std::system_error& fault) {
    // The standard library throws this if it cannot start a thread.
    return lsmlab::report_error(lsmlab::machine_error(
        std::string("the system refused a thread or another resource: ") + fault.what()));
  } catch (const std::exception& fault) {
    return lsmlab::report_error(
        lsmlab::machine_error(std::string("a bug in lsmlab: ") + fault.what()));
  }
}
