// Maps RocksDB's compression options, and what the files of a store say about their effect, to
// lsmlab's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/spec.h"
#include "traces/stores/policy_spec.h"

namespace lsmlab::stores {

struct CompressionSpec {
  Parameters parameters;  // "compression", "bottommost_compression"; only those that are in force
  std::vector<PolicyGuess> guesses;
  std::vector<std::string> unmodelled;
};

/// `value`: the value of an option by its name in an OPTIONS file; nothing if no file has it. A
/// level whose data blocks were seen in the figures has the share that they show.
[[nodiscard]] CompressionSpec compression_spec(
    const std::function<std::optional<std::string>(std::string_view)>& value,
    const FamilyFigures& figures);

}  // namespace lsmlab::stores
