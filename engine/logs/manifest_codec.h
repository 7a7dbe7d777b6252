// Converts manifest records to JSON-like values, and those to CBOR. Every field is kept, except
// busy flags and empty optional fields. Numbers are unsigned; a key range is a pair of them.
//
//   {"snapshot": {"identity": [[name, value], ...], "tree": {...}, "last_sequence", "first_wal"}}
//   {"edit": {"now", "lookups", "writes", "scans"?, "deletes"?, what the TreeEdit holds,
//             "last_sequence"?, "first_wal"?}}
//
// Reading trusts nothing. It accepts only records of the right shape, with ids, levels and key
// ranges that a tree can hold.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "engine/logs/cbor_value.h"
#include "engine/logs/manifest.h"

namespace lsmlab::engine {

using ManifestRecord = std::variant<ManifestSnapshot, ManifestEdit>;

[[nodiscard]] CborValue json_of(const ManifestSnapshot& snapshot);
[[nodiscard]] CborValue json_of(const ManifestEdit& edit);
/// The record that a value describes. Errors: a member is missing or of the wrong kind; without
/// path or offset.
[[nodiscard]] Result<ManifestRecord> record_of(const CborValue& json);

[[nodiscard]] std::string cbor_of(const CborValue& json);
/// Whether the bytes begin as a record of cbor_of() does. Cheap.
[[nodiscard]] bool looks_like_record(std::string_view cbor);
/// Errors: not CBOR, or CBOR that cbor_of() would not write for a record.
[[nodiscard]] Result<CborValue> json_of_cbor(std::string_view cbor);

}  // namespace lsmlab::engine
