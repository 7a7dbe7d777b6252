// Manifest records as values like JSON's, and those as CBOR. Every field is kept; optional ones are
// left out where they hold nothing, busy flags always. Numbers are unsigned, key ranges a pair of
// them.
//
//   {"snapshot": {"identity": [[name, value], ...], "tree": {...}, "last_sequence", "first_wal"}}
//   {"edit": {"now", "lookups", "writes", what the TreeEdit holds, "last_sequence"?, "first_wal"?}}
//
// Reading trusts nothing: what it accepts is of the right shape, with ids, levels and key ranges
// that a tree can hold.
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
/// Errors: what is missing or of the wrong kind, without path or offset.
[[nodiscard]] Result<ManifestRecord> record_of(const CborValue& json);

[[nodiscard]] std::string cbor_of(const CborValue& json);
/// Whether bytes begin as cbor_of() begins a record; cheap.
[[nodiscard]] bool looks_like_record(std::string_view cbor);
/// Errors: no CBOR, or CBOR beyond what cbor_of() writes of a record.
[[nodiscard]] Result<CborValue> json_of_cbor(std::string_view cbor);

}  // namespace lsmlab::engine
