// A SPEC names a policy or a workload on the command line: NAME[:key=value[,key=value...]]. A value
// in double quotes may have commas, and is no list: key="a,b|c". NAME:"TEXT" is short for
// NAME:line="TEXT"; if TEXT is a command line, the quotes may be left out. A command line of
// db_bench needs no NAME. A NAME with a slash is a path, and may have colons.
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
  /// Names of the parameters whose values were in quotes.
  std::vector<std::string> quoted = {};
};

/// The name of a text without a name.
inline constexpr const char* kLineParameter = "line";

/// Reads one SPEC. Errors: the name is empty; a parameter has no '='; a parameter is given twice;
/// a quoted text is empty or does not end. In a quoted text, \" is a quote.
[[nodiscard]] Result<Spec> parse_spec(std::string_view text);

/// The text that parse_spec() reads as this SPEC.
[[nodiscard]] std::string spec_text(const Spec& spec);

/// The most SPECs that the lists of one SPEC may expand to.
inline constexpr std::size_t kSpecsMax = 100'000;

/// Every combination of listed values ("k=5|6|7"), with the names of these parameters in
/// Spec::varied. The last parameter varies fastest. Errors: there are more than kSpecsMax.
[[nodiscard]] Result<std::vector<Spec>> expand_lists(const Spec& spec);

}  // namespace lsmlab
