#include "engine_arguments.h"

#include <string>

namespace lsmlab {
namespace {

void add_replay_engine(CLI::App& verb, ReplayArguments& arguments) {
  verb.add_option("--engine", arguments.engine,
                  "whose store: lsmlab, rocksdb (policies rocksdb-leveled, rocksdb-universal) or "
                  "leveldb (policy leveldb), which are set up as the policy says and decide for "
                  "themselves")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--mode", arguments.mode,
                  "stepped: a flush waits until the policy wants nothing more, so that plan logs "
                  "can be compared with the simulator's; threaded: a flush thread and merge "
                  "threads work beside the client, latencies and stalls are measured")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--merge-threads", arguments.merge_threads, "of threaded mode")
      ->type_name("N")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  verb.add_option(
          "--stalls", arguments.stalls,
          "of threaded mode: when writers are held up, where not as in the policy's system, as in "
          "level0_stop_runs=2,full_memtables_max=1 (docs/time.md lists them)")
      ->type_name("RULES");
  verb.add_option("--sync", arguments.sync,
                  "when writes are durable: never, batch (each before it returns), or after so "
                  "many logged bytes (1MiB); the latter two imply --sync-files")
      ->type_name("RULE")
      ->capture_default_str();
  verb.add_flag("--sync-files", arguments.sync_files,
                "make SSTables and manifest durable too, as a store that must survive a power cut "
                "does");
  verb.add_option("--wal-buffer", arguments.wal_buffer,
                  "log bytes gathered before they are written; with --sync batch always 0")
      ->type_name("BYTES")
      ->capture_default_str();
  verb.add_option("--compression", arguments.compression,
                  "of SSTable blocks: none, zstd, lz4; the simulator's sizes are those of none")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_flag("--direct-io", arguments.direct_io,
                "read and write SSTables around the page cache, where the file system can");
}

}  // namespace

void add_replay(CLI::App& app, ReplayArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "replay", "run a workload or trace on the real engine, in a directory that is new or empty");
  verb->add_option("-p,--policy", arguments.policy, "policy SPEC")->required()->type_name("SPEC");
  verb->add_option("-w,--workload", arguments.workload,
                   "workload SPEC of operations, or a trace file")
      ->required()
      ->type_name("SPEC");
  verb->add_option("-d,--dir", arguments.directory, "where the store is made; stays there")
      ->required()
      ->type_name("DIR");
  verb->add_option("-o,--out", arguments.out, "result JSON; - for standard output")
      ->type_name("FILE");
  verb->add_option("--log", arguments.log, "plan log, one JSON line a plan; - likewise")
      ->type_name("FILE");
  verb->add_option("--seed", arguments.seed, "seed of random keys and operations")
      ->type_name("N")
      ->capture_default_str();
  add_replay_engine(*verb, arguments);
  verb->add_flag("--verify", arguments.verify,
                 "read everything back at the end and compare it with what was written (some 60 "
                 "bytes of memory a key); exit code 1 where it differs");
  verb->add_flag("!--no-final-flush", arguments.final_flush,
                 "leave what is in the memtable at the end of the operations there");
  verb->add_flag("-q,--quiet", arguments.quiet, "no progress line");
  verb->footer(
      "Bytes are counted where files are written, by kind, and held against the kernel's count.\n"
      "\n"
      "Examples:\n"
      "  lsmlab replay -p lo+1 -w load:entries=1M --dir /tmp/db --log engine.jsonl --out m.json\n"
      "  lsmlab simulate -p lo+1 -w load:entries=1M --log simulator.jsonl --out r.json\n"
      "  cmp engine.jsonl simulator.jsonl && lsmlab compare r.json m.json\n"
      "  lsmlab replay -p rocksdb-leveled -w ycsb-a --dir /ssd/db --mode threaded "
      "--merge-threads 2");
}

