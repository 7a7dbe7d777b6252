// Answers about a user's store, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "validate/stores/what_if.h"

namespace lsmlab {

/// What is simulated, what of it is a guess, and the test of trust: bytes written by level as the
/// store reports them beside those simulated with today's options, and beside `counted`, of a run
/// without the LOG's clock. `judged`: which of the two has what the figures below have.
enum class JudgedRun { kHistory, kCounted };
[[nodiscard]] std::string trust_text(const StoreCase& asked, const WhatIfFigures& history,
                                     const std::optional<WhatIfFigures>& counted = {},
                                     JudgedRun judged = JudgedRun::kHistory);

/// A line for each variant. REQUIRES: there is one; all or none had a clock.
[[nodiscard]] std::string variants_text(const StoreCase& asked, const WhatIfAnswer& answer);

[[nodiscard]] nlohmann::ordered_json what_if_json(const StoreCase& asked,
                                                  const WhatIfAnswer& answer);

/// Why the store writes what it writes: the shares of levels and reasons, and the changes with the
/// largest predicted effect on the bytes written, at most `most`.
[[nodiscard]] std::string explanation_text(const StoreCase& asked, const WhatIfAnswer& answer,
                                           std::size_t most);

}  // namespace lsmlab
