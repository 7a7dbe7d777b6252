#include "advise_arguments.h"

#include <fmt/format.h>

#include "help_text.h"
#include "parse_fault.h"
#include "simulated_arguments.h"
#include "validate/results/short_figures.h"

namespace lsmlab {
namespace {

std::string figures_help() {
  std::string text =
      "Figures (any other of docs/results.md, too; those in brackets need --device):\n";
  for (const ShortFigure& figure : short_figures()) {
    const std::string name = figure_needs_clock(figure.path) ? fmt::format("({})", figure.name)
                                                             : std::string(figure.name);
    text += fmt::format("  {:<15} {}\n", name, figure.meaning);
  }
  return text;
}

// What is asked: the workload, the aim, the conditions.
void add_question(CLI::App& verb, AdviseArguments& arguments) {
  verb.add_option("-w,--workload", arguments.workload, "SPEC of the workload")->type_name("SPEC");
  verb.add_option("--store", arguments.store,
                  "instead of or beside -w: a store, or one of its files, as "
                  "for 'lsmlab what-if'; its options are the first candidate, and its files tell "
                  "the workload")
      ->check(not_empty())
      ->type_name("PATH");
  verb.add_option("--family", arguments.family,
                  "with --store: the column family; not needed where there is one")
      ->type_name("NAME");
  verb.add_option("--minimize", arguments.minimize,
                  "the figure that makes a candidate the best; default: write. Repeat it for the "
                  "figures of the Pareto front; default: write, read_mean and space")
      ->allow_extra_args(false)
      ->type_name("FIGURE");
  verb.add_option("--where", arguments.where,
                  "a condition that the best must satisfy, in quotes: 'read_max<=8', "
                  "'free_disk<=200GB', 'put_p99<=5ms'; repeat it for several")
      ->allow_extra_args(false)
      ->type_name("CONDITION");
}

// What is searched.
void add_search(CLI::App& verb, AdviseArguments& arguments) {
  verb.add_option("-p,--policy", arguments.run.policies,
                  "a policy to search, as a SPEC; a parameter that it states is not varied; repeat "
                  "it for several. Default: leveling, universal and tiered policies of several "
                  "systems (--dry-run lists them); with --store those of its system")
      ->allow_extra_args(false)
      ->type_name("SPEC");
  verb.add_option("--vary", arguments.varied,
                  "try these values of a parameter and no others, in every policy that has it and "
                  "does not state it: size_ratio=2,4,8 or buffer=16MiB,64MiB")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUES");
  verb.add_option("--memory", arguments.memory,
                  "the most for memtable and filters; the memtable (buffer) is then varied, too")
      ->check(not_empty())
      ->type_name("BYTES");
  verb.add_option("--budget", arguments.budget_seconds, "seconds after which no candidate begins")
      ->type_name("SECONDS")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  verb.add_flag("--dry-run", arguments.dry_run,
                "print what would be searched, and simulate nothing");
}

void add_outputs(CLI::App& verb, AdviseArguments& arguments) {
  verb.add_option("-o,--out", arguments.run.out,
                  "write the answer with every candidate as JSON; - writes to standard output")
      ->check(not_empty())
      ->type_name("FILE");
  verb.add_option("--csv", arguments.csv,
                  "write all figures of every candidate as comma-separated values")
      ->check(not_empty())
      ->type_name("FILE");
  verb.add_option("--plot", arguments.plot,
                  "draw every candidate and the Pareto front into this SVG file (gnuplot)")
      ->check(not_empty())
      ->type_name("FILE.svg");
}

}  // namespace

void add_advise(CLI::App& app, AdviseArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "advise", "Search for the policy and parameters that suit a workload, or a store, best");
  add_question(*verb, arguments);
  add_search(*verb, arguments);
  add_outputs(*verb, arguments);
  add_run_choices(*verb, arguments.run);
  add_simulated_clock(*verb, arguments.run);
  verb->get_option("--device")
      ->description(
          "simulate time on this device: a SPEC from 'lsmlab devices', or a file from 'lsmlab "
          "calibrate'; with --store also log: flushes and merges take as long as the store's LOG "
          "tells. Default: count, without a clock");
  verb->footer(fmt::format(
      "Tries coarse values of every parameter at resolution range, then the neighbours of the "
      "best\n"
      "and of the Pareto front, then the finalists with every key (docs/advise.md).\n\n"
      "{}\nExamples:\n"
      "  lsmlab advise -w load:entries=10M --where 'read_max<=8'\n"
      "  lsmlab advise -w ycsb-a -p rocksdb-leveled -p rocksdb-universal --minimize put_p99 "
      "--device nvme\n"
      "  lsmlab advise --store /var/lib/app/db --where 'space<=1.5' --where 'free_disk<=200GB'\n\n"
      "{}",
      figures_help(),
      exit_help("no candidate satisfies the conditions; the nearest one is shown",
                "what is known by then is\n       printed")));
}

}  // namespace lsmlab
