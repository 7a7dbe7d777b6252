// What a user's store would do with other options: its policy and workload, as its files tell of
// them, are simulated with today's options and with changed ones. That today's simulation gives the
// figures that the store reports is the test of trust.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "traces/stores/store_figures.h"
#include "validate/catalog/run_spec.h"
#include "validate/runs/batch.h"
#include "validate/stores/store_case.h"

namespace lsmlab {

struct WhatIfQuestion {
  // Each changes today's options: "size_ratio=6,l0_trigger=2"; "policy=SPEC" replaces them all. A
  // list ("size_ratio=6|8") is a change for each value. validate/stores/store_changes.h says which
  // names there are.
  std::vector<std::string> changes;
  bool combines = true;  // several changes also all together
  std::string workload;  // a SPEC; empty: the workload that the files tell of
  std::string device;    // a SPEC; kNoClock; kLoggedClock; empty: the LOG's clock, if it has one
  std::string stalls;    // with a clock: changes of the stall rules
  std::optional<std::uint64_t> merge_threads = {};  // none: the store's own
  std::uint64_t seed = 1;
};

struct WhatIfVariant {
  std::string change;  // empty: today's options
  ResolvedRun run;
  // The records are loaded first, though today's tree is known: the policy cannot go on from it.
  bool is_loaded_anew = false;
};

struct WhatIfRuns {
  // The history as today's policy would have made it; none: the first variant is that run.
  std::optional<WhatIfVariant> history;
  // The same without the clock of the LOG, which the others have; none: they do not have it.
  std::optional<WhatIfVariant> counted_history;
  // Today's options first. Where a change is loaded anew, they follow loaded anew, too.
  std::vector<WhatIfVariant> variants;
  std::string lack_of_all = {};  // why the changes cannot be simulated together; empty: they are
  bool history_ends_at_rest = false;  // StoreCase::ends_at_rest
};

/// The change of the line that has all of them.
inline constexpr const char* kAllTogether = "all together";

/// One line of an answer.
struct WhatIfFigures {
  // Fewer flushes than this tell little: the tree has hardly changed.
  static constexpr std::uint64_t kFlushesMin = 10;
  [[nodiscard]] bool is_vague() const { return flushes < kFlushesMin; }

  std::string change;
  bool is_loaded_anew = false;  // WhatIfVariant::is_loaded_anew
  std::string resolution;
  std::uint64_t flushes = 0;  // of the whole run
  bool complete = true;
  double write = 0;                      // SSTable bytes written / bytes of keys and values
  double write_flushed = 0;              // RocksDB's W-Amp
  std::vector<double> written_by_level;  // into each level / bytes flushed
  std::uint64_t read_max = 0;            // sorted runs
  double read_mean = 0;
  std::optional<double> space;  // peak of bytes on disk / live bytes then
  Uint128 peak_file_bytes = 0;
  std::uint64_t merge_output_max_bytes = 0;
  std::optional<double> operations_per_second;  // with a clock, as the next two
  std::optional<std::uint64_t> put_p99_ns;
  std::optional<double> stalled_seconds;
  std::optional<double> flash_years;
};

/// The device of a question that wants no clock.
inline constexpr std::string_view kNoClock = "none";
/// The device of a question that wants the clock of the store's LOG.
inline constexpr std::string_view kLoggedClock = "log";
/// Whether the runs have the clock of the store's LOG.
[[nodiscard]] bool uses_logged_clock(const StoreCase& asked, const WhatIfQuestion& question);

/// Whether the writers of the runs wait for the store, and do not come at a rate.
[[nodiscard]] bool has_waiting_writers(const StoreCase& asked, bool has_logged_clock);

/// The run of the store's workload, without a policy. With a clock the writers come at the store's
/// own rate where the files tell it; where they do not, they wait for the store. Errors: a device
/// or stall rules that are no SPEC; stall rules without a clock; kLoggedClock without a LOG's.
[[nodiscard]] Result<RunSpec> run_of_case(const StoreCase& asked, const WhatIfQuestion& question);

/// Today's policy with all changes. Errors: those of a change; one that is a list.
[[nodiscard]] Result<Spec> changed_policy(const StoreCase& asked,
                                          const std::vector<std::string>& changes);

/// Today's options first, then each change, then all together where that can be. They begin with
/// today's tree where it is known and the policy can take it; otherwise the records are loaded
/// first, and today's options follow in that way, too, to be compared with. Errors: those of a
/// change alone, which is named.
[[nodiscard]] Result<WhatIfRuns> runs_of(const StoreCase& asked, const WhatIfQuestion& question);

/// Over the part of the run that is measured, or over the whole run: with a clock up to its last
/// operation, or with the merges that end after it.
[[nodiscard]] WhatIfFigures figures_of_run(const std::string& change, const RunResult& result,
                                           bool ends_at_rest = false);

struct WhatIfAnswer {
  WhatIfFigures history;  // today's options over the history: to be compared with the report
  std::optional<WhatIfFigures> counted_history = {};  // as WhatIfRuns::counted_history
  std::vector<WhatIfFigures> variants;
  std::string lack_of_all = {};  // WhatIfRuns::lack_of_all
  /// Today's options, begun as this line is.
  [[nodiscard]] const WhatIfFigures& baseline_of(const WhatIfFigures& variant) const;
  [[nodiscard]] bool complete() const;
};

/// What the test of trust needs, without waiting for the changes. Today's options are among the
/// variants where they are that run. Errors: those of the simulations.
[[nodiscard]] Result<WhatIfAnswer> simulate_history(const WhatIfRuns& asked,
                                                    const BatchOptions& options);
/// Adds the variants that `answer`, of simulate_history(), lacks.
[[nodiscard]] Result<void> simulate_variants(const WhatIfRuns& asked, const BatchOptions& options,
                                             WhatIfAnswer& answer);
/// Both.
[[nodiscard]] Result<WhatIfAnswer> simulate_runs(const WhatIfRuns& asked,
                                                 const BatchOptions& options);

/// Bytes written into each level / bytes flushed, as the store's files report them.
[[nodiscard]] std::vector<double> reported_by_level(const stores::FamilyFigures& reported);

}  // namespace lsmlab
