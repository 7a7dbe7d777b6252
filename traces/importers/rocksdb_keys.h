// RocksDB's column families in one order of keys: each takes a range of its own, by its number.
#pragma once

#include "traces/importers/import_parser.h"

namespace lsmlab::importing {

/// Makes a key of a column family. Families are disjoint ranges of the order, by their number.
inline std::string family_key(std::uint32_t family, std::string_view key) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(family >> shift & 0xffU);
  return text.append(key);
}

/// An operation of RocksDB on a key of a family; REQUIRES: no scan.
[[nodiscard]] Result<void> add_in_family(OperationKind kind, std::uint32_t family,
                                         std::string_view key, std::uint64_t value_bytes,
                                         Stage& stage);
/// A seek: a scan of one entry, up to the bound (excluded) or the end of the family.
[[nodiscard]] Result<void> add_seek(std::uint32_t family, std::string_view key,
                                    std::optional<std::string_view> upper_bound, Stage& stage);

}  // namespace lsmlab::importing
