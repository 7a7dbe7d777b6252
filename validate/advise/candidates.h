// Makes candidates of points: resolves their runs, and leaves out those that cannot run, that make
// the same store as an earlier one, or that take too much memory.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "models/base/error.h"
#include "validate/advise/advice.h"

namespace lsmlab {

class CandidateMaker {
 public:
  explicit CandidateMaker(const AdviceQuestion& question) : question_(question) {}

  /// Adds the point's candidate to the plan; nothing is added for a point that was made before, or
  /// that is left out, which the plan counts. `is_needed`: an error or a lack of memory does not
  /// leave it out. Errors: with is_needed, those of the run.
  [[nodiscard]] Result<void> add(AdvicePlan& plan, std::size_t space, const Point& point,
                                 AdviceRound round, bool is_needed);
  /// The candidate's run in the first rounds: at resolution range, where the workload and the
  /// policy allow it; otherwise as `simulate` chooses. Errors: those of RunResolver.
  [[nodiscard]] Result<ResolvedRun> coarse_run(const Spec& policy);
  /// The same at resolution key.
  [[nodiscard]] Result<ResolvedRun> exact_run(const Spec& policy);

 private:
  [[nodiscard]] Result<ResolvedRun> run_at(const Spec& policy,
                                           std::optional<Resolution> resolution);

  const AdviceQuestion& question_;
  RunResolver resolver_;
  std::set<std::pair<std::size_t, Point>> made_;  // with their spaces
  std::set<std::string> known_;                   // what earlier candidates configure
};

/// What the workload is, before any policy is looked at.
struct WorkloadFacts {
  bool is_flushes = false;
  PolicyWorkload workload = {};                // what policies take from it
  std::optional<std::uint64_t> keys_max = {};  // different keys
  std::optional<Bytes> memory_for_keys = {};   // of a simulation at resolution key
};
/// Errors: those of the workload.
[[nodiscard]] Result<WorkloadFacts> workload_facts(const RunSpec& run);

/// As plan_advice() of search.h, with a maker that then makes the candidates of the second round.
[[nodiscard]] Result<void> plan_advice(const AdviceQuestion& question, CandidateMaker& maker,
                                       AdvicePlan& plan);

}  // namespace lsmlab
