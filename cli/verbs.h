// The verbs of the command line. Each returns the process's exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/execution/run_setup.h"

namespace lsmlab {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFellShort = 1;  // a comparison, validation or check found a difference
inline constexpr int kExitInput = 2;
inline constexpr int kExitMachine = 3;
inline constexpr int kExitSignalled = 128;  // plus the signal's number, as in shells

/// Prints the error to standard error and returns its exit code.
[[nodiscard]] int report_error(const Error& error);

inline constexpr RunOptions kRunDefaults;
/// The default of --seed.
[[nodiscard]] inline std::string default_seed() { return std::to_string(kRunDefaults.seed); }
/// The default of --sync.
[[nodiscard]] inline std::string default_sync() {
  return std::string(sync_words(kRunDefaults.sync).option);
}

/// How a verb prints the results of its runs.
struct PrintArguments {
  std::string format = "table";
  std::vector<std::string> where;
  std::string sort;
  std::optional<std::uint64_t> top;
  std::string csv;  // empty: no file
};

struct SimulateArguments {
  std::vector<std::string> policies;
  std::vector<std::string> workloads;
  std::string resolution;  // empty: what the workload needs
  std::string cells;       // empty: the default of resolution range
  std::string seed = default_seed();
  std::string out;  // empty: a table
  std::string log;
  PrintArguments print;
  std::string device;               // empty: no clock
  std::string clients;              // empty: RunSpec's default
  std::uint64_t merge_threads = 0;  // likewise
  std::string stalls;               // empty: the rules of the policy's own system
  std::string sync = default_sync();
  bool sync_files = kRunDefaults.sync_files;
  bool disable_wal = kRunDefaults.disable_wal;
  bool final_flush = kRunDefaults.final_flush;
  std::string measure_from;  // empty: the phases of the workload
  std::string scale;         // empty: 1
  unsigned threads = 0;
  bool quiet = false;
};
[[nodiscard]] int run_simulate(SimulateArguments arguments);

struct ReplayArguments {
  std::string policy;
  std::string workload;
  std::string directory;
  std::string engine = "lsmlab";
  std::string mode = "stepped";
  std::uint64_t merge_threads = kRunDefaults.merge_threads;
  std::string stalls;  // empty: the rules of the policy's own system
  std::string clients = "closed";
  std::string sync = default_sync();
  bool sync_files = kRunDefaults.sync_files;
  bool disable_wal = kRunDefaults.disable_wal;
  std::string wal_buffer = std::to_string(kRunDefaults.wal_buffer.value() >> 10) + "KiB";
  std::string compression;  // empty: as the policy says
  bool direct_io = kRunDefaults.direct_io;
  bool verify = kRunDefaults.verify;
  std::string seed = default_seed();
  std::string out;  // empty: a table
  std::string log;
  PrintArguments print;
  bool final_flush = kRunDefaults.final_flush;
  std::string measure_from;  // empty: the phases of the workload
  std::string scale;         // empty: 1
  bool quiet = false;
};
[[nodiscard]] int run_replay(ReplayArguments arguments);

struct CheckArguments {
  std::string directory;
  bool read_only = false;
  std::optional<std::string> recovery;  // mode
};
[[nodiscard]] int run_check(const CheckArguments& arguments);

struct DumpArguments {
  std::string path;  // a store's directory, or one of its files
  bool entries = false;
};
[[nodiscard]] int run_dump(const DumpArguments& arguments);

struct InspectArguments {
  std::string path;  // the directory of a store of RocksDB, LevelDB or Pebble, or one of its files
  std::string format = "text";
  std::string describe;  // empty: no description
};
[[nodiscard]] int run_inspect(const InspectArguments& arguments);

struct WhatIfArguments {
  std::string path;    // as of inspect
  std::string family;  // empty: the only one
  std::vector<std::string> changes;
  std::string workload;             // empty: what the files tell
  std::string device;               // empty: the clock of the LOG, if it has one
  std::string stalls;               // empty: the rules of the store's system
  std::uint64_t merge_threads = 0;  // not given: 1, or the store's own with the clock of its LOG
  std::string format = "text";
  bool check_decisions = false;
  bool quiet = false;
};
[[nodiscard]] int run_what_if(const WhatIfArguments& arguments);
[[nodiscard]] int run_explain(const WhatIfArguments& arguments);

struct CasesArguments {
  std::vector<std::string> names;  // none: all
  bool list = false;
  std::string format = "text";
  unsigned threads = 0;
  bool quiet = false;
};
[[nodiscard]] int run_cases(const CasesArguments& arguments);

struct SystemsArguments {
  std::vector<std::string> names;  // none: all
  std::string workload = "load:entries=4M,update_fraction=50%,delete_fraction=5%";
  std::string memtable = "1MiB";
  std::string device = "sata-ssd";  // none: no clock
  std::string format = "text";
  std::string plot;  // empty: no picture
  unsigned threads = 0;
  bool quiet = false;
};
[[nodiscard]] int run_compare_systems(const SystemsArguments& arguments);

struct AdviseArguments {
  SimulateArguments run;  // without its workloads
  std::string workload;   // empty: that of the store
  std::string store;      // empty: no store; as of inspect
  std::string family;     // of the store; empty: the only one
  std::vector<std::string> minimize;
  std::vector<std::string> where;
  std::vector<std::string> varied;
  std::string memory;  // empty: no limit, and the memtable is not varied
  std::uint64_t budget_seconds = 60;
  std::string plot;  // empty: no picture
  std::string csv;   // empty: no table
  bool dry_run = false;
};
[[nodiscard]] int run_advise(const AdviseArguments& arguments);

struct ValidateArguments {
  std::string experiment;  // a name or a path; empty: list them
  std::string out = "validation";
  std::string scratch;  // empty: in the output directory
  bool quiet = false;
};
[[nodiscard]] int run_validate(const ValidateArguments& arguments);

struct CalibrateArguments {
  std::string directory;  // empty: the machine of the store `from`
  std::string from;
  std::string family;
  std::string out;  // empty: a table
  std::uint64_t seconds = 60;
  std::optional<std::string> size;  // none: depends on `seconds`
  bool buffered = false;
  bool quiet = false;
};
[[nodiscard]] int run_calibrate(const CalibrateArguments& arguments);

struct CompareArguments {
  std::string a;
  std::string b;
  std::string tolerance;
};
[[nodiscard]] int run_compare(const CompareArguments& arguments);

struct ReportArguments {
  std::vector<std::string> results;
  std::string out = "report.html";
  std::string title = "lsmlab report";
};
[[nodiscard]] int run_report(const ReportArguments& arguments);

/// Print the list if `name` is empty, otherwise the entry of that name in full.
[[nodiscard]] int run_policies(const std::string& name);
[[nodiscard]] int run_devices(const std::string& name);
[[nodiscard]] int run_workloads(const std::string& name);

struct TraceGenerateArguments {
  std::string workload;
  std::string out;
  std::string seed = default_seed();
};
[[nodiscard]] int run_trace_generate(const TraceGenerateArguments& arguments);

struct TraceImportArguments {
  std::string input;
  std::string format;
  std::string out;
  std::string memory = "512MiB";
  std::string temporary_directory;
  bool skip_unsupported = false;
  std::string repeats_max = "1M";
};
[[nodiscard]] int run_trace_import(const TraceImportArguments& arguments);

struct TraceInfoArguments {
  std::string input;
  bool salvage = false;
  std::string profile;  // empty: no profile is written
};
[[nodiscard]] int run_trace_info(const TraceInfoArguments& arguments);

struct TraceExportArguments {
  std::string input;
  std::string format = "csv";
  std::string out;
  bool salvage = false;
};
[[nodiscard]] int run_trace_export(const TraceExportArguments& arguments);

}  // namespace lsmlab
