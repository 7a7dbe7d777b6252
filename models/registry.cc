#include "models/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/suggest.h"

namespace lsmlab {

Result<ConfiguredPolicy> make_policy(const Spec& spec) {
  const std::vector<PolicyFamily> families = make_policy_families();
  const auto family =
      std::find_if(families.begin(), families.end(),
                   [&](const PolicyFamily& candidate) { return candidate.name == spec.name; });
  if (family == families.end()) {
    std::vector<std::string> names;
    for (const PolicyFamily& candidate : families) names.push_back(candidate.name);
    return input_error(
        fmt::format("unknown policy '{}'{}", spec.name, suggestion(spec.name, names)));
  }
  ConfiguredPolicy configured{spec.name, spec.name, {}, nullptr};
  auto made = family->create(spec.parameters, configured.options);
  if (!made) {
    return Error{made.error().kind,
                 fmt::format("policy '{}': {}", spec.name, made.error().message)};
  }
  configured.policy = made.value();
  for (std::size_t i = 0; i < configured.options.size(); ++i) {
    const auto& [name, value] = configured.options[i];
    const bool given = std::any_of(spec.parameters.begin(), spec.parameters.end(),
                                   [&](const auto& parameter) { return parameter.first == name; });
    if (i == 0 || given) configured.label += fmt::format(" {}={}", name, option_value_text(value));
  }
  return configured;
}

}  // namespace lsmlab
