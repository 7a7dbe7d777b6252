// The policies by name: the only place that dispatches on names. Each family is one file of
// models/policies/families/ that defines `PolicyFamily NAME_family()`; the build collects them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/policies/policy.h"

namespace lsmlab {

/// All families, ordered by name. Costs a millisecond; policy_families() does not.
[[nodiscard]] std::vector<PolicyFamily> make_policy_families();
/// The same, made once.
[[nodiscard]] const std::vector<PolicyFamily>& policy_families();
/// The family of that name; nothing if there is none.
[[nodiscard]] std::optional<PolicyFamily> policy_family(std::string_view name);

/// All families with the names of their own options.
[[nodiscard]] std::vector<OptionOwner> option_owners();

/// Ends the name of an option that repeats as text what was given as a time: "ttl_as_time".
inline constexpr std::string_view kAsTime = "_as_time";

/// A policy and the options that it runs with.
struct ConfiguredPolicy {
  std::string name;  // of the family or of a preset
  std::string family;
  /// For tables and legends: the name, the first option, the family's options that were given, and
  /// the store's options that a list of values varied: "exploring k=6 lambda=1.3 buffer=8MiB".
  std::string label;
  ResolvedOptions options;
  StoreOptions store;
  ResolvedOptions store_options;  // the same as options, for results
  // their names, for an error where they do not apply
  std::vector<std::string> store_options_given;
  std::vector<std::string> file_options_given;  // the same of PolicyFamily::file_options
  /// Options that were given as times, with these times: "ttl", "30d". `options` has the numbers.
  Parameters stated_times = {};
  std::shared_ptr<const Policy> policy;
  // True if the policy follows a plan log (models/execution/forced_plans.h): stepped mode only.
  bool has_forced_plans = false;
  // The family's values (PolicyFamily).
  StallRules stalls = {};
  bool estimates_pending_bytes = false;
  std::optional<ForeignCompaction> foreign = {};
};

/// The value, as text, that the policy has for an option of its own or of the store; nothing if it
/// has no such option.
[[nodiscard]] std::optional<std::string> value_in_force(const ConfiguredPolicy& policy,
                                                        std::string_view name);

/// How an error of make_policy() names a policy that has another name for the user.
struct PolicyNaming {
  std::string subject;                  // "policy 'udc' (leveldb)"; empty: "policy 'NAME'"
  std::vector<std::string> also_taken;  // parameters that the caller has removed from the spec
  Parameters stated_times = {};         // ConfiguredPolicy::stated_times, which the label has
};

/// Makes the policy that a spec describes. Parameters may belong to the family or to StoreOptions.
/// `flush_bytes`: the mean size of the flushes, if the workload gives their sizes; it is then the
/// default of the store's buffer, from which policies derive sizes of levels.
/// `shares`: what codecs leave of the workload's blocks, for those that the spec gives no share.
/// Errors: an unknown name (with the nearest valid one), or bad parameters (all of them, also in
/// Error::faults).
[[nodiscard]] Result<ConfiguredPolicy> make_policy(const Spec& spec,
                                                   const PolicyNaming& naming = {},
                                                   std::optional<Bytes> flush_bytes = {},
                                                   const CodecShares& shares = {});

}  // namespace lsmlab
