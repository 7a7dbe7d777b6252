// The arguments of lsmlab compare-systems.
#pragma once

#include <CLI/CLI.hpp>

#include "verbs.h"

namespace lsmlab {

void add_compare_systems(CLI::App& app, SystemsArguments& arguments);

}  // namespace lsmlab
