// Checks the decisions that a store took against the policy of its options: the store's tree is
// rebuilt edit by edit, and before each compaction or move the policy picks on the same tree.
// Nothing is simulated: after a difference, the check goes on with what the store did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/policies/registry.h"
#include "validate/stores/decision_moments.h"
#include "validate/stores/store_tree.h"

namespace lsmlab {

enum class Agreement {
  kSame,        // the same files to the same level
  kOtherFiles,  // other files of the same level, to the same level
  kOtherLevel,  // another level, to take from or to write to
  kOtherKind,   // the same files to the same level, but one moves what the other merges
  kNothing,     // the policy wants nothing
};
inline constexpr std::size_t kAgreements = 5;
[[nodiscard]] std::string_view name_of(Agreement agreement);

struct CheckedDecision {
  TakenDecision taken;
  std::uint64_t offset = 0;           // of its edit
  std::uint64_t bytes = 0;            // of its inputs
  std::optional<DecidedWork> policy;  // what the policy picks
  Agreement agreement = Agreement::kSame;
};

/// Decisions that no policy takes by itself: manual compactions, those of a file's age.
struct AskedDecisions {
  std::string reason;
  std::uint64_t decisions = 0;
  std::uint64_t bytes = 0;
};

struct DecisionCheck {
  std::vector<CheckedDecision> decisions;
  std::vector<AskedDecisions> asked;  // by reason; not compared
  std::uint64_t edits = 0;            // that changed files
  std::uint64_t edits_checked = 0;    // all, unless `end` says why not
  std::uint64_t lone_deletions = 0;  // edits that only delete, without a job in a LOG: not compared
  std::uint64_t unfinished = 0;      // jobs whose end no file tells: not compared
  std::uint64_t moments_known = 0;  // of the compared decisions: their tree is that of a LOG's time
  std::optional<Error> end;         // the edit that the tree could not take
};

/// Errors: the store has no MANIFEST, or none with an edit of this column family; the order of its
/// keys is unknown.
[[nodiscard]] Result<DecisionCheck> check_decisions(const stores::Store& store,
                                                    const std::string& family,
                                                    const ConfiguredPolicy& policy);

}  // namespace lsmlab
