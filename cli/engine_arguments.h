// Arguments of the verbs that work on real stores.
#pragma once

#include <CLI/CLI.hpp>

#include "verbs.h"

namespace lsmlab {

/// How many merges run at a time, and when writers wait. `when`: what the options need.
void add_merging(CLI::App& verb, std::uint64_t& merge_threads, std::string& stalls,
                 const std::string& when);
/// The flag of `simulate` and `replay` that leaves the last memtable unflushed.
void add_no_final_flush(CLI::App& verb, bool& final_flush);
/// The option of the same verbs that divides the run.
void add_measure_from(CLI::App& verb, std::string& measure_from);
void add_scale(CLI::App& verb, std::string& scale);
/// The options of `simulate` and `replay` that say what is printed.
void add_printing(CLI::App& verb, PrintArguments& arguments);
/// The options of `simulate` that choose and sort what is printed.
void add_choosing(CLI::App& verb, PrintArguments& arguments);
void add_replay(CLI::App& app, ReplayArguments& arguments);
void add_validate(CLI::App& app, ValidateArguments& arguments);
void add_calibrate(CLI::App& app, CalibrateArguments& arguments);
void add_check(CLI::App& app, CheckArguments& arguments);
void add_dump(CLI::App& app, DumpArguments& arguments);

}  // namespace lsmlab
