// What a trace file keeps of the texts of its keys: a member of its provenance
// (docs/trace-format.md).
#pragma once

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "models/base/error.h"
#include "models/base/recorded_keys.h"

namespace lsmlab {

inline constexpr const char* kRecordedKeysMember = "recorded_keys";

/// The member's value. REQUIRES: keys.shared_32nds is not empty.
[[nodiscard]] nlohmann::ordered_json recorded_keys_json(const RecordedKeys& keys);

/// The recorded keys of a provenance; nothing if it has none. Errors: the member is not what
/// recorded_keys_json() writes.
[[nodiscard]] Result<std::optional<RecordedKeys>> recorded_keys_of(std::string_view provenance);

}  // namespace lsmlab
