// Names in a store's directory: 000012.sst, 000013.wal, MANIFEST-000014, CURRENT (the name of the
// manifest in force), LOCK, and 000013.wal.damaged for a log that recovery set aside.
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

/// Larger numbers do not occur in a store's life, and the next one always fits.
inline constexpr std::uint64_t kFileNumberMax = std::uint64_t{1} << 62;

struct ParsedName {
  FileKind kind;
  std::uint64_t number =
      0;  // of SSTables (the file id), logs and manifests; at most kFileNumberMax
};

[[nodiscard]] std::string sstable_name(FileId id);
[[nodiscard]] std::string wal_name(std::uint64_t number);
/// Of a damaged log that recovery keeps.
[[nodiscard]] std::string set_aside_name(std::uint64_t number);
[[nodiscard]] std::string manifest_name(std::uint64_t number);
/// What CURRENT is written to before it is renamed.
[[nodiscard]] std::string temporary_current_name();
/// Nothing where the name is none of a store's.
[[nodiscard]] std::optional<ParsedName> parse_name(std::string_view name);
/// Of every file of a kind, rising.
[[nodiscard]] std::vector<std::uint64_t> numbers_of(const std::vector<std::string>& names,
                                                    FileKind kind);
[[nodiscard]] std::string join_path(const std::string& directory, std::string_view name);

}  // namespace lsmlab::engine
