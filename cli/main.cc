// lsmlab: the command line. Arguments are read here, work is done in the rooms.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "engine_arguments.h"
#include "interrupt.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "traces/importers/import.h"
#include "verbs.h"

namespace lsmlab {
namespace {

constexpr const char* kSpecHelp =
    "SPEC is NAME[:key=value[,key=value...]], NAME a name of the list, a preset, or a path to a "
    "JSON\n"
    "file. Numbers take 10M (decimal), 8MiB (binary), 70%. A list of values (k=5|6|7; quote it in "
    "a\n"
    "shell) runs every combination.";
constexpr const char* kExitHelp =
    "Exit codes: 0 done; 1 a comparison fell short; 2 the input is wrong; 3 the machine failed;\n"
    "130 (143) stopped by Ctrl-C (SIGTERM): a run's results so far are written, marked\n"
    "\"complete\": false; nothing half-written stays.";

CLI::Validator not_empty() {
  return CLI::Validator(
      [](const std::string& text) { return std::string(text.empty() ? "is empty" : ""); }, "");
}

void add_simulate(CLI::App& app, SimulateArguments& arguments) {
  CLI::App* verb = app.add_subcommand("simulate", "simulate policies on workloads");
  verb->add_option("-p,--policy", arguments.policies, "policy SPEC; may be given many times")
      ->required()
      ->type_name("SPEC")
      ->allow_extra_args(false);
  verb->add_option("-w,--workload", arguments.workloads, "workload SPEC; may be given many times")
      ->required()
      ->type_name("SPEC")
      ->allow_extra_args(false);
  verb->add_option("-o,--out", arguments.out,
                   "result JSON, an array where there are several; - for standard output")
      ->check(not_empty())
      ->type_name("FILE");
  verb->add_option("--log", arguments.log,
                   "plan log of a single run, one JSON line a plan; - likewise")
      ->check(not_empty())
      ->type_name("FILE");
  verb->add_option("--seed", arguments.seed, "seed of random sizes, keys and operations")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--device", arguments.device,
                   "keep a clock: a device SPEC ('lsmlab devices' lists them), or what 'lsmlab "
                   "calibrate' wrote; latencies, stalls and throughput follow")
      ->check(not_empty())
      ->type_name("SPEC");
  verb->add_option("--clients", arguments.clients,
                   "with --device: who sends the operations, closed:clients=N, "
                   "constant|poisson:rate=N, bursty:rate=N,on_ms=N,off_ms=N or "
                   "replayed:path=FILE ('lsmlab devices show poisson' lists parameters)")
      ->type_name("SPEC")
      ->capture_default_str();
  verb->add_option("--merge-threads", arguments.merge_threads, "with --device: merges at a time")
      ->type_name("N")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  verb->add_option(
          "--stalls", arguments.stalls,
          "with --device: when writers are held up, where not as in the policy's system, as in "
          "level0_stop_runs=2,full_memtables_max=1 (docs/time.md lists them)")
      ->type_name("RULES");
  verb->add_option("--sync", arguments.sync,
                   "with --device: when writes are durable, never or batch (each before it is "
                   "done; implies --sync-files)")
      ->type_name("RULE")
      ->capture_default_str();
  verb->add_flag("--sync-files", arguments.sync_files, "with --device: SSTables are made durable");
  verb->add_option("--resolution", arguments.resolution,
                   "what a file is to the simulator: flush (a size) or key (its entries); as the "
                   "workload has it where not given")
      ->type_name("NAME");
  verb->add_flag("!--no-final-flush", arguments.final_flush,
                 "leave what is in the memtable at the end of the operations there");
  verb->add_option("-j,--threads", arguments.threads, "runs at once; 0: one a core")
      ->type_name("N")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  verb->add_flag("-q,--quiet", arguments.quiet, "no progress line");
  verb->footer(fmt::format(
      "{}\n\nExamples:\n"
      "  lsmlab simulate --policy binomial:k=6 --workload flushes:count=100000,size=4MiB\n"
      "  lsmlab simulate -p 'min-latency:k=5|6|7' -p tiered:size_ratio=4 -w flushes:count=1M --out "
      "r.json\n"
      "  lsmlab simulate -p lo+1:size_ratio=10 -w load:entries=10M --out r.json\n"
      "  lsmlab simulate -p 'udc' -p 'ldc' -w ldc-rwb:operations=2M --device nvme\n"
      "  lsmlab simulate -p constant:k=4 -w flushes:count=16,size=1 --out - --log "
      "plans.jsonl\n\n{}",
      kSpecHelp, kExitHelp));
}

void add_compare(CLI::App& app, CompareArguments& arguments) {
  CLI::App* verb =
      app.add_subcommand("compare", "every figure of two results, or where two plan logs part");
  verb->add_option("A", arguments.a, "result JSON, or a plan log")->required()->type_name("FILE");
  verb->add_option("B", arguments.b, "the same of another run")->required()->type_name("FILE");
  verb->add_option("--tolerance", arguments.tolerance,
                   "exit with 1 where a figure differs by more than this share of A's (1% or 0.01)")
      ->type_name("SHARE");
}

void add_report(CLI::App& app, ReportArguments& arguments) {
  CLI::App* verb =
      app.add_subcommand("report", "one self-contained HTML page with plots and tables");
  verb->add_option("results", arguments.results, "result JSON files, or directories of them")
      ->required()
      ->type_name("FILE");
  verb->add_option("-o,--out", arguments.out, "the page; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  verb->add_option("--title", arguments.title, "its title")
      ->type_name("TEXT")
      ->capture_default_str();
}

// `policies`, `policies list`, `policies show NAME`.
CLI::App* add_listing(CLI::App& app, const std::string& verb_name, const std::string& what,
                      std::string& shown) {
  CLI::App* verb = app.add_subcommand(verb_name, fmt::format("the {} and their parameters", what));
  verb->require_subcommand(0, 1);
  verb->add_subcommand("list", fmt::format("all {}, a line each (the default)", what));
  CLI::App* show = verb->add_subcommand("show", "one of them, with its parameters");
  show->add_option("NAME", shown, "its name")->required()->type_name("NAME");
  return verb;
}

struct TraceArguments {
  TraceGenerateArguments generate;
  TraceImportArguments import;
  TraceInfoArguments info;
  TraceExportArguments export_;
};

void add_trace_generate(CLI::App& trace, TraceGenerateArguments& arguments) {
  CLI::App* verb = trace.add_subcommand("generate", "a workload's operations as a trace file");
  verb->add_option("WORKLOAD", arguments.workload,
                   "workload SPEC of operations ('lsmlab workloads' lists them), or a JSON file")
      ->required()
      ->type_name("SPEC");
  verb->add_option("-o,--out", arguments.out, "the trace file")->required()->type_name("FILE");
  verb->add_option("--seed", arguments.seed, "seed of all that is random")
      ->type_name("N")
      ->capture_default_str();
  verb->footer(
      "Example:\n  lsmlab trace generate load:entries=10M,update_fraction=70% -o load.trace");
}

void add_trace_import(CLI::App& trace, TraceImportArguments& arguments) {
  CLI::App* verb =
      trace.add_subcommand("import", "turn a trace of another program into a trace file");
  verb->add_option("INPUT", arguments.input,
                   "the trace to read: as it is, or compressed by gzip or zstd")
      ->required()
      ->type_name("FILE");
  verb->add_option(
          "--format", arguments.format,
          fmt::format("the input's format: {}", fmt::join(names_of_import_formats(), ", ")))
      ->required()
      ->type_name("NAME");
  verb->add_option("-o,--out", arguments.out, "the trace file")->required()->type_name("FILE");
  verb->add_option("--memory", arguments.memory, "what sorting keys may take")
      ->type_name("BYTES")
      ->capture_default_str();
  verb->add_option("--tmp", arguments.temporary_directory,
                   "where temporary files go; about the input's keys, twice")
      ->type_name("DIR");
  verb->add_flag("--skip-unsupported", arguments.skip_unsupported,
                 "count and leave out operations that a trace cannot hold (range deletes, merges)");
  verb->add_option("--repeats-max", arguments.repeats_max,
                   "cachelib: refuse a row whose op_count expands it to more operations")
      ->type_name("N")
      ->capture_default_str();
  std::string formats = "Formats:\n";
  for (const ImportFormat& format : import_formats()) {
    formats += fmt::format("  {:<16}{}\n", format.name, format.summary);
  }
  verb->footer(formats + "\nExample:\n  lsmlab trace import run.txt --format ycsb -o run.trace");
}

constexpr const char* kSalvageHelp =
    "of a damaged file, take all before the damage, and say where that is (exit code 2)";

void add_trace(CLI::App& app, TraceArguments& arguments) {
  CLI::App* trace = app.add_subcommand("trace", "trace files: operations kept for runs");
  trace->require_subcommand(1);
  add_trace_generate(*trace, arguments.generate);
  add_trace_import(*trace, arguments.import);
  CLI::App* info = trace->add_subcommand("info", "operations, distinct keys, skew, sizes");
  info->add_option("FILE", arguments.info.input, "the trace file")->required()->type_name("FILE");
  info->add_flag("--salvage", arguments.info.salvage, kSalvageHelp);
  CLI::App* export_verb = trace->add_subcommand("export", "a trace file as text");
  export_verb->add_option("FILE", arguments.export_.input, "the trace file")
      ->required()
      ->type_name("FILE");
  export_verb->add_option("--format", arguments.export_.format, "kv-workload or csv")
      ->type_name("NAME")
      ->capture_default_str();
  export_verb->add_option("-o,--out", arguments.export_.out, "the text")
      ->required()
      ->type_name("FILE");
  export_verb->add_flag("--salvage", arguments.export_.salvage, kSalvageHelp);
}

int run_trace(const CLI::App& trace, const TraceArguments& arguments) {
  const std::string verb = trace.get_subcommands().front()->get_name();
  if (verb == "generate") return run_trace_generate(arguments.generate);
  if (verb == "import") return run_trace_import(arguments.import);
  if (verb == "info") return run_trace_info(arguments.info);
  return run_trace_export(arguments.export_);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

// "lsmlab policies show": the verbs as far as they were understood.
std::string understood_verbs(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return app.get_name() + (chosen.empty() ? "" : " " + understood_verbs(*chosen.front()));
}

const CLI::App& innermost(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

std::string parse_error_text(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = innermost(app);
  const std::vector<std::string> extras = app.remaining(true);
  if (!extras.empty()) {
    const std::string name = extras.front().substr(0, extras.front().find('='));
    if (name.starts_with('-')) {
      return fmt::format("unknown option '{}'{}", excerpt(name),
                         suggestion(name, option_names(verb)));
    }
    const std::vector<std::string> verbs = verb_names(verb);
    return verbs.empty()
               ? fmt::format("unexpected argument '{}'", name)
               : fmt::format("unknown verb '{}'{}", excerpt(name), suggestion(name, verbs));
  }
  const std::string message = error.what();
  // The library counts; people want to know which option.
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return message.substr(0, message.find(':')) + ": takes one value, given once";
  }
  if (&verb == &app) {
    return fmt::format("no verb; expected one of {}", fmt::join(verb_names(app), ", "));
  }
  return message;
}

int report_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error) == 0 ? kExitDone : kExitMachine;
  return report_error(input_error(
      fmt::format("{} ({} --help)", parse_error_text(app, error), understood_verbs(app))));
}

// A closed standard descriptor would be given to the next file that is opened, and output meant for
// a person would go into it. What takes its place cannot be written, so that such output fails.
void reserve_standard_descriptors() {
  for (;;) {
    const int descriptor = ::open("/dev/null", O_RDONLY);
    if (descriptor > STDERR_FILENO) ::close(descriptor);
    if (descriptor > STDERR_FILENO || descriptor < 0) return;
  }
}

int run(int argc, char** argv) {
  CLI::App app{
      "Simulates the merge policies of LSM-tree storage engines: what a policy costs in bytes\n"
      "written, runs read and space, over millions of flushes; and runs them on a real engine.",
      "lsmlab"};
  app.set_version_flag("--version", std::string("lsmlab ") + LSMLAB_VERSION);
  app.require_subcommand(1);
  app.footer(kExitHelp);
  SimulateArguments simulate;
  ReplayArguments replay;
  CheckArguments check;
  DumpArguments dump;
  ValidateArguments validate;
  CalibrateArguments calibrate;
  CompareArguments compare;
  ReportArguments report;
  TraceArguments trace;
  std::string shown_policy;
  std::string shown_workload;
  std::string shown_device;
  add_simulate(app, simulate);
  add_replay(app, replay);
  add_validate(app, validate);
  add_calibrate(app, calibrate);
  add_check(app, check);
  add_dump(app, dump);
  add_compare(app, compare);
  add_report(app, report);
  add_trace(app, trace);
  add_listing(app, "policies", "policies", shown_policy);
  add_listing(app, "workloads", "workloads", shown_workload);
  add_listing(app, "devices", "devices", shown_device);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error);
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
  if (verb == "trace") return run_trace(*app.get_subcommands().front(), trace);
  if (verb == "devices") return run_devices(shown_device);
  return verb == "policies" ? run_policies(shown_policy) : run_workloads(shown_workload);
}

// A store keeps its SSTables open; the usual soft limit of 1024 files is for programs that
// select().
void allow_open_files() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) < 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));  // otherwise with what there is
}

}  // namespace
}  // namespace lsmlab

int main(int argc, char** argv) {
  // A reader that went away is reported where the write fails.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that grows beyond the limit of its size.
  std::signal(SIGXFSZ, SIG_IGN);
  lsmlab::end_on_interrupts();
  lsmlab::reserve_standard_descriptors();
  lsmlab::allow_open_files();
  try {
    return lsmlab::run(argc, argv);
  } catch (const std::bad_alloc&) {
    return lsmlab::report_error(lsmlab::machine_error("out of memory"));
  } catch (const std::system_error& fault) {
    // What the library throws for want of a thread.
    return lsmlab::report_error(lsmlab::machine_error(
        std::string("no thread, or no other means of the system: ") + fault.what()));
  } catch (const std::exception& fault) {
    return lsmlab::report_error(
        lsmlab::machine_error(std::string("a fault of lsmlab: ") + fault.what()));
  }
}
