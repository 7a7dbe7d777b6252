// Maps a user's options to a policy SPEC of lsmlab.
#pragma once

#include <string>
#include <vector>

#include "traces/stores/store_figures.h"
#include "traces/stores/store_reading.h"

namespace lsmlab::stores {

struct PolicyGuess {
  std::string parameter;  // of the SPEC
  std::string why;
};

struct PolicySpec {
  std::string spec;  // empty: lsmlab has no such policy
  std::vector<PolicyGuess> guesses;
  std::vector<std::string> unmodelled;  // "name=value" of options that lsmlab does not model
};

[[nodiscard]] PolicySpec policy_spec(const Store& store, const FamilyFigures& figures);

}  // namespace lsmlab::stores
