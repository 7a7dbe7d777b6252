#include "models/policies/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/shortened.h"
#include "models/base/suggest.h"

namespace lsmlab {
namespace {

// Those of the table, and the rest.
std::pair<Parameters, Parameters> split_parameters(const Parameters& parameters,
                                                   const OptionTable& table) {
  const std::vector<OptionInfo> known = table.describe();
  std::pair<Parameters, Parameters> parts;
  for (const auto& parameter : parameters) {
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const OptionInfo& option) {
      return option.name == parameter.first;
    });
    (is_known ? parts.first : parts.second).push_back(parameter);
  }
  return parts;
}

Error with_name(const std::string& name, const Error& error) {
  return {error.kind, fmt::format("policy '{}': {}", name, error.message)};
}

}  // namespace

Result<ConfiguredPolicy> make_policy(const Spec& spec) {
  const std::vector<PolicyFamily> families = make_policy_families();
  const auto family =
      std::find_if(families.begin(), families.end(),
                   [&](const PolicyFamily& candidate) { return candidate.name == spec.name; });
  if (family == families.end()) {
    std::vector<std::string> names;
    for (const PolicyFamily& candidate : families) names.push_back(candidate.name);
    return input_error(
        fmt::format("unknown policy '{}'{}", excerpt(spec.name), suggestion(spec.name, names)));
  }
  ConfiguredPolicy configured;
  configured.name = configured.family = configured.label = spec.name;
  OptionTable store_table;
  configured.store.declare(store_table);
  const auto [of_store, of_policy] = split_parameters(spec.parameters, store_table);
  for (const auto& [name, text] : of_store) configured.store_options_given.push_back(name);
  const Result<void> stored = store_table.assign(of_store);
  if (!stored) return with_name(spec.name, stored.error());
  configured.store_options = store_table.values();
  auto made = family->create(of_policy, configured.store, configured.options);
  if (!made) return with_name(spec.name, made.error());
  configured.policy = made.value();
  for (std::size_t i = 0; i < configured.options.size(); ++i) {
    const auto& [name, value] = configured.options[i];
    const bool given =
        std::any_of(spec.parameters.begin(), spec.parameters.end(),
                    [&name = name](const auto& parameter) { return parameter.first == name; });
    if (i == 0 || given) configured.label += fmt::format(" {}={}", name, option_value_text(value));
  }
  return configured;
}

}  // namespace lsmlab
