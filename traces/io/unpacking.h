// Inputs that may be compressed: gzip and zstd are unpacked as they are read, in memory that does
// not depend on the input; other forms are refused by their names. What a file is, its first bytes
// decide, never its name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "traces/io/byte_file.h"

namespace lsmlab {

/// A compressed or packed form of files.
struct Packing {
  const char* what;     // "gzip-compressed"
  const char* command;  // that unpacks a file, before the file's name
};

/// By a file's first bytes, 16 of which are enough; none if it is in no known form.
[[nodiscard]] std::optional<Packing> describe_packing(std::span<const std::uint8_t> front);
/// "gzip -d 'FILE'".
[[nodiscard]] std::string unpacking_command(const Packing& packing, const std::string& path);

/// A zstd frame may ask for so much memory: what the program zstd grants without being asked.
inline constexpr int kZstdWindowLogMax = 27;

struct UnpackedInput {
  std::unique_ptr<ByteReader> reader;  // its offsets count unpacked bytes
  bool is_packed = false;
};

/// All members of a gzip file and all frames of a zstd file, one after another; other files as they
/// are. Errors: as those of open_byte_source(); a form that is not read here, with the command that
/// unpacks it (input). Reading: what is damaged or cut short, with the compressed file's offset
/// (input).
[[nodiscard]] Result<UnpackedInput> open_unpacked(const std::string& path, StopFlag stop = nullptr);

}  // namespace lsmlab
