// Reads numbers as people write them: 10M (decimal), 8MiB (binary), 1.5GiB, 100000. Writes numbers
// as people read them: 8 MiB, 1,000,000.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/error.h"
#include "models/base/units.h"

namespace lsmlab {

/// Reads a whole number of things. Suffixes: k, M, G, T (powers of 1000). Errors: the text is not a
/// number; the number is negative, not whole, or more than 2^64 - 1.
[[nodiscard]] Result<std::uint64_t> parse_count(std::string_view text);

/// Reads a number of bytes. Suffixes: B; kB, MB, GB, TB, k, M, G, T (powers of 1000); KiB, MiB,
/// GiB, TiB (powers of 1024). Errors: as parse_count().
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view text);

/// "8 MiB", "1.50 GiB", "17 B".
[[nodiscard]] std::string bytes_text(Uint128 bytes);
/// The same number of bytes as parse_bytes() reads it: "8MiB", "1000". It has the largest binary
/// unit that leaves a whole number.
[[nodiscard]] std::string typed_bytes_text(std::uint64_t bytes);
/// Decimal digits.
[[nodiscard]] std::string uint128_text(Uint128 value);
/// "1,000,000".
[[nodiscard]] std::string grouped_text(Uint128 value);
/// "1 file", "1,000 files". `things`: the plural where it is not `thing` and an s.
[[nodiscard]] std::string counted_text(Uint128 count, std::string_view thing,
                                       std::string_view things = {});

}  // namespace lsmlab
