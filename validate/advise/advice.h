// The question of `advise` and its answer. The search (search.h) tries policies and parameters on
// one workload in up to three rounds:
//
//  1. every combination of the coarse values of each policy's parameters
//     (parameter_table.h), at resolution range where the workload has it;
//  2. again and again the neighbours of the best candidate and of the Pareto front, until there are
//     no new ones;
//  3. the finalists at resolution key, where their keys fit a third of the memory.
//
// The candidates, their order and all figures are the same for any number of threads. Only the
// budget is measured on a wall clock: at its end no candidate begins, and those that run are left
// out. Candidates are compared by the first four digits of their figures.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/accounting/run_result.h"
#include "models/execution/starting_tree.h"
#include "validate/advise/policy_space.h"
#include "validate/catalog/run_spec.h"
#include "validate/results/result_query.h"

namespace lsmlab {

struct AdvisedFigure {
  std::string name;  // as the user wrote it
  std::string path;
};

struct AdvisedCondition {
  std::string text;  // as the user wrote it
  std::string name;  // of the figure
  ResultCondition condition;
};

struct AdviceQuestion {
  RunSpec run;  // everything but the policy
  // With a clock: stall rules of the store or of the db_bench line, for policies of its system.
  Parameters todays_stalls;
  std::optional<Spec> today;   // the first candidate, with which the answer compares
  std::vector<Spec> policies;  // empty: usual_policies(), or those of today's system
  std::vector<VariedParameter> varied;
  std::optional<Bytes> memory;          // the most for memtable and filters
  std::vector<AdvisedFigure> minimize;  // the first one chooses the best candidate
  std::vector<AdvisedFigure> front;     // of the Pareto front; begins with those to minimize
  std::vector<AdvisedCondition> where;
  // Null: the workload loads its records. Otherwise each run begins with this tree of today's
  // policy, and a policy that cannot go on from it is left out.
  std::shared_ptr<const StartingTree> start = {};
  // Where runs have a start: the command that asks the store, without the policy.
  std::string store_command = {};
  // Bytes are counted up to the last operation, as those of a store whose merges were behind.
  bool counts_to_last_operation = false;
};

/// Where the workload is a line of db_bench: its own options become today's, and policy db_bench is
/// theirs. REQUIRES: the question has its run and policies, and no today. Errors: policy db_bench
/// on another workload; lsmlab has no policy for the line, where it is searched.
[[nodiscard]] Result<void> take_db_bench(AdviceQuestion& question);

/// The run of one policy. The stall rules of a line do not apply to policies of other systems, and
/// bounds of pending bytes only to a policy that estimates these.
[[nodiscard]] RunSpec run_with(const AdviceQuestion& question, const Spec& policy);

/// Reads the figures and conditions into the question. `minimize` empty: write. The front has the
/// figures to minimize, and, where there is only one, also write, read_mean and space. REQUIRES:
/// the question has its run, because --measure-from changes which part's write amplification
/// counts. Errors: those of result_query.h; a figure that needs a clock in a run without one; a
/// figure of which more is better, to minimize.
[[nodiscard]] Result<void> set_figures(AdviceQuestion& question,
                                       const std::vector<std::string>& minimize,
                                       const std::vector<std::string>& where);

enum class AdviceRound : std::uint8_t { kToday, kCoarse, kRefined };

struct Candidate {
  std::size_t space = 0;
  Point point;
  Spec spec;
  AdviceRound round = AdviceRound::kCoarse;
  std::optional<Bytes> memory = {};  // of memtable and filters, where the question limits it
  bool fits_memory = true;
  Resolution resolution = Resolution::kRange;  // of `coarse`
  bool is_final = false;                       // no simulation is more exact than the first one
  nlohmann::ordered_json coarse = {};          // the result without its curves; null: was not tried
  nlohmann::ordered_json exact = {};           // at resolution key; null: was not simulated

  [[nodiscard]] bool is_tried() const { return !coarse.is_null(); }
  /// The most exact result.
  [[nodiscard]] const nlohmann::ordered_json& result() const {
    return exact.is_null() ? coarse : exact;
  }
};

struct SkippedPolicy {
  std::string policy;
  std::string why;
};

/// What will be tried, before anything is.
struct AdvicePlan {
  std::vector<PolicySpace> spaces;
  std::vector<Candidate> candidates;   // of the first round, today's first
  std::vector<SkippedPolicy> skipped;  // usual policies that cannot run on the workload
  std::uint64_t impossible = 0;        // combinations that the policy refuses
  std::uint64_t equal = 0;             // that make the same store as an earlier one
  std::uint64_t too_large = 0;         // that take more than the memory
};

enum class ExactRound : std::uint8_t {
  kDone,
  kNeedless,  // the figures of the first rounds are final
  kNoMemory,  // keys do not fit
  kNoKeys,    // the workload has flush sizes only
  kCutShort,  // by the budget or by an interrupt
  kNoCandidate,
};

struct Advice {
  AdvicePlan plan;  // with the candidates of the second round
  std::uint64_t coarse_total = 0;
  std::uint64_t coarse_tried = 0;
  std::uint64_t refined_total = 0;
  std::uint64_t refined_tried = 0;
  std::vector<std::size_t> finalists;
  ExactRound exact = ExactRound::kNeedless;
  std::optional<std::size_t> best;     // the best that satisfies all conditions
  std::optional<std::size_t> nearest;  // otherwise, the one that misses them by least
  std::vector<std::size_t> front;      // sorted by its figures; only satisfying candidates
  bool is_front_exact = true;          // of finalists by their most exact figures; or of all by the
                                       // first rounds' figures
  bool is_budget_over = false;
  bool is_interrupted = false;
  double seconds = 0;

  [[nodiscard]] const Candidate& candidate(std::size_t i) const { return plan.candidates[i]; }
};

/// A candidate's figure; nothing where its result has none.
[[nodiscard]] std::optional<double> figure_of(const nlohmann::ordered_json& result,
                                              const AdvisedFigure& figure);
/// The conditions that a result misses.
[[nodiscard]] std::vector<const AdvisedCondition*> missed_conditions(
    const AdviceQuestion& question, const nlohmann::ordered_json& result);
/// By how much it misses them, each relative to its bound, summed; 0 where all hold.
[[nodiscard]] double shortfall_of(const AdviceQuestion& question,
                                  const nlohmann::ordered_json& result);

}  // namespace lsmlab
