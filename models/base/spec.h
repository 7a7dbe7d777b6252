// A SPEC names a policy or a workload on the command line: NAME[:key=value[,key=value...]].
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/error.h"

namespace lsmlab {

using Parameters = std::vector<std::pair<std::string, std::string>>;  // in the order given

struct Spec {
  std::string name;
  Parameters parameters;
};

/// Reads one SPEC. Errors: empty name, a parameter without '=', a parameter given twice.
[[nodiscard]] Result<Spec> parse_spec(std::string_view text);

/// As parse_spec() reads it.
[[nodiscard]] std::string spec_text(const Spec& spec);

/// The most that one SPEC's lists may stand for.
inline constexpr std::size_t kSpecsMax = 100'000;

/// Every combination of listed values ("k=5|6|7"), the last parameter varying fastest. Errors: more
/// than kSpecsMax.
[[nodiscard]] Result<std::vector<Spec>> expand_lists(const Spec& spec);

}  // namespace lsmlab
