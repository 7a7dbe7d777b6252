// What the parameters of a SPEC state.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "models/base/spec.h"

namespace lsmlab {

/// The value of a parameter; null if it is not stated.
[[nodiscard]] inline const std::string* stated_value(const Parameters& parameters,
                                                     std::string_view name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const auto& one) { return one.first == name; });
  return found == parameters.end() ? nullptr : &found->second;
}

/// States a parameter, in place of a value that it has.
inline void state(Parameters& parameters, const std::string& name, const std::string& value) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const auto& one) { return one.first == name; });
  if (found == parameters.end()) {
    parameters.emplace_back(name, value);
  } else {
    found->second = value;
  }
}

}  // namespace lsmlab
