#include "simulated_arguments.h"

#include <fmt/format.h>

#include "engine_arguments.h"
#include "parse_fault.h"

namespace lsmlab {

void add_run_choices(CLI::App& verb, SimulateArguments& arguments) {
  verb.add_option("--seed", arguments.seed, "seed of the random sizes, keys and operations")
      ->type_name("N")
      ->capture_default_str();
  verb.add_option(
          "--resolution", arguments.resolution,
          "what the simulator knows of a file: flush (its size), key (its entries) or range "
          "(how many entries lie in each part of its key range; cost does not depend on "
          "the number of entries). Default: flush if sizes suffice, key if the keys fit a "
          "third of the memory, otherwise range")
      ->type_name("NAME");
  verb.add_option("--cells", arguments.cells,
                  fmt::format("with resolution range: parts of a file whose entries are counted, a "
                              "power of two from {} to {}; more are more exact and slower "
                              "(docs/range.md); default: {}",
                              kRangeCellsRange.min, kRangeCellsRange.max, kRunDefaults.range_cells))
      ->check(not_empty())
      ->type_name("N");
  add_no_final_flush(verb, arguments.final_flush);
  add_measure_from(verb, arguments.measure_from);
  add_scale(verb, arguments.scale);
  verb.add_option("-j,--threads", arguments.threads, "runs at a time; 0: one per core")
      ->type_name("N")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  verb.add_flag("-q,--quiet", arguments.quiet, "show no progress line");
}

void add_simulated_clock(CLI::App& verb, SimulateArguments& arguments) {
  verb.add_option("--device", arguments.device,
                  "simulate time on this device: a SPEC from 'lsmlab devices', or a file from "
                  "'lsmlab calibrate'; results then have latencies, stalls and throughput")
      ->check(not_empty())
      ->type_name("SPEC");
  verb.add_option(
          "--clients", arguments.clients,
          "with --device: how operations arrive: closed:clients=N, paced:rate=N, constant:rate=N, "
          "poisson:rate=N, bursty:rate=N,on_ms=N,off_ms=N,off_rate=N or replayed:path=FILE "
          "('lsmlab "
          "devices show poisson' lists the parameters); default: closed, and with -p "
          "db_bench as the line's --threads or --benchmark_write_rate_limit says")
      ->check(not_empty())
      ->type_name("SPEC");
  add_merging(verb, arguments.merge_threads, arguments.stalls, "with --device");
  verb.get_option("--merge-threads")
      ->description(
          "with --device: the most merges at a time; default: 1, and with -p db_bench as the "
          "line's "
          "--max_background_jobs says")
      ->default_str("");
  verb.add_option("--sync", arguments.sync,
                  "with --device: when writes are synced to the log: never, or batch (each write "
                  "before it returns; implies --sync-files)")
      ->type_name("RULE")
      ->capture_default_str();
  verb.add_flag("--sync-files", arguments.sync_files, "with --device: sync SSTables too");
  verb.add_flag("--disable-wal", arguments.disable_wal,
                "writes are not logged; -p db_bench has it from the line's --disable_wal");
}

}  // namespace lsmlab
