// Arguments of the verbs that work on real stores.
#pragma once

#include <CLI/CLI.hpp>

#include "verbs.h"

namespace lsmlab {

void add_replay(CLI::App& app, ReplayArguments& arguments);

}  // namespace lsmlab
