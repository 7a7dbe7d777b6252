// The arguments of lsmlab cases.
#pragma once

#include <CLI/CLI.hpp>

#include "verbs.h"

namespace lsmlab {

void add_cases(CLI::App& app, CasesArguments& arguments);

}  // namespace lsmlab
