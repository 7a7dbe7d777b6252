// The lines of a filter block (docs/sstable.md): all bits of a key are in one line of 64 bytes. The
// false positive rate is that of FilterModel (models/sizes/filter_chance.h). The high part of a
// key's hash chooses the line. The bits come from a mix of the whole hash, and behave like
// independent draws.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "models/sizes/sstable_size.h"

namespace lsmlab::engine {

/// The lines of a file's filter; empty if the format has no filter. `hashes`: one of every entry's
/// key.
[[nodiscard]] std::string filter_lines_of(const SstableFormat& format,
                                          std::span<const std::uint64_t> hashes);

/// Whether the filter may contain the key with this hash. REQUIRES: whole lines, at least one.
[[nodiscard]] bool filter_contains(std::string_view lines, unsigned probes, std::uint64_t hash);

}  // namespace lsmlab::engine
