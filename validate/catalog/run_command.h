// The command line that makes a run.
#pragma once

#include <string>

#include "validate/catalog/run_spec.h"

namespace lsmlab {

/// "flush", "key" or "range".
[[nodiscard]] std::string resolution_name(Resolution resolution);

/// "a=1,b=2".
[[nodiscard]] std::string parameters_text(const Parameters& parameters);

/// The text as one word of a shell's line.
[[nodiscard]] std::string shell_word(const std::string& text);

/// A line for the shell: "lsmlab simulate -p ... -w ..." with the options that are not defaults.
[[nodiscard]] std::string run_command(const RunSpec& run);

}  // namespace lsmlab
