// What a policy takes from the workload that it runs with: the size of its flushes, what codecs
// leave of its blocks, and the rate by which a stated time (ttl=30d) becomes the number of
// operations or writes that the policy counts.
// This is the only place that does so, before the policy is made.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/spec.h"
#include "models/base/stated_time.h"
#include "models/base/units.h"
#include "models/policies/registry.h"
#include "traces/workloads/flush_workload.h"
#include "traces/workloads/key_workload.h"

namespace lsmlab {

struct PolicyWorkload {
  std::string name = {};                   // empty: no workload is known
  std::optional<Bytes> flush_bytes = {};   // as of make_policy()
  CodecShares shares = {};                 // as of make_policy()
  std::optional<OperationRate> rate = {};  // of all operations
  /// The share of writes (puts and deletes); not called without a rate. Errors: a trace that
  /// cannot be read.
  std::function<Result<OperationShare>()> writes = {};
  /// Equal for workloads of which a policy takes the same. `spec`: of the workload.
  [[nodiscard]] std::string identity(const Spec& spec) const;
};

[[nodiscard]] PolicyWorkload policy_workload(const FlushWorkload& workload);
[[nodiscard]] PolicyWorkload policy_workload(const KeyWorkload& workload);

/// The writes among a workload's operations. The first phases do not count if they only put keys
/// and a later one writes, too: they load the data that the store has when its time begins. Errors:
/// a trace that cannot be read; no operations.
[[nodiscard]] Result<OperationShare> write_share(const KeyWorkload& workload);

/// The option of that name, if it is an age or a period (counts_operations()); otherwise null.
[[nodiscard]] const OptionInfo* counting_option(const std::vector<OptionInfo>& options,
                                                const std::string& name);

/// Replaces the times among a policy's parameters by what the policy counts, and returns them.
/// `spec` names a family. Errors: no time; the workload states no rate; a time with no operation in
/// it, or too many. Without a known workload, times stay, and make_policy() refuses them.
[[nodiscard]] Result<Parameters> take_stated_times(Spec& spec, const PolicyWorkload& workload);

/// Adds to the policy's options what was stated as a time, as NAME_as_time.
void show_stated_times(ConfiguredPolicy& policy);

}  // namespace lsmlab
