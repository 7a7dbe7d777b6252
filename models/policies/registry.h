// The policies by name: the only place that dispatches on names. A family is one file of
// models/policies/families/ that defines `PolicyFamily NAME_family()`; the build collects them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/policies/policy.h"

namespace lsmlab {

/// Every family, by name.
[[nodiscard]] std::vector<PolicyFamily> make_policy_families();
/// The family of that name, where there is one.
[[nodiscard]] std::optional<PolicyFamily> policy_family(std::string_view name);

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
  // As the family declares them (PolicyFamily).
  StallRules stalls = {};
  bool estimates_pending_bytes = false;
  std::optional<ForeignCompaction> foreign = {};
};

/// How an error of make_policy() speaks of a policy that has another name for the user.
struct PolicyNaming {
  std::string subject;                  // "policy 'udc' (leveldb)"; empty: "policy 'NAME'"
  std::vector<std::string> also_taken;  // parameters that the caller has taken out of the spec
};

/// The spec's parameters are the family's and those of StoreOptions. Errors: an unknown name (with
/// the nearest valid one), bad parameters (every one, as Error::faults too).
[[nodiscard]] Result<ConfiguredPolicy> make_policy(const Spec& spec,
                                                   const PolicyNaming& naming = {});

}  // namespace lsmlab
