#include "default_policy.h"

#include <fmt/format.h>

#include "models/base/spec.h"
#include "validate/catalog/db_bench_workload.h"

namespace lsmlab {

Result<std::string> default_policy(const std::vector<std::string>& workloads, const char* verb) {
  for (const std::string& workload : workloads) {
    const Spec spec = BOOST_OUTCOME_TRYX(parse_spec(workload));
    if (spec.name == kDbBenchWorkload) continue;
    return input_error(
        fmt::format("--policy is required; expected --policy SPEC (lsmlab {} --help)", verb));
  }
  return std::string(kDbBenchWorkload);
}

}  // namespace lsmlab
