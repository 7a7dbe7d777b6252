// The parameter that every workload of operations has besides its own: key_format.
#pragma once

#include <optional>

#include "models/base/options.h"
#include "models/base/spec.h"
#include "models/sizes/key_format.h"

namespace lsmlab {

inline constexpr const char* kKeyFormatParameter = "key_format";

/// Takes the parameter from a workload's SPEC; nothing if it is not given. Errors: KeyFormat's.
[[nodiscard]] Result<std::optional<KeyFormat>> take_key_format(Spec& spec);
[[nodiscard]] OptionInfo key_format_option();

}  // namespace lsmlab
