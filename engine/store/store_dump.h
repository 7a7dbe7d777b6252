// A store's files in readable form.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/files/file_system.h"
#include "models/base/error.h"

namespace lsmlab::engine {

struct DumpOptions {
  bool shows_entries = false;  // of SSTables; logs always show theirs
};

/// A line without its end.
using DumpLine = std::function<void(std::string_view)>;

/// A manifest, log or SSTable, told by its name. Errors: none of them; cannot be read; damage, with
/// path and offset, after what stands before it was shown.
[[nodiscard]] Result<void> dump_file(FileSystem& files, const std::string& path,
                                     const DumpOptions& options, const DumpLine& line);

/// Every manifest, log and SSTable of a directory, each under its name. A damaged file is named in
/// place, and the others are shown; the first such error is returned at the end.
[[nodiscard]] Result<void> dump_directory(FileSystem& files, const std::string& directory,
                                          const DumpOptions& options, const DumpLine& line);

/// A key or value for people: as it is where it is printable ASCII, else 0x and hexadecimal digits,
/// zeros at the end left out ("0x00c0ffee00000000+8 zeros").
[[nodiscard]] std::string readable(std::string_view bytes);

}  // namespace lsmlab::engine
