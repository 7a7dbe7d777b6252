#pragma once

#include <CLI/CLI.hpp>

#include "verbs.h"

namespace lsmlab {

void add_advise(CLI::App& app, AdviseArguments& arguments);

}  // namespace lsmlab
