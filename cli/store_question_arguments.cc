// Arguments of the verbs that answer questions about a user's store.
#include "store_question_arguments.h"

#include "engine_arguments.h"
#include "help_text.h"

namespace lsmlab {
namespace {

void add_asked_store(CLI::App& verb, WhatIfArguments& arguments) {
  verb.add_option("PATH", arguments.path,
                  "the store's directory, or one of its files: a LOG of RocksDB tells most")
      ->required()
      ->type_name("PATH");
  verb.add_option("--family", arguments.family, "the column family; not needed where there is one")
      ->type_name("NAME");
  verb.add_option("-w,--workload", arguments.workload,
                  "SPEC of the workload; default: what the files tell (which says what is a guess)")
      ->type_name("SPEC");
  verb.add_option("--device", arguments.device,
                  "simulate time on this device, at the store's own rate of writes if a LOG tells "
                  "it: a SPEC from 'lsmlab devices', or a file from 'lsmlab calibrate'; none: "
                  "count, without a clock; log: flushes and merges take as long as the LOG tells. "
                  "Default: log, where the files tell it, otherwise none")
      ->type_name("SPEC");
  add_merging(verb, arguments.merge_threads, arguments.stalls, "with a clock");
  verb.add_option("--format", arguments.format, "text or json")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_flag("-q,--quiet", arguments.quiet, "show no progress line");
}

}  // namespace

void add_what_if(CLI::App& app, WhatIfArguments& arguments) {
  CLI::App* verb =
      app.add_subcommand("what-if", "Simulate a store with its own options, and with others");
  add_asked_store(*verb, arguments);
  verb->add_option("--set", arguments.changes,
                   "a change of the options, as in size_ratio=6 or buffer=64MiB,l0_trigger=8; of a "
                   "RocksDB store also by RocksDB's names: max_write_buffer_number=6. "
                   "'size_ratio=6|8' is a change for each value, policy=SPEC another policy. "
                   "Repeat it for several changes: each is simulated alone, and all together")
      ->allow_extra_args(false)
      ->type_name("OPTION=VALUE");
  verb->add_flag("--check-decisions", arguments.check_decisions,
                 "simulate nothing: compare every compaction in the MANIFEST with what the policy "
                 "picks on the same tree. Each --set then corrects an option of the policy");
  verb->footer(
      "First come the bytes written into each level, as the store reports them and as its options\n"
      "give here: trust the rest as far as these agree. Options have the names of the policy's "
      "SPEC,\n"
      "which is printed, or RocksDB's own, with its units (ttl=3600 is an hour). The store is "
      "only\nread.\n\n"
      "Examples:\n"
      "  lsmlab what-if /var/lib/app/db --set buffer=256MiB --set 'size_ratio=6|8'\n"
      "  lsmlab what-if /var/lib/app/db --set max_background_jobs=8,max_write_buffer_number=6\n"
      "  lsmlab what-if /var/lib/app/db --set policy=rocksdb-universal --device nvme\n"
      "  lsmlab what-if LOG -w load:entries=100M,update_fraction=80% --set "
      "dynamic_levels=true\n"
      "  lsmlab what-if /var/lib/app/db --check-decisions\n\n" +
      exit_help("", "the answer is marked"));
}

void add_explain(CLI::App& app, WhatIfArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "explain", "Why a store writes so much: levels, reasons, and the changes that matter most");
  add_asked_store(*verb, arguments);
  verb->footer(
      "Tries the usual changes (a larger memtable, another first level, size ratio, trigger, "
      "dynamic\n"
      "levels), each by a simulation, and shows the three with the largest effect. 'lsmlab "
      "what-if'\n"
      "tries any other. The store is only read.\n\nExamples:\n"
      "  lsmlab explain /var/lib/app/db\n"
      "  lsmlab explain LOG --family users --format json\n\n" +
      exit_help("", "the answer is marked"));
}

}  // namespace lsmlab
