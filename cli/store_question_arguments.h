#pragma once

#include <CLI/CLI.hpp>

#include "verbs.h"

namespace lsmlab {

void add_what_if(CLI::App& app, WhatIfArguments& arguments);
void add_explain(CLI::App& app, WhatIfArguments& arguments);

}  // namespace lsmlab
