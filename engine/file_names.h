// Names in a store's directory: 000012.sst, 000013.wal, MANIFEST-000014, CURRENT (the name of the
// manifest in force), LOCK.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/units.h"

namespace lsmlab::engine {

inline constexpr std::string_view kCurrentName = "CURRENT";
inline constexpr std::string_view kLockName = "LOCK";

enum class FileKind { kSstable, kWal, kManifest, kCurrent, kLock, kTemporary };

struct ParsedName {
  FileKind kind;
  std::uint64_t number = 0;  // of SSTables (the file id), logs and manifests
};

[[nodiscard]] std::string sstable_name(FileId id);
[[nodiscard]] std::string wal_name(std::uint64_t number);
[[nodiscard]] std::string manifest_name(std::uint64_t number);
/// What CURRENT is written to before it is renamed.
[[nodiscard]] std::string temporary_current_name();
/// Nothing where the name is none of a store's.
[[nodiscard]] std::optional<ParsedName> parse_name(std::string_view name);
[[nodiscard]] std::string join_path(const std::string& directory, std::string_view name);

}  // namespace lsmlab::engine
