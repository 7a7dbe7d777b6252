#include "models/execution/run_setup.h"

#include <fmt/format.h>

#include <utility>

namespace lsmlab {

const char* run_source_name(RunSource source) {
  switch (source) {
    case RunSource::kSimulator:
      return "simulator";
    case RunSource::kEngine:
      return "engine";
    case RunSource::kRocksdb:
      return "rocksdb";
    case RunSource::kLeveldb:
      break;
  }
  return "leveldb";
}

RunSetup default_setup(ConfiguredPolicy policy) {
  RunSetup setup{std::move(policy)};
  setup.stalls = stall_rules_of(setup.policy, {}).value();
  return setup;
}

Error needs_keys_error(const std::string& policy_name) {
  return input_error(
      fmt::format("policy '{}' decides by key ranges, but resolution 'flush' has sizes only; "
                  "use a workload of operations ('lsmlab workloads') or a policy that "
                  "needs sizes only ('lsmlab policies')",
                  policy_name));
}

}  // namespace lsmlab
