// Whole text files, with every failure a value.
#pragma once

#include <string>

#include "models/error.h"

namespace lsmlab {

/// The file's content. Errors: a directory, a file that is missing or may not be read (input);
/// anything else of the system while reading (machine). Each names the path.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path);

}  // namespace lsmlab