void add_validate(CLI::App& app, ValidateArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "validate", "hold simulations against measurements, as an experiment says");
  verb->add_option("EXPERIMENT", arguments.experiment,
                   "a name or a JSON file (docs/validation.md); without it they are listed")
      ->type_name("NAME");
  verb->add_option("-o,--out", arguments.out,
                   "where validation.json is written, and under runs/ every result is kept, so "
                   "that an experiment that was stopped goes on where it was")
      ->type_name("DIR")
      ->capture_default_str();
  verb->add_option("-d,--dir", arguments.scratch,
                   "where stores stand while they run, on the disk that is to be measured; in the "
                   "output directory where not given")
      ->type_name("DIR");
  verb->add_flag("-q,--quiet", arguments.quiet, "no progress line");
  verb->footer(
      "Exit codes: 0 every bound of the experiment holds; 1 one is broken, and named.\n"
      "\n"
      "Examples:\n"
      "  lsmlab validate quick --out results && lsmlab report results -o report.html\n"
      "  lsmlab validate rocksdb --out /ssd/rocksdb");
}

void add_calibrate(CLI::App& app, CalibrateArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "calibrate", "measure a disk and this processor, for simulations in time on this machine");
  verb->add_option("-d,--dir", arguments.directory,
                   "a directory on the disk; what is written there is removed at the end")
      ->required()
      ->type_name("DIR");
  verb->add_option("-o,--out", arguments.out,
                   "device JSON, for --device of other verbs; - for standard output")
      ->type_name("FILE");
  verb->add_option("--seconds", arguments.seconds,
                   "how long to measure; more: figures that a disturbance moves less")
      ->type_name("N")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
  verb->add_option("--size", arguments.size,
                   "of the scratch file, in whole MiB; larger than a cache within the disk, whose "
                   "speed it would show; default: 64 MiB for each of the seconds, 1 GiB at most")
      ->type_name("BYTES");
  verb->add_flag("--buffered", arguments.buffered,
                 "through the page cache, as stores read and write that do no direct I/O: reads "
                 "find it empty, writes count until they are on the disk");
  verb->add_flag("-q,--quiet", arguments.quiet, "no progress line");
  verb->footer(
      "Nothing else should use the disk meanwhile; the spread of the rounds tells how much did.\n"
      "Processor figures are of the time that one thread uses, so others' load moves them less.\n"
      "\n"
      "Examples:\n"
      "  lsmlab calibrate --dir /ssd --out ssd.json\n"
      "  lsmlab calibrate --dir /ssd --out ssd-cached.json --buffered --size 8GiB --seconds 300");
}

void add_check(CLI::App& app, CheckArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "check", "verify every block, invariant and reference of a store, and recover it");
  verb->add_option("-d,--dir", arguments.directory, "the store")->required()->type_name("DIR");
  CLI::Option* const read_only = verb->add_flag(
      "--read-only", arguments.read_only, "report what is there and change nothing: no recovery");
  verb->add_option("--recovery", arguments.recovery,
                   "recover a store though its logs lost something. tolerate-torn-tail: drop what "
                   "a power cut tore and what was never synced; point-in-time: also when synced "
                   "writes are damaged or missing, return to the state before the loss and keep "
                   "damaged logs as NUMBER.wal.damaged; absolute: refuse any loss")
      ->type_name("MODE")
      ->excludes(read_only);
  verb->footer(
      "Without --recovery the verb recovers a store only where nothing is lost: it brings logs "
      "into SSTables and\nremoves files that nothing refers to. A store with damaged SSTables or "
      "a damaged manifest is never changed.\n"
      "Exit codes: 0 no fault; 1 faults were found, or the recovery mode refuses the loss; 2 there "
      "is no store,\nor it is in use; 3 its manifest is damaged, or the machine failed.\n"
      "\n"
      "Examples:\n"
      "  lsmlab check --dir /ssd/db --read-only\n"
      "  lsmlab check --dir /ssd/db --recovery point-in-time");
}

void add_dump(CLI::App& app, DumpArguments& arguments) {
  CLI::App* verb =
      app.add_subcommand("dump", "manifest, logs and SSTables of a store in readable form");
  verb->add_option("PATH", arguments.path, "a store's directory, or one file of it")
      ->required()
      ->type_name("PATH");
  verb->add_flag("--entries", arguments.entries, "every entry of SSTables too");
}

}  // namespace lsmlab
