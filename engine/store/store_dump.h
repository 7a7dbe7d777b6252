// Prints a store's files as text.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/files/file_system.h"
#include "models/base/error.h"

namespace lsmlab::engine {

struct DumpOptions {
  bool shows_entries = false;  // print SSTables' entries too; logs' entries always
};

/// Receives one line, without its line end.
using DumpLine = std::function<void(std::string_view)>;

/// Prints a manifest, log or SSTable; the file's name tells which. Errors: another kind of file;
/// the file cannot be read; it is damaged (with path and offset, after printing what precedes the
/// damage).
[[nodiscard]] Result<void> dump_file(FileSystem& files, const std::string& path,
                                     const DumpOptions& options, const DumpLine& line);

/// Prints every manifest, log and SSTable of a directory, each under its name. Prints a damaged
/// file's error in its place and goes on; returns the first such error at the end.
[[nodiscard]] Result<void> dump_directory(FileSystem& files, const std::string& directory,
                                          const DumpOptions& options, const DumpLine& line);

/// A key or value as text: unchanged if it is printable ASCII, else as 0x and hexadecimal digits,
/// where a count replaces zeros at the end ("0x00c0ffee00000000+8 zeros").
[[nodiscard]] std::string readable(std::string_view bytes);

}  // namespace lsmlab::engine
