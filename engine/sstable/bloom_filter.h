// The filter block's lines (docs/sstable.md): a key's bits lie in one line of 64 bytes. Its false
// positives are FilterModel's (models/sizes/filter_chance.h): a line takes a hash's high part, the
// bits are slices of a mix of the whole hash, as good as thrown anew for each probe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "models/sizes/sstable_size.h"

namespace lsmlab::engine {

/// The lines of a file's filter; empty where the format has none. Hashes: of every entry's key.
[[nodiscard]] std::string filter_lines_of(const SstableFormat& format,
                                          std::span<const std::uint64_t> hashes);

/// REQUIRES: whole lines, at least one.
[[nodiscard]] bool filter_contains(std::string_view lines, unsigned probes, std::uint64_t hash);

}  // namespace lsmlab::engine
