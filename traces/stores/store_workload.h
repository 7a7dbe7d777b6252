// The workload that a store's files tell of, as a SPEC of lsmlab: how many records there were, how
// many writes followed, and which share of them overwrote or deleted. What the files do not state
// is estimated, and said.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "models/base/stated_time.h"
#include "traces/stores/late_writes.h"
#include "traces/stores/policy_spec.h"
#include "traces/stores/store_figures.h"

namespace lsmlab::stores {

/// The guess of how many records there were before the history.
inline constexpr std::string_view kRecordsGuess = "records";
/// The guess of how keys are drawn.
inline constexpr std::string_view kKeysGuess = "key distribution";

struct StoreWorkload {
  // True: the history begins with an empty store, so a run of the workload should end with the
  // reported figures. False: it begins with data whose writing nobody saw; the SPEC then loads as
  // much first, and the figures to compare with are those of the second half of what follows.
  bool is_whole_history = true;
  std::uint64_t records = 0;  // before the history
  std::uint64_t writes = 0;   // in the history
  double update_fraction = 0;
  double delete_fraction = 0;
  std::optional<std::uint64_t> drawn_keys = {};  // writes draw one of so many keys; then no shares
  bool inserts_rise = false;                     // new keys come in rising order
  std::optional<double> writes_per_second = {};  // the mean of the history
  bool rate_is_stated = false;                   // false: as above; true: by the user's workload
  std::string spec;
  std::string measure_from;  // an operation; empty: the whole run is measured
  // Of a history that wrote the tree many times over: so many of its writes are simulated, in a
  // store that holds the records and does not grow. None: all are.
  std::optional<std::uint64_t> steady_writes = {};
  // Of the writes from now on, where the later half of the history was another than all of it.
  std::optional<LateWrites> lately = {};
  std::vector<PolicyGuess> guesses;

  /// Whether the SPEC loads records first, so that the tree is at rest when the history begins.
  [[nodiscard]] bool begins_at_rest() const { return !is_whole_history || steady_writes; }
  /// Writes of the SPEC: those of the history, or more where the tree must come to rest first.
  [[nodiscard]] std::uint64_t simulated_writes() const {
    if (steady_writes) return *steady_writes;
    return is_whole_history ? writes : std::max(writes, 2 * records);
  }
};

/// Entries in the tree, by its bytes and the mean size of flushed entries: an estimate.
[[nodiscard]] double entries_in_tree(const FamilyFigures& figures);
/// So many entries shared out to the levels by their bytes.
[[nodiscard]] std::vector<double> entries_by_level(const FamilyFigures& figures, double entries);

/// How many different keys a tree with so many entries in each level holds, if writes hit them
/// uniformly: an estimate.
[[nodiscard]] std::uint64_t live_records(const std::vector<double>& entries_by_level,
                                         double update_fraction, double delete_fraction);

/// Writes a second as SPECs of workloads have them: a whole number, or four digits below 1000.
/// From 10^-9 to 10^12.
[[nodiscard]] OperationRate stated_rate(double writes_per_second);

/// A workload with these writes after so many records were loaded.
[[nodiscard]] std::string load_spec(const StoreWorkload& workload, const FlushFigures& flushes,
                                    std::uint64_t records, std::uint64_t writes);

/// So many different keys are put in order, then so many puts overwrite them at random.
[[nodiscard]] std::string ordered_load_spec(const StoreWorkload& workload,
                                            const FlushFigures& flushes, std::uint64_t keys,
                                            std::uint64_t overwrites);

/// Errors: the files do not say how many entries were flushed, or of which size.
[[nodiscard]] Result<StoreWorkload> store_workload(const FamilyFigures& figures);

}  // namespace lsmlab::stores
