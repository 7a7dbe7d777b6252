// How near a policy is to the system that it is named after, rule by rule.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace lsmlab {

enum class Fidelity {
  kExact,       // held against the system's source
  kSimplified,  // the rule is there, but differs in what the row says
  kNotModelled,
};

/// A rule of a system, and what the policy makes of it.
struct RuleFidelity {
  std::string rule;  // what the system does, in a few words
  Fidelity fidelity = Fidelity::kExact;
  std::string source;    // file and version of the system, or section of the paper
  std::string how = {};  // what is simplified, or why it is not modelled; empty where exact
};

/// As the table of docs/fidelity.md and `lsmlab policies show` print it.
[[nodiscard]] constexpr std::string_view fidelity_name(Fidelity fidelity) {
  constexpr std::array<std::string_view, 3> kNames{"exact", "simplified", "not modelled"};
  return kNames[static_cast<std::size_t>(fidelity)];
}

}  // namespace lsmlab
