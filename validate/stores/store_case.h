// A user's store as a question: its policy and its workload, as its files tell of them.
#pragma once

#include <optional>
#include <string>

#include "models/base/error.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/store_figures.h"
#include "traces/stores/store_reading.h"
#include "traces/stores/store_workload.h"
#include "validate/catalog/policy_workload.h"
#include "validate/stores/logged_clock.h"
#include "validate/stores/store_changes.h"
#include "validate/stores/store_rules.h"
#include "validate/stores/store_start.h"

namespace lsmlab {

/// A store's policy and workload, ready to be simulated.
struct StoreCase {
  stores::FamilyFigures reported;
  stores::PolicySpec policy;
  stores::StoreWorkload workload;  // guesses are empty where the user gave the workload
  // Of a store whose history begins in the middle, where a MANIFEST tells them.
  StoreStarts starts;
  bool has_manifest = false;                  // even where a question does not begin from its tree
  std::optional<LoggedClock> clock = {};      // none: no file tells how long jobs took
  StoreRules rules = {};                      // of a run with a clock
  std::optional<stores::Store> options = {};  // TodaysOptions::store
  std::string rate_lack = {};                 // TodaysOptions::rate_lack
  // At its end the LOG has no merge that began and did not end, and no level is due: so the history
  // has all merges that its writes caused.
  bool ends_at_rest = false;

  /// What changes begin from. REQUIRES: the case outlives it. Errors: the policy's SPEC.
  [[nodiscard]] Result<TodaysOptions> todays_options() const;
  /// What a policy takes of the store's writes where no workload is simulated.
  [[nodiscard]] PolicyWorkload policy_workload() const;
  /// The workload of the history, or of the time from now on, that follows the start.
  [[nodiscard]] std::string workload_after(const StartingTree& start, bool is_history) const;
};

/// The case without its workload. Errors: the family is unknown, or there are several and none is
/// named; lsmlab has no such policy.
[[nodiscard]] Result<StoreCase> store_policy(const stores::Store& store, const std::string& family);

/// Errors: as above; the workload is not known.
[[nodiscard]] Result<StoreCase> store_case(const stores::Store& store, const std::string& family,
                                           const std::string& workload);

}  // namespace lsmlab
