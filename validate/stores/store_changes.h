// Changes of a store's options, as a user states them: options of the policy's SPEC, or options of
// RocksDB by their own names and in its own units, as its OPTIONS file has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/spec.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/store_reading.h"

namespace lsmlab {

/// What changes begin from.
struct TodaysOptions {
  Spec policy;
  // With the options of a RocksDB store, but without its history; none: options of RocksDB are not
  // taken.
  std::optional<stores::Store> store = {};
  const stores::FamilyFigures* reported = nullptr;  // REQUIRES: not null if there is a store
  std::string rate_lack = {};                       // as policy_spec() takes it
};

/// A changed policy, and what else of a run RocksDB's options change.
struct ChangedPolicy {
  std::string text;  // the change, with one value for each option; empty: none
  Spec policy;
  Parameters stalls = {};                           // stall rules that differ from today's
  std::optional<std::uint64_t> merge_threads = {};  // none: today's
  // An option of RocksDB that counts only where a clock runs; empty: there is none.
  std::string needs_clock = {};
};

/// One policy for each combination of values of a change: "size_ratio=6|8,l0_trigger=2",
/// "max_write_buffer_number=6", "policy=SPEC". Errors: no such text; an option that neither the
/// policy nor RocksDB has, or that lsmlab does not model; one of RocksDB that changes nothing here.
[[nodiscard]] Result<std::vector<ChangedPolicy>> changed_policies(const TodaysOptions& today,
                                                                  const std::string& change);

/// The policy with all changes; nothing if one of them is a list, or replaces the policy and is not
/// the only one. Errors: as above.
[[nodiscard]] Result<std::optional<ChangedPolicy>> policy_of_all(
    const TodaysOptions& today, const std::vector<std::string>& changes);

}  // namespace lsmlab
