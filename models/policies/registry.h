// The policies by name: the only place that dispatches on names. A family is one file of
// models/policies/ that defines `PolicyFamily NAME_family()`; the build collects them.
#pragma once

#include <string_view>
#include <vector>

#include "models/policies/policy.h"

namespace lsmlab {

/// Every family, by name.
[[nodiscard]] std::vector<PolicyFamily> make_policy_families();

/// A policy made and the options that it runs with.
struct ConfiguredPolicy {
  std::string name;  // of the family, or of a preset of it
  std::string family;
  /// For tables and legends: the name, the first option and those that were given, "exploring k=6
  /// lambda=1.3".
  std::string label;
  ResolvedOptions options;
  StoreOptions store;
  ResolvedOptions store_options;                 // the same, for results
  std::vector<std::string> store_options_given;  // names, for resolutions where they do not apply
  std::shared_ptr<const Policy> policy;
  bool has_forced_plans =
      false;  // of a log (models/execution/forced_plans.h): for stepped mode only
};

/// The spec's parameters are the family's and those of StoreOptions. Errors: an unknown name (with
/// the nearest valid one), bad parameters (every one named).
[[nodiscard]] Result<ConfiguredPolicy> make_policy(const Spec& spec);

}  // namespace lsmlab
