#include "engine_arguments.h"

#include <string>

#include "help_text.h"
#include "parse_fault.h"

namespace lsmlab {
namespace {

void add_replay_engine(CLI::App& verb, ReplayArguments& arguments) {
  verb.add_option("--engine", arguments.engine,
                  "the store: lsmlab, rocksdb (policies rocksdb-leveled, rocksdb-universal) or "
                  "leveldb (policy leveldb); RocksDB and LevelDB get the policy's parameters as "
                  "their options and make their own plans")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--mode", arguments.mode,
                  "stepped: after each flush all merges run before the next operation, so plan "
                  "logs equal the simulator's; threaded: threads flush and merge while the client "
                  "runs, and latencies and stalls are measured")
      ->type_name("NAME")
      ->capture_default_str();
  add_merging(verb, arguments.merge_threads, arguments.stalls, "with --mode threaded");
  verb.add_option(
          "--clients", arguments.clients,
          "with --mode threaded: when the one client sends its operations: closed (as soon as the "
          "last one is done), paced:rate=N, constant:rate=N, poisson:rate=N, "
          "bursty:rate=N,on_ms=N,off_ms=N,off_rate=N or replayed:path=FILE ('lsmlab devices' lists "
          "their parameters); the latency of an operation with a time of arrival counts from there")
      ->type_name("SPEC")
      ->capture_default_str();
  verb.add_option("--sync", arguments.sync,
                  "when writes are synced to the log: never, batch (each write before it returns), "
                  "or a number of bytes (1MiB: after each MiB of log); batch and bytes imply "
                  "--sync-files")
      ->type_name("RULE")
      ->capture_default_str();
  verb.add_flag(
      "--sync-files", arguments.sync_files,
      "sync SSTables and the manifest too, as a store that must survive a power cut does");
  verb.add_flag("--disable-wal", arguments.disable_wal,
                "with --engine rocksdb: writes are not logged; -p db_bench has it from the line's "
                "--disable_wal");
  verb.add_option("--wal-buffer", arguments.wal_buffer,
                  "log bytes collected in memory before they are written; --sync batch collects "
                  "none")
      ->type_name("BYTES")
      ->capture_default_str();
  verb.add_option(
          "--compression", arguments.compression,
          "the same as the policy's compression=CODEC: none, zstd, lz4 or snappy, or one for "
          "each level (none:none:lz4:zstd)")
      ->type_name("CODEC");
  verb.add_flag("--direct-io", arguments.direct_io,
                "bypass the page cache for SSTables if the file system allows it");
}

}  // namespace

void add_merging(CLI::App& verb, std::uint64_t& merge_threads, std::string& stalls,
                 const std::string& when) {
  verb.add_option("--merge-threads", merge_threads, when + ": the most merges at a time")
      ->type_name("N")
      ->check(whole_number(kMergeThreadsRange.min, kMergeThreadsRange.max))
      ->capture_default_str();
  verb.add_option("--stalls", stalls,
                  when +
                      ": change when writers are slowed down or stopped, as in "
                      "level0_stop_runs=2,full_memtables_max=1 (docs/time.md lists the rules); "
                      "default: the rules of the policy's own system; rocksdb-defaults or "
                      "leveldb-defaults as the first word: that system's")
      ->type_name("RULES");
}

void add_no_final_flush(CLI::App& verb, bool& final_flush) {
  // A flag that stores false would be printed as "--no-final-flush{false}".
  verb.add_flag_callback(
      "--no-final-flush", [&final_flush] { final_flush = false; },
      "do not flush the memtable after the last operation");
}

void add_scale(CLI::App& verb, std::string& scale) {
  verb.add_option("--scale", scale,
                  "makes the run smaller (1/20) or larger (4) in one step: memtable, files, "
                  "levels, cache and limits of the policy, keys and operations of the workload "
                  "(docs/scale.md says what stays as it is)")
      ->check(not_empty())
      ->type_name("FACTOR");
}

void add_measure_from(CLI::App& verb, std::string& measure_from) {
  verb.add_option("--measure-from", measure_from,
                  "show the sums of the operations from here on apart: an operation (1M) or a "
                  "share of them (50%), as for a steady state; default: each phase of the workload "
                  "is shown apart")
      ->type_name("N|SHARE");
}

void add_printing(CLI::App& verb, PrintArguments& arguments) {
  verb.add_option("--format", arguments.format,
                  "what is printed: table (a line for each run) or rocksdb-stats (RocksDB's "
                  "\"Compaction Stats\" of each run; docs/rocksdb-stats.md)")
      ->type_name("NAME")
      ->capture_default_str();
}

