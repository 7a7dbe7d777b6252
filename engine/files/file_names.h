// Names of files in a store's directory: 000012.sst, 000013.wal, MANIFEST-000014, CURRENT (it holds
// the name of the current manifest), LOCK, and 000013.wal.damaged (a log that recovery set aside).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.h"

namespace lsmlab::engine {

inline constexpr std::string_view kCurrentName = "CURRENT";
inline constexpr std::string_view kLockName = "LOCK";

enum class FileKind { kSstable, kWal, kManifest, kCurrent, kLock, kTemporary, kSetAside };

/// No store reaches larger numbers, so the next number always fits 64 bits.
inline constexpr std::uint64_t kFileNumberMax = std::uint64_t{1} << 62;

struct ParsedName {
  FileKind kind;
  std::uint64_t number = 0;  // of an SSTable (file id), log or manifest; at most kFileNumberMax
};

[[nodiscard]] std::string sstable_name(FileId id);
[[nodiscard]] std::string wal_name(std::uint64_t number);
/// The name of a damaged log that recovery keeps.
[[nodiscard]] std::string set_aside_name(std::uint64_t number);
[[nodiscard]] std::string manifest_name(std::uint64_t number);
/// The name under which CURRENT is written before it is renamed.
[[nodiscard]] std::string temporary_current_name();
/// Nothing if no file of a store has such a name.
[[nodiscard]] std::optional<ParsedName> parse_name(std::string_view name);
/// The numbers of all files of one kind, in rising order.
[[nodiscard]] std::vector<std::uint64_t> numbers_of(const std::vector<std::string>& names,
                                                    FileKind kind);
[[nodiscard]] std::string join_path(const std::string& directory, std::string_view name);

}  // namespace lsmlab::engine
