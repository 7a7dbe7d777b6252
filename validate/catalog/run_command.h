// The command line that makes a run.
#pragma once

#include <string>

#include "validate/catalog/run_spec.h"

namespace lsmlab {

/// "flush", "key" or "range".
[[nodiscard]] std::string resolution_name(Resolution resolution);

/// "a=1,b=2".
[[nodiscard]] std::string parameters_text(const Parameters& parameters);

/// A line for the shell: "lsmlab simulate -p ... -w ..." with the options that are not defaults.
[[nodiscard]] std::string run_command(const RunSpec& run);

}  // namespace lsmlab