void add_choosing(CLI::App& verb, PrintArguments& arguments) {
  verb.add_option("--where", arguments.where,
                  "print only runs whose figure satisfies this, as in 'write<=8' (in quotes); "
                  "repeat it for several conditions. Figures have the names of the JSON "
                  "(docs/results.md); --out writes all runs")
      ->type_name("FIGURE<=N")
      ->allow_extra_args(false);
  verb.add_option("--sort", arguments.sort,
                  "print runs in the order of a figure, lowest first; FIGURE:desc highest first")
      ->check(not_empty())
      ->type_name("FIGURE");
  verb.add_option("--top", arguments.top, "print the first N of these runs only")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  verb.add_option("--csv", arguments.csv,
                  "also write the chosen runs as a table of comma-separated values, a column for "
                  "each figure; - writes to standard output")
      ->check(not_empty())
      ->type_name("FILE");
}

void add_replay(CLI::App& app, ReplayArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "replay", "Run a workload or trace in a real store on your disk, and measure it");
  verb->add_option("-p,--policy", arguments.policy,
                   "policy SPEC. Default: with a line of db_bench its policy; otherwise it must be "
                   "given")
      ->type_name("SPEC");
  verb->add_option("-w,--workload", arguments.workload,
                   "SPEC of a workload of operations, or a trace file")
      ->required()
      ->type_name("SPEC");
  verb->add_option("-d,--dir", arguments.directory,
                   "the store's directory: new or empty; the store stays there after the run")
      ->required()
      ->type_name("DIR");
  verb->add_option("-o,--out", arguments.out,
                   "write the result as JSON; - writes to standard output")
      ->type_name("FILE");
  verb->add_option("--log", arguments.log,
                   "write the plan log, one JSON line per plan; - writes to standard output, and "
                   "the table goes to standard error")
      ->type_name("FILE");
  add_printing(*verb, arguments.print);
  verb->add_option("--seed", arguments.seed, "seed of the random keys and operations")
      ->type_name("N")
      ->capture_default_str();
  add_replay_engine(*verb, arguments);
  verb->add_flag("--verify", arguments.verify,
                 "read every key back at the end and compare it with what was written; needs about "
                 "60 bytes of memory per key");
  add_no_final_flush(*verb, arguments.final_flush);
  add_measure_from(*verb, arguments.measure_from);
  add_scale(*verb, arguments.scale);
  verb->add_flag("-q,--quiet", arguments.quiet, "show no progress line");
  verb->footer(
      std::string("The engine counts the bytes of each kind of file as it writes them. The verb "
                  "compares the sum with\nthe kernel's count.\n") +
      kSpecHelp +
      "\n\n"
      "Examples:\n"
      "  lsmlab replay -p lo+1 -w load:entries=1M --dir /tmp/db --log engine.jsonl --out m.json\n"
      "  lsmlab simulate -p lo+1 -w load:entries=1M --log simulator.jsonl --out r.json\n"
      "  cmp engine.jsonl simulator.jsonl && lsmlab compare r.json m.json\n"
      "  lsmlab replay -p rocksdb-leveled -w ycsb-a --dir /ssd/db --mode threaded "
      "--merge-threads 2\n\n" +
      exit_help("--verify found a difference",
                "the result so far is written, marked\n       \"complete\": false"));
}

void add_validate(CLI::App& app, ValidateArguments& arguments) {
  CLI::App* verb =
      app.add_subcommand("validate", "Run an experiment: compare simulated with measured results");
  verb->add_option("EXPERIMENT", arguments.experiment,
                   "a name, or a JSON file (docs/validation.md); without it the verb lists the "
                   "names")
      ->type_name("NAME");
  verb->add_option("-o,--out", arguments.out,
                   "output directory: validation.json, and each run's result under runs/; a later "
                   "command with the same directory reuses the runs there")
      ->type_name("DIR")
      ->capture_default_str();
  verb->add_option("-d,--dir", arguments.scratch,
                   "directory on the disk to measure: the stores are made there while they run; "
                   "default: scratch/ in the output directory")
      ->type_name("DIR");
  verb->add_flag("-q,--quiet", arguments.quiet, "show no progress line");
  verb->footer(
      "Examples:\n"
      "  lsmlab validate quick --out results && lsmlab report results -o report.html\n"
      "  lsmlab validate rocksdb --out /ssd/rocksdb\n\n" +
      exit_help("a bound of the experiment is broken; the output names it",
                "the same command continues where it\n       was"));
}

