// Puts the keys of RocksDB's column families into one order: each family has a key range of its
// own, ordered by its number.
#pragma once

#include "traces/importers/import_parser.h"

namespace lsmlab::importing {

/// Makes the key of a column family's key. The ranges of families are disjoint and ordered by
/// family number.
inline std::string family_key(std::uint32_t family, std::string_view key) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(family >> shift & 0xffU);
  return text.append(key);
}

/// Adds an operation of RocksDB on a key of a family. REQUIRES: it is not a scan.
[[nodiscard]] Result<void> add_in_family(OperationKind kind, std::uint32_t family,
                                         std::string_view key, std::uint64_t value_bytes,
                                         Stage& stage);
/// Adds a seek as a scan of one entry, up to the bound (excluded) or the end of the family.
[[nodiscard]] Result<void> add_seek(std::uint32_t family, std::string_view key,
                                    std::optional<std::string_view> upper_bound, Stage& stage);

}  // namespace lsmlab::importing
