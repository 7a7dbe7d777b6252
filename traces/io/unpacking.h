// Inputs that may be compressed. gzip and zstd are unpacked while they are read, in memory that
// does not depend on the input. Other forms are errors that name the form. The first bytes of a
// file determine its form, never its name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "traces/io/byte_file.h"

namespace lsmlab {

/// A compressed or archived form of files.
struct Packing {
  const char* what;     // "gzip-compressed"
  const char* command;  // unpacks a file; the file's name follows it
};

/// Determines the form from the first bytes of a file; 16 bytes are enough. Nothing if the form is
/// unknown.
[[nodiscard]] std::optional<Packing> describe_packing(std::span<const std::uint8_t> front);
/// Returns, for example, "gzip -d 'FILE'".
[[nodiscard]] std::string unpacking_command(const Packing& packing, const std::string& path);

/// The largest window that a zstd frame may request: the same as the program zstd grants by
/// default.
inline constexpr int kZstdWindowLogMax = 27;

struct UnpackedInput {
  std::unique_ptr<ByteReader> reader;  // its offsets count unpacked bytes
  bool is_packed = false;
};

/// Opens a file: all members of a gzip file or all frames of a zstd file, one after another; other
/// files unchanged. Errors: those of open_byte_source(); a form that cannot be read here, with the
/// command that unpacks it (input). Errors while reading: damaged or truncated data, with the
/// offset in the compressed file (input).
[[nodiscard]] Result<UnpackedInput> open_unpacked(const std::string& path, StopFlag stop = nullptr);

}  // namespace lsmlab