void add_calibrate(CLI::App& app, CalibrateArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "calibrate", "Measure this machine's disk and processor, for --device of other verbs");
  verb->add_option("-d,--dir", arguments.directory,
                   "a directory on the disk; the verb removes what it writes there")
      ->check(not_empty())
      ->type_name("DIR");
  CLI::Option* const from =
      verb->add_option("--from", arguments.from,
                       "measure nothing; take the speed of flushes, merges and writes from a "
                       "RocksDB directory, its LOG or a table of its statistics; - "
                       "reads from standard input")
          ->check(not_empty())
          ->type_name("PATH");
  verb->add_option("--family", arguments.family, "with --from: the column family")
      ->needs(from)
      ->type_name("NAME");
  verb->add_option("-o,--out", arguments.out,
                   "write a device file for --device FILE; - writes to standard output")
      ->check(not_empty())
      ->type_name("FILE");
  verb->add_option("--seconds", arguments.seconds,
                   "how long to measure; a longer run is less sensitive to disturbances")
      ->type_name("N")
      ->check(whole_number(1, 86'400))
      ->capture_default_str();
  verb->add_option("--size", arguments.size,
                   "size of the scratch file, in whole MiB; choose more than the disk's own cache, "
                   "or the cache is measured; default: 64 MiB per second of --seconds, at most 1 "
                   "GiB")
      ->type_name("BYTES");
  verb->add_flag("--buffered", arguments.buffered,
                 "use the page cache, as stores without direct I/O do; reads find it empty, and a "
                 "write ends when it is on the disk");
  verb->add_flag("-q,--quiet", arguments.quiet, "show no progress line");
  verb->footer(
      "Nothing else should use the disk during the measurement. The printed spread of the rounds\n"
      "shows how much something did. Processor figures are CPU time of one thread, so the load of\n"
      "other programs changes them less.\n"
      "\n"
      "Examples:\n"
      "  lsmlab calibrate --dir /ssd --out ssd.json\n"
      "  lsmlab simulate -p lo+1 -w load:entries=10M --device ./ssd.json\n"
      "  lsmlab calibrate --dir /ssd --out ssd-cached.json --buffered --size 8GiB --seconds "
      "300\n"
      "  lsmlab calibrate --from stats.txt --out theirs.json\n\n" +
      exit_help("", "no device file is written"));
}

void add_check(CLI::App& app, CheckArguments& arguments) {
  CLI::App* verb = app.add_subcommand(
      "check", "Verify every block, invariant and reference of a store, and recover the store");
  verb->add_option("-d,--dir", arguments.directory, "the store's directory")
      ->required()
      ->type_name("DIR");
  CLI::Option* const read_only =
      verb->add_flag("--read-only", arguments.read_only, "verify only: change nothing");
  verb->add_option("--recovery", arguments.recovery,
                   "recover a store whose logs have lost something. tolerate-torn-tail: drop what "
                   "a power cut tore and what was never synced. point-in-time: also if synced "
                   "writes are damaged or missing, return to the state before the loss, and keep "
                   "damaged logs as NUMBER.wal.damaged. absolute: refuse any loss")
      ->type_name("MODE")
      ->excludes(read_only);
  verb->footer(
      "Without --recovery the verb recovers the store only if nothing is lost: it writes the logs\n"
      "to SSTables and removes files that nothing refers to. It never changes a store with "
      "damaged\n"
      "SSTables or a damaged manifest.\n"
      "\n"
      "Examples:\n"
      "  lsmlab check --dir /ssd/db --read-only\n"
      "  lsmlab check --dir /ssd/db --recovery point-in-time\n"
      "\n"
      "Exit codes:\n"
      "  0    no fault\n"
      "  1    faults were found, or the recovery mode refuses the loss\n"
      "  2    the directory has no store, or another process uses it\n"
      "  3    the manifest is damaged, or the machine failed\n"
      "  130  stopped by Ctrl-C (143: by SIGTERM)");
}

void add_dump(CLI::App& app, DumpArguments& arguments) {
  CLI::App* verb =
      app.add_subcommand("dump", "Print the manifest, logs and SSTables of a store as text");
  verb->add_option("PATH", arguments.path, "a store's directory, or one of its files")
      ->required()
      ->type_name("PATH");
  verb->add_flag("--entries", arguments.entries, "print every entry of the SSTables too");
  verb->footer("Examples:\n  lsmlab dump /ssd/db\n  lsmlab dump /ssd/db/000007.sst --entries\n\n" +
               exit_help());
}

}  // namespace lsmlab
