// The costs of Table 1 of the delete-aware thesis ("Delete-aware compaction trigger", Section
// 1.1.2): a lookup of an absent key, a range lookup and an update, of leveled and of size-tiered
// stores, and what they would be if the store kept fewer redundant entries: fewer entries (N~) and
// so fewer levels (L~). The thesis takes the formulas from Monkey (Dayan et al., SIGMOD 2017) and
// Dostoevsky (Dayan, Idreos, SIGMOD 2018). They are orders of growth; here their constant is 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/policies/cost_model.h"

namespace lsmlab {

/// A filter of m bits for each key errs with the chance e^(-m * this).
inline constexpr double kLn2Squared = 0.48045301391820139;

/// The symbols are those of the thesis's Table 2.
struct DeleteAwareModelInput {
  double size_ratio = 10;     // T, at least 2
  double entries = 0;         // N or N~
  double entry_bytes = 0;     // E
  double memtable_bytes = 0;  // M
  double page_entries = 1;    // B: of a data block
  double filter_bits = 0;     // m: of all filters
};

struct DeleteAwareModelCost {
  double levels = 0;         // L, at least 1
  double lookup_blocks = 0;  // of an absent key: blocks read in vain
  double scan_runs = 0;      // of a short range: sorted runs that are read
  double update_blocks = 0;  // of one write: blocks that merges write for it in the end
};

enum class MergeLayout { kLeveled, kTiered };

/// REQUIRES: a size ratio of at least 2; entries, entry_bytes, memtable_bytes and page_entries
/// above 0.
[[nodiscard]] DeleteAwareModelCost delete_aware_cost(const DeleteAwareModelInput& input,
                                                     MergeLayout layout);

// The cost models of families (models/policies/cost_model.h): N are the entries in files at the
// end, N~ those that are live.
[[nodiscard]] std::vector<CostFigure> delete_aware_leveled_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> delete_aware_tiered_model(const ModelledRun& run);

}  // namespace lsmlab
