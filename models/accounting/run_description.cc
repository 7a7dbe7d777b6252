#include "models/accounting/run_description.h"

#include "models/accounting/run_recorder.h"

namespace lsmlab {

void describe_run(const RunSetup& run, RunResult& result) {
  result.source = run_source_name(run.options.source);
  describe_policy(run.policy, result);
  result.workload = run.workload;
  result.workload_options = run.workload_options;
  result.resolution = "key";
  result.seed = run.options.seed;
}

}  // namespace lsmlab
