// What a verb prints and writes.
#pragma once

#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "traces/io/output_file.h"

namespace lsmlab {

/// Tables, listings and other text for people, on standard output. Names and descriptions in it may
/// be of files, so control characters are shown escaped. Errors: as OutputFile::commit().
[[nodiscard]] Result<void> print_text(std::string_view text);

}  // namespace lsmlab
