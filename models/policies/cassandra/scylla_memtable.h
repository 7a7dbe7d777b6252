// How near the memtable of the policies of ScyllaDB is to ScyllaDB's.
#pragma once

#include "models/policies/fidelity.h"

namespace lsmlab {

[[nodiscard]] inline RuleFidelity scylla_replacement_fidelity() {
  return replacement_fidelity(
      "ScyllaDB 2026.4.0-dev, mutation/partition_version.cc, utils/logalloc.cc",
      "at once; in ScyllaDB when all of a segment of 128 KiB is free, or its live data is moved to "
      "another one; a reader of a partition keeps what it may still read");
}

}  // namespace lsmlab
