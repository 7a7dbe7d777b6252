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
  /// Names of the parameters that a list of values varied. A label shows them.
  std::vector<std::string> varied = {};
};

/// Reads one SPEC. Errors: the name is empty; a parameter has no '='; a parameter is given twice.
[[nodiscard]] Result<Spec> parse_spec(std::string_view text);

/// The text that parse_spec() reads as this SPEC.
[[nodiscard]] std::string spec_text(const Spec& spec);

/// The most SPECs that the lists of one SPEC may expand to.
inline constexpr std::size_t kSpecsMax = 100'000;

/// Every combination of listed values ("k=5|6|7"), with the names of these parameters in
/// Spec::varied. The last parameter varies fastest. Errors: there are more than kSpecsMax.
[[nodiscard]] Result<std::vector<Spec>> expand_lists(const Spec& spec);

}  // namespace lsmlab
