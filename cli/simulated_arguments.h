// Arguments of the verbs that simulate any workload.
#pragma once

#include <CLI/CLI.hpp>

#include "verbs.h"

namespace lsmlab {

/// How the runs are simulated: seed, resolution, what is measured, threads.
void add_run_choices(CLI::App& verb, SimulateArguments& arguments);
/// The simulated machine and its clients.
void add_simulated_clock(CLI::App& verb, SimulateArguments& arguments);

}  // namespace lsmlab
