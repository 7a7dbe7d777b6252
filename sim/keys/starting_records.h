// Puts the records that a workload loads first into the files of a starting tree, at resolution
// `key`. The oldest run takes the records that no other file holds, and then, as all other runs do,
// records at random within the files' ranges. Records beyond what the files hold are left out: the
// store does not have them.
#pragma once

#include <cstdint>

#include "models/base/error.h"
#include "models/execution/starting_tree.h"
#include "sim/keys/key_tree.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

/// Takes start.records operations from the source. REQUIRES: they are puts; nothing was written to
/// `files`. Errors: those of the source; more writes or pairs of sizes than a run may hold.
[[nodiscard]] Result<void> place_records(const StartingTree& start, OperationSource& source,
                                         std::uint64_t seed, KeyTree& files);

}  // namespace lsmlab
