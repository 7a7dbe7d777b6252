#include "output.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "models/base/printable.h"
#include "validate/catalog/db_bench_workload.h"
#include "validate/catalog/tectonic_workload.h"

namespace lsmlab {

Result<void> print_text(std::string_view text) { return write_output("-", printable(text)); }

void tell_policy_limits(const RunSpec& spec) {
  if (spec.policy.name != kDbBenchWorkload) return;
  const auto limits = db_bench_policy_limits(spec);
  if (!limits) return;
  for (const std::string& limit : limits.value()) {
    fmt::print(stderr, "lsmlab: policy db_bench differs from the line's RocksDB: {}\n",
               printable(limit));
  }
}

void tell_workload_notes(const Spec& workload) {
  for (const std::string& note : tectonic_notes(workload)) {
    fmt::print(stderr, "lsmlab: the workload differs from Tectonic's: {}\n", printable(note));
  }
}

}  // namespace lsmlab
