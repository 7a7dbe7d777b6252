// How near a policy is to the system that it is named after, rule by rule.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

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

/// The row of a system whose memtable has one version of each key (memtable=in-place). `how`: what
/// is simplified; empty where nothing is.
[[nodiscard]] inline RuleFidelity replacement_fidelity(std::string source, std::string how = {}) {
  const Fidelity fidelity = how.empty() ? Fidelity::kExact : Fidelity::kSimplified;
  return {"a write replaces what the memtable has of its key, which frees that memory", fidelity,
          std::move(source), std::move(how)};
}

/// As the table of docs/fidelity.md and `lsmlab policies show` print it.
[[nodiscard]] constexpr std::string_view fidelity_name(Fidelity fidelity) {
  constexpr std::array<std::string_view, 3> kNames{"exact", "simplified", "not modelled"};
  return kNames[static_cast<std::size_t>(fidelity)];
}

}  // namespace lsmlab
